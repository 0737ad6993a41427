// txvm lens as a user calls it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::nl {
namespace {

// Of a thousand lines, the message must tell which one.
TEST(LensCommand, AnErrorNamesTheLineOfTheFile) {
  struct Row {
    std::string_view lines, err;
  };
  constexpr Row kRows[] = {
      {"Add 5 and 6\n\nAdd 5 and 1.2.3\n",
       ":3:11: error: '1.2.3' is no number: a number has one point at most\n"
       "  Add 5 and 1.2.3\n            ^\n"},
      {"Add 5 and 6\n{\"text\": \"Add 5 and 1.2.3\"}\n",
       ":2: error: '1.2.3' is no number: a number has one point at most\n"},
      {"Add 5 and 6\n{}\n",
       ":2: error: the JSON object has no text under question, nl_input or text\n"}};
  for (const auto& [lines, err] : kRows) {
    const cli::ScratchFile file(".txt", lines);
    const auto asked = cli::RunTxvm({"lens", "--file", file.path()});
    EXPECT_EQ(asked.exit_code, 3);
    EXPECT_EQ(asked.err, file.path() + std::string(err));
    EXPECT_EQ(cli::RunTxvm({"lens", "--file", "-"}, lines).err, "<stdin>" + std::string(err));
    EXPECT_EQ(cli::RunTxvm({"lens", "-"}, lines).err, "<stdin>" + std::string(err));
  }
  const auto mixed = cli::RunTxvm({"lens", "-"}, "Add 1.2.3\n\nAdd 5 and 6\n");
  EXPECT_EQ(mixed.exit_code, 3);
  EXPECT_NE(mixed.out.find("question   Add 5 and 6"), std::string::npos) << mixed.out;
  EXPECT_NE(mixed.out.find("of 1 question with an operator"), std::string::npos) << mixed.out;
  const auto word = cli::RunTxvm({"lens", "Add 5 and 1.2.3"});
  EXPECT_TRUE(word.err.starts_with("question:1:11: error: ")) << word.err;
}

// "txvm lens - QUESTION" read no line, and looked at "-" as a question.
TEST(LensCommand, StandardInputIsNoneOfSeveralQuestions) {
  const cli::ScratchFile file(".txt", "Add 5 and 6\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"lens", "-", "Add 5 and 6"},
        {"lens", "Add 5 and 6", "-"},
        {"lens", "-", "--file", file.path()}}) {
    const auto refused = cli::RunTxvm(words, "Add 7 and 8\n");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.err,
              "txvm: error: - stands for the lines of standard input and takes no other question "
              "and no --file\n");
  }
}

TEST(LensCommand, AQuestionIsShownWithoutWhatATerminalObeys) {
  const auto looked = cli::RunTxvm({"lens", "Add \x1b[31m5 and 6\xff", "--top", "0"});
  EXPECT_TRUE(looked.out.starts_with("question   Add \\1b[31m5 and 6\\ef\\bf\\bd\n")) << looked.out;
}

// A probe that was not trained is right about nothing: that is no measurement of the layer.
TEST(LensCommand, TheTableSaysNothingOfAProbeThatWasNotTrained) {
  const auto table = [](const std::string& probe_items) {
    return cli::RunTxvm({"lens", "--table", "--items", "4", "--probe-items", probe_items, "--json"})
        .out;
  };
  const std::string none = table("0"), some = table("4");
  EXPECT_NE(none.find("\"probe\": null"), std::string::npos) << none;
  EXPECT_EQ(none.find("\"probe\": 0"), std::string::npos) << none;
  EXPECT_NE(some.find("\"probe\": "), std::string::npos) << some;
  EXPECT_EQ(some.find("\"probe\": null"), std::string::npos) << some;
}

}  // namespace
}  // namespace txvm::frontends::nl
