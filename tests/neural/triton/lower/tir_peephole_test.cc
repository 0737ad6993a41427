#include "neural/triton/lower/tir_peephole.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "neural/triton/random/programs.h"
#include "neural/triton/tir/interpreter.h"
#include "neural/triton/tir/parser.h"
#include "neural/triton/tir/printer.h"

namespace txvm::triton {
namespace {

using Pass = void (*)(std::vector<TirOp>&);

std::string After(Pass pass, std::string_view text) {
  TirModule module = *ParseTir(text);
  pass(module.ops);
  std::string flat = PrintTir(module);
  for (char& c : flat) c = c == '\n' ? ' ' : c;
  return flat.empty() ? flat : flat.substr(0, flat.size() - 1);
}

// Runs both on a stack of 24 different words: with distinct words every wrong move shows.
void ExpectSame(const TirModule& before, const TirModule& after) {
  std::vector<std::uint64_t> stack;
  for (std::uint64_t i = 0; i < 40; ++i) stack.push_back(1000 + i);
  TirInputs inputs;
  inputs.secret = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const TirRun a = *RunTir(before, inputs, stack);
  const TirRun b = *RunTir(after, inputs, stack);
  EXPECT_EQ(a.fault, b.fault) << PrintTir(before);
  EXPECT_EQ(a.stack, b.stack) << PrintTir(before) << "became\n" << PrintTir(after);
  EXPECT_EQ(a.ram, b.ram) << PrintTir(before);
}

TEST(LowerPeephole, MergesHintsAndPopsIntoBatches) {
  EXPECT_EQ(After(MergeHints, "hint 1 hint 3 hint 4 add hint 1"), "hint 5 hint 3 add hint 1");
  EXPECT_EQ(After(MergePops, "pop 1 pop 1 pop 5"), "pop 5 pop 2");
}

TEST(LowerPeephole, RemovesWhatDoesNothing) {
  EXPECT_EQ(After(EliminateNops, "swap 0 add swap 1"), "add swap 1");
  EXPECT_EQ(After(EliminateDupPopNops, "dup 0 pop 1 dup 0 swap 1 pop 1 dup 1 pop 1"),
            "dup 1 pop 1");
  EXPECT_EQ(After(EliminateDoubleSwaps, "swap 3 swap 3 swap 2 swap 3"), "swap 2 swap 3");
  EXPECT_EQ(After(CollapseSwapPopChains, "dup 2 dup 2 dup 2 swap 3 pop 1 pop 2"), "");
  EXPECT_EQ(After(CollapseSwapPopChains, "dup 2 dup 2 swap 3 pop 2"), "dup 2 dup 2 swap 3 pop 2");
}

TEST(LowerPeephole, KeepsStoresThatSomebodyMayRead) {
  EXPECT_EQ(After(EliminateDeadSpills, "push 9 write_mem 1 pop 1 add"),
            "push 9 write_mem 1 pop 1 add");
  EXPECT_EQ(After(EliminateDeadSpills, "push 9 write_mem 1 pop 1 push 9 read_mem 1 pop 1"),
            "dup 0 push 9 write_mem 1 pop 1");
  EXPECT_EQ(After(EliminateDeadSpills, "push 9 write_mem 1 pop 1 add push 9 write_mem 1 pop 1"),
            "pop 1 add push 9 write_mem 1 pop 1");
  EXPECT_EQ(After(EliminateDeadSpills, "push 9 write_mem 1 pop 1 call f push 9 write_mem 1 pop 1"),
            "push 9 write_mem 1 pop 1 call f push 9 write_mem 1 pop 1");
  // The order that Trident emits stores the address at the value: nothing to remove there.
  EXPECT_EQ(
      After(EliminateDeadSpills, "push 9 swap 1 write_mem 1 pop 1 push 9 swap 1 write_mem 1 pop 1"),
      "push 9 swap 1 write_mem 1 pop 1 push 9 swap 1 write_mem 1 pop 1");
}

TEST(LowerPeephole, StorePatternsAreRewrittenByTheirMeaning) {
  for (const char* text : {"push 9 write_mem 1 pop 1 push 9 read_mem 1 pop 1",
                           "push 9 write_mem 1 pop 1 add push 9 write_mem 1 pop 1",
                           "push 9 write_mem 1 pop 1 push 8 read_mem 1 pop 1"}) {
    const TirModule before = *ParseTir(text);
    TirModule after = before;
    EliminateDeadSpills(after.ops);
    ExpectSame(before, after);
  }
}

TEST(LowerPeephole, EveryEpilogueKeepsItsMeaning) {
  for (int first = 1; first <= 15; ++first) {
    for (int step : {0, -1}) {
      for (int count = 2; count <= 15; ++count) {
        std::string text;
        for (int i = 0; i < count && first + i * step >= 1; ++i) {
          text += "swap " + std::to_string(first + i * step) + " pop 1 ";
        }
        const TirModule before = *ParseTir(text);
        TirModule after = before;
        CollapseEpilogues(after.ops);
        EXPECT_LE(after.ops.size(), before.ops.size());
        ExpectSame(before, after);
      }
    }
  }
  EXPECT_EQ(After(CollapseEpilogues, "swap 1 pop 1 swap 1 pop 1"), "swap 2 pop 2");
  EXPECT_EQ(After(CollapseEpilogues, "swap 3 pop 1 swap 2 pop 1"), "pop 1 swap 2 pop 1");
}

// Of a pair's run only what one rewrite takes is looked at: time does not grow with its square.
TEST(LowerPeephole, LongEpiloguesAreRewrittenPieceByPiece) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "swap 3 pop 1 swap 2 pop 1 swap 1 pop 1 ";
  TirModule module = *ParseTir(text);
  const std::size_t before = module.ops.size();
  CollapseEpilogues(module.ops);
  EXPECT_LT(module.ops.size(), before);
  std::string same;  // a run of depth 1 is taken whole, however long
  for (int i = 0; i < 40; ++i) same += "swap 1 pop 1 ";
  const TirModule long_before = *ParseTir(same);
  TirModule long_after = long_before;
  CollapseEpilogues(long_after.ops);
  EXPECT_LT(long_after.ops.size(), 20u);
  ExpectSame(long_before, long_after);
}

TEST(LowerPeephole, RandomMovesKeepTheirMeaning) {
  TirRng rng(3);
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (std::uint64_t i = 4 + rng.Below(12); i-- > 0;) {
      const std::string n = std::to_string(rng.Below(4));
      const char* const kOps[] = {"swap ", "dup "};
      text += rng.OneIn(3) ? std::string("pop 1 ") : kOps[rng.Below(2)] + n + " ";
    }
    const TirModule before = *ParseTir(text);
    TirModule after = before;
    OptimizeTir(after);
    EXPECT_LE(after.ops.size(), before.ops.size());
    ExpectSame(before, after);
  }
}

TEST(LowerPeephole, ReachesNestedBodies) {
  EXPECT_EQ(After(OptimizeBody, "loop l { if_else { swap 1 swap 1 } else { } }"),
            "loop l {   if_else {   } else {   } }");
}

}  // namespace
}  // namespace txvm::triton
