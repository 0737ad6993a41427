// All scenarios on all engines.
#include "bench/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "bench/embedded.h"
#include "bench/measure.h"
#include "bench/plot.h"
#include "isa/support/json_writer.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"

namespace txvm::bench {
namespace {

using Each = std::function<bool(std::size_t, std::size_t, std::string_view)>;

constexpr std::string_view kScenarioFile = "scenarios.toml";

bool Wanted(const Scenario& scenario, const std::vector<std::string>& names) {
  return names.empty() || std::ranges::find(names, scenario.name) != names.end() ||
         std::ranges::find(names, scenario.group) != names.end();
}

isa::Result<std::vector<Scenario>> SelectScenarios(const std::vector<std::string>& names) {
  TXVM_TRY(const std::vector<Scenario> all,
           ParseScenarios(EmbeddedFile(kScenarioFile), std::string(kScenarioFile)));
  std::vector<Scenario> selected;
  std::set<std::string> known;
  for (const Scenario& scenario : all) {
    known.insert({scenario.name, scenario.group});
    if (Wanted(scenario, names)) selected.push_back(scenario);
  }
  for (const std::string& name : names) {
    if (!known.contains(name)) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("'{}' is no scenario: {}", name, fmt::join(known, ", ")));
    }
  }
  return selected;
}

bool IsForeign(std::string_view name) {
  const auto foreign = ForeignContenders();
  return std::ranges::find(foreign, name) != foreign.end();
}

isa::Result<std::vector<std::string_view>> SelectEngines(const std::vector<std::string>& names) {
  const std::vector<std::string_view> all = ContenderNames();
  std::vector<std::string_view> selected = {all.front()};
  for (const std::string& name : names) {
    if (std::ranges::find(all, name) == all.end()) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("'{}' is no engine: {}", name, fmt::join(all, ", ")));
    }
  }
  const auto foreign = ForeignContenders();
  const auto is_default = [&](std::string_view name) {
    return std::ranges::find(foreign.begin() + 1, foreign.end(), name) == foreign.end();
  };
  for (const std::string_view name : all) {
    if (name == all.front()) continue;
    const bool is_named = std::ranges::find(names, name) != names.end();
    if (is_named || (names.empty() && is_default(name))) selected.push_back(name);
  }
  return selected;
}

SuiteRow RowOf(const Scenario& scenario, std::string_view engine) {
  SuiteRow row;
  row.scenario = scenario.name;
  row.group = scenario.group;
  row.engine = engine;
  return row;
}

void Fill(SuiteRow& row, const Rounds& all, std::size_t i, const std::vector<isa::Word>& results) {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < all.seconds[i].size(); ++r) {
    ratios.push_back(all.seconds[i][r] / all.seconds.front()[r]);
  }
  row.results = results;
  row.steps = all.steps.front();
  row.seconds = Median(all.seconds[i]);
  row.ratio = Median(ratios);
}

// Rows of one scenario. INVARIANT: contender 0 is native.
isa::Result<void> Measure(const LoadedScenario& loaded,
                          const std::vector<std::string_view>& engines, std::size_t rounds,
                          const std::function<bool()>& each, SuiteReport& report) {
  std::vector<Contender> contenders;
  std::vector<SuiteRow> rows;
  for (const std::string_view engine : engines) {
    SuiteRow row = RowOf(loaded.scenario, engine);
    isa::Result<Contender> contender = MakeContender(engine, loaded);
    if (!contender && contender.error().code != isa::ErrorCode::kUnsupported) {
      return std::unexpected(std::move(contender).error());
    }
    if (contender && IsForeign(engine)) {
      // Whether the child runs here at all shows only when it is run.
      const isa::Result<Sample> probe = contender->run();
      if (!probe) contender = std::unexpected(probe.error());
    }
    if (contender) {
      contenders.push_back(*std::move(contender));
    } else {
      row.problem = contender.error().message;
    }
    rows.push_back(std::move(row));
  }
  TXVM_TRY(const Rounds all, RunInTurns(contenders, loaded.scenario.results, rounds, each));
  report.stopped = all.stopped;
  if (!all.mismatch.empty()) report.mismatch = OfScenario(all.mismatch, loaded);
  if (report.stopped || !report.mismatch.empty()) return {};
  std::size_t i = 0;  // contender of the row
  for (SuiteRow& row : rows) {
    if (row.problem.empty()) Fill(row, all, i++, loaded.scenario.results);
    report.rows.push_back(std::move(row));
  }
  return {};
}

// A field of text: quoted as RFC 4180 has it, for it may hold commas, unless it is empty.
std::string CsvField(std::string_view text) {
  if (text.empty()) return {};
  return fmt::format("\"{}\"", isa::Replaced(text, "\"", "\"\""));
}

// Groups and engines in the order in which they first appear.
std::vector<std::string> Distinct(const std::vector<SuiteRow>& rows, std::string SuiteRow::* what) {
  std::vector<std::string> values;
  for (const SuiteRow& row : rows) {
    if (std::ranges::find(values, row.*what) == values.end()) values.push_back(row.*what);
  }
  return values;
}

}  // namespace

double SuiteReport::GroupRatio(std::string_view group, std::string_view engine) const {
  std::vector<double> ratios;
  for (const SuiteRow& row : rows) {
    if (row.group == group && row.engine == engine && row.problem.empty()) {
      ratios.push_back(row.ratio);
    }
  }
  return ratios.empty() ? 0 : GeometricMean(ratios);
}

