// One random module on the folded and the native engine.
#pragma once

#include <cstdint>
#include <string>

#include "vm/machine.h"

namespace txvm::vm {

/// What the comparisons so far have met.
struct WasmCounts {
  std::uint64_t halted = 0, trapped = 0, cuts = 0, snapshots = 0, interrupts = 0, steps = 0;
  std::uint64_t unfit = 0;    // modules with a segment outside its table or memory
  std::uint64_t keeping = 0;  // modules for which no write of a local may be left out
};

/// How two machines of one program differ, the folded and the native one, in steps, ip, stack,
/// backtrace, globals or memory; empty: they do not.
std::string StatesDiffer(const Machine& folded, const Machine& native);
/// The same of two runs, in outcome, results or trap.
std::string ResultsDiffer(const RunResult& folded, const RunResult& native);

/// The first difference of module `seed`, which has references for one of four seeds, in outcome,
/// results, stack, memory, globals, steps or backtrace, between the engines and wherever a run is
/// cut; empty: none. Every other cut is made in a snapshot that goes on on the other engine. Some
/// runs are interrupted by another thread all the time.
std::string WasmDifference(std::uint64_t seed, WasmCounts& counts);

}  // namespace txvm::vm
