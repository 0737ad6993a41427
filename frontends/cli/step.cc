// txvm step: a run to be walked through, forward and back.
#include <fmt/format.h>

#include "frontends/cli/commands.h"
#include "frontends/cli/exit_code.h"
#include "frontends/cli/run_options.h"
#include "frontends/cli/snapshot_option.h"
#include "frontends/cli/step_debugger.h"
#include "frontends/cli/step_line.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kExamples =
    "  txvm step examples/fib.wat --invoke fib 5\n"
    "  printf 'break fib\\ncontinue\\nbacktrace\\nback 3\\n' | txvm step examples/fib.wat -i fib "
    "5\n"
    "  txvm step program.wasm --from half-way.txs\n";

constexpr std::uint64_t kMegabyte = 1u << 20;

struct StepOptions {
  RunSettings settings;
  std::string from;  // snapshot to begin with; empty: none
  std::uint64_t megabytes = 256;
  std::uint64_t interval = 10'000;
};

void Declare(Arguments& arguments, StepOptions& options) {
  constexpr std::uint64_t kMostMegabytes = 1u << 20, kLongestInterval = 1u << 30;
  AddEntryOptions(arguments, options.settings);
  AddEngineOption(arguments, options.settings.engine);
  AddLimitOptions(arguments, options.settings.limits);
  AddInputOptions(arguments, options.settings.input);
  AddHostOptions(arguments, options.settings.host);
  arguments.Flag("--unverified",
                 "Run what the validator rejects, every instruction checked as it runs",
                 options.settings.unverified);
  arguments.Text("--from", "FILE", "Begin with the run that this snapshot holds", options.from);
  arguments.Count("--history", "MB", "Memory for going back (default {})", options.megabytes, 1,
                  kMostMegabytes);
  arguments.Count("--interval", "STEPS", "Steps between snapshots at first (default {})",
                  options.interval, 1, kLongestInterval);
}

isa::Result<int> Step(StepOptions& options, Console& console) {
  RunSettings& settings = options.settings;
  if (settings.path == "-") {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "the program cannot come from standard input, which gives the commands");
  }
  TXVM_TRY(const std::shared_ptr<const isa::Program> program,
           LoadInput(settings.path, settings.input));
  std::optional<vm::Snapshot> from;
  if (!options.from.empty()) {
    TXVM_TRY(from, LoadSnapshot(options.from));
    if (!from->running) {
      return isa::Fail(isa::ErrorCode::kUsage, "the snapshot is of an instance at rest");
    }
    settings.limits = from->limits;
  }
  const Timeline::Bounds bounds{options.megabytes * kMegabyte, options.interval};
  TXVM_TRY(Timeline timeline, Timeline::Start(program, settings, from ? &*from : nullptr, bounds));
  Debugger debugger(std::move(timeline), settings.limits, console);
  LineReader lines;
  if (lines.is_terminal()) console.Out("help lists the commands\n");
  debugger.Show();
  std::string last;
  while (std::optional<std::string> line = lines.Next("(txvm) ")) {
    // As debuggers do: nothing typed means the same again.
    if (line->empty() && lines.is_terminal()) line = last;
    if (!debugger.Execute(*line)) break;
    last = *line;
  }
  return Value(ExitCode::kHalted);
}

}  // namespace

int StepCommand(const CommandLine& line, Console& console) {
  StepOptions options;
  Arguments arguments("step",
                      "Walk through a run, forward and back, by commands on standard input.",
                      std::string(kExamples) + "\nCommands:\n" + StepCommandHelp());
  Declare(arguments, options);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<int> code = Step(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
