// txvm ask with a chat model of random weights: which reader takes it, and what it can be told.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "neural/llm/save.h"
#include "neural/llm/tokenizer.h"
#include "tests/frontends/cli/cli_runner.h"
#include "tests/neural/llm/random_model.h"
#include "tests/neural/llm/tokenizer_files.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;

class AskChat : public testing::Test {
 protected:
  AskChat() {
    llm::Config config = llm::SmallConfig(1, true);
    config.vocab = llm::SpecFromJson(llm::kByteTokenizer)->pieces.size();
    config.hidden = 32;
    config.feed_forward = 48;
    config.layers = 1;
    config.heads = 2;
    config.positions = 4096;
    EXPECT_TRUE(llm::SaveSafetensors(*llm::RandomModel(config, 3), folder_.path(), {}));
    llm::WriteText(folder_ / "tokenizer.json", llm::kByteTokenizer);
  }

  isa::ChildResult Ask(std::vector<std::string> words) const {
    words.insert(words.begin(), {"ask", "--model", folder_.path(), "--pipeline", "comparison"});
    words.push_back("Is 31 above 14?");
    return cli::RunTxvm(words);
  }

  llm::TemporaryFolder folder_;
};

TEST_F(AskChat, ShowTellsWhichReaderItIs) {
  const auto seed = Ask({"--show"});
  EXPECT_TRUE(seed.out.starts_with("reader     chat model, prompt seed, pipeline comparison\n"))
      << seed.out << seed.err;
  EXPECT_NE(seed.out.find("program    "), std::string::npos) << seed.out;
  llm::WriteText(folder_ / "tokenizer_config.json",
                 R"({"chat_template": "{{ '<|user|>' + m['content'] + eos_token }}"})");
  EXPECT_TRUE(Ask({"--show"}).out.starts_with("reader     chat model, prompt template,"));
  EXPECT_TRUE(
      Ask({"--show", "--prompt", "seed"}).out.starts_with("reader     chat model, prompt seed,"));
}

TEST_F(AskChat, AThresholdOfOneAbstainsUnlessAbstentionIsForbidden) {
  const auto unsure = Ask({"--json", "--threshold", "1"});
  EXPECT_EQ(unsure.exit_code, 0);
  EXPECT_NE(unsure.out.find("\"answer\": null, \"canonical\": \"?unclear\", \"abstained\": true"),
            std::string::npos)
      << unsure.out;
  EXPECT_NE(unsure.out.find(" is below the threshold 1\""), std::string::npos) << unsure.out;
  const std::string module = folder_ / "program.wasm";
  const auto unwritten = Ask({"--wasm", module, "--threshold", "1"});
  EXPECT_NE(unwritten.err.find("no program: '" + module + "' is not written"), std::string::npos)
      << unwritten.err;
  EXPECT_FALSE(std::filesystem::exists(module));
  const auto forced = Ask({"--json", "--no-abstain"});
  EXPECT_EQ(forced.out.find("?unclear"), std::string::npos) << forced.out;
}

TEST(AskCommand, ArgumentsThatWouldBeIgnoredAreRefused) {
  llm::TemporaryFolder folder;
  llm::WriteText(folder / "lines.jsonl", R"({"question": "N0 + N1", "id": 18446744073709551615})");
  const auto code = [](const std::vector<std::string>& words) {
    return cli::RunTxvm(words).exit_code;
  };
  const std::string lines = folder / "lines.jsonl";
  EXPECT_EQ(code({"ask", "--batch", lines, "Add 5 and 6"}), 2);
  EXPECT_EQ(code({"ask", "--batch", lines, "--wasm", folder / "x.wasm"}), 2);
  EXPECT_EQ(code({"ask", "--canonical", "--model", folder.path(), "5 + 6"}), 2);
  EXPECT_EQ(code({"ask", "--canonical", "--threshold", "0.9", "5 + 6"}), 2);
  EXPECT_EQ(code({"ask", "--canonical", "--no-abstain", "5 + 6"}), 2);
  EXPECT_EQ(code({"ask", "--no-abstain", "--threshold", "0.9", "Add 5 and 6"}), 2);
  EXPECT_EQ(code({"ask", "What is 5 plus 6?", "What is 7 times 8?"}), 2);
  EXPECT_EQ(code({"ask", "-", "Add 5 and 6"}), 2);
  const auto program = cli::RunTxvm({"ask", "--canonical", "--batch", lines, "N0 + N1"});
  EXPECT_EQ(program.exit_code, 2);
  EXPECT_EQ(program.err,
            "txvm: error: 'N0 + N1' has no number: beside --batch, words are texts that give N0, "
            "N1, ..., and FILE has the programs\n");
  const auto beside = cli::RunTxvm({"ask", "--canonical", "-", "N0 * N1"}, "2\n");
  EXPECT_EQ(beside.exit_code, 2);
  EXPECT_EQ(beside.err,
            "txvm: error: 'N0 * N1' has no number: beside -, words are texts that give N0, N1, "
            "..., and standard input has the programs\n");
  EXPECT_EQ(cli::RunTxvm({"ask", "--canonical", "-", "50 and 15"}, "N0 + N1\n").out, "65\n");
  const auto given = cli::RunTxvm({"ask", "--canonical", "--batch", lines, "50 and 15"});
  EXPECT_EQ(given.exit_code, 0) << given.err;
  EXPECT_NE(given.out.find("\"answer\": \"65\""), std::string::npos) << given.out;
  EXPECT_NE(given.out.find("\"id\": 18446744073709551615"), std::string::npos) << given.out;
}

