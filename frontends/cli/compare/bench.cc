// txvm bench: how fast the engines are, and whether they stay so.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "bench/plot.h"
#include "bench/scaling.h"
#include "bench/scaling_report.h"
#include "bench/suite.h"
#include "frontends/cli/compare/engine_list.h"
#include "frontends/cli/run/run_options.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/stop.h"
#include "isa/support/file.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kBenchExamples =
    "  txvm bench                                      all scenarios on all engines\n"
    "  txvm bench --only workloads --engines attention,reference --reps 15 --json\n"
    "  txvm bench scaling --out results                10^3 to 10^9 steps: minutes\n"
    "  txvm bench scaling --only fib --max-steps 10M\n";
constexpr std::string_view kScaling = "scaling";
constexpr std::uint64_t kMostReps = 1000;
constexpr std::uint64_t kSuiteReps = 9, kScalingReps = 5;

struct BenchOptions {
  std::string what;
  std::string only, engines, folder, out;
  std::uint64_t reps = 0;  // 0: the default of what is measured
  std::uint64_t max_steps = bench::kLastScale;
  bool json = false, csv = false;
  std::string command;
};

int Ended(bool stopped, const std::string& mismatch, isa::Console& console) {
  console.EndProgress();
  if (!mismatch.empty()) {
    console.Note(mismatch);
    return Value(ExitCode::kMismatch);
  }
  if (!stopped) return Value(ExitCode::kHalted);
  console.Note("interrupted; what was measured is printed");
  return Value(ExitCode::kInterrupted);
}

/// STEM.svg, and STEM.png or why there is none.
isa::Result<void> WritePlot(const std::string& stem, const std::string& svg,
                            isa::Console& console) {
  TXVM_TRY(const std::string note, bench::WritePlot(stem, svg));
  if (!note.empty()) console.Note(note);
  return {};
}

isa::Result<int> RunSuite(const BenchOptions& options, isa::Console& console) {
  bench::SuiteOptions suite;
  suite.scenarios = SplitList(options.only);
  suite.engines = SplitList(options.engines);
  suite.folder = options.folder;
  suite.rounds = options.reps == 0 ? kSuiteReps : options.reps;
  const StopFlag stop;
  const auto each = [&](std::size_t done, std::size_t total, std::string_view what) {
    console.Progress(done, total, what);
    return !stop.requested();
  };
  TXVM_TRY(const bench::SuiteReport report, bench::RunSuite(suite, each));
  console.EndProgress();
  if (options.json) {
    console.Out(bench::SuiteJson(report, options.command, suite.rounds));
  } else if (options.csv) {
    console.Out(bench::SuiteCsv(report));
  } else {
    console.Out(bench::SuiteText(report));
  }
  if (!options.out.empty()) {
    TXVM_CHECK_OK(isa::ReplaceFile(options.out + ".json",
                                   bench::SuiteJson(report, options.command, suite.rounds)));
    TXVM_CHECK_OK(isa::ReplaceFile(options.out + ".csv", bench::SuiteCsv(report)));
    TXVM_CHECK_OK(WritePlot(options.out, bench::SuiteSvg(report), console));
  }
  return Ended(report.stopped, report.mismatch, console);
}

isa::Result<void> WriteScalingFiles(const bench::ScalingReport& report, const std::string& json,
                                    const std::string& stem, isa::Console& console) {
  TXVM_CHECK_OK(isa::ReplaceFile(stem + ".json", json));
  TXVM_CHECK_OK(isa::ReplaceFile(stem + ".csv", bench::ScalingCsv(report)));
  return WritePlot(stem, bench::ScalingSvg(report), console);
}

isa::Result<std::vector<vm::EngineKind>> ParseEngines(const std::vector<std::string>& names) {
  std::vector<vm::EngineKind> engines;
  for (const std::string& name : names) {
    const std::optional<vm::EngineKind> engine = vm::FindEngine(name);
    if (!engine) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("--engines '{}' is unknown: {}", name, EngineChoices()));
    }
    engines.push_back(*engine);
  }
  return engines;
}

