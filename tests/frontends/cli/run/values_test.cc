// Typed values on the command line: arguments, results, JSON, and what is refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "frontends/cli/support/exit_code.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

using Json = nlohmann::ordered_json;

// Returns what it is given, the other way round.
constexpr std::string_view kSwap =
    R"(.func swap params=i64,f64,f32 results=f32,i64,f64 types=i64,f64,f32
  LOCAL.SET 4
  LOCAL.SET 3
  LOCAL.SET 2
  LOCAL.SET 1
  LOCAL.SET 0
  LOCAL.GET 4
  LOCAL.GET 0
  LOCAL.GET 1
  LOCAL.GET 2
  LOCAL.GET 3
.end
.func words params=2 results=2
.end
.export "swap" swap
.export "words" words
)";
constexpr std::string_view kSignature = "swap(i64, f64, f32) -> (f32, i64, f64)";

struct Case {
  std::string arguments;  // i64 f64 f32
  std::string results;    // f32, i64, f64, one a line
};

TEST(Values, GoInAndOutWithoutLoss) {
  const ScratchFile file(".txa", kSwap);
  for (const Case& one : std::vector<Case>{
           {"9007199254740993 2.5 0.1", "0.1\n9007199254740993\n2.5\n"},
           {"-9223372036854775808 -0.0 -7", "-7\n-9223372036854775808\n-0\n"},
           {"9223372036854775808 5e-324 1e-45", "1e-45\n-9223372036854775808\n5e-324\n"},
           {"18446744073709551615 1e30 -inf", "-inf\n-1\n1e+30\n"},
           {"0xffffffffffffffff 0x1.8p3 nan", "nan\n-1\n12\n"},
           {"-0x1 -nan:0xfffffffffffff nan:0x1", "nan:0x1\n-1\n-nan:0xfffffffffffff\n"},
           {"0 -nan -inf", "-inf\n0\n-nan\n"},
           {"-1 -1e-400 -.5", "-0.5\n-1\n-0\n"}}) {
    for (const char* engine : {"attention", "native", "hull"}) {
      const isa::ChildResult run = RunTxvm(
          Words("run -e " + std::string(engine) + " " + file.path() + " -i swap " + one.arguments));
      EXPECT_EQ(run.out, one.results) << one.arguments << run.err;
    }
  }
}

TEST(Values, OfVectorsHaveOneNotation) {
  const ScratchFile file(".wat",
                         "(module (func (export \"add\") (param v128 v128) (result v128)\n"
                         "  (i16x8.add (local.get 0) (local.get 1))))");
  const std::string call = "run " + file.path() + " -i add v128:i32x4:1,2,3,-4 ";
  const isa::ChildResult run = RunTxvm(Words(call + "i16x8:0xffff,1,0,0,0,0,4,1"));
  EXPECT_EQ(run.out, "v128:i32x4:65536,2,3,0\n") << run.err;
  const Json json = Json::parse(RunTxvm(Words(call + "i64x2:0,0 --json")).out);
  EXPECT_EQ(json["results"], Json::array({"v128:i32x4:1,2,3,-4"}));
  EXPECT_EQ(json["types"], Json::array({"v128"}));
  const isa::ChildResult refused = RunTxvm(Words(call + "i32x4:1,2,3"));
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.err.find("argument 2 'i32x4:1,2,3' is not a v128 (its lanes, "),
            std::string::npos)
      << refused.err;
}

TEST(Values, OfUntypedExportsAreWords) {
  const ScratchFile file(".txa", kSwap);
  EXPECT_EQ(RunTxvm({"run", file.path(), "-i", "words", "4294967295", "7"}).out, "-1\n7\n");
  const isa::ChildResult run = RunTxvm({"run", file.path(), "-i", "words", "2.5", "7"});
  EXPECT_EQ(run.err,
            "txvm: error: argument 1 '2.5' is not an i32 (-2147483648..4294967295, or hex "
            "0x0..0xffffffff)\n");
}

TEST(Values, InJsonAreNumbersWhereADoubleHoldsThem) {
  const ScratchFile file(".txa", kSwap);
  const auto json = [&](const std::string& arguments) {
    return Json::parse(RunTxvm(Words("run --json " + file.path() + " -i swap " + arguments)).out);
  };
  const Json small = json("-9007199254740992 0.1 0.1");
  EXPECT_EQ(small["types"], Json({"f32", "i64", "f64"}));
  EXPECT_EQ(small["results"], Json({0.10000000149011612, -9007199254740992, 0.1}));
  const Json large = json("9007199254740993 1e308 nan:0x1");
  EXPECT_EQ(large["results"], Json({"nan:0x1", "9007199254740993", 1e308}));
  const Json infinite = json("1 -inf -0.0");
  EXPECT_EQ(infinite["results"].dump(), R"([-0.0,1,"-inf"])");
}

