// A finished run in words and as JSON.
#include "frontends/cli/run/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/cli/run/call_values.h"
#include "frontends/cli/run/source_place.h"
#include "frontends/cli/support/exit_code.h"
#include "isa/support/file.h"
#include "isa/support/text.h"
#include "isa/trace.h"
#include "isa/value_text.h"

namespace txvm::frontends::cli {
namespace {

std::string_view FunctionName(const isa::Program& program, std::uint32_t ip) {
  const isa::Function* function = program.FunctionAt(ip);
  return function == nullptr ? std::string_view() : std::string_view(function->name);
}

// "in $fib at instruction 12 (fib.wat:7)"
std::string Where(const isa::Program& program, std::uint32_t ip) {
  std::string text;
  if (const std::string_view name = FunctionName(program, ip); !name.empty()) {
    text += fmt::format(" in function '{}'", isa::Printable(name));
  }
  text += fmt::format(" at instruction {}", ip);
  const std::string line = SourceLine(program, ip);
  return line.empty() ? text : text + fmt::format(" ({})", line);
}

// The line of the program's source with a caret under its first character; empty when the file is
// gone, is no text, is shorter or has changed, as may that of a .txp program.
std::string SourceExcerpt(const RunReport& report, std::uint32_t ip) {
  constexpr std::size_t kLongestLine = 200;  // bytes of a source line worth showing
  const isa::Program& program = report.program;
  std::uint32_t line = program.LineAt(ip);
  if (line == 0 || program.source.empty() || program.source.starts_with('<')) return {};
  const isa::Result<std::string> text = isa::ReadSource(program.source, report.path);
  if (!text || text->find('\0') != std::string::npos) return {};
  std::string_view rest = *text;
  for (; line > 1; --line) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  const std::string_view shown = rest.substr(0, std::min(rest.find('\n'), kLongestLine));
  const std::size_t indent = std::min(shown.find_first_not_of(" \t"), shown.size());
  return fmt::format("\n  {}\n  {}^", shown, shown.substr(0, indent));
}

std::string TrapSentence(const RunReport& report) {
  const vm::TrapInfo& trap = *report.result.trap;
  std::string text = fmt::format("trap: {}", isa::TrapText(trap.cause));
  if (!trap.detail.empty()) text += fmt::format(" ({})", isa::ShownText(trap.detail));
  return text + Where(report.program, trap.ip) + SourceExcerpt(report, trap.ip);
}

void WriteCounts(std::string_view key, const std::array<std::uint64_t, vm::kSpaceCount>* counts,
                 isa::JsonWriter& json) {
  json.Key(key);
  if (counts == nullptr) {
    json.Null();
    return;
  }
  json.BeginObject();
  for (std::size_t s = 0; s < vm::kSpaceCount; ++s) {
    json.Key(vm::SpaceName(static_cast<vm::Space>(s))).Uint((*counts)[s]);
  }
  json.EndObject();
}

// The tag and the values of an exception that came out, if one has.
void WriteException(const RunReport& report, isa::JsonWriter& json) {
  if (!report.result.exception) return;
  json.Key("exception").BeginObject();
  json.Key("tag").String(report.result.exception->name);
  json.Key("values").BeginArray();
  for (const isa::Value& value : report.result.exception->values) {
    json.BeginObject().Key("type").String(isa::TypeText(value.type));
    json.Key("value").String(isa::ValueText(value)).EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteTrap(const RunReport& report, isa::JsonWriter& json) {
  json.Key("trap");
  if (!report.result.trap) {
    json.Null();
    return;
  }
  const vm::TrapInfo& trap = *report.result.trap;
  json.BeginObject();
  json.Key("cause").String(isa::TrapText(trap.cause));
  json.Key("detail").StringOrNull(trap.detail);
  json.Key("ip").Uint(trap.ip);
  json.Key("function").StringOrNull(FunctionName(report.program, trap.ip));
  const std::uint32_t line = report.program.LineAt(trap.ip);
  json.Key("line");
  if (line == 0) {
    json.Null();
  } else {
    json.Uint(line);
  }
  json.EndObject();
}

}  // namespace

std::string ResultLines(const RunReport& report) {
  std::string text;
  for (const isa::Value& value : ResultValues(report.result_types, report.result.results)) {
    text += isa::ValueText(value) + '\n';
  }
  return text;
}

std::string OutcomeSentence(const RunReport& report) {
  const vm::RunResult& result = report.result;
  const std::string place = Where(report.program, report.ip);
  const std::string steps = isa::Grouped(result.steps, "step");
  switch (result.outcome) {
    case vm::Outcome::kHalted:
      return {};
    case vm::Outcome::kExited:
      if (IsExitCode(result.exit_code)) return {};
      return fmt::format(
          "the program exited with {}, but a process can tell 0 to 255 alone: exit code {}",
          result.exit_code, Value(ExitCode::kInternal));
    case vm::Outcome::kTrapped:
      return TrapSentence(report);
    case vm::Outcome::kOutOfFuel:
      return fmt::format("out of fuel after {}{}", steps, place);
    case vm::Outcome::kInterrupted:
      return fmt::format("interrupted ({}) after {}{}", vm::InterruptText(result.interrupt), steps,
                         place);
    case vm::Outcome::kHostError:
      return fmt::format("host error: {}{}", result.host_error->message, place);
  }
  return {};
}

std::string StatsText(const RunReport& report) {
  std::string text =
      fmt::format("{} on {}: {} in {} ({})\n", vm::OutcomeWords(report.result.outcome),
                  vm::EngineName(report.engine), isa::Grouped(report.result.steps, "step"),
                  isa::TimeText(report.seconds),
                  isa::SpeedText(report.result.steps - report.first_step, report.seconds));
  if (!report.result.stats) return text;
  const vm::Stats& stats = *report.result.stats;
  if (std::ranges::all_of(stats.heads, [](std::uint64_t heads) { return heads == 0; })) {
    return text + "no heads evaluated\n";
  }
  text += fmt::format("{:<8} {:>16} {:>18} {:>14} {:>12}\n", "space", "heads", "keys scored",
                      "keys per head", "live keys");
  for (std::size_t s = 0; s < vm::kSpaceCount; ++s) {
    const double per_head = stats.heads[s] == 0 ? 0
                                                : static_cast<double>(stats.keys[s]) /
                                                      static_cast<double>(stats.heads[s]);
    text += fmt::format("{:<8} {:>16} {:>18} {:>14.1f} {:>12}\n",
                        vm::SpaceName(static_cast<vm::Space>(s)), isa::Grouped(stats.heads[s]),
                        isa::Grouped(stats.keys[s]), per_head, isa::Grouped(stats.live[s]));
  }
  return text;
}

void WriteRunJson(const RunReport& report, isa::JsonWriter& json) {
  const vm::RunResult& result = report.result;
  json.BeginObject();
  json.Key("outcome").String(vm::OutcomeText(result.outcome));
  WriteTrap(report, json);
  WriteException(report, json);
  const std::vector<isa::Value> values = ResultValues(report.result_types, result.results);
  json.Key("results");
  WriteValues(values, json);
  json.Key("steps").Uint(result.steps);
  json.Key("engine").String(vm::EngineName(report.engine));
  json.Key("seconds").Number(report.seconds);
  json.Key("trace_digest").StringOrNull(result.digest ? isa::DigestText(*result.digest) : "");
  WriteCounts("heads", result.stats ? &result.stats->heads : nullptr, json);
  WriteCounts("keys", result.stats ? &result.stats->keys : nullptr, json);
  WriteCounts("live", result.stats ? &result.stats->live : nullptr, json);
  json.Key("exit_code");
  if (result.outcome == vm::Outcome::kExited) {
    json.Int(result.exit_code);
  } else {
    json.Null();
  }
  json.Key("interrupt")
      .StringOrNull(result.outcome == vm::Outcome::kInterrupted
                        ? vm::InterruptText(result.interrupt)
                        : std::string_view());
  json.Key("host_error").StringOrNull(result.host_error ? result.host_error->message : "");
  json.Key("types");
  WriteTypes(values, json);
  json.EndObject();
}

}  // namespace txvm::frontends::cli
