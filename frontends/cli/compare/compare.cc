// txvm compare: one program on every engine of ours and on every other runtime there is.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "frontends/cli/compare/engine_list.h"
#include "frontends/cli/compare/replay.h"
#include "frontends/cli/run/call_values.h"
#include "frontends/cli/run/choices.h"
#include "frontends/cli/run/host_functions.h"
#include "frontends/cli/run/report.h"
#include "frontends/cli/run/session.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/stop.h"
#include "frontends/foreign/runtimes.h"
#include "isa/support/file.h"
#include "isa/value_text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kCompareExamples =
    "  txvm compare examples/fib.wat --invoke fib 30\n"
    "  txvm compare program.wasm --invoke run 1000 10 --reps 5 --json\n"
    "  txvm compare examples/fib.wat --invoke fib 30 --engines native,folded,node\n"
    "  txvm compare tool.wasm --dir data:/data --env HOME=/data -- sort < words.txt\n";
constexpr double kForeignSeconds = 60;  // default time of one child process

struct CompareOptions {
  RunSettings settings;
  std::uint64_t reps = 3;
  std::string engines;  // a list; empty: all
  bool json = false;
  bool weights = false;  // the engines on the weights alone have no bound on steps
};

// One line of the comparison. INVARIANT: `problem` is empty iff the engine ran the program to an
// end; then `answer` is what it says, and rows with equal answers agree.
struct CompareRow {
  std::string engine;
  std::string problem;
  std::string answer;  // "55 7", "trap", "exit 3", ...
  std::vector<isa::Value> results;
  std::optional<std::uint64_t> steps;
  double seconds = 0, cpu_seconds = 0;
  bool includes_startup = false;
  std::optional<Printed> printed;      // of an engine of ours
  bool exhausted = false;              // it trapped because its stack is too small
  std::optional<int> stop_code;        // exit code when fuel, time or a signal ended it: no answer
  std::optional<vm::Outcome> stopped;  // iff stop_code: how, which JSON has by name
};

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Of a NaN, WebAssembly leaves the sign and the mantissa open: all are one answer.
std::string AnswerOf(bool trapped, const std::vector<isa::Value>& results) {
  if (trapped) return "trap";
  if (results.empty()) return "no results";
  std::string answer;
  for (const isa::Value& value : results) {
    if (!answer.empty()) answer += ' ';
    answer += value.IsNan() ? "nan" : isa::ValueText(value);
  }
  return answer;
}

CompareRow OwnRow(vm::EngineKind engine, const SessionResult& session) {
  const vm::RunResult& result = session.result;
  CompareRow row;
  row.engine = vm::EngineName(engine);
  row.steps = result.steps;
  row.results = ResultValues(session.result_types, result.results);
  row.exhausted = result.trap && result.trap->cause == isa::Trap::kExhausted;
  switch (result.outcome) {
    case vm::Outcome::kHalted:
    case vm::Outcome::kTrapped:
      row.answer = AnswerOf(result.outcome == vm::Outcome::kTrapped, row.results);
      break;
    case vm::Outcome::kExited:
      row.answer = fmt::format("exit {}", result.exit_code);
      break;
    case vm::Outcome::kOutOfFuel:
    case vm::Outcome::kInterrupted:
    case vm::Outcome::kHostError:
      row.problem = vm::OutcomeWords(result.outcome);
      row.stopped = result.outcome;
      row.stop_code = ExitCodeFor(result);
      break;
  }
  return row;
}

