// Programs folded at build time do what the native engine does, to the step, and never run as
// another program.
#include "vm/folded/c_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "isa/program_file.h"
#include "tests/vm/folded/compiled_c.h"
#include "tests/vm/folded/wasm_comparison.h"
#include "tests/vm/folded/works.h"
#include "tests/vm/vm_fixture.h"
#include "vm/folded/attached.h"
#include "vm/snapshot.h"

namespace txvm::vm {
namespace {

std::shared_ptr<const Prepared> Attached(const std::shared_ptr<const isa::Program>& program,
                                         const txvm_folded_program& folded) {
  auto prepared = Prepared::Create(program).value();
  EXPECT_TRUE(folded::Attach(*prepared, folded).has_value());
  return prepared;
}

class CText : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoCompiler(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(CText, RunsTheWorkloads) { EXPECT_EQ(CompiledDiffers(Workloads(true), "-O2"), ""); }

TEST_F(CText, RunsRandomPrograms) {
  std::vector<Work> works;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) works.push_back(RandomWork(seed));
  EXPECT_EQ(CompiledDiffers(works, "-O1"), "");
}

constexpr std::string_view kDeepWithGlobal = R"(
.memory 1 1
.global 7
.func sum params=1 results=1
  LOCAL.SET 0
  GLOBAL.GET 0
  PUSH 1
  ADD
  GLOBAL.SET 0
  LOCAL.GET 0
  JZ none
  LOCAL.GET 0
  I32.LOAD 65000
  LOCAL.GET 0
  ADD
  LOCAL.GET 0
  PUSH 1
  SUB
  CALL sum
  ADD
  RETURN
none:
  PUSH 0
  RETURN
.end
.export "main" sum
)";

TEST_F(CText, GoesAsDeepAsTheLimitsSayAndTrapsAtTheSamePlace) {
  const auto program = ProgramOf(kDeepWithGlobal);
  const auto compiled = CompiledC::Compile({program}, "-O2");
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const auto prepared = Attached(program, compiled->Folded(0));
  MachineOptions options;
  options.limits.max_depth = 2'000;
  bool trapped = false;
  for (const Word n : {0u, 1u, 255u, 256u, 257u, 532u, 533u, 700u, 2'500u, 70'000u}) {
    options.engine = EngineKind::kFolded;
    Machine folded = Machine::Load(prepared, {}, options).value();
    EXPECT_EQ(folded.Substitute({}), "");
    options.engine = EngineKind::kNative;
    Machine native = Machine::Load(prepared, {}, options).value();
    const RunResult a = *folded.Call(*program->FindExport("main"), std::vector<Word>{n});
    const RunResult b = *native.Call(*program->FindExport("main"), std::vector<Word>{n});
    EXPECT_EQ(ResultsDiffer(a, b), "") << n;
    EXPECT_EQ(StatesDiffer(folded, native), "") << n;
    trapped = trapped || a.outcome == Outcome::kTrapped;
  }
  EXPECT_TRUE(trapped);
}

TEST_F(CText, ContinuesASnapshotOfTheNativeEngine) {
  const auto program = ProgramOf(kDeepWithGlobal);
  const auto compiled = CompiledC::Compile({program}, "-O2");
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const auto prepared = Attached(program, compiled->Folded(0));
  MachineOptions options;
  for (std::uint64_t fuel = 0; fuel < 400; fuel += 7) {
    options.engine = EngineKind::kNative;
    Machine native = Machine::Load(prepared, {}, options).value();
    RunOptions run;
    run.fuel = fuel;
    static_cast<void>(native.Call(*program->FindExport("main"), std::vector<Word>{60}, run));
    options.engine = EngineKind::kFolded;
    Machine folded = Machine::Load(prepared, {}, options).value();
    ASSERT_TRUE(folded.Restore(native.TakeSnapshot().value()).has_value());
    const RunResult a = folded.Resume(), b = native.Resume();
    EXPECT_EQ(ResultsDiffer(a, b), "") << fuel;
    EXPECT_EQ(StatesDiffer(folded, native), "") << fuel;
  }
}

TEST_F(CText, NeverRunsWithAnotherProgram) {
  const auto program = ProgramOf(kDeepWithGlobal);
  const auto compiled = CompiledC::Compile({program}, "-O0");
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  isa::Program other = *program;
  other.globals[0] = 8;
  const auto prepared = Prepared::Create(std::make_shared<const isa::Program>(other)).value();
  const auto refused = folded::Attach(*prepared, compiled->Folded(0));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, isa::ErrorCode::kInvalid);
  EXPECT_TRUE(refused.error().message.starts_with("the folded program was made from another"))
      << refused.error().message;

  txvm_folded_program newer = compiled->Folded(0);
  newer.abi = TXVM_FOLDED_ABI + 1;
  EXPECT_FALSE(folded::Attach(*Prepared::Create(program).value(), newer).has_value());

  const auto twice = Attached(program, compiled->Folded(0));
  const auto again = folded::Attach(*twice, compiled->Folded(0));
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, isa::ErrorCode::kUsage);
}

TEST_F(CText, BringsItsProgram) {
  const auto program = ProgramOf(kDeepWithGlobal);
  const auto compiled = CompiledC::Compile({program}, "-O0");
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const txvm_folded_program& folded = compiled->Folded(0);
  const auto read = isa::ReadProgram({folded.program, folded.program_size});
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->code, program->code);
}

TEST(CTextSymbol, IsNamedAfterTheFile) {
  EXPECT_EQ(folded::FoldedSymbol("out/my prog.x.c"), "my_prog_x_folded");
  EXPECT_EQ(folded::FoldedSymbol("8queens.c"), "p8queens_folded");
  EXPECT_EQ(folded::FoldedSymbol("-"), "program_folded");
}

}  // namespace
}  // namespace txvm::vm
