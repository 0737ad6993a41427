// The next forward pass of a stopped machine, with the numbers that decide.
#include "frontends/cli/step/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "frontends/cli/step/view.h"
#include "isa/support/shown_text.h"
#include "vm/snapshot.h"
#include "vm/state.h"
#include "weights/explain.h"
#include "weights/reference.h"

namespace txvm::frontends::cli {
namespace {

namespace sf = weights::state_field;
using weights::MemoryRecord;
using weights::Space;

// Keys of one token take 0.8 KB in the reference model.
constexpr std::uint64_t kMostTokens = 200'000;

MemoryRecord FrameToken(std::uint32_t depth, const vm::Frame& frame) {
  std::array<std::uint8_t, 2 * sizeof(std::uint32_t)> values;
  std::memcpy(values.data(), &frame.return_ip, sizeof(std::uint32_t));
  std::memcpy(values.data() + sizeof(std::uint32_t), &frame.locals_base, sizeof(std::uint32_t));
  return weights::MakeMemory(Space::kCall, depth, values);
}

/// The live cells of the machine as tokens: what a weights-only engine that took over here would
/// begin with.
void FeedState(const vm::Machine& machine, const vm::Snapshot& snapshot,
               weights::ReferenceModel& model) {
  const isa::Program& program = machine.program();
  const vm::State& state = machine.state();
  for (std::uint32_t ip = 0; ip < program.code.size(); ++ip) {
    model.Append(weights::MakeCode(ip, program.code[ip]));
  }
  for (const vm::SnapshotBlock& block : snapshot.locals) {
    const auto first = static_cast<std::uint32_t>(std::size_t{block.index} *
                                                  vm::kSnapshotBlockBytes / sizeof(isa::Word));
    const auto last =
        static_cast<std::uint32_t>(first + (block.bytes->size() - 1) / sizeof(isa::Word));
    for (std::uint32_t slot = first; slot <= last; ++slot) {
      if (state.locals[slot] == 0) continue;
      model.Append(weights::MakeCell(Space::kLocals, slot, state.locals[slot]));
    }
  }
  for (const vm::SnapshotBlock& block : snapshot.memory) {
    const auto first = static_cast<std::uint32_t>(block.index * vm::kSnapshotBlockBytes);
    for (std::uint32_t i = 0; i < block.bytes->size(); ++i) {
      if ((*block.bytes)[i] != 0) model.Append(weights::MakeByte(first + i, (*block.bytes)[i]));
    }
  }
  for (std::uint32_t slot = 1; slot <= state.sp; ++slot) {
    model.Append(weights::MakeCell(Space::kStack, slot, state.slots[slot]));
  }
  for (std::uint32_t depth = 1; depth <= state.depth; ++depth) {
    model.Append(FrameToken(depth, state.frames[depth]));
  }
}

weights::StateRecord RecordOf(const vm::Machine& machine, const isa::Limits& limits) {
  const vm::State& state = machine.state();
  weights::StateRecord record =
      weights::InitialState(machine.program(), limits, state.ip, {}, state.memory.pages());
  const auto set = [&](std::size_t field, isa::Word word) {
    weights::SetWord(std::span(record).subspan(field), word);
  };
  set(sf::kSp, state.sp);
  set(sf::kDepth, state.depth);
  set(sf::kBase, state.locals_base);
  set(sf::kTop, state.sp == 0 ? 0 : state.top());
  return record;
}

}  // namespace

isa::Result<std::string> AttentionText(const vm::Machine& machine, const isa::Limits& limits) {
  TXVM_TRY(const vm::Snapshot snapshot, machine.TakeSnapshot());
  const std::uint64_t tokens = vm::SnapshotTokens(snapshot, machine.program());
  if (tokens > kMostTokens) {
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("the state is {} tokens, attention is shown for {} at most",
                                 isa::Grouped(tokens), isa::Grouped(kMostTokens)));
  }
  const weights::Model model = weights::CompileModel();
  weights::ReferenceModel reference(model);
  FeedState(machine, snapshot, reference);
  const weights::StateRecord before = RecordOf(machine, limits);
  const weights::PassOutput after = reference.Forward(before);
  return weights::ExplainPass(model, reference, machine.program(), before, after);
}

}  // namespace txvm::frontends::cli
