#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "neural/triton/lower/lower.h"
#include "neural/triton/tasm/machine.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/inputs.h"
#include "neural/triton/tir/interpreter.h"
#include "neural/triton/tir/parser.h"
#include "tests/neural/triton/support/corpus_files.h"
#include "tests/neural/triton/support/corpus_reference.h"

namespace txvm::triton {
namespace {

std::string OutputOf(const TasmProgram& program, const TirInputs& inputs) {
  const auto machine = TasmMachine::Load(program);
  if (!machine) return machine.error().ToString();
  TasmOptions options;
  options.heights = false;
  const auto run = machine->Run(ToTasmInput(inputs), options);
  if (!run) return run.error().ToString();
  if (run->crash) return fmt::format("crash: {}", TasmCrashText(*run->crash));
  return fmt::format("{}", fmt::join(run->output, ","));
}

TEST(Corpus, HasThreeHundredFunctionsInFourteenFamilies) {
  std::map<std::string, int> families;
  for (const CorpusFunction& function : ReadCorpus()) ++families[function.family];
  int functions = 0;
  for (const auto& [family, count] : families) functions += count;
  EXPECT_GE(families.size(), 14u);
  EXPECT_GE(functions, 300);
}

TEST(Corpus, TirAndTasmComputeTheReference) {
  for (const CorpusFunction& function : ReadCorpus()) {
    const std::string name = function.family + "/" + function.name;
    const auto module = ParseTir(function.tir, name);
    ASSERT_TRUE(module.has_value()) << module.error().ToString();
    const auto hand = AssembleTasm(function.tasm, TasmIsa::kDot, name);
    ASSERT_TRUE(hand.has_value()) << hand.error().ToString();
    const auto inputs = DeclaredInputs(function.tir);
    ASSERT_TRUE(inputs.has_value()) << inputs.error().ToString();
    ASSERT_EQ(inputs->size(), DeclaredInputs(function.tasm)->size()) << name;
    for (const TirInputs& input : *inputs) {
      const auto expected = CorpusReference(function.reference, input);
      ASSERT_TRUE(expected.has_value()) << name << ": no reference " << function.reference;
      const std::string text = fmt::format("{}", fmt::join(*expected, ","));
      const auto run = RunTir(*module, input);
      ASSERT_TRUE(run.has_value()) << name << ": " << run.error().ToString();
      EXPECT_EQ(run->fault, Fault::kNone) << name << ": " << FaultText(run->fault);
      EXPECT_EQ(fmt::format("{}", fmt::join(run->output, ",")), text) << name;
      EXPECT_EQ(OutputOf(*LowerTir(*module, {.peepholes = false}), input), text) << name;
      EXPECT_EQ(OutputOf(*LowerTir(*module), input), text) << name;
      EXPECT_EQ(OutputOf(*hand, input), text) << name << ", hand-written";
    }
  }
}

TEST(Corpus, HandWrittenCodeIsNoLongerThanTheLowering) {
  std::size_t hand_total = 0, lowered_total = 0;
  for (const CorpusFunction& function : ReadCorpus()) {
    const std::size_t hand = AssembleTasm(function.tasm)->code.size();
    const std::size_t lowered = LowerTir(*ParseTir(function.tir))->code.size();
    EXPECT_LE(hand, lowered) << function.family << "/" << function.name;
    hand_total += hand;
    lowered_total += lowered;
  }
  RecordProperty("hand", static_cast<int>(hand_total));
  RecordProperty("lowered", static_cast<int>(lowered_total));
}

}  // namespace
}  // namespace txvm::triton
