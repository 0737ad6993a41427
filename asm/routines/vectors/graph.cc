#include "asm/routines/vectors/graph.h"

#include <optional>

#include "isa/support/result.h"
#include "isa/word_ops.h"

namespace txvm::assembler {

using isa::Opcode;
using isa::Word;

namespace {

/// What constants alone decide.
std::optional<Word> Fold(Opcode op, Word a, Word b) {
  switch (op) {
    case Opcode::kAdd:
      return isa::Add(a, b);
    case Opcode::kMul:
      return isa::Mul(a, b);
    case Opcode::kAnd:
      return isa::And(a, b);
    case Opcode::kOr:
      return isa::Or(a, b);
    case Opcode::kXor:
      return isa::Xor(a, b);
    case Opcode::kShl:
      return isa::Shl(a, b);
    case Opcode::kShrU:
      return isa::ShrU(a, b);
    default:
      return std::nullopt;
  }
}

/// Whether `x op right` is x.
bool IsNeutral(Opcode op, Word right) {
  constexpr Word kAllOnes = 0xFFFFFFFF;
  switch (op) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kShl:
    case Opcode::kShrU:
    case Opcode::kShrS:
      return right == 0;
    case Opcode::kAnd:
      return right == kAllOnes;
    case Opcode::kMul:
      return right == 1;
    default:
      return false;
  }
}

}  // namespace

Graph::Id Graph::Add(Node node) {
  if (node.kind == Kind::kOp && node.operands.size() == 2) {
    const Node &a = nodes_[node.operands[0]], &b = nodes_[node.operands[1]];
    if (b.kind == Kind::kConstant) {
      if (IsNeutral(node.op, b.value)) return node.operands[0];
      const std::optional<Word> folded =
          a.kind == Kind::kConstant ? Fold(node.op, a.value, b.value) : std::nullopt;
      if (folded) return Add({Kind::kConstant, Opcode::kNop, *folded, {}});
    }
  }
  const auto next = static_cast<Id>(nodes_.size());
  const auto [found, is_new] = known_.try_emplace(node, next);
  if (is_new) nodes_.push_back(std::move(node));
  return found->second;
}

Cell Constant(Graph& graph, Word value) {
  return {&graph, graph.Add({Graph::Kind::kConstant, Opcode::kNop, value, {}})};
}

Cell Operate(Opcode op, Cell a) {
  return {a.graph, a.graph->Add({Graph::Kind::kOp, op, 0, {a.id}})};
}

Cell Operate(Opcode op, Cell a, Cell b) {
  TXVM_ASSERT(a.graph == b.graph);
  return {a.graph, a.graph->Add({Graph::Kind::kOp, op, 0, {a.id, b.id}})};
}

Cell Operate(Opcode op, Cell a, Word b) { return Operate(op, a, Constant(*a.graph, b)); }

Cell Select(Cell condition, Cell a, Cell b) {
  return {a.graph,
          a.graph->Add({Graph::Kind::kOp, Opcode::kSelect, 0, {a.id, b.id, condition.id}})};
}

std::vector<Cell> Call(isa::RoutineId id, std::span<const Cell> operands) {
  const isa::RoutineInfo& info = isa::Info(id);
  TXVM_ASSERT(operands.size() == info.cells_in);
  Graph& graph = *operands.front().graph;
  Graph::Node call{Graph::Kind::kCall, Opcode::kNop, static_cast<Word>(id), {}};
  for (const Cell& cell : operands) call.operands.push_back(cell.id);
  const Graph::Id made = graph.Add(std::move(call));
  std::vector<Cell> results;
  for (Word i = 0; i < info.cells_out; ++i) {
    results.push_back({&graph, graph.Add({Graph::Kind::kResult, Opcode::kNop, i, {made}})});
  }
  return results;
}

}  // namespace txvm::assembler
