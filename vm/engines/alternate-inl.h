// How the engines with a fast loop run: fast where nothing can run out before the loop looks again,
// checked elsewhere.
#pragma once

#include <algorithm>
#include <cstdint>

#include "vm/engine.h"
#include "vm/engines/careful-inl.h"
#include "vm/engines/threaded.h"

namespace txvm::vm {

/// How a fast loop ended, and why if it trapped.
struct FastExit {
  Exit exit = Exit::kHalted;
  isa::Trap cause = isa::Trap::kUnreachable;
};

/// Runs at most min(*fuel, steps) steps in the checked loop and takes them off *fuel.
template <typename Reads>
Stop RunChecked(const EngineContext& context, const FrameRoom& room, FastGate& gate, State& state,
                Reads& reads, Observer* observer, std::uint64_t* fuel, std::uint64_t steps) {
  const std::uint64_t before = state.steps;
  const Stop stop = CarefulLoop<Reads>(context, room.largest_frame, state, reads, observer)
                        .Run(std::min(*fuel, steps));
  *fuel -= state.steps - before;
  gate.CarefulLoopRan();
  return stop;
}

/// Executes at most `fuel` steps of a verified program. `fast(uint64_t* slice)` runs the fast loop
/// on a slice of at least the code size, leaves what is left of it, and returns a FastExit. Fuel
/// below the code size, frames that do not fit and calls near a limit go through the checked loop,
/// kCarefulSlice steps at a time. After `enough` steps it may stop as out of fuel with fuel left:
/// at a jump of the fast loop, so that no step is made in the checked loop for that.
template <typename Reads, typename Fast>
Stop RunAlternating(const EngineContext& context, const FrameRoom& room, FastGate& gate,
                    State& state, Reads& reads, Observer* observer, std::uint64_t fuel,
                    const Fast& fast, std::uint64_t enough = kFuelSlice) {
  const std::uint64_t size = context.program.code.size();
  const std::uint64_t last = state.steps + std::min(enough, kFuelSlice);
  for (;;) {
    if (context.interrupt.requested()) return Stop::Of(Stop::Kind::kInterrupted);
    std::uint64_t checked_steps = kCarefulSlice;
    if (fuel < size) {
      checked_steps = fuel;
    } else if (gate.Opens(room, context, state)) {
      if (state.steps >= last) return Stop::Of(Stop::Kind::kOutOfFuel);
      std::uint64_t slice = std::min({fuel, kFuelSlice, last - state.steps + size});
      const std::uint64_t slice_in = slice;
      const FastExit ended = fast(&slice);
      fuel -= slice_in - slice;
      if (ended.exit == Exit::kHalted) return Stop::Of(Stop::Kind::kHalted);
      if (ended.exit == Exit::kTrapped) return Stop::Trapped(ended.cause);
      if (ended.exit == Exit::kHostCall) return Stop::Of(Stop::Kind::kHostCall);
      if (ended.exit == Exit::kPolled) continue;
    }
    const Stop stop = RunChecked(context, room, gate, state, reads, observer, &fuel, checked_steps);
    if (stop.kind != Stop::Kind::kOutOfFuel || fuel == 0) return stop;
  }
}

}  // namespace txvm::vm
