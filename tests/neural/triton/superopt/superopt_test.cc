#include <gtest/gtest.h>

#include <algorithm>

#include "neural/triton/lower/lower.h"
#include "neural/triton/prove/equivalence.h"
#include "neural/triton/superopt/program.h"
#include "neural/triton/superopt/search.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/parser.h"
#include "tests/neural/triton/prove/mutate.h"
#include "tests/neural/triton/support/corpus_files.h"

namespace txvm::triton {
namespace {

Schedule Find(std::string_view text, std::size_t beam = 2000) {
  return FindSchedule(AssembleTasm(text)->code, {.beam = beam, .known_depth = 0});
}

OptimizeOptions Quick() {
  OptimizeOptions options;
  options.beam = 12;
  options.exact_beam = 200;
  options.milliseconds = 5000;
  return options;
}

TEST(Superopt, FindsShortestSchedules) {
  const Schedule fib = Find("push -1 add swap 2 dup 1 add swap 1 swap 2");
  EXPECT_EQ(fib.code.size(), 5u);
  EXPECT_EQ(Find("dup 1 dup 1 add swap 2 pop 2").code.size(), 1u);
  EXPECT_EQ(Find("swap 1 swap 2 swap 3").code.size(), 1u);
  EXPECT_EQ(Find("read_io 1 read_io 1 read_io 1").code.size(), 1u);
  EXPECT_EQ(Find("dup 0 write_io 1 dup 1 write_io 1 pop 2").code.size(), 1u);
}

TEST(Superopt, SaysWhenNothingIsShorter) {
  const Schedule schedule = Find("push -1 mul add");
  EXPECT_FALSE(schedule.improved);
  EXPECT_TRUE(schedule.optimal);
  EXPECT_FALSE(Find("push -1 mul add", 1).optimal && Find("push -1 mul add", 1).improved);
}

TEST(Superopt, KeepsChecksThatNobodyReads) {
  EXPECT_EQ(Find("dup 0 invert pop 1").code.size(), 3u);
  EXPECT_EQ(Find("dup 1 dup 1 lt pop 1").code.size(), 4u);
  EXPECT_EQ(Find("dup 0 dup 0 eq assert").code.size(), 0u);
}

// The operation that is needed for a value does the check, too.
TEST(Superopt, DropsChecksThatANeededOperationRepeats) {
  EXPECT_EQ(Find("dup 0 push 7 and pop 1 lt").code.size(), 1u);
  EXPECT_EQ(Find("dup 0 pop_count pop 1 lt").code.size(), 1u);
}

// A load of more words than are wanted can bring a word that another way would have to compute:
// then the least count is a guess, and no proof.
TEST(Superopt, LoadsOfComputedWordsAreNotCalledOptimal) {
  const Schedule schedule = Find("write_mem 5 addi -1 read_mem 3 read_mem 2");
  EXPECT_FALSE(schedule.optimal && schedule.code.size() > 3) << schedule.code.size();
}

// Words that are known to lie above the 16 lowest may go before others come.
TEST(Superopt, KnownWordsMayBeTakenForAWhile) {
  const auto code = AssembleTasm("push 0 swap 1 pop 1")->code;
  EXPECT_EQ(FindSchedule(code, {.beam = 2000, .known_depth = 0}).code.size(), 3u);
  const Schedule schedule = FindSchedule(code, {.beam = 2000, .known_depth = 1});
  EXPECT_EQ(schedule.code, AssembleTasm("pop 1 push 0")->code);
  EXPECT_TRUE(schedule.optimal);
  const auto three = AssembleTasm("push 0 swap 3 pop 3")->code;
  EXPECT_EQ(FindSchedule(three, {.beam = 2000, .known_depth = 2}).code.size(), 3u);
  EXPECT_EQ(FindSchedule(three, {.beam = 2000, .known_depth = 100}).code.size(), 2u);
}

// mul is not searched for where its result is a constant: write_io 2; push 0; mul is shorter.
TEST(Superopt, OperationsThatMakeNothingNewLeaveOptimalityOpen) {
  const Schedule schedule = Find("write_io 1 write_io 1 push 0 mul");
  EXPECT_FALSE(schedule.optimal && schedule.code.size() > 3) << schedule.code.size();
}

TEST(Superopt, RandomRunsKeepTheirMeaning) {
  int improved = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    TirRng rng(9'000 + seed);
    const auto code = RandomCode(rng);
    const std::size_t known = seed % 4;
    const Schedule schedule = FindSchedule(code, {.beam = 16, .known_depth = known});
    ASSERT_LE(schedule.code.size(), code.size());
    if (!schedule.improved) continue;
    ++improved;
    EXPECT_TRUE(ProveStraight(code, schedule.code, known));
    EXPECT_FALSE(TellApart(code, schedule.code, rng)) << "seed " << seed;
  }
  EXPECT_GT(improved, 30);
}

TEST(Superopt, FibonacciFitsInto1024Rows) {
  for (const CorpusFunction& function : ReadCorpus()) {
    if (function.name != "fib") continue;
    const auto inputs = *DeclaredInputs(function.tir);
    const TasmProgram naive = *LowerTir(*ParseTir(function.tir), {.peepholes = false});
    const auto report = OptimizeProgram(naive, inputs, Quick());
    ASSERT_TRUE(report.has_value());
    ASSERT_EQ(inputs[0].input, std::vector<std::uint64_t>{100});
    EXPECT_GE(report->before[0].cycles, 1025u);
    EXPECT_LE(report->before[0].cycles, 2048u);
    EXPECT_LE(report->after[0].cycles, 1024u);
    EXPECT_EQ(report->after[0].cost.padded, 1024u);
    EXPECT_EQ(Verify(Subject::FromTasm(naive), Subject::FromTasm(report->program))->verdict,
              Verdict::kProved);
  }
}

TEST(Superopt, ExpertFibonacciGetsUnder810Cycles) {
  const TasmProgram program = *AssembleTasm(
      "push 0 push 1 read_io 1 dup 0 skiz call fib_loop pop 1 write_io 1 halt fib_loop: push -1 "
      "add swap 2 dup 1 add swap 1 swap 2 dup 0 skiz recurse return");
  std::vector<TirInputs> inputs(1);
  inputs[0].input = {100};
  const auto report = OptimizeProgram(program, inputs, Quick());
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->before[0].cycles, 1009u);
  EXPECT_LE(report->after[0].cycles, 810u);
}

TEST(Superopt, CorpusGetsShorterAndNeverDearer) {
  // The whole corpus by hand: txvm_optimize_corpus
  std::size_t before = 0, after = 0, hand_before = 0, hand_after = 0, index = 0;
  for (const CorpusFunction& function : ReadCorpus()) {
    if (++index % 12 != 0) continue;
    const auto inputs = *DeclaredInputs(function.tir);
    const TasmProgram naive = *LowerTir(*ParseTir(function.tir), {.peepholes = false});
    const TasmProgram hand = *AssembleTasm(function.tasm);
    for (const TasmProgram* program : {&naive, &hand}) {
      const auto report = OptimizeProgram(*program, inputs, Quick());
      ASSERT_TRUE(report.has_value());
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        EXPECT_LE(report->after[i].cost, report->before[i].cost) << function.name;
        EXPECT_LE(report->after[i].cycles, report->before[i].cycles) << function.name;
        EXPECT_LE(report->after[i].cost.words, report->before[i].cost.words) << function.name;
      }
      EXPECT_EQ(Verify(Subject::FromTasm(*program), Subject::FromTasm(report->program))->verdict,
                Verdict::kProved)
          << function.name;
      (program == &naive ? before : hand_before) += report->instructions_before;
      (program == &naive ? after : hand_after) += report->instructions_after;
    }
  }
  EXPECT_LE(after * 100, before * 80);
  EXPECT_LT(hand_after, hand_before);
}