// A refused run has a program all the same, and whoever looks into the refusal wants it.
TEST(AskCommand, TheModuleOfARefusedProgramIsWritten) {
  llm::TemporaryFolder folder;
  const std::string module = folder / "program.wasm";
  const auto refused = cli::RunTxvm({"ask", "--canonical", "--wasm", module, "1 / 0"});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_EQ(refused.err, "txvm: no answer: division by zero; '/' (token 2) of 1 and 0\n");
  EXPECT_TRUE(std::filesystem::exists(module));
  EXPECT_EQ(cli::RunTxvm({"run", module, "--invoke", "compute"}).exit_code, 4);
}

// The exit code is 0: whoever goes on with the file must be told, with JSON as well.
TEST(AskCommand, AnAbstentionSaysThatNoModuleIsWritten) {
  llm::TemporaryFolder folder;
  const std::string module = folder / "program.wasm";
  const std::string note = "txvm: no program: '" + module + "' is not written\n";
  const auto told = cli::RunTxvm({"ask", "--canonical", "--wasm", module, "?chat"});
  EXPECT_EQ(told.err, "txvm: no answer: the text asks for no number\n" + note);
  const auto json = cli::RunTxvm({"ask", "--canonical", "--json", "--wasm", module, "?chat"});
  EXPECT_EQ(json.exit_code, 0);
  EXPECT_EQ(json.err, note);
  EXPECT_FALSE(std::filesystem::exists(module));
}

TEST(AskCommand, AModuleDoesNotGoWhereTheAnswerGoes) {
  const auto asked = cli::RunTxvm({"ask", "--canonical", "--wasm", "-", "1 + 1"});
  EXPECT_EQ(asked.exit_code, 2);
  EXPECT_EQ(asked.out, "");
  EXPECT_NE(asked.err.find("--wasm - is standard output"), std::string::npos) << asked.err;
}

TEST(AskCommand, WordsInBracketsAreOneWord) {
  const auto asked = cli::RunTxvm({"ask", "--canonical", "max [N0, N1, N2]", "[3, 9 and 4]"});
  EXPECT_EQ(asked.out, "9\n") << asked.err;
}

