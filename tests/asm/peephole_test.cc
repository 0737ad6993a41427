// The peephole optimiser: each rule, and equal results on random programs.
#include "asm/peephole.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "asm/assembler.h"
#include "isa/disassemble.h"
#include "isa/verify.h"
#include "tests/asm/random_program.h"
#include "tests/asm/small_machine.h"

namespace txvm::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Program;
using Words = std::vector<std::uint32_t>;

Program Optimised(std::string_view text) {
  auto program = Assemble(text, "p.txa");
  EXPECT_TRUE(program.has_value()) << program.error().ToString();
  if (!program) return {};
  const auto before = isa::Verify(*program);
  EXPECT_TRUE(before.has_value()) << before.error().ToString();
  Peephole(*program);
  const auto after = isa::Verify(*program);
  EXPECT_TRUE(after.has_value()) << after.error().ToString();
  return *program;
}

// The code as text, one instruction per line; jump targets as indices.
std::string Code(const Program& program) {
  std::string text;
  for (const Instruction instruction : program.code) {
    text += isa::InstructionText(instruction) + "\n";
  }
  return text;
}

struct Rule {
  const char* name;
  const char* before;
  const char* after;
};

void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }

class Rules : public testing::TestWithParam<Rule> {};

TEST_P(Rules, Apply) { EXPECT_EQ(Code(Optimised(GetParam().before)), GetParam().after); }

