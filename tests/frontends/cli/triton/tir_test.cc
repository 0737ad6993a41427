// txvm tir lower, verify, optimize, cost and txvm compile --target tir|tasm as a user runs them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "frontends/cli/support/exit_code.h"
#include "isa/support/file.h"
#include "isa/support/system/child_process.h"
#include "isa/support/text.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSquareSum =
    "// input: 3,4\nentry main fn main { read_io 2 call sum write_io 1 } fn sum { add dup 0 mul "
    "}\n";
constexpr std::string_view kSquareSumOtherwise =
    "entry main fn main { read_io 2 add dup 0 mul write_io 1 }\n";
constexpr std::string_view kDifference = "entry main fn main { read_io 2 sub write_io 1 }\n";
constexpr std::string_view kLoop =
    "// input: 5\nentry main fn main { push 1 read_io 1 call twice pop 1 write_io 1 loop twice { "
    "swap 1 "
    "push 2 mul swap 1 } }\n";
constexpr std::string_view kFib =
    "(module (func (export \"fib\") (param i32) (result i32) (local i32 i32) i32.const 1 local.set "
    "2 "
    "block loop local.get 0 i32.eqz br_if 1 local.get 1 local.get 2 local.get 1 i32.add local.set "
    "1 "
    "local.set 2 local.get 0 i32.const 1 i32.sub local.set 0 br 0 end end local.get 1))\n";

