// The loop of the engines that compute every step with the weights: a pass, its write tokens into
// the history, its state token into the next pass. Only the pass itself differs between them.
#pragma once

#include <type_traits>

#include "vm/engines/transformer_state.h"

namespace txvm::vm {

/// Runs passes until one stops the run, like Engine::Run. `Passes` is the engine's side:
///   weights::StateRecord Forward(const weights::StateRecord&)  one pass; its state token
///   bool StoreWrites(State&)              its write tokens; false: one is none
///   void Count(Stats&)                    its heads and the keys they scored
///   static constexpr std::uint64_t kPollInterval  steps between looks at the interrupt
template <typename Passes>
Stop RunPasses(const EngineContext& context, State& state, std::uint64_t fuel, Observer* observer,
               Passes&& passes) {
  namespace sf = weights::state_field;
  constexpr std::uint64_t kPoll = std::remove_reference_t<Passes>::kPollInterval;
  const std::uint64_t last =
      fuel > isa::kUnlimitedFuel - state.steps ? isa::kUnlimitedFuel : state.steps + fuel;
  weights::StateRecord record = RecordOf(context, state);
  std::uint32_t made = 0;  // passes of the current instruction
  for (;;) {
    if (++made > kMaxPasses) return Stop::Trapped(isa::Trap::kUnsupported, kEndless);
    if (record[sf::kMicro] == 0) {
      if (state.steps == last) return Stop::Of(Stop::Kind::kOutOfFuel);
      if (state.steps % kPoll == 0 && context.interrupt.requested()) {
        return Stop::Of(Stop::Kind::kInterrupted);
      }
    }
    const weights::StateRecord next = passes.Forward(record);
    if (observer != nullptr && observer->wants_stats()) passes.Count(observer->stats());
    if (next[sf::kHost] != 0) {
      if (IsImportCall(context.program, state.ip)) return Stop::Of(Stop::Kind::kHostCall);
      return Stop::Trapped(isa::Trap::kUnsupported, kNoImport);
    }
    if (!passes.StoreWrites(state)) return Stop::Trapped(isa::Trap::kUnsupported, kNoToken);
    if (next[sf::kCounted] != 0) {
      RecordStep(state, record, next, observer);
      // Fuel and interrupts are looked at between instructions: one that goes on evades them.
      if (next[sf::kMicro] != 0) return Stop::Trapped(isa::Trap::kUnsupported, kEndless);
      made = 0;
    }
    record = next;
    if (record[sf::kMicro] == 0) {
      if (!RegistersFit(record, context.limits)) {
        return Stop::Trapped(isa::Trap::kUnsupported, kNoPlace);
      }
      CopyRegisters(record, state);
    }
    if (record[sf::kStopped] != 0) return StopOf(record, context.limits);
  }
}

}  // namespace txvm::vm