// .global values keep the conditions from being constants.
INSTANTIATE_TEST_SUITE_P(
    Peephole, Rules,
    testing::Values(
        Rule{"NegatedJump",
             ".global 1\nGLOBAL.GET 0\nEQZ\nJZ x\nPUSH 1\nPOP\nGLOBAL.GET 0\nGLOBAL.SET 0\n"
             "TRAP 4\nx: HALT",
             "GLOBAL.GET 0\nJNZ 3\nTRAP Unreachable\nHALT\n"},
        Rule{"NegatedCompare", ".global 1\nGLOBAL.GET 0\nPUSH 5\nLT_S\nEQZ\nHALT",
             "GLOBAL.GET 0\nPUSH 5\nGE_S\nHALT\n"},
        Rule{"CompareWithZero", ".global 1\nGLOBAL.GET 0\nPUSH 0\nEQ\nHALT",
             "GLOBAL.GET 0\nEQZ\nHALT\n"},
        Rule{"JumpIfNotZero", ".global 1\nGLOBAL.GET 0\nPUSH 0\nNE\nJNZ x\nTRAP 4\nx: HALT",
             "GLOBAL.GET 0\nJNZ 3\nTRAP Unreachable\nHALT\n"},
        Rule{"SetGet", "PUSH 1\nLOCAL.SET 0\nLOCAL.GET 0\nHALT", "PUSH 1\nLOCAL.TEE 0\nHALT\n"},
        Rule{"SetGetOfOtherSlots", ".global 1\nPUSH 1\nLOCAL.SET 0\nGLOBAL.GET 0\nHALT",
             "PUSH 1\nLOCAL.SET 0\nGLOBAL.GET 0\nHALT\n"},
        Rule{"ReadTwice", ".global 1\nGLOBAL.GET 0\nLOCAL.TEE 0\nLOCAL.GET 0\nMUL\nHALT",
             "GLOBAL.GET 0\nLOCAL.TEE 0\nDUP\nMUL\nHALT\n"},
        Rule{"StoredTwice", "PUSH 4\nLOCAL.SET 0\nLOCAL.GET 0\nLOCAL.SET 1\nHALT",
             "PUSH 4\nLOCAL.TEE 0\nLOCAL.SET 1\nHALT\n"},
        Rule{"EqualConstants", "PUSH 0\nLOCAL.SET 0\nPUSH 0\nLOCAL.SET 1\nHALT",
             "PUSH 0\nLOCAL.TEE 0\nLOCAL.SET 1\nHALT\n"},
        Rule{"ManyEqualConstants",
             "PUSH 0\nLOCAL.SET 0\nPUSH 0\nLOCAL.SET 1\nPUSH 0\nLOCAL.SET 2\nPUSH 1\nLOCAL.SET "
             "3\nHALT",
             "PUSH 0\nLOCAL.TEE 0\nLOCAL.TEE 1\nLOCAL.SET 2\nPUSH 1\nLOCAL.SET 3\nHALT\n"},
        Rule{"EqualConstantOfAJump", ".global 1\nx: PUSH 1\nGLOBAL.SET 0\nPUSH 1\nJNZ x",
             "PUSH 1\nGLOBAL.SET 0\nPUSH 1\nJNZ 0\n"},
        Rule{"DupSet", ".global 1\nGLOBAL.GET 0\nNEG\nDUP\nLOCAL.SET 0\nHALT",
             "GLOBAL.GET 0\nNEG\nLOCAL.TEE 0\nHALT\n"},
        Rule{"TeePop", "PUSH 1\nLOCAL.TEE 0\nPOP\nHALT", "PUSH 1\nLOCAL.SET 0\nHALT\n"},
        Rule{"PushPop", "PUSH 7\nPUSH 1\nPOP\nHALT", "PUSH 7\nHALT\n"},
        Rule{"ValueUnderResult", ".global 1\nGLOBAL.GET 0\nDUP\nADD\nLOCAL.GET 0\nSWAP\nPOP\nHALT",
             "GLOBAL.GET 0\nDUP\nADD\nPOP\nLOCAL.GET 0\nHALT\n"},
        Rule{"Constants", "PUSH 6\nPUSH 7\nMUL\nPUSH 2\nSHR_U\nEQZ\nHALT", "PUSH 0\nHALT\n"},
        Rule{"DivisionStays", "PUSH 6\nPUSH 0\nDIV_U\nHALT", "PUSH 6\nPUSH 0\nDIV_U\nHALT\n"},
        Rule{"AddZero", ".global 1\nGLOBAL.GET 0\nPUSH 0\nADD\nHALT", "GLOBAL.GET 0\nHALT\n"},
        Rule{"SwappedSum", ".global 1\nGLOBAL.GET 0\nLOCAL.GET 0\nSWAP\nADD\nHALT",
             "GLOBAL.GET 0\nLOCAL.GET 0\nADD\nHALT\n"},
        Rule{"JumpNeverTaken", "PUSH 0\nJNZ x\nPUSH 3\nHALT\nx: TRAP 4", "PUSH 3\nHALT\n"},
        Rule{"JumpAlwaysTakenToNext", "PUSH 9\nJNZ x\nTRAP 4\nx: PUSH 1\nHALT", "PUSH 1\nHALT\n"},
        Rule{"ConditionOfAJumpToNext", ".global 1\nGLOBAL.GET 0\nDUP\nMUL\nJNZ x\nx: HALT",
             "GLOBAL.GET 0\nDUP\nMUL\nPOP\nHALT\n"},
        Rule{"JumpOverJump", ".global 1\nGLOBAL.GET 0\nJZ x\nPUSH 1\nJNZ y\nx: TRAP 4\ny: TRAP 1",
             "GLOBAL.GET 0\nJNZ 3\nTRAP Unreachable\nTRAP DivideByZero\n"},
        Rule{"Threading",
             ".global 1\nGLOBAL.GET 0\nJNZ a\nTRAP 4\na: PUSH 1\nJNZ b\nTRAP 1\n"
             "b: NOP\nPUSH 1\nJNZ c\nTRAP 2\nc: PUSH 5\nHALT",
             "GLOBAL.GET 0\nJNZ 3\nTRAP Unreachable\nPUSH 5\nHALT\n"},
        Rule{"JumpToReturn",
             ".global 1\nGLOBAL.GET 0\nJZ x\nPUSH 2\nGLOBAL.SET 0\nPUSH 1\nJNZ end\n"
             "x: PUSH 3\nGLOBAL.SET 0\nend: HALT",
             "GLOBAL.GET 0\nJZ 5\nPUSH 2\nGLOBAL.SET 0\nHALT\nPUSH 3\nGLOBAL.SET 0\nHALT\n"},
        Rule{"NotAcrossTargets", "PUSH 1\nx: LOCAL.SET 0\ny: LOCAL.GET 0\nDUP\nJNZ x\nJNZ y\nHALT",
             "PUSH 1\nLOCAL.SET 0\nLOCAL.GET 0\nDUP\nJNZ 1\nJNZ 2\nHALT\n"},
        Rule{"EndlessLoop", "x: PUSH 1\nJNZ y\ny: PUSH 1\nJNZ x", "PUSH 1\nJNZ 0\n"}),
    [](const auto& rule) { return std::string(rule.param.name); });