// What calls a routine of a library may have nothing above the 16 lowest words.
TEST(Superopt, RoutinesOfALibraryTakeNoWordsOfTheirCaller) {
  const std::string routines =
      "a: push 1 push 2 push 3 call f pop 3 return f: push 0 swap 1 pop 1 return";
  const auto swaps = [](const TasmProgram& program) {
    return std::count(program.code.begin(), program.code.end(), TasmInstruction{TasmOp::kSwap, 1});
  };
  const TasmProgram program = *AssembleTasm("call a halt " + routines);
  EXPECT_EQ(swaps(OptimizeProgram(program, {TirInputs{}}, Quick())->program), 0);
  EXPECT_EQ(swaps(OptimizeProgram(*AssembleTasm(routines), {TirInputs{}}, Quick())->program), 1);
  OptimizeOptions library = Quick();
  library.library = true;
  EXPECT_EQ(swaps(OptimizeProgram(program, {TirInputs{}}, library)->program), 1);
}

TEST(Superopt, ProgramsThatSeeTheirDigestStay) {
  const TasmProgram program = *AssembleTasm("push 1 push 2 add pop 1 dup 15 write_io 1 halt");
  OptimizeOptions options = Quick();
  std::size_t searched = 0;
  options.progress = [&](std::size_t, std::size_t) { ++searched; };
  const auto report = OptimizeProgram(program, {TirInputs{}}, options);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->program.code, program.code);
  EXPECT_TRUE(report->sees_itself);
  EXPECT_EQ(report->optimal, 0u) << "nothing was looked for";
  EXPECT_EQ(searched, 0u) << "what is found cannot be used";
}

// The 16 lowest words of a library and of a fragment are those of whoever runs it.
TEST(Superopt, WhatIsNoProgramHasNoDigestToSee) {
  const std::string shorter = "g: push 1 add push 2 add return f: dup 11 pop 1 dup 15 pop 1 return";
  const auto report = OptimizeProgram(*AssembleTasm(shorter), {TirInputs{}}, Quick());
  ASSERT_TRUE(report.has_value());
  EXPECT_FALSE(report->sees_itself);
  EXPECT_LT(report->instructions_after, report->instructions_before);
  OptimizeOptions library = Quick();
  library.library = true;
  const TasmProgram halts = *AssembleTasm("call f halt " + shorter);
  EXPECT_TRUE(OptimizeProgram(halts, {TirInputs{}}, Quick())->sees_itself);
  EXPECT_FALSE(OptimizeProgram(halts, {TirInputs{}}, library)->sees_itself);
  OptimizeOptions fragment = Quick();
  fragment.fragment = true;
  EXPECT_FALSE(OptimizeProgram(halts, {TirInputs{}}, fragment)->sees_itself);
}

}  // namespace
}  // namespace txvm::triton
