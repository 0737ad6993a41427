#include "frontends/wat/dispatcher.h"

#include <span>
#include <utility>

namespace txvm::frontends::wat {
namespace {

using assembler::BlockKind;
using assembler::FunctionBuilder;
using isa::Opcode;

void AddRange(std::vector<DispatchRange>& ranges, std::uint32_t first, DispatchRange range) {
  range.first = first;
  if (!ranges.empty()) {
    DispatchRange last = ranges.back();
    last.first = first;
    if (last == range) return;
  }
  ranges.push_back(range);
}

/// Recursion depth is the height of the tree, at most 32.
void EmitTree(FunctionBuilder& code, std::span<const DispatchRange> ranges, std::uint32_t operands,
              std::uint32_t results, const EmitCall& emit_call) {
  if (ranges.size() == 1) {
    const DispatchRange& range = ranges.front();
    if (!range.is_call) return code.Trap(range.cause);
    code.Emit(Opcode::kPop);  // the index
    emit_call(code, range.function);
    return code.Return();
  }
  const std::size_t middle = ranges.size() / 2;
  code.Emit(Opcode::kDup);
  code.Emit(Opcode::kPush, ranges[middle].first);
  code.Emit(Opcode::kLtU);
  code.BeginBlock(BlockKind::kIf, operands, results);
  EmitTree(code, ranges.first(middle), operands, results, emit_call);
  code.Else();
  EmitTree(code, ranges.subspan(middle), operands, results, emit_call);
  code.End();
}

}  // namespace

std::vector<DispatchRange> DispatchRanges(const std::map<std::uint32_t, DispatchRange>& elements,
                                          std::uint64_t size) {
  const DispatchRange null{.cause = isa::Trap::kNullElement};
  std::vector<DispatchRange> ranges;
  std::uint64_t next = 0;
  for (const auto& [index, range] : elements) {
    if (index > next) AddRange(ranges, static_cast<std::uint32_t>(next), null);
    AddRange(ranges, index, range);
    next = std::uint64_t{index} + 1;
  }
  if (next < size) AddRange(ranges, static_cast<std::uint32_t>(next), null);
  if (size <= 0xFFFFFFFFu) {
    AddRange(ranges, static_cast<std::uint32_t>(size), {.cause = isa::Trap::kUndefinedElement});
  }
  return ranges;
}

isa::Result<assembler::FunctionCode> MakeDispatcher(assembler::FunctionSpec spec,
                                                    const std::vector<DispatchRange>& ranges,
                                                    const EmitCall& emit_call) {
  const std::uint32_t results = spec.results;
  spec.params += 1;
  const std::uint32_t operands = spec.params;
  FunctionBuilder code(std::move(spec));
  EmitTree(code, ranges, operands, results, emit_call);
  code.End();
  return std::move(code).Finish();
}

}  // namespace txvm::frontends::wat