std::string OutputOf(const std::string& tasm, const std::string& input) {
  const isa::ChildResult run = RunTxvm({"tir", "profile", tasm, "--input", input, "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  return Json::parse(run.out)["output"].dump();
}

TEST(TirHelp, IsThatOfTheCommandThatIsNamed) {
  const std::string profile = RunTxvm({"tir", "profile", "--help"}).out;
  EXPECT_NE(profile.find("Usage: txvm tir profile "), std::string::npos);
  EXPECT_EQ(RunTxvm({"tir", "--help", "profile"}).out, profile);
  EXPECT_EQ(RunTxvm({"tir", "help", "profile"}).out, profile);
  EXPECT_EQ(RunTxvm({"help", "tir", "profile"}).out, profile);
  EXPECT_EQ(RunTxvm({"tir", "help"}).out, RunTxvm({"tir", "--help"}).out);
}

TEST(TirLower, WritesAssemblyThatRuns) {
  const ScratchFile tir(".tir", kSquareSum);
  const ScratchFile tasm(".tasm", "");
  const isa::ChildResult plain = RunTxvm({"tir", "lower", tir.path(), "--no-peepholes"});
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_NE(plain.out.find("__sum:"), std::string::npos) << plain.out;
  EXPECT_EQ(RunTxvm({"tir", "lower", tir.path(), "--out", tasm.path()}).exit_code, 0);
  EXPECT_EQ(OutputOf(tasm.path(), "3,4"), "[\"49\"]");
}

// A file that is written over keeps what it had until the new text is whole: another name of the
// old one shows that it was put aside, not emptied.
TEST(TirLower, ReplacesAFileAtOnceAsOptimizeDoes) {
  const ScratchFile tir(".tir", kSquareSum);
  for (const std::string command : {"lower", "optimize"}) {
    const ScratchFile out(".tasm", "before\n");
    const std::string kept = out.path() + ".kept";
    std::filesystem::create_hard_link(out.path(), kept);
    EXPECT_EQ(RunTxvm({"tir", command, tir.path(), "--out", out.path()}).exit_code, 0) << command;
    EXPECT_NE(out.Read().find("halt"), std::string::npos) << command;
    EXPECT_EQ(*isa::ReadFile(kept), "before\n") << command;
    std::filesystem::remove(kept);
    EXPECT_NE(RunTxvm({"tir", command, tir.path(), "--out", "-"}).out.find("halt"),
              std::string::npos)
        << command;
  }
}

TEST(TirLower, ShowsThePlaceOfAnError) {
  const ScratchFile tir(".tir", "entry main\nfn main {\n  push 1 if_only { pop 1 }\n}\n");
  const isa::ChildResult lowered = RunTxvm({"tir", "lower", tir.path()});
  EXPECT_EQ(lowered.exit_code, Value(ExitCode::kBadInput));
  EXPECT_NE(lowered.err.find(":3:10: error: "), std::string::npos) << lowered.err;
  EXPECT_NE(lowered.err.find("\n           ^"), std::string::npos) << lowered.err;
}

TEST(TirLower, ShowsThePlaceOfAnErrorInsideAsm) {
  const ScratchFile one(".tir", "entry main\nfn main {\n  asm effect=1 { push x }\n}\n");
  const isa::ChildResult first = RunTxvm({"tir", "lower", one.path()});
  EXPECT_NE(first.err.find(":3:23: error: push needs an integer"), std::string::npos) << first.err;
  EXPECT_NE(first.err.find("\n    asm effect=1 { push x }\n" + std::string(24, ' ') + "^"),
            std::string::npos)
      << first.err;
  const ScratchFile cut(".tir", "asm effect=1 { push }\n");
  const isa::ChildResult missing = RunTxvm({"tir", "lower", cut.path()});
  EXPECT_NE(missing.err.find(":1:20: error: push needs"), std::string::npos) << missing.err;
  const ScratchFile blank(".tir", "asm effect=1 {\n\n\n    push 1\n    nopp\n}\n");
  const isa::ChildResult second = RunTxvm({"tir", "lower", blank.path()});
  EXPECT_NE(second.err.find(":5:5: error: unknown instruction 'nopp'"), std::string::npos)
      << second.err;
}

TEST(TirLower, KeepsErrorIdsOfAsm) {
  const ScratchFile tir(".tir", "asm effect=0 { read_io 1 assert error_id 77 }\n");
  const isa::ChildResult lowered = RunTxvm({"tir", "lower", tir.path()});
  EXPECT_NE(lowered.out.find("assert error_id 77"), std::string::npos) << lowered.out;
}

TEST(TirLower, RefusesAssembly) {
  const ScratchFile tasm(".tasm", "halt\n");
  const isa::ChildResult file = RunTxvm({"tir", "lower", tasm.path(), "--no-peepholes"});
  EXPECT_EQ(file.exit_code, Value(ExitCode::kUsage));
  EXPECT_NE(file.err.find("is not named *.tir"), std::string::npos) << file.err;
  EXPECT_EQ(RunTxvm({"tir", "lower", "-"}, "halt\n").exit_code, Value(ExitCode::kUsage));
}

TEST(TirVerify, ProvesEqualProgramsAndRefutesOthersWithAnInput) {
  const ScratchFile first(".tir", kSquareSum), same(".tir", kSquareSumOtherwise);
  const ScratchFile other(".tir", kDifference);
  const isa::ChildResult proved = RunTxvm({"tir", "verify", first.path(), same.path(), "--json"});
  EXPECT_EQ(proved.exit_code, 0) << proved.out << proved.err;
  EXPECT_EQ(Json::parse(proved.out)["verdict"], "proved");
  EXPECT_TRUE(Json::parse(proved.out)["counterexample"].is_null());
  const isa::ChildResult refuted = RunTxvm({"tir", "verify", first.path(), other.path(), "--json"});
  EXPECT_EQ(refuted.exit_code, Value(ExitCode::kMismatch));
  const Json report = Json::parse(refuted.out);
  EXPECT_EQ(report["verdict"], "refuted");
  EXPECT_EQ(report["counterexample"]["input"].size(), 2u);
}

TEST(TirVerify, ComparesTirWithItsLowering) {
  const ScratchFile tir(".tir", kLoop), tasm(".tasm", "");
  ASSERT_EQ(RunTxvm({"tir", "lower", tir.path(), "--out", tasm.path()}).exit_code, 0);
  const isa::ChildResult verdict = RunTxvm({"tir", "verify", tir.path(), tasm.path()});
  EXPECT_EQ(verdict.exit_code, 0) << verdict.out;
  EXPECT_TRUE(verdict.out.starts_with("proved")) << verdict.out;
}

// What a side leaves is shown from the top, so the stack it starts on says which end is which.
TEST(TirVerify, SaysWhichEndOfTheStackComesFirst) {
  const ScratchFile first(".tasm", "pop 1\n"), second(".tasm", "swap 1 pop 1\n");
  const isa::ChildResult refuted = RunTxvm({"tir", "verify", first.path(), second.path()});
  EXPECT_EQ(refuted.exit_code, Value(ExitCode::kMismatch));
  EXPECT_NE(refuted.out.find(" (bottom first)\n  input"), std::string::npos) << refuted.out;
}

TEST(TirVerify, NamesTheSideThatIsALibrary) {
  const ScratchFile program(".tir", kSquareSum), library(".tir", "fn f { push 1 pop 1 }\n");
  const isa::ChildResult refused = RunTxvm({"tir", "verify", program.path(), library.path()});
  EXPECT_EQ(refused.exit_code, Value(ExitCode::kBadInput));
  EXPECT_TRUE(refused.err.starts_with(library.path() + ": error: the module has functions"))
      << refused.err;
}

TEST(TirVerify, SaysWhenBothSidesOnlyCrash) {
  const ScratchFile first(".tasm", "push 0 assert\n"), second(".tasm", "push 2 assert\n");
  const isa::ChildResult verdict = RunTxvm({"tir", "verify", first.path(), second.path()});
  EXPECT_EQ(verdict.exit_code, 0) << verdict.err;
  EXPECT_TRUE(verdict.out.starts_with("proved: both crash on every input")) << verdict.out;
}

TEST(TirVerify, ComparesLibrariesRoutineByRoutine) {
  const ScratchFile first(".tasm", "e: push 1 add return f: push 1 return\n");
  const ScratchFile second(".tasm", "e: addi 1 return f: push 2 return\n");
  const isa::ChildResult verdict = RunTxvm({"tir", "verify", first.path(), second.path()});
  EXPECT_EQ(verdict.exit_code, Value(ExitCode::kMismatch)) << verdict.err;
  EXPECT_NE(verdict.out.find("routine  e: proved\nroutine  f: refuted\n"), std::string::npos)
      << verdict.out;
  EXPECT_NE(verdict.out.find("counterexample\n  routine  f\n"), std::string::npos) << verdict.out;
  const ScratchFile other(".tasm", "e: addi 1 return\n");
  const isa::ChildResult open = RunTxvm({"tir", "verify", first.path(), other.path()});
  EXPECT_EQ(open.exit_code, Value(ExitCode::kLimit)) << open.out;
  EXPECT_NE(open.out.find("the routine f is on one side only"), std::string::npos) << open.out;
}

TEST(TirVerify, AProgramThatCannotHaltGetsAVerdict) {
  const ScratchFile halts(".tasm", "push 1 write_io 1 halt\n"),
      ends(".tasm", "push 1 write_io 1\n");
  for (const bool swapped : {false, true}) {
    const isa::ChildResult verdict = swapped
                                         ? RunTxvm({"tir", "verify", ends.path(), halts.path()})
                                         : RunTxvm({"tir", "verify", halts.path(), ends.path()});
    EXPECT_EQ(verdict.exit_code, Value(ExitCode::kMismatch)) << verdict.out << verdict.err;
    EXPECT_TRUE(verdict.out.starts_with("refuted")) << verdict.out;
  }
}

TEST(TirVerify, ReadsBothInstructionSetsAndReleasedTextOnly) {
  const ScratchFile horner(".tasm", "b_horner_step pop 1 //\n");
  const ScratchFile same(".tasm", "b_horner_step nop pop 1\n");
  EXPECT_EQ(RunTxvm({"tir", "verify", horner.path(), same.path()}).exit_code,
            Value(ExitCode::kBadInput));
  EXPECT_EQ(RunTxvm({"tir", "verify", horner.path(), same.path(), "--isa", "horner"}).exit_code, 0);
  const isa::ChildResult strict =
      RunTxvm({"tir", "verify", horner.path(), same.path(), "--isa", "horner", "--strict"});
  EXPECT_EQ(strict.exit_code, Value(ExitCode::kBadInput));
  EXPECT_NE(strict.err.find("refuse an empty // comment"), std::string::npos) << strict.err;
  const isa::ChildResult optimized =
      RunTxvm({"tir", "optimize", same.path(), "--isa", "horner", "--out", "-"});
  EXPECT_EQ(optimized.exit_code, 0) << optimized.err;
  EXPECT_EQ(optimized.out.find("nop"), std::string::npos) << optimized.out;
}

TEST(TirVerify, TakesOneSideFromStandardInput) {
  const ScratchFile tasm(".tasm", "push 1 write_io 1 halt\n");
  const std::string same = "push 1 write_io 1 halt\n";
  EXPECT_EQ(RunTxvm({"tir", "verify", "-", tasm.path()}, same).exit_code, 0);
  const isa::ChildResult both = RunTxvm({"tir", "verify", "-", "-"}, same);
  EXPECT_EQ(both.exit_code, Value(ExitCode::kUsage)) << both.out;
  EXPECT_NE(both.err.find("cannot both come from standard input"), std::string::npos) << both.err;
}

// Much shorter without its detours.
constexpr std::string_view kRoundabout =
    "// input: 2,3\nread_io 2 swap 1 swap 1 push 1 mul push 0 add mul push -1 mul push -1 mul "
    "push 3 push 4 add swap 1 swap 1 add dup 0 mul write_io 1 halt\n";

TEST(TirOptimize, ShortensAndSaysByHowMuch) {
  const ScratchFile tasm(".tasm",
                         "// input: 2,3\nread_io 2 swap 1 swap 1 push 1 mul push 0 add mul push -1 "
                         "mul push -1 mul write_io 1 halt\n");
  const ScratchFile out(".tasm", "");
  const isa::ChildResult report =
      RunTxvm({"tir", "optimize", tasm.path(), "--time", "2000", "--json", "--out", out.path()});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_TRUE(Json::accept(report.out)) << report.out;
  EXPECT_EQ(OutputOf(out.path(), "2,3"), "[\"6\"]");
  EXPECT_EQ(RunTxvm({"tir", "verify", tasm.path(), out.path()}).exit_code, 0);
  const isa::ChildResult before =
      RunTxvm({"tir", "profile", tasm.path(), "--input", "2,3", "--json"});
  const isa::ChildResult after =
      RunTxvm({"tir", "profile", out.path(), "--input", "2,3", "--json"});
  EXPECT_LT(Json::parse(after.out)["heights"]["processor"].get<int>(),
            Json::parse(before.out)["heights"]["processor"].get<int>());
}

TEST(TirOptimize, CliffModeMovesALoopAndNamesTheMove) {
  const ScratchFile tasm(".tasm",
                         "// input: 5,3\nread_io 2 call f write_io 2 halt\nf: dup 0 push 0 eq skiz "
                         "return swap 1 addi 2 swap 1 addi -1 recurse\n");
  const ScratchFile out(".tasm", "");
  const isa::ChildResult report = RunTxvm({"tir", "optimize", tasm.path(), "--cliff", "--guide",
                                           "none", "--json", "--out", out.path()});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  const Json json = Json::parse(report.out);
  ASSERT_FALSE(json["moves"].empty()) << report.out;
  EXPECT_EQ(json["moves"][0].get<std::string>(), "test f once, then after its body");
  EXPECT_LT(json["after"][0]["heights"]["processor"].get<int>(),
            json["before"][0]["heights"]["processor"].get<int>());
  EXPECT_EQ(RunTxvm({"tir", "verify", tasm.path(), out.path()}).exit_code, 0);
}

TEST(TirOptimize, SaysWhereALongRunWasStoppedAndShortensIt) {
  const ScratchFile tasm(".tasm",
                         "// input: 2000001\nread_io 1 call l halt\nl: dup 0 push 0 eq skiz return "
                         "push -1 add nop nop nop recurse\n");
  const isa::ChildResult report = RunTxvm({"tir", "optimize", tasm.path(), "--time", "500"});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_EQ(report.out.find("given up"), std::string::npos) << report.out;
  EXPECT_EQ(report.out.find("crashes"), std::string::npos) << report.out;
  EXPECT_NE(report.out.find("(stopped at 20,000,000 cycles)"), std::string::npos) << report.out;
}

TEST(TirOptimize, LeavesAProgramThatTakesTooLongToMeasure) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "// input: 9999999\n";
  text += "read_io 1 push 1 pop 1 sponge_init call l halt l: dup 0 push 0 eq skiz return ";
  const ScratchFile tasm(".tasm", text + "push -1 add sponge_squeeze pop 5 pop 5 recurse\n");
  const isa::ChildResult report = RunTxvm({"tir", "optimize", tasm.path(), "--time", "1"});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_NE(report.out.find("stopped by the time budget"), std::string::npos) << report.out;
  EXPECT_NE(report.out.find("0 shorter"), std::string::npos) << report.out;
}

TEST(TirOptimize, SaysWhoGuidedTheSearchAndVerifiesEitherWay) {
  const ScratchFile tasm(".tasm", kRoundabout);
  const ScratchFile out(".tasm", "");
  std::map<std::string, int> left;
  for (const std::string guide : {"network", "none"}) {
    const isa::ChildResult report = RunTxvm({"tir", "optimize", tasm.path(), "--json", "--beam",
                                             "2", "--guide", guide, "--out", out.path()});
    ASSERT_EQ(report.exit_code, 0) << report.err;
    const Json json = Json::parse(report.out);
    EXPECT_EQ(json["guide"], guide);
    EXPECT_GT(json["states"].get<int>(), 0);
    left[guide] = json["instructions_after"].get<int>();
    EXPECT_LT(left[guide], json["instructions_before"].get<int>());
    EXPECT_EQ(RunTxvm({"tir", "verify", tasm.path(), out.path()}).exit_code, 0);
  }
  const isa::ChildResult text = RunTxvm({"tir", "optimize", tasm.path()});
  EXPECT_NE(text.out.find("guide: network"), std::string::npos) << text.out;
}

TEST(TirOptimize, RefusesAGuideThatIsNone) {
  const ScratchFile tasm(".tasm", kRoundabout), text(".safetensors", "no weights");
  const isa::ChildResult missing =
      RunTxvm({"tir", "optimize", tasm.path(), "--guide", "nowhere.st"});
  EXPECT_EQ(missing.exit_code, Value(ExitCode::kBadInput)) << missing.err;
  EXPECT_NE(missing.err.find("nowhere.st"), std::string::npos) << missing.err;
  const isa::ChildResult corrupt =
      RunTxvm({"tir", "optimize", tasm.path(), "--guide", text.path()});
  EXPECT_NE(corrupt.exit_code, 0);
  EXPECT_NE(corrupt.err.find(text.path()), std::string::npos) << corrupt.err;
}

TEST(TrainOptimizer, MakesAGuideForPrograms) {
  const ScratchFile tasm(".tasm", kRoundabout), network(".safetensors", "");
  const std::vector<std::string> train = {"train", "optimizer", tasm.path(), "--fragments",
                                          "40",    "--beam",    "10",        "--rounds",
                                          "1",     "--epochs",  "2"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), train.begin(), train.end());
    return RunTxvm(more);
  };
  const isa::ChildResult made = with({"--out", network.path(), "--threads", "2"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.out.find("round 1"), std::string::npos) << made.out;
  const ScratchFile again(".safetensors", "");
  ASSERT_EQ(with({"--out", again.path(), "--threads", "1"}).exit_code, 0);
  EXPECT_EQ(network.Read(), again.Read());
  const isa::ChildResult used =
      RunTxvm({"tir", "optimize", tasm.path(), "--guide", network.path(), "--json"});
  ASSERT_EQ(used.exit_code, 0) << used.err;
  EXPECT_EQ(Json::parse(used.out)["guide"], network.path());
  EXPECT_EQ(with({}).exit_code, Value(ExitCode::kUsage));  // no file to write
  const isa::ChildResult nothing = with({"--out", again.path(), "--hold-out", ".tasm"});
  EXPECT_EQ(nothing.exit_code, Value(ExitCode::kUsage)) << nothing.err;
  EXPECT_NE(nothing.err.find("no program to learn from"), std::string::npos) << nothing.err;
  EXPECT_EQ(network.Read(), again.Read());  // nothing was lost
}

