// The verifier against random loops, reshaped and broken. txvm_check_equivalence runs many more.
#include "tests/neural/triton/prove/loops.h"

#include <gtest/gtest.h>

#include "neural/triton/prove/equivalence.h"
#include "neural/triton/tasm/text.h"

namespace txvm::triton {
namespace {

Verdict Judged(const TasmProgram& first, const TasmProgram& second) {
  VerifyOptions options;
  options.trials = 100;
  options.milliseconds = 10;
  const auto report = Verify(Subject::FromTasm(first), Subject::FromTasm(second), options);
  EXPECT_TRUE(report.has_value());
  return report ? report->verdict : Verdict::kUnknown;
}

TEST(Loops, NoBrokenLoopIsProvedAndNoRightOneRefuted) {
  constexpr std::uint64_t kCases = 60;
  std::uint64_t broken = 0, refuted = 0, proved = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    TirRng rng(seed);
    const LoopProgram loop = RandomLoop(rng);
    const TasmProgram program = ProgramOf(loop);
    const LoopChange rewrite = RewriteLoop(loop, rng);
    const Verdict right = Judged(program, rewrite.program);
    EXPECT_NE(right, Verdict::kRefuted) << DisassembleTasm(program) << "---\n"
                                        << DisassembleTasm(rewrite.program);
    proved += right == Verdict::kProved;
    const auto change = BreakLoop(loop, rng);
    if (!change || !TellProgramsApart(program, change->program, rng)) continue;
    ++broken;
    const Verdict wrong = Judged(program, change->program);
    EXPECT_NE(wrong, Verdict::kProved) << change->what << "\n"
                                       << DisassembleTasm(program) << "---\n"
                                       << DisassembleTasm(change->program);
    refuted += wrong == Verdict::kRefuted;
  }
  EXPECT_GT(broken, kCases / 2);
  EXPECT_GT(refuted, broken / 2);
  EXPECT_GT(proved, kCases / 2);
}

TEST(Loops, EveryShapeOfALoopDoesTheSame) {
  for (std::uint64_t seed = 1000; seed < 1040; ++seed) {
    TirRng rng(seed);
    const LoopProgram loop = RandomLoop(rng);
    const TasmProgram program = ProgramOf(loop);
    const LoopChange rewrite = RewriteLoop(loop, rng);
    EXPECT_FALSE(TellProgramsApart(program, rewrite.program, rng))
        << DisassembleTasm(program) << "---\n"
        << DisassembleTasm(rewrite.program);
  }
}

}  // namespace
}  // namespace txvm::triton
