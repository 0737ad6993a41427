#include "neural/triton/superopt/cliff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "neural/triton/prove/equivalence.h"
#include "neural/triton/superopt/moves.h"
#include "neural/triton/superopt/spelling.h"
#include "neural/triton/tasm/text.h"
#include "tests/neural/triton/prove/loops.h"
#include "tests/neural/triton/support/corpus_files.h"

namespace txvm::triton {
namespace {

OptimizeOptions Fast() {
  OptimizeOptions options;
  options.milliseconds = 5'000;
  options.beam = 12;
  options.exact_beam = 200;
  return options;
}

const CorpusFunction& Named(const std::vector<CorpusFunction>& corpus, std::string_view name) {
  return *std::ranges::find(corpus, name, &CorpusFunction::name);
}

std::uint64_t PaddedOf(const std::vector<InputCost>& costs) {
  std::uint64_t sum = 0;
  for (const InputCost& cost : costs) sum += cost.cost.padded;
  return sum;
}

// One that the hash decides, one that a loop decides.
TEST(Cliff, ProgramsJustAboveAPowerOfTwoFallBelowIt) {
  const std::vector<CorpusFunction> corpus = ReadCorpus();
  for (const std::string_view name : {"eq_4", "jacobsthal"}) {
    const CorpusFunction& function = Named(corpus, name);
    const TasmProgram program = *AssembleTasm(function.tasm);
    const auto inputs = DeclaredInputs(function.tir);
    const auto report = AttackCliff(program, *inputs, Fast());
    ASSERT_TRUE(report.has_value()) << name;
    EXPECT_FALSE(report->moves.empty()) << name;
    EXPECT_LT(PaddedOf(report->after), PaddedOf(report->straight.after)) << name;
    const auto verdict = Verify(Subject::FromTasm(program), Subject::FromTasm(report->program));
    EXPECT_EQ(verdict->verdict, Verdict::kProved) << name;
  }
}

TEST(Cliff, NothingIsDoneWithoutInputsAndToLibraries) {
  const TasmProgram program = *AssembleTasm("read_io 1 call f write_io 1 halt f: addi 1 return");
  const auto alone = AttackCliff(program, {}, Fast());
  ASSERT_TRUE(alone.has_value());
  EXPECT_TRUE(alone->moves.empty());
  EXPECT_EQ(alone->tried, 0u);
  const TasmProgram library = *AssembleTasm("f: addi 1 return g: addi 1 return");
  const auto of_library = AttackCliff(library, {TirInputs{}}, Fast());
  ASSERT_TRUE(of_library.has_value());
  EXPECT_EQ(of_library->tried, 0u);
}

// A call, a test before the body, a test of st5 and st6, equal code.
TEST(Moves, EachKindIsProposedAndProved) {
  const std::pair<const char*, const char*> programs[] = {
      {"read_io 1 call f write_io 1 halt f: addi 1 dup 0 mul return", "inline f"},
      {"read_io 1 call f write_io 1 halt f: push 2 mul call g return g: addi 3 return",
       "place g after its caller"},
      {"read_io 2 call f write_io 2 halt f: dup 0 push 0 eq skiz return swap 1 addi 2 swap 1 "
       "addi -1 recurse",
       "test f once, then after its body"},
      {"push 0 push 4 call f write_io 2 halt f: dup 0 push 0 eq skiz return swap 1 addi 2 swap 1 "
       "addi -1 recurse",
       "test f after its body"},
      {"push 0 push 4 call f write_io 2 halt f: dup 0 push 0 eq skiz return swap 1 addi 2 swap 1 "
       "addi -1 recurse",
       "write the 4 rounds of f out"},
      {"read_io 2 push 0 push 0 push 0 push 0 push 0 call f write_io 5 halt f: addi 1 pick 5 addi "
       "1 place 5 dup 6 dup 6 eq skiz return recurse",
       "recurse_or_return in f"},
      {"read_io 1 dup 0 mul addi 7 dup 0 mul addi 7 dup 0 mul addi 7 write_io 1 halt",
       "one routine for 3 equal pieces"}};
  for (const auto& [text, what] : programs) {
    const TasmProgram program = *AssembleTasm(text);
    const auto run = TasmMachine::Load(program)->Run({.input = {3, 5}});
    ASSERT_TRUE(run.has_value());
    const std::vector<Move> moves = MovesOf(program, run->executions);
    const auto move = std::ranges::find(moves, what, &Move::what);
    ASSERT_NE(move, moves.end()) << text << "\n" << what;
    const auto verdict = Verify(Subject::FromTasm(program), Subject::FromTasm(move->program));
    EXPECT_EQ(verdict->verdict, Verdict::kProved) << DisassembleTasm(move->program);
  }
}

// Some moves are wrong where they stand; those must not be proved.
TEST(Moves, NoMoveThatIsProvedChangesARandomLoop) {
  std::size_t proved = 0, different = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    TirRng rng(seed);
    const TasmProgram program = ProgramOf(RandomLoop(rng));
    TasmInput input;
    for (int i = 0; i < 60; ++i) input.input.push_back(rng.Below(5));
    TasmOptions options;
    options.max_cycles = 2'000;
    const auto run = TasmMachine::Load(program)->Run(input, options);
    ASSERT_TRUE(run.has_value());
    for (const Move& move : MovesOf(program, run->executions)) {
      ASSERT_TRUE(CheckTasmProgram(move.program).has_value()) << move.what;
      VerifyOptions verify;
      verify.trials = 0;
      const auto report =
          Verify(Subject::FromTasm(program), Subject::FromTasm(move.program), verify);
      const bool apart = TellProgramsApart(program, move.program, rng);
      different += apart;
      if (report->verdict != Verdict::kProved) continue;
      ++proved;
      EXPECT_FALSE(apart) << move.what << "\n"
                          << DisassembleTasm(program) << "---\n"
                          << DisassembleTasm(move.program);
    }
  }
  EXPECT_GT(proved, 100u);
  EXPECT_GT(different, 5u);
}

TEST(Spelling, KeepsAllTablesButTheCascadeTable) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    TirRng rng(seed);
    const TasmProgram program = ProgramOf(RandomLoop(rng));
    const TasmProgram spelled = Respelled(program, rng);
    ASSERT_TRUE(CheckTasmProgram(spelled).has_value());
    TasmInput input;
    for (int i = 0; i < 60; ++i) input.input.push_back(rng.Below(5));
    TasmOptions options;
    options.max_cycles = 2'000;
    const auto before = TasmMachine::Load(program)->Run(input, options);
    const auto after = TasmMachine::Load(spelled)->Run(input, options);
    ASSERT_TRUE(before.has_value() && after.has_value());
    TasmHeights heights = after->heights;
    heights[TasmTable::kCascade] = before->heights[TasmTable::kCascade];
    EXPECT_EQ(heights, before->heights) << DisassembleTasm(spelled);
    EXPECT_EQ(after->output, before->output);
  }
}

}  // namespace
}  // namespace txvm::triton