TEST(TrainOptimizer, LearnsFromEachProgramOfAFile) {
  const std::string other = "push 1 read_io 1 swap 1 add push 2 swap 1 add write_io 1 halt\n";
  const ScratchFile first(".tasm", kRoundabout), second(".tasm", other);
  const ScratchFile both(".tasm",
                         "// two\n=== one\n" + std::string(kRoundabout) + "\n=== two\n" + other);
  const auto train = [](std::vector<std::string> files) {
    const ScratchFile network(".safetensors", "");
    files.insert(files.begin(), {"train", "optimizer"});
    for (const std::string_view option :
         {"--fragments", "40", "--beam", "10", "--rounds", "1", "--epochs", "1", "--out"}) {
      files.emplace_back(option);
    }
    files.push_back(network.path());
    const isa::ChildResult made = RunTxvm(files);
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return network.Read();
  };
  EXPECT_EQ(train({both.path()}), train({first.path(), second.path()}));
  EXPECT_EQ(train({both.path(), "--hold-out", ":two"}), train({first.path()}));
}

TEST(TirFiles, OtherCommandsTakeOneProgram) {
  const ScratchFile several(".tasm", "=== one\nhalt\n=== two\nhalt\n");
  const ScratchFile single(".tasm", "=== one\npush 7 write_io 1 halt\n");
  for (const std::string command : {"profile", "optimize"}) {
    const isa::ChildResult refused = RunTxvm({"tir", command, several.path()});
    EXPECT_EQ(refused.exit_code, Value(ExitCode::kUsage)) << refused.err;
    EXPECT_NE(refused.err.find("holds 2 programs, each after a line '=== name'"), std::string::npos)
        << refused.err;
    EXPECT_EQ(RunTxvm({"tir", command, single.path()}).exit_code, 0) << command;
  }
}

