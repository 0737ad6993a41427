#include "frontends/wasm/dispatcher.h"

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

DispatchTable::DispatchTable(const Module& module,
                             const std::map<std::uint32_t, std::uint32_t>& elements,
                             std::uint64_t size) {
  const DispatchRange null{.cause = isa::Trap::kNullElement};
  std::uint64_t next = 0;
  for (const auto& [index, function] : elements) {
    if (index > next) AddRange(mismatch_, static_cast<std::uint32_t>(next), null);
    next = std::uint64_t{index} + 1;
    if (function == kUnknownFunction) {
      AddRange(mismatch_, index, {.cause = isa::Trap::kUnsupported});
      continue;
    }
    AddRange(mismatch_, index, {.cause = isa::Trap::kCallTypeMismatch});
    if (function == kUncalledFunction) continue;
    std::uint32_t signature = module.functions[function].signature;
    while (true) {  // and what it is a subtype of
      std::vector<Run>& runs = signatures_[signature];
      if (!runs.empty() && runs.back().last == index && runs.back().function == function) {
        runs.back().last = next;
      } else {
        runs.push_back({index, next, function});
      }
      const auto super = module.supertypes.find(signature);
      if (super == module.supertypes.end()) break;
      signature = super->second;
    }
  }
  if (next < size) AddRange(mismatch_, static_cast<std::uint32_t>(next), null);
  if (size <= 0xFFFFFFFFu) {
    AddRange(mismatch_, static_cast<std::uint32_t>(size), {.cause = isa::Trap::kUndefinedElement});
  }
}

std::vector<DispatchRange> DispatchTable::Ranges(std::uint32_t signature) const {
  const auto found = signatures_.find(signature);
  if (found == signatures_.end()) return mismatch_;
  std::vector<DispatchRange> ranges;
  auto run = found->second.begin();
  for (std::size_t i = 0; i < mismatch_.size(); ++i) {
    const bool is_last = i + 1 == mismatch_.size();
    const std::uint64_t end = is_last ? std::uint64_t{1} << 32 : mismatch_[i + 1].first;
    std::uint64_t next = mismatch_[i].first;  // what lies before it is in `ranges`
    for (; run != found->second.end() && run->first < end; ++run) {
      if (next < run->first) AddRange(ranges, static_cast<std::uint32_t>(next), mismatch_[i]);
      AddRange(ranges, static_cast<std::uint32_t>(run->first),
               {.is_call = true, .function = run->function});
      next = run->last;
    }
    if (next < end) AddRange(ranges, static_cast<std::uint32_t>(next), mismatch_[i]);
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
