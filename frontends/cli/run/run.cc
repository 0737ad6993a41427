// txvm run: one program, its results on stdout.
#include "frontends/cli/run/link_option.h"
#include "frontends/cli/run/run_output.h"
#include "frontends/cli/run/session.h"
#include "frontends/cli/support/commands.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kRunExamples =
    "  txvm run examples/fib.wat --invoke fib 10\n"
    "  txvm run examples/c/sudoku.c -O3 -- 1\n"
    "  txvm run program.txa --engine hull --weights model/\n"
    "  txvm run program.txa --engine native --fuel 10M --timeout 2s\n"
    "  txvm run program.wasm --stats --trace-digest --json\n"
    "  txvm run main.wasm --link lib=lib.wasm   main imports what lib exports\n"
    "  txvm run program.wasm --snapshot-at 1M --snapshot half-way.txs\n"
    "  wat2wasm fib.wat --output=- | txvm run - --format wasm --invoke fib 10\n";

struct RunCommandOptions {
  RunSettings settings;
  RunOutput output;
  SnapshotOption snapshot;
  std::vector<Library> libraries;
};

void Declare(Arguments& arguments, RunCommandOptions& options) {
  AddEntryOptions(arguments, options.settings);
  AddEngineOption(arguments, options.settings.engine);
  AddHostOptions(arguments, options.settings.host);
  AddImportOption(arguments, options.settings.trap_unknown_imports);
  AddLinkOption(arguments, options.libraries);
  AddBoundOptions(arguments, options.settings);
  arguments.Text("--weights", "DIR",
                 "Run on the model `weights export` wrote there; engine hull or transformer",
                 options.settings.weights);
  options.output.AddOptions(arguments);
  AddSnapshotOptions(arguments, options.snapshot);
}

isa::Result<int> Run(RunCommandOptions& options, isa::Console& console) {
  TXVM_TRY(const std::shared_ptr<const isa::Program> program,
           LoadLinked(options.settings.path, options.settings.input, options.libraries));
  TXVM_TRY(const vm::RunOptions observe, options.output.Observe());
  TXVM_TRY(const SessionResult session,
           RunSession(program, options.settings, observe, options.snapshot));
  return options.output.Print(*program, options.settings, session, console);
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