// What is made of a program is measured on the inputs of the program.
TEST(TirInputs, LoweringAndOptimizingKeepTheDeclarations) {
  const ScratchFile tir(".tir",
                        "  //input: 3,4 secret=-1 \r\n// input:5,6\n"
                        "entry main fn main { read_io 2 add write_io 1 }\n");
  const ScratchFile lowered(".tasm", ""), shorter(".tasm", "");
  ASSERT_EQ(RunTxvm({"tir", "lower", tir.path(), "--out", lowered.path()}).exit_code, 0);
  EXPECT_TRUE(lowered.Read().starts_with("// input: 3,4 secret=-1 \n// input:5,6\n"))
      << lowered.Read();
  for (const std::string& path : {tir.path(), lowered.path()}) {
    const isa::ChildResult report =
        RunTxvm({"tir", "optimize", path, "--json", "--out", shorter.path()});
    EXPECT_EQ(Json::parse(report.out)["before"].size(), 2u) << report.out << report.err;
    EXPECT_TRUE(shorter.Read().starts_with("// input: 3,4 secret=-1 \n// input:5,6\n"))
        << shorter.Read();
  }
}

TEST(TirCost, BoundsLoopsByWhatIsDeclaredAndMeasuresTheInputs) {
  const ScratchFile tir(".tir", kLoop);
  const isa::ChildResult open = RunTxvm({"tir", "cost", tir.path(), "--json"});
  EXPECT_EQ(open.exit_code, 0) << open.err;
  const Json once = Json::parse(open.out);
  EXPECT_EQ(once["static"]["unbounded"], Json::parse("[\"twice\"]"));
  const Json bound =
      Json::parse(RunTxvm({"tir", "cost", tir.path(), "--bounds", "twice=5", "--json"}).out);
  EXPECT_TRUE(bound["static"]["unbounded"].empty());
  EXPECT_GT(bound["static"]["heights"]["processor"], once["static"]["heights"]["processor"]);
  EXPECT_EQ(bound["static"]["heights"]["processor"], bound["inputs"][0]["heights"]["processor"]);
  const isa::ChildResult text = RunTxvm({"tir", "cost", tir.path()});
  EXPECT_NE(text.out.find("no bound for twice"), std::string::npos) << text.out;
}

