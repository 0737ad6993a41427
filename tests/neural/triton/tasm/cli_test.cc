// txvm tir profile as a user runs it. The JSON keys are an interface and are tested as text.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "frontends/cli/support/exit_code.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kFibonacci =
    "push 0 push 1 read_io 1 dup 0 skiz call fib_loop pop 1 write_io 1 halt fib_loop: push -1 add "
    "swap 2 dup 1 add swap 1 swap 2 dup 0 skiz recurse return\n";

isa::ChildResult Profile(std::string_view text, std::vector<std::string> options) {
  const ScratchFile file(".tasm", text);
  options.insert(options.begin(), {"tir", "profile", file.path()});
  return RunTxvm(options);
}

TEST(TasmCli, JsonHasTheDigestAndTheWords) {
  const isa::ChildResult result = Profile("push 1 halt", {"--json"});
  EXPECT_NE(result.out.find("\"words\": 3"), std::string::npos) << result.out;
  const isa::ChildResult shown = Profile("dup 11 write_io 1 halt", {"--json"});
  const auto key = shown.out.find("\"digest\": [");
  ASSERT_NE(key, std::string::npos) << shown.out;
  const auto first = shown.out.find('"', key + 11);
  const std::string word = shown.out.substr(first, shown.out.find('"', first + 1) - first + 1);
  EXPECT_EQ(shown.out.find("\"output\": [" + word + "]"), shown.out.find("\"output\"")) << word;
}