isa::Result<int> RunScaling(const BenchOptions& options, isa::Console& console) {
  bench::ScalingOptions scaling;
  scaling.programs = SplitList(options.only);
  TXVM_TRY(scaling.engines, ParseEngines(SplitList(options.engines)));
  scaling.folder = options.folder;
  scaling.max_steps = options.max_steps;
  scaling.rounds = options.reps == 0 ? kScalingReps : options.reps;
  const StopFlag stop;
  const auto each = [&](std::uint64_t done, std::uint64_t total, std::string_view what) {
    console.Progress(done, total, what);
    return !stop.requested();
  };
  TXVM_TRY(const bench::ScalingReport report, bench::RunScaling(scaling, each));
  console.EndProgress();
  const std::string json = bench::ScalingJson(report, options.command, scaling.rounds);
  if (options.json) {
    console.Out(json);
  } else if (options.csv) {
    console.Out(bench::ScalingCsv(report));
  } else {
    console.Out(bench::ScalingText(report));
  }
  if (!options.out.empty()) TXVM_CHECK_OK(WriteScalingFiles(report, json, options.out, console));
  return Ended(report.stopped, report.mismatch, console);
}

/// Refuses options that would do nothing.
isa::Result<void> CheckOptions(const BenchOptions& options, const Arguments& arguments) {
  const auto refuse = [](std::string message) {
    return isa::Fail(isa::ErrorCode::kUsage, std::move(message));
  };
  if (options.what != kScaling && arguments.Has("--max-steps")) {
    return refuse("--max-steps is for txvm bench scaling");
  }
  if (options.json && options.csv) return refuse("--json and --csv exclude each other");
  std::error_code error;  // what cannot be looked at is no folder
  if (!options.folder.empty() && !std::filesystem::is_directory(options.folder, error)) {
    return refuse(fmt::format("--programs '{}' is no folder", options.folder));
  }
  return {};
}

isa::Result<int> Run(const BenchOptions& options, const Arguments& arguments,
                     isa::Console& console) {
  if (!options.what.empty() && options.what != kScaling) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("txvm bench '{}' is unknown: nothing, or scaling", options.what));
  }
  TXVM_CHECK_OK(CheckOptions(options, arguments));
  return options.what == kScaling ? RunScaling(options, console) : RunSuite(options, console);
}

}  // namespace

int BenchCommand(const CommandLine& line, isa::Console& console) {
  BenchOptions options;
  Arguments arguments("bench", "Measure the engines: CPU time, medians of interleaved runs.",
                      kBenchExamples);
  arguments.Positional("what", "scaling, or nothing for the scenarios", options.what, false);
  arguments.Text("--only", "LIST", "Scenarios, groups or scaling programs, comma separated",
                 options.only);
  arguments.Text("--engines", "LIST", "Engines, comma separated (default: the fast ones)",
                 options.engines);
  arguments.Count(
      "--reps", "N",
      fmt::format("Measured runs of each (default {}, scaling {})", kSuiteReps, kScalingReps),
      options.reps, 1, kMostReps);
  arguments.Text("--programs", "DIR", "Take programs from DIR where it has them", options.folder);
  arguments.Count("--max-steps", "N", "scaling: largest run (default {})", options.max_steps,
                  bench::kFirstScale, bench::kLastScale);
  arguments.Text("-o,--out", "STEM",
                 "Write STEM.json, STEM.csv and the plot STEM.svg, by rsvg-convert STEM.png",
                 options.out);
  arguments.Flag("--json", "Print one JSON object", options.json);
  arguments.Flag("--csv", "Print comma-separated rows", options.csv);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  options.command = "txvm bench";
  for (const std::string& word : line) options.command += " " + word;
  const isa::Result<int> code = Run(options, arguments, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