TEST(AskCommand, TextsMayBeginWithAMinus) {
  EXPECT_EQ(cli::RunTxvm({"ask", "--canonical", "-(3 + 4)"}).out, "-7\n");
  EXPECT_EQ(cli::RunTxvm({"ask", "--canonical", "-.5 * 3"}).out, "-3/2 (-1.5)\n");
  EXPECT_EQ(cli::RunTxvm({"ask", "--canonical", "N0 + 1", "-$5"}).out, "-4\n");
  EXPECT_EQ(cli::RunTxvm({"ask", "--canonical", "--", "-N0", "5"}).out, "-5\n");
  const auto refused = cli::RunTxvm({"ask", "--canonical", "-N0", "5"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("a text that begins with - goes after --"), std::string::npos)
      << refused.err;
}

// An object a line, under its id: a line that has no question is found again, too.
TEST(AskCommand, BatchObjectsWithoutTextKeepTheirIds) {
  const auto asked = cli::RunTxvm({"ask", "--canonical", "--batch", "-"},
                                  "\xEF\xBB\xBF{\"text\": \"1 + 1\", \"id\": 1}\n{\"id\": 2}\n");
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_NE(asked.out.find("\"answer\": \"2\""), std::string::npos) << asked.out;
  EXPECT_TRUE(asked.out.ends_with("\"confidence\": null, \"id\": 2}\n")) << asked.out;
  const auto empty = cli::RunTxvm({"ask", "--canonical", "--batch", "-"},
                                  "{\"text\": \"1 + 1\", \"id\": \"\"}\n1 + 2\n");
  EXPECT_NE(empty.out.find("\"id\": \"\"}\n"), std::string::npos) << empty.out;
  EXPECT_TRUE(empty.out.ends_with("\"id\": null}\n")) << empty.out;
}

TEST(AskCommand, JsonTellsWhatFailed) {
  const auto asked = cli::RunTxvm({"ask", "--canonical", "--json", "1 +"});
  EXPECT_EQ(asked.exit_code, 3);
  EXPECT_TRUE(
      asked.out.starts_with("{\"question\": \"1 +\", \"answer\": null, \"canonical\": null"))
      << asked.out;
  EXPECT_NE(asked.out.find("\"reason\": \"1:4: the end of the program where an operand"),
            std::string::npos)
      << asked.out;
  EXPECT_EQ(asked.err, "");
  const auto question = cli::RunTxvm({"ask", "--json", "5 apples\nand 1.2.3 pears"});
  EXPECT_EQ(question.exit_code, 3);
  EXPECT_NE(question.out.find("\"reason\": \"2:5: "), std::string::npos) << question.out;
}

TEST(AskCommand, JsonNamesTheFileThatFailed) {
  const auto asked =
      cli::RunTxvm({"ask", "--canonical", "--json", "--wasm", "/nowhere/program.wasm", "1 + 1"});
  EXPECT_EQ(asked.exit_code, 1);
  EXPECT_NE(asked.out.find("\"reason\": \"/nowhere/program.wasm: cannot write: "),
            std::string::npos)
      << asked.out;
}

TEST(AskCommand, LinesOfBlanksAreSkipped) {
  const auto asked = cli::RunTxvm({"ask", "--canonical", "-"}, "  \t\n1 + 1\n");
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_EQ(asked.out, "2\n");
}

TEST(AskCommand, InputThatCannotBeReadIsNoEnd) {
  for (const std::string how : {"- </", "- <&-", "--interactive </"}) {
    const auto asked =
        isa::RunChild({"/bin/sh", "-c", "exec " TXVM_BINARY " ask --canonical " + how}, {}, 60);
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->exit_code, 3) << how;
    EXPECT_TRUE(asked->err.starts_with("<stdin>: error: cannot read: ")) << how << asked->err;
  }
}

TEST(AskCommand, AByteOrderMarkIsNoPartOfTheFirstLine) {
  const std::string lines =
      "\xEF\xBB\xBF"
      "5 + 6\n7 + 8\n\n";
  for (const std::string how : {"-", "--interactive"}) {
    const auto asked = cli::RunTxvm({"ask", "--canonical", how}, lines);
    EXPECT_EQ(asked.out, "11\n15\n") << how << asked.err;
  }
}

// Endless input without a line's end took memory until there was none, and then ended as if all had
// been answered.
TEST(AskCommand, AnEndlessLineIsRefused) {
  constexpr std::size_t kMost = 16u << 20;
  const auto asked =
      cli::RunTxvm({"ask", "--canonical", "-"}, "1 + 1\n" + std::string(kMost + 1, ' ') + "\n2\n");
  EXPECT_EQ(asked.exit_code, 7);
  EXPECT_EQ(asked.out, "2\n");
  EXPECT_NE(asked.err.find("is longer than the limit of 16777216 bytes"), std::string::npos)
      << asked.err;
  const auto longest =
      cli::RunTxvm({"ask", "--canonical", "-"}, std::string(kMost - 1, ' ') + "1\n2\r\n3");
  EXPECT_EQ(longest.out, "1\n2\n3\n") << longest.err;
}

TEST_F(AskChat, AnUnknownTemplateIsRefusedByName) {
  const auto refused = Ask({"--prompt", "template"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.err.find("no chat template of a known family"), std::string::npos)
      << refused.err;
}

}  // namespace
}  // namespace txvm::frontends::nl
