// txvm run: one program, its results on stdout.
#include "frontends/cli/run/listing.h"
#include "frontends/cli/run/run_output.h"
#include "frontends/cli/run/segments.h"
#include "frontends/cli/run/session.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kRunExamples =
    "  txvm run examples/fib.wat --invoke fib 10\n"
    "  txvm run examples/c/sudoku.c -O3 -- 1\n"
    "  txvm run program.txa --engine hull --weights model/\n"
    "  txvm run program.txa --engine native --fuel 10M --timeout 2s\n"
    "  txvm run program.wasm --stats --trace-digest --json\n"
    "  txvm run main.wasm --link lib=lib.wasm   main imports what lib exports\n"
    "  txvm run page.wat --import 'js.*=print' --import js.memory=memory:2\n"
    "  txvm run page.wat --list\n"
    "  txvm run program.wasm --snapshot-at 1M --snapshot half-way.txs\n"
    "  txvm run program.wasm --segments run --every 50M     then txvm check run\n"
    "  wat2wasm fib.wat --output=- | txvm run - --format wasm --invoke fib 10\n";

struct RunCommandOptions {
  RunSettings settings;
  RunOutput output;
  SnapshotOption snapshot;
  std::string segments;  // the folder; empty: none are left
  bool list = false;
  std::uint64_t every = 50'000'000;
};

constexpr std::uint64_t kMostEvery = std::uint64_t{1} << 62;

void Declare(Arguments& arguments, RunCommandOptions& options) {
  AddEntryOptions(arguments, options.settings);
  AddEngineOption(arguments, options.settings.engine);
  AddSurroundings(arguments, options.settings);
  AddBoundOptions(arguments, options.settings);
  AddOnDemandOption(arguments, options.settings);
  arguments.Text("--weights", "DIR",
                 "Run on the model `weights export` wrote there; engine hull or transformer",
                 options.settings.weights);
  arguments.Flag("--list", "Show imports, exports and memories with their types; run nothing",
                 options.list);
  options.output.AddOptions(arguments);
  AddSnapshotOptions(arguments, options.snapshot);
  arguments.OutputFile("--segments", "DIR to leave states in, for txvm check", options.segments);
  arguments.Count("--every", "STEPS", "Length of a segment (default {})", options.every, 1,
                  kMostEvery);
}

isa::Result<SessionResult> RunOrRecord(const std::shared_ptr<const isa::Program>& program,
                                       const RunCommandOptions& options,
                                       const vm::RunOptions& observe) {
  if (options.segments.empty()) {
    return RunSession(program, options.settings, observe, options.snapshot);
  }
  if (observe.stats || observe.trace || options.snapshot.wanted()) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "--segments does not go with --stats, --trace or --snapshot");
  }
  return RecordSegments(program, options.settings, options.segments, options.every);
}

isa::Result<int> Run(RunCommandOptions& options, isa::Console& console) {
  if (options.list) {
    TXVM_TRY(const std::string listing, Listing(options.settings, options.output.is_json()));
    console.Out(listing);
    return Value(ExitCode::kHalted);
  }
  options.settings.imports.console = &console;
  if (!options.segments.empty()) options.settings.input.on_demand.reset();  // they hold all of it
  TXVM_TRY(const std::shared_ptr<const isa::Program> program, LoadProgram(options.settings));
  TXVM_TRY(const vm::RunOptions observe, options.output.Observe());
  TXVM_TRY(const SessionResult session, RunOrRecord(program, options, observe));
  return options.output.Print(*session.program, options.settings, session, console);
}

}  // namespace

int RunCommand(const CommandLine& line, isa::Console& console) {
  RunCommandOptions options;
  Arguments arguments("run", "Run a program and print its results.", kRunExamples);
  Declare(arguments, options);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<int> code = Run(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
