// Scaling results as text, JSON, CSV and a plot.
#include "bench/scaling_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "bench/plot.h"
#include "isa/support/json_writer.h"
#include "isa/support/shown_text.h"

namespace txvm::bench {
namespace {

constexpr std::uint64_t kBaseScale = 1'000'000;  // what the largest scale is compared with
constexpr double kMebibyte = 1 << 20;
// Distinct also in print and to most colour-blind readers. Source: Okabe and Ito, 2008.
constexpr std::array<std::string_view, 6> kColours = {"#0072b2", "#d55e00", "#009e73",
                                                      "#cc79a7", "#e69f00", "#56b4e9"};

using Key = std::pair<std::string, std::string>;  // program, engine

// The rows of each program and engine, keys in the order in which they first appear.
std::vector<std::pair<Key, std::vector<const ScalingRow*>>> ByLine(const ScalingReport& report) {
  std::vector<std::pair<Key, std::vector<const ScalingRow*>>> lines;
  for (const ScalingRow& row : report.rows) {
    const Key key(row.program, row.engine);
    auto found = std::ranges::find(lines, key, [](const auto& line) { return line.first; });
    if (found == lines.end()) found = lines.insert(lines.end(), {key, {}});
    found->second.push_back(&row);
  }
  return lines;
}

}  // namespace

std::string ScalingText(const ScalingReport& report) {
  std::uint64_t base_scale = 0;  // kBaseScale, or less where no run is that long
  for (const ScalingRow& row : report.rows) {
    if (row.scale <= kBaseScale) base_scale = std::max(base_scale, row.scale);
  }
  std::string text = fmt::format(
      "{:<10} {:<10} {:>14} {:>13} {:>13} {:>7} {:>14} {:>9}\n", "program", "engine", "steps",
      fmt::format("ns/step, 1e{}", base_scale == 0 ? 0 : std::lround(std::log10(base_scale))),
      "ns/step, most", "ratio", "resident, most", "change");
  for (const auto& [key, rows] : ByLine(report)) {
    const ScalingRow* base = rows.front();
    for (const ScalingRow* row : rows) {
      if (row->scale <= kBaseScale) base = row;
    }
    const ScalingRow& last = *rows.back();
    const double moved =
        (static_cast<double>(last.resident_bytes) - static_cast<double>(base->resident_bytes)) /
        kMebibyte;
    text += fmt::format(
        "{:<10} {:<10} {:>14} {:>13.3f} {:>13.3f} {:>7.3f} {:>10.1f} MiB {:>+5.1f} MiB\n",
        key.first, key.second, isa::Grouped(last.steps), base->nanoseconds, last.nanoseconds,
        last.nanoseconds / base->nanoseconds, static_cast<double>(last.resident_bytes) / kMebibyte,
        moved);
  }
  return text;
}

std::string ScalingJson(const ScalingReport& report, std::string_view command, std::size_t rounds) {
  isa::JsonWriter json;
  json.BeginObject();
  json.Key("command").String(command);
  json.Key("rounds").Uint(rounds);
  json.Key("complete").Bool(!report.stopped && report.mismatch.empty());
  json.Key("rows").BeginArray();
  for (const ScalingRow& row : report.rows) {
    json.BeginObject();
    json.Key("program").String(row.program);
    json.Key("engine").String(row.engine);
    json.Key("scale").Uint(row.scale);
    json.Key("n").Uint(row.n);
    json.Key("reps").Uint(row.reps);
    json.Key("steps").Uint(row.steps);
    json.Key("ns_per_step").Number(row.nanoseconds);
    json.Key("resident_bytes").Uint(row.resident_bytes);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.text() + "\n";
}

std::string ScalingCsv(const ScalingReport& report) {
  std::string text = "program,engine,scale,n,reps,steps,ns_per_step,resident_bytes\n";
  for (const ScalingRow& row : report.rows) {
    text += fmt::format("{},{},{},{},{},{},{:.5f},{}\n", row.program, row.engine, row.scale, row.n,
                        row.reps, row.steps, row.nanoseconds, row.resident_bytes);
  }
  return text;
}

std::string ScalingSvg(const ScalingReport& report) {
  Chart time{"Time per step", "steps of the run", "nanoseconds", {}};
  Chart memory{"Resident memory of the process", "steps of the run", "MiB", {}};
  std::map<std::string, std::string_view> colours;
  const std::string first_engine = report.rows.empty() ? "" : report.rows.front().engine;
  for (const auto& [key, rows] : ByLine(report)) {
    const auto [found, is_new] =
        colours.try_emplace(key.first, kColours[colours.size() % kColours.size()]);
    Series series{fmt::format("{}, {}", key.first, key.second),
                  std::string(found->second),
                  key.second != first_engine,
                  {}};
    Series resident = series;
    for (const ScalingRow* row : rows) {
      const auto steps = static_cast<double>(row->steps);
      series.points.emplace_back(steps, row->nanoseconds);
      resident.points.emplace_back(steps, static_cast<double>(row->resident_bytes) / kMebibyte);
    }
    time.series.push_back(std::move(series));
    memory.series.push_back(std::move(resident));
  }
  return RenderSvg({time, memory});
}

}  // namespace txvm::bench
