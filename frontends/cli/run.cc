// txvm run: one program, its results on stdout.
#include <fmt/format.h>

#include "frontends/cli/commands.h"
#include "frontends/cli/exit_code.h"
#include "frontends/cli/report.h"
#include "frontends/cli/session.h"
#include "frontends/cli/trace_writer.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kExamples =
    "  txvm run examples/fib.wat --invoke fib 10\n"
    "  txvm run program.txa --engine native --fuel 10M --timeout 2s\n"
    "  txvm run program.wasm --stats --trace-digest --json\n"
    "  wat2wasm fib.wat -o - | txvm run - --format wasm --invoke fib 10\n";

struct RunCommandOptions {
  RunSettings settings;
  bool stats = false;
  bool json = false;
  bool digest = false;
  std::string trace_path;
};

void Declare(Arguments& arguments, RunCommandOptions& options) {
  AddEntryOptions(arguments, options.settings);
  AddEngineOption(arguments, options.settings.engine);
  AddBoundOptions(arguments, options.settings);
  arguments.Flag("--stats", "Count heads evaluated and keys scored per address space",
                 options.stats);
  arguments.Flag("--json", "Print one JSON object instead of the results", options.json);
  arguments.Text("--trace", "FILE", "Write every step to FILE, tab-separated", options.trace_path);
  arguments.Flag("--trace-digest", "Print the 64-bit digest of the trace", options.digest);
}

void Print(const RunReport& report, const RunCommandOptions& options, Console& console) {
  if (options.json) {
    JsonWriter json;
    WriteRunJson(report, json);
    console.Out(json.text() + "\n");
  } else {
    console.Out(ResultLines(report.result.results));
    if (options.digest) {
      console.Out(fmt::format("digest {}\n", isa::DigestText(*report.result.digest)));
    }
  }
  if (const std::string sentence = OutcomeSentence(report); !sentence.empty()) {
    console.Note(sentence);
  }
  if (options.stats && !options.json) console.Err(StatsText(report));
}

isa::Result<int> Run(RunCommandOptions& options, Console& console) {
  TXVM_TRY(const std::shared_ptr<const isa::Program> program,
           LoadInput(options.settings.path, options.settings.input));
  vm::RunOptions observe;
  observe.digest = options.digest;
  observe.stats = options.stats;
  std::optional<TraceWriter> writer;
  if (!options.trace_path.empty()) {
    TXVM_TRY(writer, TraceWriter::Open(options.trace_path));
    observe.trace = [&](std::span<const isa::TraceRecord> records) { writer->Write(records); };
  }
  TXVM_TRY(const SessionResult session, RunSession(program, options.settings, observe));
  if (writer) TXVM_CHECK_OK(writer->Close());
  Print({*program, session.result, options.settings.engine, session.ip, session.seconds}, options,
        console);
  return ExitCodeFor(session.result);
}

}  // namespace

int RunCommand(const CommandLine& line, Console& console) {
  RunCommandOptions options;
  Arguments arguments("run", "Run a program and print its results.", kExamples);
  Declare(arguments, options);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<int> code = Run(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
