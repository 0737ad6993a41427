// Programs of the user's own folder: what is wrong with one is told with its path and its name.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "bench/scaling.h"
#include "bench/suite.h"

namespace txvm::bench {
namespace {

namespace fs = std::filesystem;

class OwnProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("txvm_own_program_") + test->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Writes `file` with a run(n, reps), or what else `signature` says, of this body.
  void WriteRun(const std::string& file, std::string_view body,
                std::string_view signature = "(param i32 i32) (result i32)") {
    Write(file, "(module (func (export \"run\") " + std::string(signature) + " " +
                    std::string(body) + "))");
  }
  void Write(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file) << text;
  }

  /// What is wrong with a scenario on native, with DIR for the folder.
  std::string SuiteError(const std::string& scenario = "sum") {
    SuiteOptions options;
    options.scenarios = {scenario};
    options.engines = {"native"};
    options.rounds = 1;
    options.folder = folder_.string();
    const auto report =
        RunSuite(options, [](std::size_t, std::size_t, std::string_view) { return true; });
    if (!report) return WithoutFolder(report.error().ToString());
    return report->mismatch.empty() ? "measured" : WithoutFolder(report->mismatch);
  }

  std::string ScalingError(const std::string& program) {
    ScalingOptions options;
    options.max_steps = 1000;
    options.rounds = 1;
    options.programs = {program};
    options.folder = folder_.string();
    const auto report =
        RunScaling(options, [](std::uint64_t, std::uint64_t, std::string_view) { return true; });
    if (!report) return WithoutFolder(report.error().ToString());
    return report->mismatch.empty() ? "measured" : WithoutFolder(report->mismatch);
  }

 private:
  std::string WithoutFolder(std::string text) const {
    const std::size_t at = text.find(folder_.string());
    return at == std::string::npos ? text : text.replace(at, folder_.string().size(), "DIR");
  }

  fs::path folder_;
};

TEST_F(OwnProgram, ThatDoesNotParseIsToldWithItsPath) {
  Write("sum.wat", "junk");
  Write("fib.wat", "junk");
  EXPECT_TRUE(SuiteError().starts_with("DIR/sum.wat:1:1: error: ")) << SuiteError();
  EXPECT_TRUE(ScalingError("fib").starts_with("DIR/fib.wat:1:1: error: ")) << ScalingError("fib");
}

TEST_F(OwnProgram, WithoutTheExportIsToldWithItsPath) {
  Write("sum.wat", "(module (func (export \"walk\")))");
  EXPECT_EQ(SuiteError(), "DIR/sum.wat: error: no exported function 'run'; there is 'walk'");
  EXPECT_EQ(ScalingError("sum"), "DIR/sum.wat: error: no exported function 'run'; there is 'walk'");
}

TEST_F(OwnProgram, ThatTrapsIsToldWithItsNameAndTheCause) {
  WriteRun("sum.wat", "unreachable");
  WriteRun("bsort.wat", "unreachable");
  EXPECT_EQ(SuiteError(), "DIR/sum.wat: error: 'sum': native ended as trapped (unreachable)");
  EXPECT_EQ(ScalingError("sum"),
            "DIR/sum.wat: error: 'sum': native ended as trapped (unreachable)");
  EXPECT_EQ(ScalingError("bsort"),
            "DIR/bsort.wat: error: 'bsort': native ended as trapped (unreachable)");
}

TEST_F(OwnProgram, ThatImportsIsToldWithItsName) {
  Write("sum.wat",
        "(module (import \"env\" \"f\" (func)) (func (export \"run\") (param i32 i32) "
        "(result i32) call 0 i32.const 1))");
  EXPECT_TRUE(SuiteError().starts_with("DIR/sum.wat: error: 'sum': ")) << SuiteError();
  EXPECT_TRUE(ScalingError("sum").starts_with("DIR/sum.wat: error: 'sum': "));
}

TEST_F(OwnProgram, WhoseStepsDoNotGrowCannotBeScaled) {
  WriteRun("fib.wat", "i32.const 1");
  EXPECT_EQ(ScalingError("fib"),
            "DIR/fib.wat: error: 'fib': the steps of run(n, 1) do not grow with n: 6 for n = 100, "
            "6 for n = 200");
}

TEST_F(OwnProgram, WhoseStepsShrinkCannotBeScaled) {
  WriteRun("fib.wat",
           "(loop (local.set 0 (i32.add (local.get 0) (i32.const 1))) "
           "(br_if 0 (i32.lt_u (local.get 0) (i32.const 1000)))) (local.get 0)");
  EXPECT_NE(ScalingError("fib").find("do not grow with n"), std::string::npos)
      << ScalingError("fib");
}

TEST_F(OwnProgram, WhoseStepsGrowWithTheSquareIsScaled) {
  WriteRun("fib.wat",
           "(local i32) (loop (local.set 2 (i32.add (local.get 2) (i32.const 1))) "
           "(br_if 0 (i32.lt_u (local.get 2) (i32.mul (local.get 0) (local.get 0))))) "
           "(local.get 2)");
  EXPECT_EQ(ScalingError("fib"), "measured");
}

TEST_F(OwnProgram, WithAWrongResultIsToldWithItsNameAndPath) {
  WriteRun("sum.wat", "i32.const 1");
  EXPECT_EQ(SuiteError(), "'sum' (DIR/sum.wat): native gives 1 where 274223616 is expected");
}

TEST_F(OwnProgram, WhoseResultsDifferIsToldWithItsNameAndPath) {
  Write("bsort.wat",
        "(module (global $g (mut i32) (i32.const 0)) (func (export \"run\") (param i32 i32) "
        "(result i32) (global.set $g (i32.add (global.get $g) (i32.const 1))) (global.get $g)))");
  const std::string error = ScalingError("bsort");
  EXPECT_TRUE(error.starts_with("'bsort' (DIR/bsort.wat): results or steps of run(256, "));
  EXPECT_TRUE(error.ends_with(") differ")) << error;
}

TEST_F(OwnProgram, WithOtherParametersIsRefused) {
  WriteRun("sum.wat", "i32.const 1", "(param i32) (result i32)");
  const std::string refusal =
      "DIR/sum.wat: error: function 'run' takes 1 argument, but 2 were given";
  EXPECT_EQ(SuiteError(), refusal);
  EXPECT_EQ(ScalingError("sum"), refusal);
}

TEST_F(OwnProgram, WhoseEntryTakesArgumentsIsRefused) {
  Write("original_sum.txa", ".func f params=1 results=1\n.end\n.entry f\n");
  EXPECT_EQ(SuiteError("original-sum"),
            "DIR/original_sum.txa: error: the entry takes 1 argument, but 0 were given");
}

}  // namespace
}  // namespace txvm::bench
