#include "vm/engine.h"

#include <algorithm>
#include <limits>

namespace txvm::vm {

void Observer::Append(const isa::TraceRecord& record) {
  batch_.push_back(record);
  if (batch_.size() == kBatch) Flush();
}

void Observer::Flush() {
  if (batch_.empty()) return;
  sink_(batch_);
  batch_.clear();
}

namespace {

std::shared_ptr<const FrameFacts> FactsOf(const EngineContext& context) {
  const isa::Program& program = context.program;
  auto facts = std::make_shared<FrameFacts>();
  facts->largest_frame = isa::LargestFrame(program);
  if (context.verified == nullptr) return facts;
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const std::uint32_t height = context.verified->max_height[f];
    const std::uint32_t params = program.functions[f].params;
    facts->slot_growth.push_back(height > params ? height - params : 0);
    facts->most_growth = std::max(facts->most_growth, facts->slot_growth.back());
    facts->most_height = std::max(facts->most_height, height);
  }
  return facts;
}

}  // namespace

FrameRoom FrameRoom::Of(const EngineContext& context) {
  FrameRoom room;
  room.facts = TableOf<FrameFacts>(context.tables, TableKind::kFrameFacts, 0,
                                   [&] { return FactsOf(context); });
  room.largest_frame = room.facts->largest_frame;
  if (context.verified == nullptr) return room;
  // With d frames below, locals_base <= G + d * largest frame, and sp <= d * tallest function:
  // while both still leave room for one more frame, no check beyond the depth is needed.
  const std::uint64_t globals = context.program.globals.size();
  const std::uint64_t frame = std::max<std::uint64_t>(room.largest_frame, 1);
  const std::uint64_t by_locals =
      context.limits.max_locals > globals ? (context.limits.max_locals - globals) / frame : 0;
  // Counts of results are 32 bits wide: the sum may not fit, and then no limit holds it either.
  room.tallest = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::uint64_t{room.facts->most_height} + room.facts->most_growth,
                              std::numeric_limits<std::uint32_t>::max()));
  const std::uint64_t by_slots = context.limits.max_slots / room.tallest;
  const std::uint64_t safe =
      std::min<std::uint64_t>({context.limits.max_depth, by_locals, by_slots});
  room.safe_depth = static_cast<std::uint32_t>(safe > 2 ? safe - 2 : 0);
  return room;
}

bool FrameRoom::Allows(const EngineContext& context, std::uint32_t target, std::uint32_t sp,
                       std::uint64_t callee_base, std::uint32_t depth) const {
  const isa::Function* callee = context.program.FunctionAt(target);
  const auto f = static_cast<std::size_t>(callee - context.program.functions.data());
  return depth < context.limits.max_depth &&
         callee_base + largest_frame <= context.limits.max_locals &&
         static_cast<std::uint64_t>(sp) + facts->slot_growth[f] <= context.limits.max_slots;
}

}  // namespace txvm::vm
