// Who is measured: our engines, the reference loop and WABT's interpreter, through one call.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/scenario.h"
#include "isa/support/result.h"

namespace txvm::bench {

/// One timed run.
struct Sample {
  std::vector<isa::Word> results;
  std::uint64_t steps = 0;  // 0: not counted
  double seconds = 0;       // CPU time
};

/// A scenario loaded into one engine; each Run is a whole run of it.
struct Contender {
  std::string engine;
  std::function<isa::Result<Sample>()> run;
};

inline constexpr std::string_view kReferenceName = "reference";

/// Every name MakeContender knows: native, the other engines, the reference loop, and the runtimes
/// of ForeignContenders.
std::vector<std::string_view> ContenderNames();

/// Runtimes of others, as child processes; the first is measured without asking.
std::span<const std::string_view> ForeignContenders();

/// Loads `scenario` into the engine `name`. The time of a child process is that of the whole
/// process, but for node, which measures the call alone. kUnsupported when it cannot run here (with
/// the reason), kUsage for an unknown name.
isa::Result<Contender> MakeContender(std::string_view name, const LoadedScenario& scenario);

/// Runs each contender once, untimed, then `rounds` times in turns, starting each round with
/// another one, until one does not give the results that are expected. `each` is called after every
/// run; false stops with what there is. Errors are those of the runs. Returns seconds, (contenders,
/// rounds).
struct Rounds {
  std::vector<std::vector<double>> seconds;
  std::vector<std::uint64_t> steps;  // (contenders,)
  bool stopped = false;
  std::string mismatch;  // "native gives 5 where 6 is expected"; empty when none does
};
isa::Result<Rounds> RunInTurns(const std::vector<Contender>& contenders,
                               const std::vector<isa::Word>& expected, std::size_t rounds,
                               const std::function<bool()>& each);

}  // namespace txvm::bench
