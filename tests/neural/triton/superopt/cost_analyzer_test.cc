#include "neural/triton/superopt/cost_analyzer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "neural/triton/lower/lower.h"
#include "neural/triton/tir/parser.h"
#include "tests/neural/triton/support/corpus_files.h"

namespace txvm::triton {
namespace {

StaticCost Cost(std::string_view text) {
  const auto cost = AnalyzeCost(*ParseTir(text));
  EXPECT_TRUE(cost.has_value());
  return cost ? *cost : StaticCost{};
}

TEST(CostAnalyzer, StraightProgramsCostWhatTheyRun) {
  const char* text = "entry m fn m { read_io 2 dup 1 mul push 9 write_mem 1 pop 1 }";
  const StaticCost cost = Cost(text);
  std::vector<TirInputs> inputs(1);
  inputs[0].input = {3, 4};
  const auto measured = CostOnInputs(*LowerTir(*ParseTir(text)), inputs);
  ASSERT_TRUE(measured.has_value());
  const TasmHeights& heights = (*measured)[0].heights;
  for (const TasmTable table : {TasmTable::kProcessor, TasmTable::kOpStack, TasmTable::kRam,
                                TasmTable::kHash, TasmTable::kProgram, TasmTable::kJumpStack}) {
    EXPECT_EQ(cost.heights[table], heights[table]) << static_cast<int>(table);
  }
  EXPECT_GE(cost.heights[TasmTable::kCascade], heights[TasmTable::kCascade]);
}

TEST(CostAnalyzer, LoopsRunTheirDeclaredBound) {
  const char* text =
      "entry m fn m { push 0 push 50 call l pop 2 loop l bound=50 { swap 1 push 3 "
      "add swap 1 } }";
  const auto measured = CostOnInputs(*LowerTir(*ParseTir(text)), {TirInputs{}});
  EXPECT_EQ(Cost(text).heights[TasmTable::kProcessor], (*measured)[0].cycles);
  const StaticCost unbounded = Cost("entry m fn m { push 5 call l pop 1 loop l { } }");
  EXPECT_EQ(unbounded.unbounded, std::vector<std::string>{"l"});
}

TEST(CostAnalyzer, BranchesTakeTheDearerArm) {
  const char* text =
      "entry m fn m { read_io 1 if_else { push 1 push 2 push 3 pop 3 } else { push 1 pop 1 } }";
  std::vector<TirInputs> inputs(1);
  inputs[0].input = {1};
  const auto measured = CostOnInputs(*LowerTir(*ParseTir(text)), inputs);
  ASSERT_TRUE(measured.has_value());
  for (const TasmTable table : {TasmTable::kProcessor, TasmTable::kOpStack}) {
    EXPECT_EQ(Cost(text).heights[table], (*measured)[0].heights[table]);
  }
}

TEST(CostAnalyzer, RecursionAndHugeBoundsStayFinite) {
  EXPECT_TRUE(Cost("entry f fn f { call f }").recursive);
  const StaticCost cost = Cost(
      "entry m fn m { push 5 call l pop 1 loop l bound=18446744069414584320 { push 9 call k pop 1 "
      "loop k bound=18446744069414584320 { } } }");
  EXPECT_EQ(cost.heights[TasmTable::kProcessor], std::uint64_t{1} << 63);
  EXPECT_GE(cost.heights.Sum(), cost.heights.Max());
}

TEST(CostAnalyzer, LongCallChainsAreNoRecursion) {
  std::string text = "entry a0\n";
  constexpr int kFunctions = 20'000;
  for (int i = 0; i + 1 < kFunctions; ++i) text += fmt::format("fn a{} {{ call a{} }}\n", i, i + 1);
  text += fmt::format("fn a{} {{ push 1 write_io 1 }}\n", kFunctions - 1);
  const auto measured = CostOnInputs(*LowerTir(*ParseTir(text)), {TirInputs{}});
  ASSERT_TRUE(measured.has_value());
  const StaticCost cost = Cost(text);
  EXPECT_FALSE(cost.recursive);
  EXPECT_EQ(cost.heights[TasmTable::kProcessor], (*measured)[0].cycles);
}

TEST(CostAnalyzer, IsNoLessThanTheRunsOfTheCorpus) {
  for (const CorpusFunction& function : ReadCorpus()) {
    if (function.family == "number") continue;  // recursion without a bound
    const TirModule module = *ParseTir(function.tir);
    const StaticCost cost = *AnalyzeCost(module);
    const auto measured = CostOnInputs(*LowerTir(module), *DeclaredInputs(function.tir));
    ASSERT_TRUE(measured.has_value());
    for (const InputCost& run : *measured) {
      for (std::size_t table = 0; table < kTasmTables; ++table) {
        EXPECT_GE(cost.heights.rows[table], run.heights.rows[table])
            << function.name << " " << kTasmTableNames[table];
      }
    }
  }
}

TEST(CostAnalyzer, ProfilesPutTheHottestRunFirst) {
  const TasmProgram program = *LowerTir(
      *ParseTir("entry m fn m { push 0 push 50 call l pop 2 loop l { swap 1 dup 0 mul swap 1 } }"));
  const auto weights = ProfileRuns(program, {TirInputs{}});
  ASSERT_TRUE(weights.has_value());
  EXPECT_EQ((*weights)[0].executions, 50u);
  EXPECT_EQ(weights->back().executions, 1u);
}

}  // namespace
}  // namespace txvm::triton