TEST(TirCost, SaysWhereAnInputIsAboveTheStaticCost) {
  const ScratchFile tir(".tir", kLoop);
  const std::string above = "input 1 is above static: processor, op_stack, jump_stack";
  const auto shown = [&](const std::string& bound) {
    return RunTxvm({"tir", "cost", tir.path(), "--bounds", "twice=" + bound}).out;
  };
  EXPECT_NE(shown("1").find(above + " (a loop goes on past its bound)\n"), std::string::npos)
      << shown("1");
  EXPECT_EQ(shown("5").find("above"), std::string::npos) << shown("5");
  const std::string unbounded = RunTxvm({"tir", "cost", tir.path()}).out;
  EXPECT_NE(unbounded.find(above + "\n"), std::string::npos) << unbounded;
  const auto tables = [&](const std::string& bound) {
    const std::string json =
        RunTxvm({"tir", "cost", tir.path(), "--json", "--bounds", "twice=" + bound}).out;
    return Json::parse(json)["inputs"][0]["above_static"];
  };
  EXPECT_EQ(tables("1"), Json::parse(R"(["processor", "op_stack", "jump_stack"])"));
  EXPECT_EQ(tables("5"), Json::array());
}

TEST(TirCost, RefusesUnknownLoopsAndAssembly) {
  const ScratchFile tir(".tir", kLoop), tasm(".tasm", "halt\n");
  const isa::ChildResult unknown = RunTxvm({"tir", "cost", tir.path(), "--bounds", "thrice=5"});
  EXPECT_EQ(unknown.exit_code, Value(ExitCode::kUsage));
  EXPECT_NE(unknown.err.find("'thrice'"), std::string::npos) << unknown.err;
  EXPECT_EQ(RunTxvm({"tir", "cost", tir.path(), "--bounds", "twice=x"}).exit_code,
            Value(ExitCode::kUsage));
  EXPECT_EQ(RunTxvm({"tir", "cost", tasm.path()}).exit_code, Value(ExitCode::kUsage));
}

