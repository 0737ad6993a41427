// txvm trace: a run step by step, as a table for people.
#include <fmt/format.h>

#include <deque>

#include "frontends/cli/run/call_values.h"
#include "frontends/cli/run/report.h"
#include "frontends/cli/run/session.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "isa/disassemble.h"
#include "isa/support/text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kTraceExamples =
    "  txvm trace examples/fib.wat --invoke fib 3\n"
    "  txvm trace program.txa --first 20 --last 20\n";
constexpr std::uint64_t kDefaultRows = 20;
constexpr std::uint64_t kMostRows = 10'000'000;  // rows kept in memory for --last

/// Keeps the first and the last rows of a trace. INVARIANT: tail_ holds no row of head_.
class Window {
 public:
  Window(std::uint64_t first, std::uint64_t last) : first_(first), last_(last) {}

  void Add(std::span<const isa::TraceRecord> records) {
    for (const isa::TraceRecord& record : records) {
      if (head_.size() < first_) {
        head_.push_back(record);
      } else if (last_ != 0) {
        if (tail_.size() == last_) tail_.pop_front();
        tail_.push_back(record);
      }
    }
  }
  const std::deque<isa::TraceRecord>& head() const { return head_; }
  const std::deque<isa::TraceRecord>& tail() const { return tail_; }

 private:
  std::uint64_t first_, last_;
  std::deque<isa::TraceRecord> head_, tail_;
};

std::string Row(const isa::Program& program, const isa::TraceRecord& record) {
  const isa::Function* function = program.FunctionAt(record.ip);
  const std::uint32_t line = program.LineAt(record.ip);
  return fmt::format(
      "{:>10}  {:>6}  {:<26} {:>5}  {:>11}{}{}\n", record.step, record.ip,
      isa::InstructionText(program, record.instruction), record.sp, isa::Signed(record.top),
      function == nullptr || function->name.empty() ? std::string()
                                                    : "  " + isa::Printable(function->name),
      line == 0 ? std::string() : fmt::format(":{}", line));
}

void Print(const RunReport& report, const Window& window, isa::Console& console) {
  console.Out(fmt::format("{:>10}  {:>6}  {:<26} {:>5}  {:>11}  {}\n", "step", "ip", "instruction",
                          "sp", "top", "where"));
  for (const isa::TraceRecord& record : window.head()) console.Out(Row(report.program, record));
  if (!window.tail().empty()) {
    const std::uint64_t skipped = window.tail().front().step - window.head().size() - 1;
    if (skipped != 0)
      console.Out(fmt::format("{:>10}  {} not shown\n", "...", isa::Grouped(skipped, "step")));
  }
  for (const isa::TraceRecord& record : window.tail()) console.Out(Row(report.program, record));
  const std::string results = ValuesText(ResultValues(report.result_types, report.result.results));
  // What runs before the entry is not traced, and a run that ends there has no digest.
  console.Out(fmt::format(
      "{} after {}{}{}{}\n", vm::OutcomeWords(report.result.outcome),
      isa::Grouped(report.result.steps, "step"), results.empty() ? "" : ", results ", results,
      report.result.digest ? ", digest " + isa::DigestText(*report.result.digest)
                           : ", before the entry"));
  if (const std::string sentence = OutcomeSentence(report); !sentence.empty()) {
    console.Note(sentence);
  }
}

isa::Result<int> Trace(const RunSettings& settings, std::uint64_t first, std::uint64_t last,
                       isa::Console& console) {
  TXVM_TRY(const std::shared_ptr<const isa::Program> program, LoadProgram(settings));
  Window window(first, last);
  vm::RunOptions observe;
  observe.digest = true;
  observe.trace = [&](std::span<const isa::TraceRecord> records) { window.Add(records); };
  TXVM_TRY(const SessionResult session, RunSession(program, settings, observe));
  Print({*program, session.result, settings.engine, session.ip, session.seconds, 0, settings.path,
         session.result_types},
        window, console);
  for (const std::string& note : session.notes) console.Note(note);
  return ExitCodeFor(session.result);
}

}  // namespace

int TraceCommand(const CommandLine& line, isa::Console& console) {
  RunSettings settings;
  std::uint64_t first = kDefaultRows;
  std::uint64_t last = kDefaultRows;
  Arguments arguments("trace", "Show the steps of a run as a table.", kTraceExamples);
  AddEntryOptions(arguments, settings);
  AddEngineOption(arguments, settings.engine);
  AddSurroundings(arguments, settings);
  arguments.Count("--first", "N", "Steps to show from the start (default {})", first, 0, kMostRows);
  arguments.Count("--last", "N", "Steps to show from the end (default {})", last, 0, kMostRows);
  AddBoundOptions(arguments, settings);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  settings.imports.console = &console;
  const isa::Result<int> code = Trace(settings, first, last, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
