#include "neural/triton/tasm/machine.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "neural/triton/tasm/profile.h"
#include "neural/triton/tasm/text.h"
#include "vm/tensor/goldilocks.h"
#include "vm/tensor/goldilocks_ext.h"

namespace txvm::triton {
namespace {

namespace gl = vm::goldilocks;
using Words = std::vector<std::uint64_t>;

TasmMachine Load(const std::string& text, TasmIsa isa = TasmIsa::kDot) {
  auto program = AssembleTasm(text, isa);
  EXPECT_TRUE(program) << program.error().ToString();
  return *TasmMachine::Load(*program);
}

TasmRun RunText(const std::string& text, const TasmInput& input = {},
                const TasmOptions& options = {}, TasmIsa isa = TasmIsa::kDot) {
  auto run = Load(text, isa).Run(input, options);
  EXPECT_TRUE(run) << run.error().ToString();
  return *run;
}

std::string CrashOf(const std::string& text, const TasmInput& input = {}) {
  const TasmRun run = RunText(text, input);
  return run.crash ? std::string(TasmCrashText(*run.crash)) : "none";
}

struct Golden {
  const char* name;
  const char* text;
  TasmInput input;
  Words output;
  TasmHeights heights;
};

std::vector<Golden> GoldenPrograms() {
  std::vector<Golden> programs;
#define W(...) {__VA_ARGS__}
#define D(...) {__VA_ARGS__}
#define R(...) {__VA_ARGS__}
#define TXVM_TASM_GOLDEN(name, text, public_in, secret, digests, ram, output, heights) \
  programs.push_back({name, text, {public_in, secret, digests, ram}, output, {heights}});
#include "tests/neural/triton/tasm/golden.def"
#undef TXVM_TASM_GOLDEN
#undef R
#undef D
#undef W
  return programs;
}

TEST(TasmMachine, GoldenProgramsHaveTritonsOutputAndHeights) {
  const std::vector<Golden> programs = GoldenPrograms();
  ASSERT_GE(programs.size(), 30u);
  for (const Golden& golden : programs) {
    const TasmRun run = RunText(golden.text, golden.input);
    EXPECT_FALSE(run.crash) << golden.name;
    EXPECT_EQ(run.output, golden.output) << golden.name;
    EXPECT_EQ(run.heights.rows, golden.heights.rows) << golden.name;
    EXPECT_EQ(run.cycles, golden.heights[TasmTable::kProcessor]) << golden.name;
  }
}

TEST(TasmMachine, HeightsOffGivesTheSameRun) {
  TasmOptions options;
  options.heights = false;
  for (const Golden& golden : GoldenPrograms()) {
    const TasmRun run = RunText(golden.text, golden.input, options);
    EXPECT_FALSE(run.crash) << golden.name;
    EXPECT_EQ(run.output, golden.output) << golden.name;
    EXPECT_EQ(run.cycles, golden.heights[TasmTable::kProcessor]) << golden.name;
  }
}

TEST(TasmMachine, EveryCrashConditionHasItsName) {
  const std::pair<const char*, const char*> cases[] = {
      {"push 4294967296 push 3 lt halt", "not u32"},
      {"push 3 push 4294967296 lt halt", "not u32"},
      {"push 4294967296 push 3 and halt", "not u32"},
      {"push 3 push -1 xor halt", "not u32"},
      {"push 4294967296 pop_count halt", "not u32"},
      {"push 4294967296 log_2_floor halt", "not u32"},
      {"push 4294967296 push 2 pow halt", "not u32"},
      {"push 0 push 4294967296 div_mod halt", "not u32"},
      {"push 4294967296 push 1 div_mod halt", "not u32"},
      {"push -1 push 0 push 0 push 0 push 0 push 0 merkle_step halt", "not u32"},
      {"push -1 push 0 push 0 push 0 push 0 push 0 merkle_step_mem halt", "not u32"},
      {"push 0 invert halt", "inv0"},
      {"x_invert halt", "inv0"},
      {"push 0 push 7 div_mod halt", "div0"},
      {"push 0 log_2_floor halt", "log0"},
      {"push 0 assert halt", "assert"},
      {"push 2 assert halt", "assert"},
      {"push 1 push 0 push 0 push 0 push 0 assert_vector halt", "assert_vector"},
      {"return halt", "js empty"},
      {"recurse halt", "js empty"},
      {"recurse_or_return halt", "js empty"},
      {"read_io 1 halt", "input empty"},
      {"divine 1 halt", "secret empty"},
      {"merkle_step halt", "digest empty"},
      {"sponge_squeeze halt", "sponge uninit"},
      {"sponge_absorb_mem halt", "sponge uninit"},
      {"pop 1 halt", "shallow"},
      {"write_io 1 halt", "shallow"},
      {"skiz halt", "shallow"},
      {"add halt", "shallow"},
      {"hash halt", "shallow"},
      {"push 1 push 1 push 1 push 1 assert_vector halt", "shallow"},
      {"sponge_absorb halt", "shallow"},
      {"write_mem 1 halt", "shallow"},
      {"xx_mul halt", "shallow"},
      {"nop", "ip overflow"},
      {"", "ip overflow"},
      {"push 0 skiz", "ip overflow"},
      {"push 1 skiz", "ip overflow"},
      {"push 0 skiz halt", "ip overflow"},
      {"call end halt end:", "ip overflow"},
  };
  for (const auto& [text, crash] : cases) EXPECT_EQ(CrashOf(text), crash) << text;
}

TEST(TasmMachine, PartialReadsTakeNothing) {
  EXPECT_EQ(CrashOf("read_io 3 halt", {.input = {1, 2}}), "input empty");
  const TasmRun run = RunText("divine 2 halt", {.secret = {1}});
  EXPECT_EQ(run.crash, TasmCrash::kSecretEmpty);
  EXPECT_EQ(run.secret_read, 0u);
  EXPECT_EQ(run.stack.size(), 16u);
}

TEST(TasmMachine, ChecksStackLengthBeforeOperandsAndU32BeforeZero) {
  EXPECT_EQ(CrashOf("assert halt"), "shallow");  // st0 = 0 would fail as well
  EXPECT_EQ(CrashOf("push 0 push -1 div_mod halt"), "not u32");
  EXPECT_EQ(CrashOf("sponge_absorb halt"), "shallow");  // the sponge is not initialised either
}

TEST(TasmMachine, ACrashLeavesTheStateBeforeTheInstruction) {
  const TasmRun run = RunText("push 5 push 0 push 9 div_mod halt");
  EXPECT_EQ(run.crash, TasmCrash::kDivideByZero);
  EXPECT_EQ(run.stop_index, 3u);
  EXPECT_EQ(run.cycles, 3u);
  EXPECT_EQ(run.stack.back(), 9u);
  EXPECT_EQ(run.executions[3], 0u);
}

TEST(TasmMachine, CycleLimitAllowsExactlyThatMany) {
  TasmOptions options;
  options.max_cycles = 4;
  EXPECT_FALSE(RunText("nop nop nop halt", {}, options).crash);
  const TasmRun run = RunText("nop nop nop nop halt", {}, options);
  EXPECT_EQ(run.crash, TasmCrash::kCycleLimit);
  EXPECT_EQ(run.cycles, 4u);
  EXPECT_EQ(RunText("call l l: recurse", {}, options).crash, TasmCrash::kCycleLimit);
}

TEST(TasmMachine, MemoryIsBounded) {
  TasmOptions options;
  options.max_memory_bytes = 100'000;
  const char* hungry[] = {
      "call l l: push 1 recurse",                               // stack
      "call l l: call l",                                       // jump stack
      "call l l: push 1 write_io 1 recurse",                    // output
      "push 0 call l l: push 7 pick 1 write_mem 1 recurse",     // RAM
      "push 0 call l l: addi 1 dup 0 push 3 lt pop 1 recurse",  // u32 table
  };
  for (const char* text : hungry) {
    EXPECT_EQ(RunText(text, {}, options).crash, TasmCrash::kMemoryLimit) << text;
  }
  options.max_memory_bytes = 100;
  EXPECT_EQ(RunText("halt", {}, options).crash, TasmCrash::kMemoryLimit);
}

TEST(TasmMachine, HornerStepsEvaluateFromTheHighestAddress) {
  // f(X) = 2 + 3 X + 5 X^2 in base field coefficients at 10, 11, 12; x = (1, 2, 3).
  const TasmInput input{.ram = {{10, 2}, {11, 3}, {12, 5}}};
  const std::string prepare =
      "push 0 push 0 push 0 push 0 push 12 push 0 push 0 push 3 push 2 push 1 ";
  const TasmRun run = RunText(prepare +
                                  "b_horner_step b_horner_step b_horner_step "
                                  "pop 5 write_io 1 pop 1 write_io 3 halt",
                              input, {}, TasmIsa::kHorner);
  ASSERT_FALSE(run.crash);
  const gl::Cubic x{{1, 2, 3}};
  gl::Cubic value{{5, 0, 0}};
  value = gl::Add(gl::Mul(value, x), {{3, 0, 0}});
  value = gl::Add(gl::Mul(value, x), {{2, 0, 0}});
  EXPECT_EQ(run.output, (Words{9, value.c[0], value.c[1], value.c[2]}));
  EXPECT_EQ(run.heights[TasmTable::kRam], 3u);
}

TEST(TasmMachine, ExtensionHornerReadsThreeWordsDownwards) {
  const TasmInput input{.ram = {{10, 2}, {11, 3}, {12, 5}}};
  const TasmRun run = RunText(
      "push 6 push 5 push 4 push 0 push 12 push 0 push 0 push 3 push 2 push 1 x_horner_step "
      "pop 5 write_io 1 pop 1 write_io 3 halt",
      input, {}, TasmIsa::kHorner);
  ASSERT_FALSE(run.crash);
  const gl::Cubic value = gl::Add(gl::Mul({{4, 5, 6}}, {{1, 2, 3}}), {{2, 3, 5}});
  EXPECT_EQ(run.output, (Words{9, value.c[0], value.c[1], value.c[2]}));
  EXPECT_EQ(run.heights[TasmTable::kRam], 3u);
  EXPECT_EQ(run.heights[TasmTable::kOpStack], 10u + 5 + 1 + 1 + 3);
}

// The words of a program that uses opcode 80 mean something else in each instruction set.
TEST(TasmMachine, OneProgramOfWordsGivesTwoResults) {
  const TasmInput input{.ram = {{10, 2}, {20, 3}, {30, 5}}};
  const auto dot = AssembleTasm(
      "push 1 push 0 push 0 push 0 push 30 push 0 push 0 push 1 push 20 push 10 xx_dot_step "
      "write_io "
      "5 write_io 5 halt");
  ASSERT_TRUE(dot);
  const Words words = TasmWords(*dot);
  const auto outputs = [&](TasmIsa isa) {
    const auto program = TasmFromWords(words, isa);
    EXPECT_TRUE(program);
    return TasmMachine::Load(*program)->Run(input)->output;
  };
  // z = (1, 0, 0) + 2 * 3 over the pointers 10 and 20, which go on by 3.
  EXPECT_EQ(outputs(TasmIsa::kDot), (Words{13, 23, 7, 0, 0, 30, 0, 0, 0, 1}));
  // acc = (0, 0, 1) * (10, 20, 1) + RAM[30], by hand: X^2 (10 + 20 X + X^2) with X^3 = X - 1.
  const gl::Cubic value = gl::Add(gl::Mul({{0, 0, 1}}, {{10, 20, 1}}), {{5, 0, 0}});
  EXPECT_EQ(value.c[0], gl::Neg(15));
  EXPECT_EQ(outputs(TasmIsa::kHorner),
            (Words{10, 20, 1, 0, 0, 29, 0, value.c[0], value.c[1], value.c[2]}));
}

TEST(TasmMachine, FragmentsStartAnywhereAndMayEndAtTheEnd) {
  TasmOptions options;
  options.end_is_halt = true;
  options.keep_ram = true;
  options.initial_stack = Words(20);
  std::iota(options.initial_stack->begin(), options.initial_stack->end(), 0);
  const TasmRun run = RunText("add push 7 swap 1 write_mem 1", {}, options);
  EXPECT_FALSE(run.crash);
  EXPECT_EQ(run.cycles, 4u);
  EXPECT_EQ(run.stack.size(), 19u);
  EXPECT_EQ(run.stack.back(), 38u);
  EXPECT_EQ(run.ram, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{37, 7}}));
}