TEST(TirCost, RefusesABoundOfNoRounds) {
  const ScratchFile tir(".tir", kLoop);
  const isa::ChildResult none = RunTxvm({"tir", "cost", tir.path(), "--bounds", "twice=0"});
  EXPECT_EQ(none.exit_code, Value(ExitCode::kUsage));
  EXPECT_NE(none.err.find("'twice=0': a loop is bounded by 1 round or more"), std::string::npos)
      << none.err;
}

TEST(TirCost, RefusesTwoBoundsOfALoop) {
  const ScratchFile tir(".tir", kLoop);
  const isa::ChildResult two = RunTxvm({"tir", "cost", tir.path(), "--bounds", "twice=5,twice=6"});
  EXPECT_EQ(two.exit_code, Value(ExitCode::kUsage));
  EXPECT_EQ(two.err, "txvm: error: --bounds names loop 'twice' twice\n");
}

TEST(TirCost, TakesTheEndOfAFragmentForAHaltAndRefusesLibraries) {
  const ScratchFile fragment(".tir", "push 1\nwrite_io 1\n");
  const isa::ChildResult ends = RunTxvm({"tir", "cost", fragment.path(), "--json"});
  ASSERT_EQ(ends.exit_code, 0) << ends.err;
  EXPECT_TRUE(Json::parse(ends.out)["inputs"][0]["crash"].is_null()) << ends.out;
  const ScratchFile library(".tir", "fn f { push 1 write_io 1 }\nfn g { push 1 pop 1 }\n");
  const isa::ChildResult refused = RunTxvm({"tir", "cost", library.path()});
  EXPECT_EQ(refused.exit_code, Value(ExitCode::kUsage));
  EXPECT_NE(refused.err.find("is a library"), std::string::npos) << refused.err;
}

