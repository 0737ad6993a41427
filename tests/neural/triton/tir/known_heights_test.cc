#include "neural/triton/tir/known_heights.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "neural/triton/field/random_words.h"
#include "neural/triton/lower/lower.h"
#include "neural/triton/prove/subject.h"
#include "neural/triton/random/programs.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/flag_window.h"
#include "neural/triton/tir/world.h"

namespace txvm::triton {
namespace {

std::vector<std::size_t> HeightsOf(std::string_view text) {
  return KnownHeights(*AssembleTasm(text));
}

// Runs a program and compares every height with what was said of it. Returns the steps.
std::size_t Watch(const TasmProgram& program, const TirInputs& inputs, std::uint64_t steps) {
  const std::vector<std::size_t> known = KnownHeights(program);
  ConcreteWorld world(inputs);
  StackMachine<ConcreteWorld> machine(world, std::vector<std::uint64_t>(kTasmRegisters, 0),
                                      kTasmRegisters);
  TasmControl<ConcreteWorld> control(machine, program, false);
  std::size_t done = 0;
  constexpr std::size_t kMostCalls = 100;
  while (done < steps && !control.done() && !world.failed() && control.depth() < kMostCalls) {
    const std::size_t at = control.position().at;
    if (at < program.code.size() && machine.stack().size() < kTasmRegisters + known[at]) {
      ADD_FAILURE() << "instruction " << at << " is known at " << known[at] << ", reached at "
                    << machine.stack().size() - kTasmRegisters << ":\n"
                    << DisassembleTasm(program);
      return done;
    }
    control.Step();
    ++done;
  }
  return done;
}

TEST(KnownHeights, AreTheLeastOverAllCalls) {
  const auto heights = HeightsOf("push 1 call f push 2 push 3 call f halt f: nop return");
  EXPECT_EQ(heights, (std::vector<std::size_t>{0, 1, 1, 2, 3, 3, 1, 1}));
}

TEST(KnownHeights, OfARoutineWithTwoNetsAreTheLesser) {
  // Leaves one word or two.
  const auto heights =
      HeightsOf("push 7 read_io 1 call f nop halt f: skiz call g push 4 return g: push 3 return");
  EXPECT_EQ(heights[3], 2u);
}

TEST(KnownHeights, OneOfTheArmsOfAnIfElseRuns) {
  // Both arms take one word and leave three.
  const std::string arms =
      " halt t: pop 1 pop 1 push 5 push 6 push 7 push 0 return e: pop 1 push 1 push 2 push 3 "
      "return";
  const auto heights =
      HeightsOf("push 7 read_io 1 push 1 swap 1 skiz call t skiz call e nop" + arms);
  EXPECT_EQ(heights[8], 3u);
  // The other way to say it: the condition and its negation, or the condition twice.
  const auto twice = HeightsOf(
      "push 7 read_io 1 dup 0 push 0 eq swap 1 skiz call t skiz call e "
      "nop halt t: swap 1 pop 1 push 5 swap 1 push 6 swap 1 return e: pop "
      "1 push 1 push 2 return");
  EXPECT_EQ(twice[10], 2u);
}

TEST(KnownHeights, NestedArmsAreSeenThroughTheirCalls) {
  const TasmProgram program = *AssembleTasm(
      "push 1 call f push 1 halt "
      "f: read_io 1 push 1 swap 1 skiz call a skiz call b return "
      "a: pop 1 read_io 1 push 1 swap 1 skiz call c skiz call d push 0 return "
      "b: push 4 return c: pop 1 push 1 push 0 return d: push 2 return");
  EXPECT_EQ(KnownHeights(program)[2], 2u);
}

TEST(KnownHeights, LoopsThatTakeWordsLeaveNothingKnown) {
  const auto heights = HeightsOf(
      "push 1 push 2 push 3 call f push 4 halt f: pop 1 read_io 1 skiz "
      "recurse return");
  EXPECT_EQ(heights[3], 3u);
  EXPECT_EQ(heights[4], 0u);
}

TEST(FlagWindow, KnowsWhatFollowsFromABranch) {
  FlagWindow window;
  const TasmProgram flags = *AssembleTasm("dup 0 push 0 eq dup 1");
  for (const TasmInstruction& instruction : flags.code) {
    window = window.After(instruction);
  }
  const auto taken = window.AfterSkiz(true);
  ASSERT_TRUE(taken);
  EXPECT_FALSE(taken->AfterSkiz(true));  // not 0, so its comparison with 0 is
  const auto skipped = window.AfterSkiz(false);
  ASSERT_TRUE(skipped);
  EXPECT_FALSE(skipped->AfterSkiz(false));
  EXPECT_EQ(FlagWindow{}.After({TasmOp::kDup, 0}).After({TasmOp::kPop, 1}), FlagWindow{});
}

TEST(KnownHeights, NoRunOfRandomProgramsIsLower) {
  std::size_t steps = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    TirRng rng(70'000 + seed);
    const RandomProgram random = RandomTir(rng);
    for (const bool peepholes : {false, true}) {
      const TasmProgram program = *LowerTir(random.module, {peepholes});
      steps += Watch(program, random.inputs, 20'000);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(steps, 100'000u);
}

// Random texts of moves, flags and control: routines of any net effect, few of which make sense.
TEST(KnownHeights, NoRunOfRandomControlIsLower) {
  constexpr const char* kWords[] = {"push 0",
                                    "push 1",
                                    "push 5",
                                    "push 0",
                                    "push 1",
                                    "pop 1",
                                    "pop 2",
                                    "dup 0",
                                    "dup 1",
                                    "dup 3",
                                    "swap 1",
                                    "swap 2",
                                    "pick 2",
                                    "place 2",
                                    "place 7",
                                    "pick 6",
                                    "eq",
                                    "eq",
                                    "add",
                                    "mul",
                                    "read_io 1",
                                    "skiz",
                                    "skiz",
                                    "skiz",
                                    "call a",
                                    "call b",
                                    "call c",
                                    "return",
                                    "recurse",
                                    "addi 0",
                                    "push 0 eq",
                                    "nop",
                                    "skiz call a skiz call b",
                                    "push 1 swap 1 skiz call b skiz call c",
                                    "dup 0 skiz call c"};
  std::size_t steps = 0;
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    TirRng rng(90'000 + seed);
    std::string text;
    for (const char* start : {"push 1 push 0 push 1 ", "halt a: ", "return b: ", "return c: "}) {
      text += start;
      for (std::uint64_t i = 2 + rng.Below(9); i-- > 0;) {
        text += fmt::format("{} ", kWords[rng.Below(std::size(kWords))]);
      }
    }
    const TasmProgram program = *AssembleTasm(text + "return");
    for (int run = 0; run < 4; ++run) {
      TirInputs inputs;
      for (int i = 0; i < 60; ++i) inputs.input.push_back(rng.Below(3));
      steps += Watch(program, inputs, 500);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(steps, 200'000u);
}

}  // namespace
}  // namespace txvm::triton
