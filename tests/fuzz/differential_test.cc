// Random programs on every engine against the reference interpreter, for a few seconds. The long
// run is txvm_fuzz_engines.
#include "tests/support/differential.h"

#include <gtest/gtest.h>

#include <string>

#include "isa/opcode.h"
#include "isa/trace.h"
#include "isa/verify.h"
#include "tests/support/reference_interpreter.h"
#include "tests/support/test_hosts.h"

namespace txvm::support {
namespace {

using isa::Instruction;
using isa::Opcode;

TEST(RandomProgram, IsAcceptedByTheValidator) {
  for (std::uint64_t seed = 0; seed < 5'000; ++seed) {
    const RandomCase random_case = MakeRandomCase(seed);
    const isa::Result<isa::Verified> verified = isa::Verify(random_case.program);
    ASSERT_TRUE(verified) << "seed " << seed << ": " << verified.error().message;
  }
}

TEST(RandomProgram, DependsOnItsSeedAlone) {
  EXPECT_EQ(MakeRandomCase(5).program, MakeRandomCase(5).program);
  EXPECT_NE(MakeRandomCase(5).program, MakeRandomCase(6).program);
}

TEST(ReferenceInterpreter, GivesTheKnownDigest) {
  isa::Program program;
  program.code = {Instruction(Opcode::kPush, 3), Instruction(Opcode::kPush, 5),
                  Instruction(Opcode::kAdd), Instruction(Opcode::kHalt)};
  program.functions = {{0, 3, 0, 0, 0, ""}};
  ReferenceInterpreter reference(program, {}, TestReferenceHosts());
  const ReferenceResult result = reference.Run(0, {}, 4);
  EXPECT_EQ(result.results, std::vector<std::uint32_t>{8});
  EXPECT_EQ(result.steps, 4u);
  EXPECT_EQ(isa::DigestText(result.digest), "13e1978966cc965b");
}

TEST(Differential, EnginesAgreeOnValidPrograms) {
  constexpr std::uint64_t kCases = 9'000;
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    const auto difference = FirstDifference(MakeRandomCase(seed), seed, coverage);
    ASSERT_FALSE(difference) << *difference;
  }
  // The cases are worth something only if they get everywhere.
  EXPECT_EQ(coverage.rejected, 0u);
  EXPECT_EQ(coverage.not_loaded, 0u);
  for (const isa::OpcodeInfo& row : isa::kOpcodes) {
    EXPECT_GT(coverage.opcodes[static_cast<std::size_t>(row.op)], 50u) << row.text;
  }
  for (std::size_t i = 0; i <= static_cast<std::size_t>(ReferenceResult::Outcome::kOutOfFuel);
       ++i) {
    EXPECT_GT(coverage.outcomes[i], 3u) << "outcome " << i;
  }
  for (std::size_t i = 1; i <= isa::kTrapCount; ++i) {
    EXPECT_GT(coverage.traps[i], 3u) << isa::TrapText(static_cast<isa::Trap>(i));
  }
}

TEST(Differential, CheckedVariantsAgreeOnDamagedPrograms) {
  constexpr std::uint64_t kCases = 3'000;
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    const auto difference = FirstDifference(MakeDamagedCase(seed), seed, coverage);
    ASSERT_FALSE(difference) << *difference;
  }
  EXPECT_GT(coverage.rejected, kCases / 2);
  EXPECT_LT(coverage.not_loaded, kCases / 10);
  for (const isa::Trap trap : {isa::Trap::kStackUnderflow, isa::Trap::kInvalidInstruction,
                               isa::Trap::kInvalidPc, isa::Trap::kExhausted}) {
    EXPECT_GT(coverage.traps[static_cast<std::size_t>(trap)], 20u) << isa::TrapText(trap);
  }
}

