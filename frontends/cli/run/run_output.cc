#include "frontends/cli/run/run_output.h"

#include <fmt/format.h>

#include "frontends/cli/support/exit_code.h"
#include "isa/trace.h"

namespace txvm::frontends::cli {

void RunOutput::AddOptions(Arguments& arguments) {
  arguments.Flag("--stats", "Count heads evaluated and keys scored per address space", stats_);
  arguments.Flag("--json", "Print one JSON object instead of the results", json_);
  arguments.OutputFile("--trace", "Write every step to FILE, tab-separated", trace_path_);
  arguments.Flag("--trace-digest", "Print the 64-bit digest of the trace", digest_);
}

isa::Result<vm::RunOptions> RunOutput::Observe() {
  vm::RunOptions observe;
  observe.digest = digest_;
  observe.stats = stats_;
  if (trace_path_.empty()) return observe;
  TXVM_TRY(writer_, TraceWriter::Open(trace_path_));
  observe.trace = [this](std::span<const isa::TraceRecord> records) { writer_->Write(records); };
  return observe;
}

isa::Result<int> RunOutput::Print(const isa::Program& program, const RunSettings& settings,
                                  const SessionResult& session, isa::Console& console) {
  const isa::Result<void> printed =
      PrintRun({program, session.result, settings.engine, session.ip, session.seconds,
                session.first_step, settings.path, session.result_types},
               console);
  for (const std::string& note : session.notes) console.Note(note);
  TXVM_CHECK_OK(printed);
  TXVM_CHECK_OK(session.saved);
  return ExitCodeFor(session.result);
}

isa::Result<void> RunOutput::PrintRun(const RunReport& report, isa::Console& console) {
  const isa::Result<void> traced = writer_ ? writer_->Close() : isa::Result<void>();
  if (json_) {
    isa::JsonWriter json;
    WriteRunJson(report, json);
    console.Out(json.text() + "\n");
  } else {
    console.Out(ResultLines(report));
    // A start function that does not halt ends the run before there is one.
    if (digest_ && report.result.digest) {
      console.Out(fmt::format("digest {}\n", isa::DigestText(*report.result.digest)));
    }
  }
  if (const std::string sentence = OutcomeSentence(report); !sentence.empty()) {
    console.Note(sentence);
  }
  if (stats_ && !json_) console.Err(StatsText(report));
  return traced;
}

}  // namespace txvm::frontends::cli