// `steps`: of the run, if another engine has made it. Every run finds the same input and folders.
isa::Result<CompareRow> RunOwn(std::shared_ptr<const isa::Program> program,
                               const CompareOptions& options, vm::EngineKind engine,
                               const ReplayedInput& input, std::optional<std::uint64_t> steps) {
  const std::uint64_t longest = vm::LongestComparedRun(engine);
  if (!options.weights && steps.value_or(0) > longest) {
    CompareRow row;
    row.engine = vm::EngineName(engine);
    row.problem =
        fmt::format("not run: more than {} steps (--weights runs it)", isa::Grouped(longest));
    return row;
  }
  RunSettings settings = options.settings;
  settings.engine = engine;
  settings.silent = true;
  std::vector<double> seconds, cpu_seconds;
  CompareRow row;
  for (std::uint64_t i = 0; i < options.reps && !row.stop_code; ++i) {
    Printed printed;
    TXVM_TRY(const FolderCopies folders, FolderCopies::Make(options.settings.host.directories));
    settings.host.directories = folders.directories();
    settings.host.streams.input = input.FromStart();
    settings.host.streams.output = settings.host.streams.errors = KeepPrinted(printed);
    TXVM_TRY(const SessionResult session, RunSession(program, settings, {}));
    row = OwnRow(engine, session);
    row.printed = printed;
    seconds.push_back(session.seconds);
    cpu_seconds.push_back(session.cpu_seconds);
  }
  row.seconds = Median(seconds);
  row.cpu_seconds = Median(cpu_seconds);
  return row;
}

// `exhausted`: whether the stack of our engines is, too.
isa::Result<CompareRow> RunOther(std::string_view runtime, foreign::ForeignCall& call,
                                 const CompareOptions& options, bool exhausted) {
  CompareRow row;
  row.engine = runtime;
  const double limit = options.settings.timeout.value_or(kForeignSeconds);
  std::vector<double> seconds, cpu_seconds;
  for (std::uint64_t i = 0; i < options.reps && row.problem.empty(); ++i) {
    TXVM_TRY(const FolderCopies folders, FolderCopies::Make(options.settings.host.directories));
    call.wasi.folders.clear();
    for (const wasi::Directory& directory : folders.directories()) {
      call.wasi.folders.push_back({directory.host, directory.guest});
    }
    const foreign::ForeignAnswer answer = foreign::RunForeign(runtime, call, limit);
    row.problem = answer.problem;
    if (answer.exhausted && !exhausted) row.problem = "its stack is too small";
    row.answer = answer.exit_code ? fmt::format("exit {}", *answer.exit_code)
                                  : AnswerOf(answer.trapped, answer.results);
    row.results = answer.results;
    row.includes_startup = answer.includes_startup;
    seconds.push_back(answer.seconds);
    cpu_seconds.push_back(answer.cpu_seconds);
  }
  row.seconds = Median(seconds);
  row.cpu_seconds = Median(cpu_seconds);
  return row;
}

// The program, and the module for other runtimes: read once, as it may be standard input.
struct Compared {
  std::shared_ptr<const isa::Program> program;
  Source source;  // of no use with libraries, which other runtimes are not given
};

isa::Result<Compared> LoadCompared(const RunSettings& settings) {
  Compared compared;
  if (!settings.libraries.empty()) {
    TXVM_TRY(compared.program, LoadProgram(settings));
    return compared;
  }
  TXVM_TRY(compared.source, ReadSource(settings.path, settings.input));
  TXVM_TRY(compared.program, LinkSource(compared.source, settings.input, {}, settings.imports));
  return compared;
}

