// Programs that were once taken for readers of their own digest, since one of their routines has
// several heights. They are optimized like all others.
#include <gtest/gtest.h>

#include <string>

#include "neural/triton/prove/equivalence.h"
#include "neural/triton/superopt/program.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/known_heights.h"
#include "tests/frontends/provable/provable.h"

namespace txvm::tests {
namespace {

struct Module {
  const char* name;
  const char* text;
  std::vector<std::uint32_t> args;
};

const Module kModules[] = {
    {"copy",
     "(module (memory 1 2) (func (export \"run\") (param i32 i32) (memory.copy (i32.const 12) "
     "(local.get 0) (local.get 1))))",
     {3, 9}},
    {"fill",
     "(module (memory 1) (func (export \"run\") (param i32) (memory.fill (i32.const 7) (local.get "
     "0) (i32.const 21))))",
     {200}},
    {"grow",
     "(module (memory 1 4) (func (export \"run\") (param i32) (result i32) (i32.add (memory.size) "
     "(memory.grow (local.get 0)))))",
     {9}},
    {"store16",
     "(module (memory 1) (func (export \"run\") (param i32 i32) (i32.store16 offset=2 (local.get "
     "0) (local.get 1)) (i32.store8 (local.get 0) (i32.const 1))))",
     {9, 70'000}},
};

TEST(OwnDigest, IsNotReadByMemoryInstructions) {
  for (const Module& module : kModules) {
    ProvableOptions options;
    options.lower.entry = "run";
    options.lower.memory_words = 64;
    auto provable = Provable::Make(module.text, options);
    ASSERT_TRUE(provable) << module.name << ": " << provable.error().ToString();
    ASSERT_EQ(provable->Compare(module.args), "") << module.name;
    EXPECT_TRUE(triton::IgnoresOwnDigest(provable->program())) << module.name;
    triton::TirInputs inputs;
    inputs.input.assign(module.args.begin(), module.args.end());
    triton::OptimizeOptions optimize;
    optimize.beam = 8;
    optimize.exact_beam = 100;
    const auto report = triton::OptimizeProgram(provable->program(), {inputs}, optimize);
    ASSERT_TRUE(report.has_value()) << module.name;
    EXPECT_FALSE(report->sees_itself) << module.name;
    EXPECT_LT(report->instructions_after, report->instructions_before) << module.name;
    EXPECT_EQ(triton::Verify(triton::Subject::FromTasm(provable->program()),
                             triton::Subject::FromTasm(report->program))
                  ->verdict,
              triton::Verdict::kProved)
        << module.name;
    // The shorter program does the same on the machine.
    const auto machine = triton::TasmMachine::Load(report->program);
    ASSERT_TRUE(machine.has_value());
    const auto run = machine->Run(triton::ToTasmInput(inputs));
    ASSERT_TRUE(run.has_value());
    EXPECT_FALSE(run->crash.has_value()) << module.name;
    EXPECT_EQ(run->output, provable->run().output) << module.name;
  }
}

}  // namespace
}  // namespace txvm::tests