TEST(Peephole, LoopConditionMovesToTheEnd) {
  const char* text =
      ".func f params=1 results=1 locals=2\nLOCAL.SET 0\nPUSH 0\nLOCAL.SET 1\nblock out\nloop "
      "next\n"
      "LOCAL.GET 0\nEQZ\nbr_if out\nLOCAL.GET 1\nLOCAL.GET 0\nADD\nLOCAL.SET 1\nLOCAL.GET 0\nPUSH "
      "1\n"
      "SUB\nLOCAL.SET 0\nbr next\nend\nend\nLOCAL.GET 1\n.end\n.export \"f\" f";
  const Program before = Assemble(text, "p.txa").value();
  const Program after = Optimised(text);
  const SmallRun slow = RunSmall(before, before.entry, {100});
  const SmallRun fast = RunSmall(after, after.entry, {100});
  EXPECT_EQ(slow.stack, Words{5050});
  EXPECT_EQ(fast.stack, Words{5050});
  EXPECT_EQ(slow.steps, 13u * 100 + 10);
  // Per round: two for the jump back, one for EQZ, one where SET, GET became TEE.
  EXPECT_EQ(fast.steps, 9u * 100 + 9);
}

TEST(Peephole, MarksNotesAndExportsMove) {
  const Program program = Optimised(
      ".source \"a.wat\"\n.func f\n.line 3\nPUSH 1\nPOP\n.line 4\nRETURN\n.end\n.func g\n.line "
      "9\nNOP\n"
      ".line 10\n.note \"why\"\nTRAP 12\n.end\n.export \"f\" f\n.export \"g\" g\n.init f");
  EXPECT_EQ(Code(program), "RETURN\nTRAP Unsupported\nCALL 0\nHALT\nCALL 1\nHALT\n");
  EXPECT_EQ(program.lines, (std::vector<isa::LineMark>{{0, 4}, {1, 10}, {2, 0}}));
  EXPECT_EQ(program.notes, (std::vector<isa::TrapNote>{{1, "why"}}));
  EXPECT_EQ(program.exports[1].start, 4u);
  EXPECT_EQ(program.init, 2u);
  EXPECT_EQ(program.entry, 2u);
  EXPECT_EQ(program.functions[1], (isa::Function{1, 1, 0, 0, 0, "g"}));
}

TEST(Peephole, ReportsWhatItDid) {
  Program program = Assemble("PUSH 1\nPOP\nHALT", "p.txa").value();
  const PeepholeStats stats = Peephole(program);
  EXPECT_EQ(stats.instructions_before, 3u);
  EXPECT_EQ(stats.instructions_after, 1u);
}

// More of them: TXVM_PEEPHOLE_PROGRAMS=200000 txvm_asm_test --gtest_filter='Peephole.Random*'
TEST(Peephole, RandomProgramsGiveEqualResults) {
  const char* wanted = std::getenv("TXVM_PEEPHOLE_PROGRAMS");
  const std::uint64_t programs = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 4'000;
  constexpr std::uint64_t kFuel = 50'000;
  std::uint64_t halted = 0, trapped = 0, slow_steps = 0, fast_steps = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Program before = RandomProgram(seed);
    ASSERT_TRUE(isa::Verify(before).has_value()) << isa::Verify(before).error().ToString();
    Program after = before;
    Peephole(after);
    ASSERT_TRUE(isa::Verify(after).has_value()) << isa::Verify(after).error().ToString();
    for (const Words& arguments : {Words{0, 0}, Words{7, 0xFFFFFFF0}}) {
      SmallRun slow = RunSmall(before, before.entry, arguments, kFuel);
      if (slow.ending == Ending::kOutOfFuel) continue;
      SmallRun fast = RunSmall(after, after.entry, arguments, kFuel);
      slow_steps += slow.steps;
      fast_steps += fast.steps;
      halted += slow.ending == Ending::kHalted ? 1 : 0;
      trapped += slow.ending == Ending::kTrapped ? 1 : 0;
      slow.steps = fast.steps = 0;
      if (slow.ending == Ending::kTrapped) slow.stack = fast.stack = {};
      ASSERT_EQ(slow, fast) << isa::Disassemble(before).value();
    }
  }
  EXPECT_GT(halted, programs / 2);
  EXPECT_GT(trapped, programs / 20);
  EXPECT_LT(fast_steps, slow_steps);
}

TEST(Peephole, OptimisedTwiceIsNoLonger) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Program program = RandomProgram(seed);
    Peephole(program);
    const PeepholeStats again = Peephole(program);
    // The second time may copy a condition of a loop that the first has laid bare.
    EXPECT_LE(again.instructions_after, again.instructions_before + again.instructions_before / 4)
        << "seed " << seed;
    EXPECT_TRUE(isa::Verify(program).has_value()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace txvm::assembler
