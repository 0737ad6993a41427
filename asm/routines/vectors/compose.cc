#include "asm/routines/vectors/compose.h"

#include <optional>

#include "asm/routines/vectors/lanes.h"
#include "isa/support/result.h"

namespace txvm::assembler {
namespace {

using Composer = Cells (*)(const isa::VectorRoutine&, const Cells&);

bool IsFloatOperation(isa::VectorOperation operation) {
  return operation >= isa::VectorOperation::kFAbs && operation <= isa::VectorOperation::kNmadd;
}

/// The code that one composer makes; nullopt: the row is none of its.
std::optional<GraphCode> Made(Composer composer, const isa::VectorRoutine& row,
                              std::span<const AssembledRoutine> scalars) {
  Graph graph;
  const isa::RoutineInfo& info = isa::Info(row.id);
  Cells in;
  for (isa::Word i = 0; i < info.cells_in; ++i) {
    in.push_back({&graph, graph.Add({Graph::Kind::kArgument, isa::Opcode::kNop, i, {}})});
  }
  const Cells out = composer(row, in);
  if (out.empty()) return std::nullopt;
  TXVM_ASSERT(out.size() == info.cells_out);
  return Emit(graph, info.cells_in, out, scalars);
}

}  // namespace

GraphCode ComposeVector(const isa::VectorRoutine& row, std::span<const AssembledRoutine> scalars) {
  if (IsFloatOperation(row.operation)) return *Made(ComposeFloat, row, scalars);
  std::optional<GraphCode> best;
  for (const Composer composer :
       {ComposeInteger, ComposeParallel, ComposeWide, ComposeResized, ComposeWhole}) {
    std::optional<GraphCode> made = Made(composer, row, scalars);
    if (made && (!best || made->code.size() < best->code.size())) best = std::move(made);
  }
  TXVM_ASSERT(best.has_value());
  return *std::move(best);
}

}  // namespace txvm::assembler