TEST(TirProfile, JsonHasExactlyTheseKeysInThisOrder) {
  const isa::ChildResult result = Profile(kFibonacci, {"--input", "10", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(
      result.out,
      "{\"output\": [\"89\"], \"crash\": null, \"heights\": {\"program\": 40, \"processor\": "
      "109, \"op_stack\": 67, \"ram\": 0, \"jump_stack\": 109, \"hash\": 24, \"cascade\": 272, "
      "\"lookup\": 256, \"u32\": 0}, \"padded\": 512, \"seed6\": [109, 0, 0, 97, 0, 11], "
      "\"seed6_static\": [20, 0, 0, 16, 0, 3], \"words\": 33, \"digest\": "
      "[\"5186925207470807912\", \"3901160480646663364\", \"16764958549251001458\", "
      "\"9336043273417549616\", \"2033410316077018770\"]}\n");
}

TEST(TirProfile, ReadsEveryKindOfInputFromOptionsAndFromAFile) {
  constexpr std::string_view kText =
      "read_io 2 write_io 2 divine 1 write_io 1 push 8 read_mem 1 pop 1 write_io 1 push 5 push 5 "
      "push 4 push 3 push 2 push 1 merkle_step write_io 5 write_io 1 halt";
  const isa::ChildResult by_options =
      Profile(kText, {"--input", "-1,2", "--secret", "3", "--ram", "8=4,9=-5", "--digests",
                      "11:12:13:14:15", "--json"});
  const ScratchFile inputs(
      ".json",
      "{\"input\": [-1, \"2\"], \"secret\": [3], \"ram\": {\"8\": 4, \"9\": -5}, "
      "\"digests\": [[11, 12, 13, 14, 15]], \"max_cycles\": 100, \"isa\": "
      "\"dot\"}");
  const isa::ChildResult by_file = Profile(kText, {"--from", inputs.path(), "--json"});
  EXPECT_EQ(by_options.exit_code, 0) << by_options.err;
  EXPECT_EQ(by_options.out, by_file.out) << by_file.err;
  EXPECT_NE(by_options.out.find("[\"2\", \"18446744069414584320\", \"3\", \"4\", "
                                "\"6393811702125856473\""),
            std::string::npos)
      << by_options.out;
  const isa::ChildResult both =
      Profile(kText, {"--from", inputs.path(), "--input", "7,8", "--json"});
  EXPECT_NE(both.out.find("[\"8\", \"7\", \"3\""), std::string::npos) << both.out;
}

TEST(TirProfile, CrashesAreResultsWithTheirOwnExitCodes) {
  const std::tuple<const char*, std::vector<std::string>, const char*, ExitCode> cases[] = {
      {"push 0 assert halt", {"--json"}, "\"crash\": \"assert\"", ExitCode::kTrap},
      {"pop 1", {"--json"}, "\"crash\": \"shallow\"", ExitCode::kTrap},
      {"nop halt",
       {"--max-cycles", "1", "--json"},
       "\"crash\": \"cycle limit\"",
       ExitCode::kOutOfFuel},
      {"halt", {"--max-memory", "10", "--json"}, "\"crash\": \"memory limit\"", ExitCode::kLimit},
      {"nop\n push 0 assert error_id 9\n",
       {},
       "assert at instruction 3, line 2, `assert`, error_id 9",
       ExitCode::kTrap},
  };
  for (const auto& [text, options, expected, code] : cases) {
    const isa::ChildResult result = Profile(text, options);
    EXPECT_NE(result.out.find(expected), std::string::npos) << text << result.out << result.err;
    EXPECT_EQ(result.exit_code, Value(code)) << text;
  }
}

TEST(TirProfile, ARunThatCannotBeginHasNothingToProve) {
  const isa::ChildResult result = Profile("halt", {"--max-memory", "10", "--json"});
  EXPECT_NE(result.out.find("\"padded\": 0,"), std::string::npos) << result.out;
}

TEST(TirProfile, HornerNeedsItsInstructionSet) {
  const isa::ChildResult dot = Profile("b_horner_step halt", {});
  EXPECT_EQ(dot.exit_code, Value(ExitCode::kBadInput));
  EXPECT_NE(dot.err.find("belongs to the horner instruction set"), std::string::npos);
  EXPECT_EQ(Profile("b_horner_step halt", {"--isa", "horner"}).exit_code, 0);
}

TEST(TirProfile, BadRequestsSayWhatIsWrong) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"--input", "1,x"}, "--input: 'x' is no field element"},
      {{"--input", "18446744069414584321"}, "is no field element"},
      {{"--digests", "1:2:3"}, "a digest has 5 elements, not 3"},
      {{"--ram", "5"}, "is not of the form address=value"},
      {{"--isa", "v9"}, "'v9' is no instruction set"},
      {{"--from", "/nonexistent.json"}, "/nonexistent.json"},
  };
  for (const auto& [options, message] : cases) {
    const isa::ChildResult result = Profile("halt", options);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  }
  const std::pair<const char*, const char*> files[] = {
      {"{", ":1:2: error: the inputs are not JSON"},
      {"{\n  \"input\": [1,\n 2 3]}", ":3:4: error: the inputs are not JSON\n   2 3]}\n     ^"},
      {"{\"input\": [1e999]}", "the inputs are not JSON"},
      {"[]", "must be an object"},
      {"{\"inputs\": []}", "the key 'inputs' must be one of input, secret"},
      {"{\"input\": [1.5]}", "element 1 of input must be an integer"},
      {"{\"input\": [1, 2, 1e3]}", "p = 2^64 - 2^32 + 1; it is 1000.0\n"},
      {"{\"secret\": [1, [2]]}", "element 2 of secret must be an integer"},
      {"{\"secret\": 5}", "secret must be a list of elements; it is 5\n"},
      {"{\"ram\": {\"x\": 1}}", "an address of ram must be an integer"},
      {"{\"ram\": {\"9\": null}}", "the value at 9 of ram must be an integer"},
      {"{\"max_cycles\": -1}", "must be a count of at most 18446744073709551615; it is -1\n"},
      {"{\"max_cycles\": 18446744073709551616}", "it is 1.8446744073709552e+19\n"},
      {"{\"isa\": {}}", "isa must be \"dot\" or \"horner\"; it is an object\n"},
      {"{\"input\": [1], \"input\": [2]}", "the key 'input' is there twice"},
      {"{\"ram\": {\"1\": 2, \"1\": 3}}", "the key '1' is there twice"},
      {"{\"digests\": [[1]]}", "digest 1: a digest has 5 elements, not 1"},
      {"{\"digests\": [[1, 2, 3, 4, 5], [\"x\"]]}", "element 1 of digest 2 must be an integer"},
  };
  for (const auto& [text, message] : files) {
    const ScratchFile inputs(".json", text);
    const isa::ChildResult result = Profile("halt", {"--from", inputs.path()});
    EXPECT_NE(result.exit_code, 0);
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  }
}

