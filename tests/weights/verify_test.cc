// Batched verification of recorded runs: right ones pass, every kind of forgery is found.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/support/random_program.h"
#include "vm/engines/transformer.h"
#include "vm/engines/transformer_verify.h"
#include "vm/load.h"

namespace txvm::vm {
namespace {

using isa::Instruction;
using isa::Opcode;

RecordedRun Record(const isa::Program& program, const isa::Limits& limits, std::uint32_t start,
                   std::span<const Word> args, std::uint64_t fuel) {
  const InterruptFlag interrupt(0);
  const isa::Verified verified{};
  auto state = MakeState(program, limits);
  EXPECT_TRUE(state);
  state->ip = start;
  state->locals_base = static_cast<std::uint32_t>(program.globals.size());
  for (const Word arg : args) state->slots[++state->sp] = arg;
  return RecordRun({program, &verified, limits, interrupt}, *state, fuel);
}

/// Counts down from n, dividing and storing on the way.
isa::Program CountDown(Word n) {
  isa::Program program;
  program.code = {
      Instruction(Opcode::kPush, n),  Instruction(Opcode::kDup),   Instruction(Opcode::kPush, 16),
      Instruction(Opcode::kSwap),     Instruction(Opcode::kStore), Instruction(Opcode::kPush, 1),
      Instruction(Opcode::kSub),      Instruction(Opcode::kDup),   Instruction(Opcode::kJnz, 1),
      Instruction(Opcode::kPush, 16), Instruction(Opcode::kLoad),  Instruction(Opcode::kPush, 3),
      Instruction(Opcode::kDivU),     Instruction(Opcode::kHalt)};
  program.memory = isa::MemorySpec{1, 1};
  return program;
}

VerifyReport Check(const RecordedRun& run) {
  return VerifyRun(*CompiledTransformerModel(), run, 2);
}

// TXVM_VERIFY_STEPS=100000 measures a longer run.
TEST(Verify, RecordedRunHolds) {
  const char* wanted = std::getenv("TXVM_VERIFY_STEPS");
  const std::uint64_t steps = wanted == nullptr ? 600 : std::strtoull(wanted, nullptr, 10);
  const RecordedRun run = Record(CountDown(static_cast<Word>(steps / 8)), {}, 0, {}, steps);
  const auto start = std::chrono::steady_clock::now();
  const VerifyReport report = Check(run);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(report.wrong, 0u) << report.first_fault;
  EXPECT_EQ(report.steps, run.steps);
  EXPECT_EQ(report.passes, run.passes.size() - 1);
  std::printf("%llu steps, %.0f passes/s\n", static_cast<unsigned long long>(report.steps),
              static_cast<double>(report.passes) / taken.count());
}

TEST(Verify, RandomRunsHold) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const support::RandomCase c = support::MakeRandomCase(seed);
    const RecordedRun run =
        Record(c.program, c.limits, c.start, c.args, std::min<std::uint64_t>(c.fuel, 100));
    const VerifyReport report = Check(run);
    EXPECT_EQ(report.wrong, 0u) << "seed " << seed << " " << report.first_fault;
  }
}

class Forgery : public testing::Test {
 protected:
  RecordedRun run_ = Record(CountDown(9), {}, 0, {}, 60);
};

TEST_F(Forgery, ChangedStateIsFound) {
  run_.passes[20].state[weights::state_field::kTop] ^= 1;
  const VerifyReport report = Check(run_);
  EXPECT_GE(report.wrong, 1u);
  EXPECT_NE(report.first_fault.find("pass 19: the next state is another"), std::string::npos)
      << report.first_fault;
}

TEST_F(Forgery, ChangedWriteIsFound) {
  run_.tokens.back().value[0] ^= 1;
  EXPECT_GE(Check(run_).wrong, 1u);
}

TEST_F(Forgery, StaleReadIsFound) {
  // The operand of an ADD or SUB is read from an older token with the same key.
  const std::size_t head = static_cast<std::size_t>(weights::HeadId::kStackSecond);
  bool forged = false;
  for (RecordedPass& pass : run_.passes) {
    if (forged || &pass == &run_.passes.back() || pass.winners[head] >= pass.tokens) continue;
    const HullToken& winner = run_.tokens[pass.winners[head]];
    for (std::uint32_t t = 0; t < pass.winners[head] && !forged; ++t) {
      if (run_.tokens[t].space != winner.space || run_.tokens[t].key != winner.key) continue;
      pass.winners[head] = t;
      forged = true;
    }
  }
  ASSERT_TRUE(forged);
  const VerifyReport report = Check(run_);
  EXPECT_GE(report.wrong, 1u);
  EXPECT_NE(report.first_fault.find("head StackSecond did not find the latest token"),
            std::string::npos)
      << report.first_fault;
}

TEST_F(Forgery, ReadFromTheFutureIsFound) {
  run_.passes[3].winners[static_cast<std::size_t>(weights::HeadId::kFetch)] =
      static_cast<std::uint32_t>(run_.tokens.size() - 1);
  const VerifyReport report = Check(run_);
  EXPECT_GE(report.wrong, 1u);
  EXPECT_NE(report.first_fault.find("head Fetch found a token that is not there"),
            std::string::npos)
      << report.first_fault;
}

}  // namespace
}  // namespace txvm::vm
