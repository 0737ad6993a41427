// The suite: selection, checking, reports.
#include "bench/suite.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace txvm::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kGoOn = [](std::size_t, std::size_t, std::string_view) { return true; };

SuiteOptions Small() {
  SuiteOptions options;
  options.scenarios = {"original-countdown"};
  options.engines = {"reference", "attention"};
  options.rounds = 3;
  return options;
}

TEST(Suite, MeasuresNativeFirstAndTheNamedEngines) {
  const auto report = RunSuite(Small(), kGoOn);
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->rows.size(), 3u);
  EXPECT_EQ(report->rows[0].engine, "native");
  EXPECT_EQ(report->rows[1].engine, "attention");
  EXPECT_EQ(report->rows[2].engine, "reference");
  EXPECT_DOUBLE_EQ(report->rows[0].ratio, 1);
  for (const SuiteRow& row : report->rows) {
    EXPECT_EQ(row.steps, 1'200'002u);
    EXPECT_GT(row.seconds, 0) << row.engine;
    EXPECT_GT(row.ratio, 0) << row.engine;
  }
  EXPECT_DOUBLE_EQ(report->GroupRatio("original", "native"), 1);
  EXPECT_EQ(report->GroupRatio("workloads", "native"), 0) << "nothing of that group ran";
}

TEST(Suite, AnEngineThatCannotRunAScenarioIsARowThatSaysWhy) {
  SuiteOptions options = Small();
  options.engines = {"wasm-interp"};
  options.rounds = 1;
  const auto report = RunSuite(options, kGoOn);
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->rows.size(), 2u);
  EXPECT_EQ(report->rows[1].engine, "wasm-interp");
  EXPECT_EQ(report->rows[1].problem, "not a WebAssembly program");
}

TEST(Suite, CountsEveryRunAndStopsWhenTold) {
  std::size_t calls = 0, total_seen = 0;
  const auto counting = [&](std::size_t, std::size_t total, std::string_view) {
    ++calls;
    total_seen = total;
    return true;
  };
  ASSERT_TRUE(RunSuite(Small(), counting));
  EXPECT_EQ(calls, 9u);
  EXPECT_EQ(total_seen, 9u);
  const auto stopped =
      RunSuite(Small(), [](std::size_t, std::size_t, std::string_view) { return false; });
  ASSERT_TRUE(stopped);
  EXPECT_TRUE(stopped->stopped);
  EXPECT_TRUE(stopped->rows.empty());
}

TEST(Suite, RefusesUnknownNames) {
  SuiteOptions options = Small();
  options.scenarios = {"nope"};
  EXPECT_TRUE(RunSuite(options, kGoOn).error().message.starts_with("'nope' is no scenario: "));
  options = Small();
  options.engines = {"nope"};
  EXPECT_TRUE(RunSuite(options, kGoOn).error().message.starts_with("'nope' is no engine: native"));
}

TEST(Suite, AWrongResultEndsTheRounds) {
  const auto wrong = []() -> isa::Result<Sample> { return Sample{{5}, 1, 1}; };
  const auto rounds = RunInTurns({{"liar", wrong}}, {isa::Word{0} - 1}, 1, [] { return true; });
  ASSERT_TRUE(rounds);
  EXPECT_EQ(rounds->mismatch, "liar gives 5 where -1 is expected");
}

TEST(Suite, AWrongResultInALaterRoundEndsTheRounds) {
  isa::Word result = 6;
  const auto fickle = [&]() -> isa::Result<Sample> { return Sample{{result++}, 1, 1}; };
  const auto rounds = RunInTurns({{"fickle", fickle}}, {6}, 1, [] { return true; });
  ASSERT_TRUE(rounds);
  EXPECT_EQ(rounds->mismatch, "fickle gives 7 where 6 is expected");
}

TEST(Suite, ReportsNameEngineAndCommand) {
  SuiteReport report;
  report.rows.push_back({"s", "g", "native", "", {7}, 1'000'000, 0.001, 1});
  report.rows.push_back({"s", "g", "attention", "", {7}, 1'000'000, 0.002, 2});
  report.rows.push_back({"s", "g", "wasm-interp", "not installed", {}, 0, 0, 0});
  const Json json = Json::parse(SuiteJson(report, "txvm bench --only s", 3));
  EXPECT_EQ(json["command"], "txvm bench --only s");
  EXPECT_EQ(json["rounds"], 3);
  EXPECT_EQ(json["rows"][1]["engine"], "attention");
  EXPECT_EQ(json["rows"][1]["ratio"], 2.0);
  EXPECT_EQ(json["rows"][1]["steps_per_second"], 5e8);
  EXPECT_EQ(json["rows"][2]["problem"], "not installed");
  EXPECT_EQ(json["geometric_means"]["g"]["attention"], 2.0);
  EXPECT_FALSE(json["geometric_means"]["g"].contains("wasm-interp"));
  EXPECT_EQ(SuiteCsv(report),
            "scenario,group,engine,steps,seconds,ratio,problem\n"
            "s,g,native,1000000,0.001000000,1.0000,\n"
            "s,g,attention,1000000,0.002000000,2.0000,\n"
            "s,g,wasm-interp,0,0.000000000,0.0000,\"not installed\"\n");
  EXPECT_NE(SuiteText(report).find("attention"), std::string::npos);
}

TEST(Suite, TheChartHasABarForEachMeasurement) {
  SuiteReport report;
  report.rows = {{"sum", "g", "native", "", {}, 1'000'000, 0.001, 1},
                 {"sum", "g", "attention", "", {}, 1'000'000, 0.004, 4},
                 {"a<b", "g", "native", "", {}, 1'000'000, 0.002, 1},
                 {"a<b", "g", "attention", "too long", {}, 0, 0, 0}};
  const std::string svg = SuiteSvg(report);
  EXPECT_TRUE(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("a&lt;b"), std::string::npos);
  std::size_t boxes = 0;
  for (std::size_t at = 0; (at = svg.find("<rect x=", at)) != std::string::npos; ++at) ++boxes;
  EXPECT_EQ(boxes, 3u + 2u);  // bars, and keys of the legend
  EXPECT_EQ(SuiteSvg({}).find("nan"), std::string::npos);
}

TEST(Suite, CsvQuotesAProblem) {
  SuiteReport report;
  report.rows.push_back({"s", "g", "hull", "9,999 steps; \"long\"", {}, 0, 0, 0});
  EXPECT_EQ(SuiteCsv(report),
            "scenario,group,engine,steps,seconds,ratio,problem\n"
            "s,g,hull,0,0.000000000,0.0000,\"9,999 steps; \"\"long\"\"\"\n");
}

}  // namespace
}  // namespace txvm::bench