TEST(TasmMachine, RefusesInputThatIsNoFieldElement) {
  const TasmMachine machine = Load("halt");
  EXPECT_FALSE(machine.Run({.input = {gl::kPrime}}));
  EXPECT_FALSE(machine.Run({.secret = {~std::uint64_t{0}}}));
  EXPECT_FALSE(machine.Run({.ram = {{gl::kPrime, 0}}}));
  TasmOptions options;
  options.initial_stack = Words(15);
  EXPECT_FALSE(machine.Run({}, options));
}

TEST(TasmMachine, CostComparesPaddedThenMaxThenSumThenWords) {
  EXPECT_LT((TasmCost{256, 300, 9, 9}), (TasmCost{512, 1, 1, 1}));
  EXPECT_LT((TasmCost{512, 300, 9, 9}), (TasmCost{512, 301, 1, 1}));
  EXPECT_LT((TasmCost{512, 300, 8, 9}), (TasmCost{512, 300, 9, 1}));
  EXPECT_LT((TasmCost{512, 300, 9, 8}), (TasmCost{512, 300, 9, 9}));
  TasmHeights heights;
  heights.rows = {10, 1024, 3, 4, 1024, 6, 70, 256, 8};
  EXPECT_EQ(heights.Padded(), 1024u);
  heights[TasmTable::kProcessor] = 1025;
  EXPECT_EQ(heights.Padded(), 2048u);
  EXPECT_EQ(heights.Sum(), 10u + 1025 + 3 + 4 + 6 + 70 + 256 + 8);
  EXPECT_EQ(ProvingTimeEstimateNs(1024), 1024u * 300 * 11 * 3);
  EXPECT_EQ(ProvingTimeEstimateNs(0), 0u);
}

TEST(TasmProfile, ScoresLinesAsTheOriginalDoes) {
  EXPECT_EQ(ProfileTasm({}).Padded(), 1u);
  const auto lines = SplitLines(
      "// comment\n\nmain:\n  push 1\n  read_mem 3\n\thash\n  lt\n  call f\n  or\n  split\n");
  const TableProfile profile = ProfileTasm(lines);
  EXPECT_EQ(profile.heights, (Seed6{8, 6, 33, 6, 3, 1}));
  EXPECT_EQ(profile.Padded(), 64u);
  const std::vector<std::string> at_cliff(1024, "nop");
  EXPECT_EQ(ProfileTasm(at_cliff).Padded(), 1024u);
  const std::vector<std::string> past_cliff(1025, "nop");
  EXPECT_EQ(ProfileTasm(past_cliff).Padded(), 2048u);
}

}  // namespace
}  // namespace txvm::triton