isa::Result<foreign::ForeignCall> PrepareForeign(const Compared& compared,
                                                 const CompareOptions& options) {
  const isa::Program& program = *compared.program;
  const Source& source = compared.source;
  foreign::ForeignCall call;
  call.program = &program;
  TXVM_TRY(const isa::Export* entry, ChooseEntry(program, options.settings));
  TXVM_TRY(call.args, EntryWords(program, entry, options.settings));
  call.result_types = ResultTypesOf(entry);
  call.start = entry == nullptr ? program.entry : entry->start;
  call.name = entry == nullptr ? "" : entry->name;
  const isa::Export* initializer = vm::FindInitializer(program, entry);
  if (initializer != nullptr) call.before = initializer->name;
  call.wasi.arguments = {isa::DisplayName(options.settings.path)};
  std::ranges::copy(options.settings.arguments, std::back_inserter(call.wasi.arguments));
  call.wasi.environment = options.settings.host.environment;
  if (!options.settings.libraries.empty()) {
    call.no_wasm = "takes no libraries here (--link)";
    return call;
  }
  if (source.format != Format::kWat && source.format != Format::kWasm) {
    call.no_wasm = "not a WebAssembly program";
    return call;
  }
  isa::Result<std::string> wasm =
      foreign::WasmOf(source.bytes, source.format == Format::kWat, kForeignSeconds);
  if (wasm) {
    call.wasm = *std::move(wasm);
  } else {
    call.no_wasm = wasm.error().message;
  }
  return call;
}

// Of the native engine, the baseline; 0 when it has no time.
double BaselineSeconds(const std::vector<CompareRow>& rows) {
  const auto native =
      std::ranges::find(rows, vm::EngineName(vm::EngineKind::kNative), &CompareRow::engine);
  return native == rows.end() || !native->problem.empty() ? 0 : native->cpu_seconds;
}

std::string Table(const std::vector<CompareRow>& rows) {
  const double baseline = BaselineSeconds(rows);
  std::string text = fmt::format("{:<12} {:>16} {:>14} {:>11} {:>11} {:>9}\n", "engine", "result",
                                 "steps", "time", "CPU time", "ratio");
  bool any_startup = false;
  for (const CompareRow& row : rows) {
    if (!row.problem.empty()) {
      text += fmt::format("{:<12} {}\n", row.engine, row.problem);
      continue;
    }
    any_startup = any_startup || row.includes_startup;
    text += fmt::format("{:<12} {:>16} {:>14} {:>10}{} {:>10}{} {:>9}\n", row.engine, row.answer,
                        row.steps ? isa::Grouped(*row.steps) : "-", isa::TimeText(row.seconds),
                        row.includes_startup ? "*" : " ", isa::TimeText(row.cpu_seconds),
                        row.includes_startup ? "*" : " ",
                        baseline > 0 ? fmt::format("{:.2f}", row.cpu_seconds / baseline) : "-");
  }
  text += "ratio: CPU time over that of native.";
  return text + (any_startup ? " *: the whole process, start-up included.\n" : "\n");
}

std::string Json(const std::vector<CompareRow>& rows) {
  const double baseline = BaselineSeconds(rows);
  isa::JsonWriter json;
  json.BeginArray();
  for (const CompareRow& row : rows) {
    json.BeginObject();
    json.Key("engine").String(row.engine);
    json.Key("results");
    if (!row.problem.empty()) {
      json.Null();
    } else {
      WriteValues(row.results, json);
    }
    json.Key("steps");
    if (row.steps) {
      json.Uint(*row.steps);
    } else {
      json.Null();
    }
    json.Key("seconds");
    if (row.problem.empty()) {
      json.Number(row.seconds);
    } else {
      json.Null();
    }
    json.Key("ratio");
    if (row.problem.empty() && baseline > 0) {
      json.Number(row.cpu_seconds / baseline);
    } else {
      json.Null();
    }
    json.Key("answer").StringOrNull(row.problem.empty() ? row.answer : "");
    json.Key("problem").StringOrNull(row.stopped ? vm::OutcomeText(*row.stopped) : row.problem);
    json.Key("includes_startup").Bool(row.includes_startup);
    json.Key("types");
    if (row.problem.empty()) {
      WriteTypes(row.results, json);
    } else {
      json.Null();
    }
    json.Key("printed_bytes");
    if (row.printed) {
      json.Uint(row.printed->bytes);
    } else {
      json.Null();
    }
    json.Key("cpu_seconds");
    if (row.problem.empty()) {
      json.Number(row.cpu_seconds);
    } else {
      json.Null();
    }
    json.EndObject();
  }
  json.EndArray();
  return json.text() + "\n";
}