isa::Result<SuiteReport> RunSuite(const SuiteOptions& options, const Each& each) {
  TXVM_TRY(const std::vector<Scenario> scenarios, SelectScenarios(options.scenarios));
  TXVM_TRY(const std::vector<std::string_view> engines, SelectEngines(options.engines));
  SuiteReport report;
  const std::size_t total = scenarios.size() * engines.size() * options.rounds;
  std::size_t done = 0;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    TXVM_TRY(const LoadedScenario loaded, LoadScenario(scenarios[s], options.folder));
    const auto tick = [&] { return each(std::min(++done, total), total, scenarios[s].name); };
    isa::Result<void> measured = Measure(loaded, engines, options.rounds, tick, report);
    if (!measured) return InScenario(std::move(measured).error(), loaded);
    if (report.stopped || !report.mismatch.empty()) break;
    done = (s + 1) * engines.size() * options.rounds;
  }
  return report;
}

std::string SuiteText(const SuiteReport& report) {
  std::string text = fmt::format("{:<20} {:<12} {:>12} {:>11} {:>18} {:>7}\n", "scenario", "engine",
                                 "steps", "time", "speed", "ratio");
  for (const SuiteRow& row : report.rows) {
    if (!row.problem.empty()) {
      text += fmt::format("{:<20} {:<12} {}\n", row.scenario, row.engine, row.problem);
      continue;
    }
    text += fmt::format("{:<20} {:<12} {:>12} {:>11} {:>18} {:>7.2f}\n", row.scenario, row.engine,
                        isa::Grouped(row.steps), isa::TimeText(row.seconds),
                        isa::SpeedText(row.steps, row.seconds), row.ratio);
  }
  text += "ratio: time over that of native in the same round, median; CPU time of one core\n";
  for (const std::string& group : Distinct(report.rows, &SuiteRow::group)) {
    for (const std::string& engine : Distinct(report.rows, &SuiteRow::engine)) {
      const double ratio = report.GroupRatio(group, engine);
      if (ratio > 0) {
        text += fmt::format("geometric mean over {:<10} {:<12} {:>6.2f}\n", group, engine, ratio);
      }
    }
  }
  return text;
}

std::string SuiteSvg(const SuiteReport& report) {
  constexpr std::array<std::string_view, 6> kColours = {"#b4400f", "#5b3fa8", "#0b6b5d",
                                                        "#c99a2e", "#3b7dc4", "#888888"};
  BarChart chart{"Steps a second, one core", "steps a second", {}, {}};
  chart.groups = Distinct(report.rows, &SuiteRow::scenario);
  for (const std::string& engine : Distinct(report.rows, &SuiteRow::engine)) {
    BarSeries series{engine, std::string(kColours[chart.series.size() % kColours.size()]),
                     std::vector<double>(chart.groups.size())};
    for (const SuiteRow& row : report.rows) {
      if (row.engine != engine || row.seconds <= 0) continue;
      const auto group = std::ranges::find(chart.groups, row.scenario) - chart.groups.begin();
      series.values[static_cast<std::size_t>(group)] = static_cast<double>(row.steps) / row.seconds;
    }
    chart.series.push_back(std::move(series));
  }
  return RenderBars(chart);
}

std::string SuiteJson(const SuiteReport& report, std::string_view command, std::size_t rounds) {
  isa::JsonWriter json;
  json.BeginObject();
  json.Key("command").String(command);
  json.Key("rounds").Uint(rounds);
  json.Key("rows").BeginArray();
  for (const SuiteRow& row : report.rows) {
    json.BeginObject();
    json.Key("scenario").String(row.scenario);
    json.Key("group").String(row.group);
    json.Key("engine").String(row.engine);
    json.Key("problem").StringOrNull(row.problem);
    json.Key("results").BeginArray();
    for (const isa::Word word : row.results) json.Int(isa::Signed(word));
    json.EndArray();
    json.Key("steps").Uint(row.steps);
    json.Key("seconds").Number(row.seconds);
    json.Key("steps_per_second")
        .Number(row.seconds > 0 ? static_cast<double>(row.steps) / row.seconds : 0);
    json.Key("ratio").Number(row.ratio);
    json.EndObject();
  }
  json.EndArray();
  json.Key("geometric_means").BeginObject();
  for (const std::string& group : Distinct(report.rows, &SuiteRow::group)) {
    json.Key(group).BeginObject();
    for (const std::string& engine : Distinct(report.rows, &SuiteRow::engine)) {
      const double ratio = report.GroupRatio(group, engine);
      if (ratio > 0) json.Key(engine).Number(ratio);
    }
    json.EndObject();
  }
  json.EndObject();
  json.EndObject();
  return json.text() + "\n";
}

std::string SuiteCsv(const SuiteReport& report) {
  std::string text = "scenario,group,engine,steps,seconds,ratio,problem\n";
  for (const SuiteRow& row : report.rows) {
    text += fmt::format("{},{},{},{},{:.9f},{:.4f},{}\n", row.scenario, row.group, row.engine,
                        row.steps, row.seconds, row.ratio, CsvField(row.problem));
  }
  return text;
}

}  // namespace txvm::bench
