// txvm step: a run to be walked through, forward and back.
#include <fmt/format.h>

#include "frontends/cli/run/report.h"
#include "frontends/cli/run/run_options.h"
#include "frontends/cli/run/session.h"
#include "frontends/cli/run/snapshot_option.h"
#include "frontends/cli/step/debugger.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/line_editor.h"
#include "isa/support/text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kStepExamples =
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
  AddSurroundings(arguments, options.settings);
  arguments.Flag("--unverified",
                 "Run what the validator rejects, every instruction checked as it runs",
                 options.settings.unverified);
  arguments.Text("--from", "FILE", "Begin with the run that this snapshot holds", options.from);
  arguments.Count("--history", "MB", "Memory for going back (default {})", options.megabytes, 1,
                  kMostMegabytes);
  arguments.Count("--interval", "STEPS", "Steps between snapshots at first (default {})",
                  options.interval, 1, kLongestInterval);
}

/// Commands come from standard input, and nothing else does.
isa::Result<void> CheckInput(std::string_view what, const std::string& path) {
  if (path != "-") return {};
  return isa::Fail(
      isa::ErrorCode::kUsage,
      fmt::format("the {} cannot come from standard input, which gives the commands", what));
}

isa::Result<vm::Snapshot> LoadBeginning(const std::string& path) {
  TXVM_TRY(vm::Snapshot from, LoadSnapshot(path));
  if (from.running) return from;
  return isa::Fail(isa::ErrorCode::kUsage, "the snapshot is of an instance at rest");
}

/// Why there is no run to walk through: what runs before the entry did not halt.
std::string StartSentence(const Timeline& timeline, const std::string& path,
                          std::uint64_t most_steps) {
  const vm::RunResult& start = *timeline.ended();
  const vm::Machine& machine = timeline.machine();
  const std::string sentence =
      OutcomeSentence({machine.program(), start, machine.engine(), machine.ip(), 0, 0, path});
  if (start.outcome == vm::Outcome::kOutOfFuel) {
    return fmt::format("{}: what runs before the entry is not walked through and may take {}",
                       sentence, isa::Grouped(most_steps, "step"));
  }
  if (!sentence.empty()) return sentence;
  return fmt::format("the program exited with {} before its entry", start.exit_code);
}

isa::Result<int> Step(const StepOptions& options, const std::optional<vm::Snapshot>& from,
                      isa::Console& console) {
  LineReader lines;
  RunSettings settings = options.settings;
  // The program must not take the commands of a script for its input.
  if (settings.input_path.empty() && !lines.is_terminal()) settings.input_path = "/dev/null";
  TXVM_TRY(const std::shared_ptr<const isa::Program> program, LoadProgram(settings));
  if (from) TXVM_CHECK_OK(CheckResume(*program, *from, settings));
  const Timeline::Bounds bounds{options.megabytes * kMegabyte, options.interval};
  TXVM_TRY(Timeline timeline, Timeline::Start(program, settings, from ? &*from : nullptr, bounds));
  if (const vm::RunResult* start = timeline.ended()) {
    console.Note(StartSentence(timeline, settings.path, bounds.start_steps));
    return ExitCodeFor(*start);
  }
  for (const std::string& note : timeline.notes()) console.Note(note);
  Debugger debugger(std::move(timeline), settings, console);
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

/// What the line says, limits apart from `options`.
std::optional<int> Parse(const CommandLine& line, StepOptions& options, isa::Console& console) {
  Arguments arguments("step",
                      "Walk through a run, forward and back, by commands on standard input.",
                      std::string(kStepExamples) + "\nCommands:\n" + StepCommandHelp());
  Declare(arguments, options);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  for (const auto& [what, path] :
       {std::pair("program", &options.settings.path), std::pair("snapshot", &options.from),
        std::pair("program's input", &options.settings.input_path)}) {
    const isa::Result<void> checked = CheckInput(what, *path);
    if (!checked) return FailWith(checked.error(), console);
  }
  return std::nullopt;
}

}  // namespace

int StepCommand(const CommandLine& line, isa::Console& console) {
  StepOptions options;
  if (const std::optional<int> code = Parse(line, options, console)) return *code;
  std::optional<vm::Snapshot> from;
  if (!options.from.empty()) {
    isa::Result<vm::Snapshot> snapshot = LoadBeginning(options.from);
    if (!snapshot) return FailWith(snapshot.error(), console);
    from = *std::move(snapshot);
    // Read again: now the limits that the line does not mention are the snapshot's.
    options = {};
    options.settings.limits = from->limits;
    if (const std::optional<int> code = Parse(line, options, console)) return *code;
  }
  options.settings.imports.console = &console;
  const isa::Result<int> code = Step(options, from, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
