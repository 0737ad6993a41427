// How a run ended, and what it cost.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "isa/trap.h"
#include "isa/word_ops.h"
#include "vm/exception.h"
#include "weights/heads.h"

namespace txvm::vm {

using isa::Word;

/// An engine; a projection of engines.def.
enum class EngineKind : std::uint8_t {
#define TXVM_ENGINE(Name, text, longest, what) k##Name,
#include "vm/engines.def"
#undef TXVM_ENGINE
};

std::string_view EngineName(EngineKind engine);
std::string_view EngineWhat(EngineKind engine);
std::optional<EngineKind> FindEngine(std::string_view name);
/// Every engine, in the order of engines.def.
std::vector<EngineKind> AllEngines();
/// Those that run programs of any length.
std::vector<EngineKind> DirectEngines();
/// Steps of the longest run that comparisons and benchmarks ask of the engine when not told.
std::uint64_t LongestComparedRun(EngineKind engine);

/// The five address spaces, each read through its own heads.
using weights::kSpaceCount;
using weights::Space;
using weights::SpaceName;

/// Attention work per space, counted where it happens; all zero on the native engine.
struct Stats {
  std::array<std::uint64_t, kSpaceCount> heads{};  // logical heads evaluated
  std::array<std::uint64_t, kSpaceCount>
      keys{};  // keys scored for them (one tile score may serve several byte heads)
  std::array<std::uint64_t, kSpaceCount> live{};  // live keys of the space when the run stopped
};

enum class Outcome : std::uint8_t {
  kHalted,
  kTrapped,
  kExited,
  kOutOfFuel,
  kInterrupted,
  kHostError
};
/// The name in JSON: "halted", "trapped", "exited", "out_of_fuel", "interrupted", "host_error".
std::string_view OutcomeText(Outcome outcome);
/// The same for people: "out of fuel", "host error".
std::string_view OutcomeWords(Outcome outcome);

enum class InterruptReason : std::uint8_t { kNone, kTimeout, kSignal, kBreakpoint };
std::string_view InterruptText(InterruptReason reason);

/// Where and why a program trapped.
struct TrapInfo {
  isa::Trap cause = isa::Trap::kUnreachable;
  std::uint32_t ip = 0;
  std::string detail;  // which limit, which unsupported instruction; may be empty
};

/// The outcome of one invocation. steps and digest count from its start, over all resumes.
struct RunResult {
  Outcome outcome = Outcome::kHalted;
  std::optional<TrapInfo> trap;        // set iff kTrapped
  std::optional<Exception> exception;  // set iff trapped with kUncaughtException of its own tags
  std::int32_t exit_code = 0;          // meaningful iff kExited
  InterruptReason interrupt = InterruptReason::kNone;  // set iff kInterrupted
  std::optional<isa::Error> host_error;                // set iff kHostError
  std::vector<Word> results;  // whole operand stack, first deepest; empty unless kHalted
  std::uint64_t steps = 0;
  std::optional<std::uint64_t> digest;  // set iff RunOptions::digest
  std::optional<Stats> stats;           // set iff RunOptions::stats

  /// Makes it a new one, but for the memory of `results`.
  void Clear() {
    outcome = Outcome::kHalted;
    trap.reset();
    exception.reset();
    exit_code = 0;
    interrupt = InterruptReason::kNone;
    host_error.reset();
    results.clear();
    steps = 0;
    digest.reset();
    stats.reset();
  }
};

}  // namespace txvm::vm