TEST(Values, AreRefusedWithTheSignature) {
  const ScratchFile file(".txa", kSwap);
  const auto message = [&](const std::string& arguments) {
    const isa::ChildResult run = RunTxvm(Words("run " + file.path() + " -i swap " + arguments));
    EXPECT_EQ(run.exit_code, Value(ExitCode::kUsage));
    EXPECT_EQ(run.out, "");
    return run.err;
  };
  const std::string end = ": " + std::string(kSignature) + "\n";
  EXPECT_EQ(message("1 2"),
            "txvm: error: function 'swap' takes 3 arguments, but 2 were given" + end);
  EXPECT_EQ(message("1 2 3 4"),
            "txvm: error: function 'swap' takes 3 arguments, but 4 were given" + end);
  EXPECT_EQ(message("1.5 2 3"),
            "txvm: error: argument 1 '1.5' is not an i64 (-9223372036854775808.."
            "18446744073709551615, or hex 0x0..0xffffffffffffffff)" +
                end);
  EXPECT_EQ(message("1 1e400 3"),
            "txvm: error: argument 2 '1e400' is not an f64 (a number such as 2.5, 1e-3 or 0x1.8p3 "
            "up to 1.7976931348623157e+308, inf, nan, or nan:0x1..nan:0xfffffffffffff)" +
                end);
  EXPECT_EQ(message("1 2 nan:0x800000"),
            "txvm: error: argument 3 'nan:0x800000' is not an f32 (a number such as 2.5, 1e-3 or "
            "0x1.8p3 up to 3.4028235e+38, inf, nan, or nan:0x1..nan:0x7fffff)" +
                end);
  for (const char* hostile : {"x", "0x", "1e", "nan:0x0", "--", "1,5", "\x1b[2J"}) {
    EXPECT_NE(message(std::string("1 2 ") + hostile).find(kSignature), std::string::npos)
        << hostile;
  }
}

TEST(Values, OfAWatExportHaveItsTypes) {
  const ScratchFile file(".wat", R"((module
    (func (export "neg") (param i64) (result i64) (i64.sub (i64.const 0) (local.get 0)))))");
  EXPECT_EQ(RunTxvm({"run", file.path(), "-i", "neg", "9223372036854775807"}).out,
            "-9223372036854775807\n");
  const isa::ChildResult run = RunTxvm({"run", file.path(), "-i", "neg"});
  EXPECT_EQ(run.err,
            "txvm: error: function 'neg' takes 1 argument, but 0 were given: neg(i64) -> i64\n");
}

// From the text of a module to results, with other runtimes beside.
TEST(Values, OfFloatCodeAreThoseOfTheOtherRuntimes) {
  const ScratchFile file(".wat", R"((module
    (func (export "mix") (param f64 f32 i64) (result f64 f32 i64)
      (f64.div (f64.sqrt (local.get 0)) (f64.const 3))
      (f32.mul (local.get 1) (f32.const 0.1))
      (i64.trunc_f64_s (f64.add (local.get 0) (f64.convert_i64_s (local.get 2)))))))");
  EXPECT_EQ(RunTxvm({"run", file.path(), "-i", "mix", "2", "7", "-5"}).out,
            "0.47140452079103173\n0.7\n-3\n");
  EXPECT_EQ(RunTxvm({"run", file.path(), "-i", "mix", "0", "-inf", "5"}).out, "0\n-inf\n5\n");
  const isa::ChildResult run =
      RunTxvm({"compare", file.path(), "-i", "mix", "2", "7", "-5", "--json", "--reps", "1"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const Json& row : Json::parse(run.out)) {
    if (!row["problem"].is_null()) continue;
    EXPECT_EQ(row["answer"], "0.47140452079103173 0.7 -3") << row;
    EXPECT_EQ(row["types"], Json({"f64", "f32", "i64"})) << row;
  }
}

TEST(Values, StayTypedThroughAProgramFileAndASnapshot) {
  const ScratchFile text(".txa", kSwap);
  const std::string file = ::testing::TempDir() + "txvm-values.txp";
  const std::string snapshot = ::testing::TempDir() + "txvm-values.txs";
  ASSERT_EQ(RunTxvm({"asm", text.path(), "-o", file}).exit_code, 0);
  const isa::ChildResult run = RunTxvm(
      {"run", file, "-i", "swap", "-5", "0.25", "1e10", "--fuel", "4", "--snapshot", snapshot});
  EXPECT_EQ(run.out, "") << run.err;
  EXPECT_EQ(RunTxvm({"resume", snapshot, file}).out, "1e+10\n-5\n0.25\n");
  std::remove(file.c_str());
  std::remove(snapshot.c_str());
}

TEST(Values, AreShownByTraceAndStep) {
  const ScratchFile file(".txa", kSwap);
  const std::string call = file.path() + " -i swap 9007199254740993 2.5 -nan:0x1";
  const isa::ChildResult trace = RunTxvm(Words("trace " + call));
  EXPECT_NE(trace.out.find("results -nan:0x1 9007199254740993 2.5"), std::string::npos);
  const isa::ChildResult step = RunTxvm(Words("step " + call), "stack\nstep 6\nlocals\ncontinue\n");
  EXPECT_NE(step.out.find("5 operands\n"
                          "  slot      5  -nan:0x1 (f32)\n"
                          "  slot      3  2.5 (f64)\n"
                          "  slot      1  9007199254740993 (i64)\n"),
            std::string::npos)
      << step.out;
  EXPECT_NE(step.out.find("5 locals at slot 0\n"
                          "  local      0  9007199254740993 (i64)\n"
                          "  local      2  2.5 (f64)\n"
                          "  local      4  -nan:0x1 (f32)\n"),
            std::string::npos)
      << step.out;
  EXPECT_NE(step.out.find("halted, results -nan:0x1 9007199254740993 2.5\n"), std::string::npos)
      << step.out;
}

}  // namespace
}  // namespace txvm::frontends::cli
