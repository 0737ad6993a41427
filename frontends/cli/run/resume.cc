// txvm resume: a run that a snapshot holds, to its end.
#include "frontends/cli/run/run_output.h"
#include "frontends/cli/run/session.h"
#include "frontends/cli/support/commands.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kResumeExamples =
    "  txvm run program.wasm --snapshot-at 1M --snapshot half-way.txs\n"
    "  txvm resume half-way.txs program.wasm --engine native --trace-digest\n"
    "  txvm resume half-way.txs program.wasm --fuel 1M --snapshot later.txs\n";

struct ResumeOptions {
  std::string snapshot_path;
  RunSettings settings;
  RunOutput output;
  SnapshotOption snapshot;
};

void Declare(Arguments& arguments, ResumeOptions& options) {
  arguments.Positional("snapshot", "Snapshot (.txs) of a run of the program; - for standard input",
                       options.snapshot_path);
  AddEntryOptions(arguments, options.settings);
  AddEngineOption(arguments, options.settings.engine);
  AddSurroundings(arguments, options.settings);
  AddBoundOptions(arguments, options.settings);
  AddOnDemandOption(arguments, options.settings);
  arguments.Flag("--cut-grown",
                 "Cut files that the run may write to their length at the snapshot, if they grew",
                 options.settings.cuts_grown_files);
  options.output.AddOptions(arguments);
  AddSnapshotOptions(arguments, options.snapshot);
}

isa::Result<int> Resume(ResumeOptions& options, const vm::Snapshot& from, isa::Console& console) {
  RunSettings& settings = options.settings;
  TXVM_TRY(const std::shared_ptr<const isa::Program> program, LoadProgram(settings));
  TXVM_TRY(const vm::RunOptions observe, options.output.Observe());
  TXVM_TRY(const SessionResult session,
           ResumeSession(program, from, settings, observe, options.snapshot));
  console.Note(ResumeSentence(from, *program, settings.engine));
  return options.output.Print(*session.program, settings, session, console);
}

constexpr std::string_view kSummary =
    "Go on with the run that a snapshot holds, on any engine. Limits are those it was taken under, "
    "unless given.";

/// What the line says, limits apart from `limits`.
std::optional<int> Parse(const CommandLine& line, ResumeOptions& options, isa::Console& console) {
  Arguments arguments("resume", kSummary, kResumeExamples);
  Declare(arguments, options);
  return ParseOrExit(arguments, line, console);
}

}  // namespace

int ResumeCommand(const CommandLine& line, isa::Console& console) {
  ResumeOptions first;
  if (const std::optional<int> code = Parse(line, first, console)) return *code;
  if (first.snapshot_path == "-" && first.settings.path == "-") {
    return FailWith({isa::ErrorCode::kUsage,
                     "the snapshot and the program cannot both come from standard input",
                     {},
                     {}},
                    console);
  }
  const isa::Result<vm::Snapshot> snapshot = LoadSnapshot(first.snapshot_path);
  if (!snapshot) return FailWith(snapshot.error(), console);
  // Read again: now the limits that the line does not mention are the snapshot's.
  ResumeOptions options;
  options.settings.limits = snapshot->limits;
  if (const std::optional<int> code = Parse(line, options, console)) return *code;
  options.settings.imports.console = &console;
  const isa::Result<int> code = Resume(options, *snapshot, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