TEST(TirInputs, ErrorsOfDeclarationsHaveTheirPlace) {
  const ScratchFile bad(".tasm", "halt\n   // input: 1 ram=5\n");
  const isa::ChildResult part = RunTxvm({"tir", "optimize", bad.path()});
  EXPECT_NE(part.err.find(":2:16: error: 'ram=5' is no declared input"), std::string::npos)
      << part.err;
  std::string text = "halt\n";
  for (int i = 0; i < 65; ++i) text += "// input: 1\n";
  const ScratchFile many(".tasm", text);
  const isa::ChildResult limit = RunTxvm({"tir", "optimize", many.path()});
  EXPECT_NE(limit.err.find(":66:1: error: more than 64 declared inputs"), std::string::npos)
      << limit.err;
}

TEST(CompileProvable, WritesTirAndAssemblyWithEqualResults) {
  const ScratchFile wat(".wat", kFib), tir(".tir", ""), tasm(".tasm", ""), lowered(".tasm", "");
  EXPECT_EQ(RunTxvm({"compile", wat.path(), "-o", tir.path()}).exit_code, 0);
  EXPECT_EQ(RunTxvm({"compile", wat.path(), "--target", "tasm", "-o", tasm.path()}).exit_code, 0);
  EXPECT_EQ(RunTxvm({"tir", "lower", tir.path(), "-o", lowered.path()}).exit_code, 0);
  EXPECT_EQ(OutputOf(tasm.path(), "20"), "[\"6765\"]");
  EXPECT_EQ(OutputOf(lowered.path(), "20"), "[\"6765\"]");
}

