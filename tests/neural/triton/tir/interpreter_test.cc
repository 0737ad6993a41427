#include "neural/triton/tir/interpreter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "neural/triton/tir/parser.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
namespace {

using Words = std::vector<std::uint64_t>;
constexpr std::uint64_t kP = vm::goldilocks::kPrime;

TirRun RunOn(std::string_view text, const Words& stack = {}, const TirInputs& inputs = {}) {
  const auto module = ParseTir(text);
  EXPECT_TRUE(module.has_value()) << module.error().ToString();
  const auto run = RunTir(*module, inputs, stack);
  EXPECT_TRUE(run.has_value()) << run.error().ToString();
  return run ? *run : TirRun{};
}

struct Case {
  const char* text;
  Words before;  // bottom first
  Words after;
};

TEST(TirInterpreter, OperationsTakeOperandsInSourceOrder) {
  const Case cases[] = {
      {"push 7", {}, {7}},
      {"pop 2", {1, 2, 3}, {1}},
      {"dup 1", {5, 6}, {5, 6, 5}},
      {"swap 2", {1, 2, 3}, {3, 2, 1}},
      {"add", {kP - 1, 3}, {2}},
      {"sub", {3, 5}, {kP - 2}},
      {"mul", {kP - 1, kP - 1}, {1}},
      {"neg", {0}, {0}},
      {"invert", {2}, {9223372034707292161u}},
      {"eq", {kP - 1, kP - 1}, {1}},
      {"lt", {3, 5}, {1}},
      {"lt", {5, 3}, {0}},
      {"and", {12, 10}, {8}},
      {"or", {12, 10}, {14}},
      {"xor", {12, 10}, {6}},
      {"pop_count", {0xFFFF'FFFF}, {32}},
      {"split", {kP - 1}, {0xFFFF'FFFF, 0}},
      {"div_mod", {17, 5}, {3, 2}},
      {"shl", {kP - 1, 31}, {kP - (std::uint64_t{1} << 31)}},
      {"shr", {100, 3}, {12}},
      {"shr", {0xFFFF'FFFF, 31}, {1}},
      {"log2", {1023}, {9}},
      {"pow", {10, 2}, {1024}},
      {"pow", {0, 0}, {1}},
  };
  for (const Case& c : cases) {
    const TirRun run = RunOn(c.text, c.before);
    EXPECT_EQ(run.fault, Fault::kNone) << c.text;
    EXPECT_EQ(run.stack, c.after) << c.text;
  }
}

struct Crash {
  const char* text;
  Words stack;
  Fault fault;
};

TEST(TirInterpreter, CrashesForTheRightReason) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 32;
  const Crash cases[] = {
      {"invert", {0}, Fault::kInverseOfZero},
      {"lt", {kLarge, 1}, Fault::kNotU32},
      {"lt", {1, kLarge}, Fault::kNotU32},
      {"or", {1, kLarge}, Fault::kNotU32},
      {"div_mod", {1, 0}, Fault::kDivisionByZero},
      {"div_mod", {kLarge, 0}, Fault::kNotU32},
      {"shl", {1, 32}, Fault::kAssert},
      {"shl", {1, kLarge}, Fault::kNotU32},
      {"shr", {1, 192}, Fault::kAssert},  // 2^192 = 1 in the field
      {"shr", {kLarge, 1}, Fault::kNotU32},
      {"log2", {0}, Fault::kLogOfZero},
      {"pow", {kLarge, 2}, Fault::kNotU32},
      {"assert 1", {2}, Fault::kAssert},
      {"assert 5", {1, 2, 3, 4, 5, 1, 2, 3, 4, 6}, Fault::kAssertVector},
      {"read_io 1", {}, Fault::kInputEmpty},
      {"hint 1", {}, Fault::kSecretEmpty},
      {"merkle_step", {1, 0, 0, 0, 0, 0}, Fault::kDigestEmpty},
      {"sponge_squeeze", {}, Fault::kSpongeUninit},
      {"ext_invert", {0, 0, 0}, Fault::kInverseOfZero},
      {"add", {1}, Fault::kShallow},
  };
  for (const Crash& c : cases) {
    EXPECT_EQ(RunOn(c.text, c.stack).fault, c.fault) << c.text;
  }
}

TEST(TirInterpreter, RamWordsLieUpwardsFromThePointer) {
  const TirRun run = RunOn("push 50 push 3 push 2 push 1 ram_write 3 push 50 ram_read 2");
  EXPECT_EQ(run.ram.at(50), 1u);
  EXPECT_EQ(run.ram.at(52), 3u);
  EXPECT_EQ(run.stack, (Words{2, 1}));
  EXPECT_EQ(RunOn("push 8 push 9 push 20 write_mem 2 read_mem 1").stack, (Words{0, 21}));
  EXPECT_EQ(RunOn("push 8 push 9 push 20 write_mem 2 pop 1 push 21 read_mem 2").stack,
            (Words{8, 9, 19}));
}

TEST(TirInterpreter, EventsWriteTagAndFields) {
  EXPECT_EQ(RunOn("push 1 push 2 reveal Paid tag=9 fields=2").output, (Words{9, 2, 1}));
  const TirRun sealed = RunOn("push 1 push 2 seal Paid tag=9 fields=2");
  const std::array<std::uint64_t, 10> words = {9, 0, 0, 0, 0, 0, 0, 0, 2, 1};
  const auto digest = Tip5Hash10(words);
  EXPECT_EQ(sealed.output, Words(digest.begin(), digest.end()));
}

TEST(TirInterpreter, ArmsLoopsAndRecursionRun) {
  EXPECT_EQ(RunOn("push 1 if_else { push 10 } else { push 20 }").stack, (Words{10}));
  EXPECT_EQ(RunOn("push 0 if_else { push 10 } else { push 20 }").stack, (Words{20}));
  EXPECT_EQ(RunOn("push 0 if_only { push 1 write_io 1 }").output, Words{});
  const char* kSum =
      "entry main fn main { push 0 push 10 call l pop 1 write_io 1 "
      "loop l { swap 1 dup 1 add swap 1 } }";
  EXPECT_EQ(RunOn(kSum).output, (Words{45}));  // the counter is 9 .. 0 in the body
  const char* kFactorial =
      "entry main fn main { push 5 call f write_io 1 }"
      "fn f { dup 0 if_else { dup 0 push -1 add call f mul } else { pop 1 push 1 } }";
  EXPECT_EQ(RunOn(kFactorial).output, (Words{120}));
  EXPECT_EQ(RunOn("push 3 call l loop l { return }").stack, (Words{2}));
}

TEST(TirInterpreter, AsmRunsTasm) {
  EXPECT_EQ(RunOn("asm effect=-1 { pick 2\n addi 5\n place 2\n pop 1 }", {1, 2, 3}).stack,
            (Words{6, 2}));
}

TEST(TirInterpreter, LimitsStopEndlessPrograms) {
  const auto module = ParseTir("entry f fn f { call f }");
  const auto run = RunTir(*module, {}, {}, {.steps = 1000});
  EXPECT_EQ(run->fault, Fault::kStepLimit);
  const auto deep = RunTir(*module, {}, {}, {.call_depth = 100});
  EXPECT_EQ(deep->fault, Fault::kOutOfMemory);
}

}  // namespace
}  // namespace txvm::triton