TEST(TirProfile, ABadInputFileIsNamedAndIsBadInput) {
  for (const char* text : {R"({"digests": [[1, 2, 3, 4]]})", R"({"isa": "x"})", R"({"isa": 1})"}) {
    const ScratchFile inputs(".json", text);
    const isa::ChildResult result = Profile("halt", {"--from", inputs.path()});
    EXPECT_EQ(result.exit_code, Value(ExitCode::kBadInput)) << result.err;
    EXPECT_NE(result.err.find(inputs.path()), std::string::npos) << result.err;
  }
}

TEST(TirProfile, ErrorsShowWhatIsInAFileShortAndHarmless) {
  const std::string bell = "\\u001b[2J\\n" + std::string(200'000, 'x');
  for (const std::string& text :
       {"{\"" + bell + "\": 1}", "{\"input\": [\"" + bell + "\"]}", "{\"isa\": \"" + bell + "\"}",
        "{\"ram\": {\"" + bell + "\": 1}}", "{\"" + bell + "\": 1, \"" + bell + "\": 1}"}) {
    const ScratchFile inputs(".json", text);
    const isa::ChildResult result = Profile("halt", {"--from", inputs.path()});
    EXPECT_EQ(result.exit_code, Value(ExitCode::kBadInput)) << text.substr(0, 40);
    EXPECT_NE(result.err.find("1b[2J"), std::string::npos) << result.err.substr(0, 400);
    EXPECT_EQ(result.err.find('\x1b'), std::string::npos) << result.err.substr(0, 400);
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err.substr(0, 400);
    EXPECT_LT(result.err.size(), 300u);
  }
}

TEST(TirProfile, HostileFilesAreErrors) {
  EXPECT_EQ(Profile(std::string("push \0", 6), {}).exit_code, Value(ExitCode::kBadInput));
  EXPECT_EQ(Profile("call x", {}).exit_code, Value(ExitCode::kBadInput));
  const std::string deep(200'000, '[');
  const ScratchFile inputs(".json", deep);
  EXPECT_EQ(Profile("halt", {"--from", inputs.path()}).exit_code, Value(ExitCode::kBadInput));
  EXPECT_EQ(Profile("call l l: recurse", {"--max-cycles", "1M"}).exit_code,
            Value(ExitCode::kOutOfFuel));
}

TEST(TirProfile, SaysWhatToDoWithTir) {
  const ScratchFile tir(".tir", "entry main fn main { push 1 write_io 1 }\n");
  const isa::ChildResult refused = RunTxvm({"tir", "profile", tir.path()});
  EXPECT_EQ(refused.exit_code, Value(ExitCode::kUsage));
  EXPECT_NE(refused.err.find("is TIR; txvm tir lower makes"), std::string::npos) << refused.err;
}

TEST(TirProfile, TakesOneFileFromStandardInput) {
  const isa::ChildResult both = RunTxvm({"tir", "profile", "-", "--from", "-"}, "halt\n");
  EXPECT_EQ(both.exit_code, Value(ExitCode::kUsage)) << both.out;
  EXPECT_NE(both.err.find("cannot both come from standard input"), std::string::npos) << both.err;
}

TEST(Tir, NamesItsCommands) {
  EXPECT_NE(RunTxvm({"tir", "--help"}).out.find("profile"), std::string::npos);
  EXPECT_EQ(RunTxvm({"tir"}).exit_code, Value(ExitCode::kUsage));
  EXPECT_NE(RunTxvm({"tir", "nonsense"}).err.find("'nonsense' is no command"), std::string::npos);
}

}  // namespace
}  // namespace txvm::frontends::cli
