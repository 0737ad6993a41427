// All scenarios on all engines: medians and ratios to native.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/contender.h"

namespace txvm::bench {

/// What to measure.
struct SuiteOptions {
  std::vector<std::string> scenarios;  // names or groups; empty: all
  std::vector<std::string> engines;    // empty: all; native is always measured
  std::size_t rounds = 9;
  std::string folder;  // programs are taken from here where it has them
};

/// One scenario on one engine. `problem` says why there is no measurement.
struct SuiteRow {
  std::string scenario, group, engine, problem;
  std::vector<isa::Word> results;
  std::uint64_t steps = 0;  // as native counts them
  double seconds = 0;       // median
  double ratio = 0;         // median over the rounds of time / native's time in the same round
};

struct SuiteReport {
  std::vector<SuiteRow> rows;
  bool stopped = false;
  std::string mismatch;  // which scenario gave a wrong result, and ended the measuring; or empty
  /// Geometric mean of an engine's ratios over the scenarios of a group it ran; 0 when none.
  double GroupRatio(std::string_view group, std::string_view engine) const;
};

/// Measures; `each(done, total, what)` is called after every run, false stops. kUsage for an
/// unknown scenario or engine, kInvalid for a program that does not halt.
isa::Result<SuiteReport> RunSuite(
    const SuiteOptions& options,
    const std::function<bool(std::size_t, std::size_t, std::string_view)>& each);

/// For people; for scripts: {"command", "rounds", "rows", "geometric_means"}; CSV with a heading,
/// a problem in quotes.
std::string SuiteText(const SuiteReport& report);
std::string SuiteJson(const SuiteReport& report, std::string_view command, std::size_t rounds);
std::string SuiteCsv(const SuiteReport& report);
/// Steps a second of each scenario and engine, as a bar chart (plot.h).
std::string SuiteSvg(const SuiteReport& report);

}  // namespace txvm::bench