// A function too tall for the limit calls one that is not and that runs for long; after the RETURN
// the limit still holds.
TEST(Differential, SlotLimitHoldsBehindALongCallee) {
  constexpr std::uint32_t kSlots = 10, kCallee = 15, kLoops = 5'000;
  RandomCase tall;
  isa::Program& program = tall.program;
  program.code = {Instruction(Opcode::kCall, 2), Instruction(Opcode::kHalt),
                  Instruction(Opcode::kCall, kCallee)};
  for (std::uint32_t i = 0; i <= kSlots; ++i) program.code.emplace_back(Opcode::kPush, i);
  program.code.emplace_back(Opcode::kHalt);
  ASSERT_EQ(program.code.size(), kCallee);
  for (const Instruction& instruction :
       {Instruction(Opcode::kPush, kLoops), Instruction(Opcode::kPush, 1),
        Instruction(Opcode::kSub), Instruction(Opcode::kDup),
        Instruction(Opcode::kJnz, kCallee + 1), Instruction(Opcode::kPop),
        Instruction(Opcode::kReturn)}) {
    program.code.push_back(instruction);
  }
  program.functions = {
      {0, 1, 0, 0, 0, ""}, {2, kCallee - 1, 0, 0, 0, ""}, {kCallee, kCallee + 6, 0, 0, 0, ""}};
  tall.limits.max_slots = kSlots;
  tall.fuel = 100'000;
  Coverage coverage;
  const auto difference = FirstDifference(tall, 1, coverage);
  EXPECT_FALSE(difference) << *difference;
  EXPECT_EQ(coverage.rejected, 0u);
  EXPECT_EQ(coverage.traps[static_cast<std::size_t>(isa::Trap::kExhausted)], 1u);
}

// The comparison itself: what the reference and the engines are given differs in one thing.
class DifferentialReport : public ::testing::Test {
 protected:
  DifferentialReport() {
    case_.program.code = {Instruction(Opcode::kPush, 0),        Instruction(Opcode::kPush, 7),
                          Instruction(Opcode::kStore8),         Instruction(Opcode::kPush, 4),
                          Instruction(Opcode::kLocalTee, 0, 1), Instruction(Opcode::kHalt)};
    case_.program.functions = {{0, 5, 0, 0, 0, ""}};
    case_.program.globals = {1};
    case_.program.memory = isa::MemorySpec{1, 1};
    case_.fuel = 10;
  }

  // The report's line after "native engine, with digest: run 1: ".
  std::string Difference(const RandomCase& for_engines) {
    Coverage coverage;
    const auto report = FirstDifference(case_, for_engines, 1, coverage);
    if (!report) return "none";
    const std::size_t from = report->find("run 1: ") + 7;
    return report->substr(from, report->find('\n') - from);
  }

  RandomCase case_;
};

TEST_F(DifferentialReport, IsEmptyForTheSameProgram) { EXPECT_EQ(Difference(case_), "none"); }

TEST_F(DifferentialReport, NamesWhatDiffers) {
  RandomCase other = case_;
  other.program.code[3].arg = 5;
  EXPECT_EQ(Difference(other), "results is [5], expected [4]");
  other = case_;
  other.program.code[1].arg = 8;
  other.program.code[2] = Instruction(Opcode::kStore8);
  EXPECT_EQ(Difference(other).substr(0, 9), "digest is");  // before memory, which differs too
  other = case_;
  other.program.data = {{9, {1}}};
  EXPECT_EQ(Difference(other), "memory byte 9 is 1, expected 0");
  other = case_;
  other.program.memory->initial = 0;
  EXPECT_EQ(Difference(other), "outcome is trapped, expected halted");
  other = case_;
  other.program.globals.push_back(0);
  EXPECT_EQ(Difference(other), "globals is [4 0], expected [4]");
  other = case_;
  other.fuel = 3;
  EXPECT_EQ(Difference(other), "outcome is out_of_fuel, expected halted");
  other = case_;
  other.program.code[5] = Instruction(Opcode::kTrap, 4);
  case_.program.code[5] = Instruction(Opcode::kTrap, 9);
  EXPECT_EQ(Difference(other), "trap is unreachable, expected indirect call type mismatch");
}

}  // namespace
}  // namespace txvm::support
