// Scaling: scales, equal work on all engines, reports and the plot.
#include "bench/scaling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/plot.h"
#include "bench/scaling_report.h"

namespace txvm::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kGoOn = [](std::uint64_t, std::uint64_t, std::string_view) { return true; };

ScalingOptions Small() {
  ScalingOptions options;
  options.max_steps = 100'000;
  options.rounds = 1;
  return options;
}

TEST(Scaling, EveryProgramComesCloseToEveryScaleOnEveryEngine) {
  const auto report = RunScaling(Small(), kGoOn);
  ASSERT_TRUE(report) << report.error().message;
  const std::size_t scales = 3, engines = 3;
  ASSERT_EQ(report->rows.size(), ScalingPrograms().size() * scales * engines);
  for (const ScalingRow& row : report->rows) {
    const double off = static_cast<double>(row.steps) / static_cast<double>(row.scale);
    EXPECT_GT(off, 0.4) << row.program << " " << row.scale;
    EXPECT_LT(off, 1.1) << row.program << " " << row.scale;
    EXPECT_GT(row.nanoseconds, 0);
    EXPECT_GT(row.resident_bytes, 0u);
  }
}

TEST(Scaling, CappedProgramsRepeat) {
  ScalingOptions options = Small();
  options.programs = {"bsort"};
  options.max_steps = 10'000'000;
  options.engines = {vm::EngineKind::kNative};
  const auto report = RunScaling(options, kGoOn);
  ASSERT_TRUE(report) << report.error().message;
  const ScalingRow& last = report->rows.back();
  EXPECT_EQ(last.n, 256u);
  EXPECT_GT(last.reps, 1u);
}

TEST(Scaling, StopsWithTheRowsThereAre) {
  std::uint64_t seen = 0;
  const auto report = RunScaling(Small(), [&](std::uint64_t done, std::uint64_t, std::string_view) {
    seen = done;
    return done < 10'000;
  });
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->stopped);
  EXPECT_GE(seen, 10'000u);
  EXPECT_LT(report->rows.size(), ScalingPrograms().size() * 6);
}

TEST(Scaling, RefusesAnUnknownProgram) {
  ScalingOptions options = Small();
  options.programs = {"nope"};
  EXPECT_EQ(RunScaling(options, kGoOn).error().message,
            "'nope' is no scaling program: fib, sum, countdown, fnv1a, bsort, collatz");
}

ScalingReport TwoScales() {
  ScalingReport report;
  report.rows.push_back({"fib", "native", 1'000'000, 9, 1, 999'999, 0.5, 8u << 20});
  report.rows.push_back({"fib", "native", 1'000'000'000, 9, 1000, 999'999'999, 0.55, 9u << 20});
  return report;
}

TEST(Scaling, TextComparesTheLargestScaleWithAMillion) {
  const std::string text = ScalingText(TwoScales());
  EXPECT_NE(text.find("999,999,999"), std::string::npos) << text;
  EXPECT_NE(text.find("1.100"), std::string::npos) << text;
  EXPECT_NE(text.find("+1.0 MiB"), std::string::npos) << text;
}

TEST(Scaling, TextNamesTheScaleItComparesWith) {
  EXPECT_NE(ScalingText(TwoScales()).find(" ns/step, 1e6 "), std::string::npos);
  ScalingReport report;
  report.rows.push_back({"fib", "native", 10'000, 9, 1, 9'999, 0.5, 8u << 20});
  EXPECT_NE(ScalingText(report).find(" ns/step, 1e4 "), std::string::npos);
}

TEST(Scaling, JsonAndCsvHoldEveryRow) {
  const Json json = Json::parse(ScalingJson(TwoScales(), "txvm bench scaling", 5));
  EXPECT_EQ(json["command"], "txvm bench scaling");
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["rows"].size(), 2u);
  EXPECT_EQ(json["rows"][1]["ns_per_step"], 0.55);
  EXPECT_EQ(ScalingCsv(TwoScales()),
            "program,engine,scale,n,reps,steps,ns_per_step,resident_bytes\n"
            "fib,native,1000000,9,1,999999,0.50000,8388608\n"
            "fib,native,1000000000,9,1000,999999999,0.55000,9437184\n");
}

TEST(Plot, DrawsALinePerSeriesAndChart) {
  const std::string svg = ScalingSvg(TwoScales());
  EXPECT_TRUE(svg.starts_with("<svg xmlns=")) << svg.substr(0, 40);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = svg.find("<polyline", at)) != std::string::npos; ++at) ++lines;
  EXPECT_EQ(lines, 2u) << "time and memory";
  for (const char* wrong : {"nan,", ",nan", "inf,", ",inf", "\"nan", "\"inf", "\"-nan"}) {
    EXPECT_EQ(svg.find(wrong), std::string::npos) << wrong;
  }
}

TEST(Plot, SurvivesNoPointsAndOddLabels) {
  const std::string svg = RenderSvg({{"a<b & c", "x", "y", {{"<s>", "#000", false, {}}}}});
  EXPECT_NE(svg.find("a&lt;b &amp; c"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace txvm::bench
