// txvm profile: which functions and lines the steps of a run went to.
#include <fmt/format.h>

#include <filesystem>

#include "frontends/cli/run/report.h"
#include "frontends/cli/run/session.h"
#include "frontends/cli/run/source_place.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/view/flame_graph.h"
#include "isa/support/file.h"
#include "isa/support/text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kProfileExamples =
    "  txvm profile examples/fib.wat --invoke fib 20\n"
    "  txvm profile examples/c/sudoku.c --svg sudoku.svg -- 1\n"
    "  txvm profile program.wasm --folded stacks.txt --perfetto trace.json\n";
constexpr std::uint64_t kDefaultRows = 20;
constexpr std::size_t kMostSpans = 500'000;  // 60 MB of JSON

struct ProfileOptions {
  RunSettings settings;
  std::string folded, svg, perfetto;
  std::uint64_t rows = kDefaultRows;
  bool json = false;
};

std::string TitleOf(const RunSettings& settings) {
  std::string title = std::filesystem::path(isa::DisplayName(settings.path)).filename().string();
  if (settings.invoke) title += " " + *settings.invoke;
  for (const std::string& argument : settings.arguments) title += " " + argument;
  return isa::Printable(title, 200);
}

double Share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

std::string Table(const std::vector<ProfileRow>& rows, const CallProfile& profile,
                  const SourceText* source, std::uint64_t most) {
  std::string text = fmt::format(
      "{:>14} {:>7}  {:>14} {:>7}  {:>14}  {:>10}  {}\n", "inclusive", "%", "own steps", "%",
      "heads", source == nullptr ? "calls" : "line", source == nullptr ? "function" : "source");
  for (std::size_t i = 0; i < rows.size() && i < most; ++i) {
    const ProfileRow& row = rows[i];
    const auto line = source == nullptr ? 0u : static_cast<std::uint32_t>(std::stoul(row.name));
    text += fmt::format(
        "{:>14} {:>7.1f}  {:>14} {:>7.1f}  {:>14}  {:>10}  {}\n", isa::Grouped(row.inclusive),
        Share(row.inclusive, profile.steps()), isa::Grouped(row.exclusive),
        Share(row.exclusive, profile.steps()), isa::Grouped(row.heads),
        source == nullptr ? isa::Grouped(row.calls) : row.name,
        isa::Printable(source == nullptr ? std::string_view(row.name) : source->Line(line)));
  }
  if (rows.size() > most) {
    text +=
        fmt::format("{} more; --rows N shows them\n",
                    isa::CountText(rows.size() - most, source == nullptr ? "function" : "line"));
  }
  return text;
}

void WriteRows(const std::vector<ProfileRow>& rows, bool lines, isa::JsonWriter& json) {
  json.BeginArray();
  for (const ProfileRow& row : rows) {
    json.BeginObject();
    if (lines) {
      json.Key("line").Number(row.name);
    } else {
      json.Key("function").String(row.name).Key("calls").Uint(row.calls);
    }
    json.Key("inclusive").Uint(row.inclusive).Key("exclusive").Uint(row.exclusive);
    json.Key("heads").Uint(row.heads).EndObject();
  }
  json.EndArray();
}

std::string ProfileJson(const CallProfile& profile, const isa::Program& program,
                        const vm::RunResult& result) {
  isa::JsonWriter json;
  json.BeginObject().Key("outcome").String(vm::OutcomeText(result.outcome));
  json.Key("steps").Uint(profile.steps()).Key("source").StringOrNull(program.source);
  WriteRows(profile.Functions(), false, json.Key("functions"));
  WriteRows(profile.Lines(), true, json.Key("lines"));
  return json.EndObject().text() + "\n";
}

isa::Result<void> WriteFiles(const CallProfile& profile, const ProfileOptions& options,
                             isa::Console& console) {
  const std::string title = TitleOf(options.settings);
  if (!options.folded.empty()) {
    TXVM_CHECK_OK(isa::WriteFile(options.folded, FoldedStacks(profile)));
  }
  if (!options.svg.empty()) {
    TXVM_CHECK_OK(isa::WriteFile(options.svg, FlameGraphSvg(profile, title)));
  }
  if (options.perfetto.empty()) return {};
  if (profile.dropped_spans() != 0) {
    console.Note(fmt::format("{}: {} are left out", options.perfetto,
                             isa::Grouped(profile.dropped_spans(), "call")));
  }
  return isa::WriteFile(options.perfetto, PerfettoTrace(profile, title));
}

isa::Result<int> Profile(const ProfileOptions& options, isa::Console& console) {
  const RunSettings& settings = options.settings;
  TXVM_TRY(const std::shared_ptr<const isa::Program> program, LoadProgram(settings));
  CallProfile profile(*program, options.perfetto.empty() ? 0 : kMostSpans);
  vm::RunOptions observe;
  observe.trace = [&](std::span<const isa::TraceRecord> records) { profile.Add(records); };
  TXVM_TRY(const SessionResult session, RunSession(program, settings, observe));
  profile.Finish();
  if (profile.steps() == 0) {
    return isa::Fail(isa::ErrorCode::kUsage, "the run has no step to count");
  }
  TXVM_CHECK_OK(WriteFiles(profile, options, console));
  if (options.json) {
    console.Out(ProfileJson(profile, *program, session.result));
  } else {
    console.Out(fmt::format("{} after {}\n\n", vm::OutcomeWords(session.result.outcome),
                            isa::Grouped(profile.steps(), "step")));
    console.Out(Table(profile.Functions(), profile, nullptr, options.rows));
    const std::vector<ProfileRow> lines = profile.Lines();
    const SourceText source(*program, settings.path);
    if (!lines.empty()) console.Out("\n" + Table(lines, profile, &source, options.rows));
  }
  const RunReport report{*program, session.result, settings.engine,     session.ip, session.seconds,
                         0,        settings.path,  session.result_types};
  if (const std::string sentence = OutcomeSentence(report); !sentence.empty()) {
    console.Note(sentence);
  }
  for (const std::string& note : session.notes) console.Note(note);
  return ExitCodeFor(session.result);
}

}  // namespace

int ProfileCommand(const CommandLine& line, isa::Console& console) {
  ProfileOptions options;
  constexpr std::uint64_t kMostRows = 1'000'000;
  Arguments arguments("profile", "Count the steps of a run by function and by source line.",
                      kProfileExamples);
  AddEntryOptions(arguments, options.settings);
  arguments.OutputFile("--folded", "Write folded stacks to FILE, a path of calls a line",
                       options.folded);
  arguments.OutputFile("--svg", "Write a flame graph to FILE", options.svg);
  arguments.OutputFile("--perfetto", "Write the calls to FILE, for ui.perfetto.dev",
                       options.perfetto);
  arguments.Count("--rows", "N", "Functions and lines to show (default {})", options.rows, 1,
                  kMostRows);
  arguments.Flag("--json", "Print one object", options.json);
  AddEngineOption(arguments, options.settings.engine);
  AddSurroundings(arguments, options.settings);
  AddBoundOptions(arguments, options.settings);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  options.settings.imports.console = &console;
  const isa::Result<int> code = Profile(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