// The first row whose answer or, among our engines, step count or output differs from the first
// row's.
const CompareRow* FindDifference(const std::vector<CompareRow>& rows) {
  for (const CompareRow& row : rows) {
    if (!row.problem.empty()) continue;
    if (row.answer != rows.front().answer) return &row;
    if (row.steps && row.steps != rows.front().steps) return &row;
    if (row.printed && row.printed != rows.front().printed) return &row;
  }
  return nullptr;
}

std::string DifferenceText(const CompareRow& first, const CompareRow& other) {
  if (first.answer == other.answer && first.steps == other.steps) {
    const std::uint64_t bytes = first.printed->bytes;
    return fmt::format("engines disagree: {} printed {}, {} printed {}", first.engine,
                       isa::Grouped(bytes, "byte"), other.engine,
                       bytes == other.printed->bytes ? std::string("others")
                                                     : isa::Grouped(other.printed->bytes, "byte"));
  }
  return fmt::format("{} disagree: {} says {}, {} says {}", other.steps ? "engines" : "runtimes",
                     first.engine, first.answer, other.engine, other.answer);
}

isa::Result<int> Compare(const CompareOptions& options, isa::Console& console) {
  TXVM_TRY(const EngineList list, ParseEngineList(options.engines));
  TXVM_TRY(const Compared compared, LoadCompared(options.settings));
  const std::shared_ptr<const isa::Program>& program = compared.program;
  TXVM_TRY(wasi::ReadFunction source, InputFunction(options.settings));
  const ReplayedInput input(std::move(source));
  std::vector<CompareRow> rows;
  for (const vm::EngineKind engine : list.engines) {
    TXVM_TRY(CompareRow row, RunOwn(program, options, engine, input,
                                    rows.empty() ? std::nullopt : rows.front().steps));
    rows.push_back(std::move(row));
    if (rows.back().stop_code) break;
  }
  const std::optional<int> stopped = rows.back().stop_code;
  TXVM_TRY(foreign::ForeignCall call, PrepareForeign(compared, options));
  call.wasi.input = input.Read();
  const StopFlag stop;
  call.stop = [&stop] { return stop.requested(); };
  for (const std::string_view runtime : list.runtimes) {
    if (stopped || stop.requested()) break;
    TXVM_TRY(CompareRow row, RunOther(runtime, call, options, rows.front().exhausted));
    rows.push_back(std::move(row));
  }
  console.Out(options.json ? Json(rows) : Table(rows));
  if (stop.requested()) return Value(ExitCode::kInterrupted);
  if (stopped) {
    console.Note(
        fmt::format("{} on {}: nothing to compare", rows.back().problem, rows.back().engine));
    return *stopped;
  }
  if (const CompareRow* other = FindDifference(rows)) {
    console.Note(DifferenceText(rows.front(), *other));
    return Value(ExitCode::kMismatch);
  }
  return Value(ExitCode::kHalted);
}

}  // namespace

int CompareCommand(const CommandLine& line, isa::Console& console) {
  CompareOptions options;
  Arguments arguments("compare", "Run one program on every engine and runtime there is.",
                      kCompareExamples);
  AddEntryOptions(arguments, options.settings);
  constexpr std::uint64_t kMostReps = 1000;
  arguments.Count("--reps", "N", "Runs of each, the median counts (default {})", options.reps, 1,
                  kMostReps);
  arguments.Text("--engines", "LIST", "Engines and runtimes, comma separated (default: all)",
                 options.engines);
  arguments.Flag("--json", "Print a JSON list", options.json);
  arguments.Flag("--weights", "Run hull and transformer even where the run is long (slow)",
                 options.weights);
  AddSurroundings(arguments, options.settings);
  AddBoundOptions(arguments, options.settings);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  options.settings.imports.console = &console;
  const isa::Result<int> code = Compare(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