TEST(CompileProvable, TakesBinaryModules) {
  constexpr std::string_view kIdentity(
      "\0asm\1\0\0\0\1\6\1`\1\x7f\1\x7f\3\2\1\0\7\5\1\1f\0\0\x0a\6\1\4\0 \0\x0b", 35);
  const ScratchFile wasm(".wasm", kIdentity), tasm(".tasm", "");
  const isa::ChildResult done = RunTxvm({"compile", wasm.path(), "-o", tasm.path()});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(OutputOf(tasm.path(), "77"), "[\"77\"]");
}

TEST(CompileProvable, SaysWhatItTrustsAndDeclaresItsInput) {
  const ScratchFile wat(".wat", kFib);
  const isa::ChildResult trusting = RunTxvm(
      {"compile", wat.path(), "--target", "tir", "-o", "-", "--assume-zero-ram", "--input", "9"});
  EXPECT_EQ(trusting.exit_code, 0);
  EXPECT_NE(trusting.err.find("trusts that unwritten RAM is 0"), std::string::npos);
  EXPECT_NE(trusting.out.find("// --assume-zero-ram: proves nothing unless"), std::string::npos);
  EXPECT_NE(trusting.out.find("\n// input: 9\n"), std::string::npos);
  const isa::ChildResult plain = RunTxvm({"compile", wat.path(), "--target", "tir", "-o", "-"});
  EXPECT_EQ(plain.err, "");
  EXPECT_EQ(plain.out.find("assume-zero-ram"), std::string::npos);
}

// The name of a file is said in a comment, and nothing in a name ends that or makes more of it.
TEST(CompileProvable, NamesItsSourceOnOneLineThatDeclaresNothing) {
  const ScratchFile wat(".wat", kFib);
  const std::filesystem::path folder = wat.path() + ".folder";
  std::filesystem::create_directory(folder);
  for (const std::string name : {"input: 5.wat", "a\npush 1 write_io 1.wat"}) {
    std::filesystem::copy_file(wat.path(), folder / name);
    const isa::Result<isa::ChildResult> done =
        isa::RunChild({"/usr/bin/env", "-C", folder.string(), TXVM_BINARY, "compile", name,
                       "--target", "tir", "-o", "-"},
                      {}, 60);
    ASSERT_TRUE(done) << done.error().ToString();
    EXPECT_EQ(done->out.substr(0, done->out.find("entry")),
              fmt::format("// made from {}: 1 word of input, 1 result, 0 words of memory\n",
                          isa::Printable(name)))
        << done->out << done->err;
  }
  std::filesystem::remove_all(folder);
}

TEST(CompileProvable, RefusesWhatItCannotDo) {
  const ScratchFile wat(".wat", kFib), txa(".txa", "HALT\n");
  const auto code = [&](const std::vector<std::string>& arguments) {
    return RunTxvm(arguments).exit_code;
  };
  EXPECT_EQ(code({"compile", wat.path(), "--target", "elf"}), Value(ExitCode::kUsage));
  EXPECT_EQ(code({"compile", wat.path(), "-o", "-", "--memory-words", "4"}),
            Value(ExitCode::kUsage));
  EXPECT_EQ(code({"compile", txa.path(), "--target", "tasm", "-o", "-"}), Value(ExitCode::kUsage));
  EXPECT_EQ(code({"compile", wat.path(), "--target", "tasm", "-o", "-", "-i", "no"}),
            Value(ExitCode::kUsage));
  const ScratchFile import(".wat",
                           "(module (import \"a\" \"b\" (func $b)) (func (export \"f\")\n "
                           "call $b))\n");
  const isa::ChildResult refused =
      RunTxvm({"compile", import.path(), "--target", "tir", "-o", "-"});
  EXPECT_EQ(refused.exit_code, Value(ExitCode::kBadInput));
  EXPECT_NE(refused.err.find(":2: error: import a.b"), std::string::npos) << refused.err;
}

TEST(CompileProvable, DeclaresInputsThatTirCommandsRead) {
  const ScratchFile wat(".wat", kFib), tir(".tir", "");
  ASSERT_EQ(RunTxvm({"compile", wat.path(), "-o", tir.path(), "--input", "-0,+7,-1"}).exit_code, 0);
  EXPECT_NE(tir.Read().find("// input: 0,7,18446744069414584320\n"), std::string::npos);
  EXPECT_EQ(RunTxvm({"tir", "lower", tir.path()}).exit_code, 0);
}

}  // namespace
}  // namespace txvm::frontends::cli
