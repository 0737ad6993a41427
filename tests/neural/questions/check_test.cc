// What reading a folder of sentences refuses, with its file and line, and what a check finds.
#include "neural/questions/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "isa/support/system/temp_file.h"
#include "neural/questions/draft.h"
#include "neural/questions/generator.h"
#include "neural/questions/sentence_file.h"
#include "tests/neural/questions/bank.h"

namespace txvm::neural::questions {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// A copy of the source tree's sentences that a test spoils.
class Copy : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("txvm_sentences_" + std::to_string(::getpid()) + "_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::copy(*QuestionsFolder({}), folder_, fs::copy_options::recursive);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Text(const std::string& file) const {
    std::ifstream in(folder_ / file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Write(const std::string& file, const std::string& text) const {
    std::ofstream(folder_ / file) << text;
  }
  /// Adds lines to a file; returns the number of the last one.
  std::size_t Append(const std::string& file, const std::string& lines) const {
    const std::string text = Text(file) + lines + "\n";
    Write(file, text);
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
  /// "file:line: why" of what reading refuses, or "".
  std::string Refusal() const {
    const auto read = QuestionBank::Read(folder_.string());
    if (read) return {};
    const isa::Error& error = read.error();
    return fs::path(error.place.file).filename().string() + ":" + std::to_string(error.place.line) +
           ": " + error.message;
  }
  void ExpectRefusal(const std::string& file, const std::string& lines,
                     const std::string& why) const {
    const std::string before = Text(file);
    const std::size_t line = Append(file, lines);
    EXPECT_EQ(Refusal(),
              fs::path(file).filename().string() + ":" + std::to_string(line) + ": " + why)
        << lines;
    Write(file, before);
  }

  fs::path folder_;
};

TEST_F(Copy, ABadLineIsRefusedWithItsPlace) {
  const std::string change = "families/change.txt";
  ExpectRefusal(change, "how many?",
                "the line does not begin with a number from 1 to 99999 and a blank");
  ExpectRefusal(change, "99998 how many? ",
                "the text is empty, or begins or ends with a blank; if that is meant, it stands "
                "between double quotes");
  ExpectRefusal(change, "== a + b", "a section is '== program | numbers', or that and ' | plain'");
  ExpectRefusal(change, "== a + | a > b",
                "the program 'a +' cannot be read at letter 4: a number, a letter or '(' is "
                "expected");
  ExpectRefusal(change, "== a + b | a:q", "'a:q' names no class of numbers");
  ExpectRefusal(change, "== ?why |", "'?why' is no program and no reason to abstain");
  ExpectRefusal(change, "99998 {N had {a} pens.",
                "{N had {a} is no number, person, list of words or form of one");
  ExpectRefusal(change, "99998 {N} had [{a} pens.", "a '[' is not closed");
  ExpectRefusal(change, "99998 {N} had {a} {zebras+}.",
                "{zebras+} is no number, person, list of words or form of one");
  ExpectRefusal(change, "99998 <no_such_rule>", "there is no rule <no_such_rule>");
  ExpectRefusal("rules/shared.txt", "== start_a", "the rule has no texts");
  ExpectRefusal("rules/shared.txt", "== round_and_round\n1 <round_and_round>",
                "the rule round_and_round comes to itself by way of round_and_round");
  ExpectRefusal("words.txt", "== wordz color", "the section has no words");
  ExpectRefusal("swaps.txt", "Twelve|Dozen",
                "a line is 'x|y|z' or 'x > y|z', of phrases in small letters");
  EXPECT_EQ(Refusal(), "");
}

TEST_F(Copy, ANumberIsThatOfOneLine) {
  Append("families/change.txt", "99998 {N} had {a} {I}.\n99998 {N} has {a} {I}.");
  EXPECT_THAT(Refusal(), HasSubstr("the number 99998 is that of line "));
  Append("families/scale.txt", "1 {N} has {a} {I}.");
  Write("families/change.txt", "== a - b | a > b\n1 {N} had {a} {I} and lost {b}. <q_left>\n");
  EXPECT_THAT(Refusal(), HasSubstr("the number 1 is that of "));
}

TEST_F(Copy, AFileThatNoFamilyHasIsRefused) {
  Write("families/colors.txt", "== a |\n99998 {a}\n");
  EXPECT_EQ(Refusal(), "colors.txt:0: families.def has no family of that name");
}

// Nothing that is drawn depends on the order of lines, sections or files.
TEST_F(Copy, TheOrderOfLinesDecidesNothing) {
  for (const std::string file : {"families/scale.txt", "rules/calls.txt", "steps.txt", "plots.txt",
                                 "contrasts.txt", "words.txt", "swaps.txt"}) {
    const std::string text = Text(file);
    std::vector<std::string> sections;
    for (std::size_t at = text.find("\n== "); at != std::string::npos;) {
      const std::size_t end = text.find("\n== ", at + 1);
      std::vector<std::string> lines;
      std::string section = text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
      while (section.ends_with('\n')) section.pop_back();
      for (std::size_t from = 0; from <= section.size();) {
        const std::size_t stop = std::min(section.find('\n', from), section.size());
        lines.push_back(section.substr(from, stop - from));
        from = stop + 1;
      }
      std::reverse(lines.begin() + 1, lines.end());
      std::string turned;
      for (const std::string& line : lines) turned += line + "\n";
      sections.push_back(std::move(turned));
      at = end;
    }
    std::ranges::reverse(sections);
    std::string turned;
    for (const std::string& section : sections) turned += section;
    Write(file, turned);
  }
  const auto turned = QuestionBank::Read(folder_.string());
  ASSERT_TRUE(turned) << turned.error().ToString();
  GeneratorOptions options;
  options.mixes_from = LastMixAlone();
  const Generator one(Bank(), options), two(**turned, options);
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    ASSERT_EQ(one.Make(i).question, two.Make(i).question);
    ASSERT_EQ(one.Make(i).phrasing, two.Make(i).phrasing);
  }
}

TEST(CheckQuestions, FindsNothingInTheSourceTree) {
  const QuestionCheck check = CheckQuestions(Bank());
  for (const isa::Error& fault : check.faults) ADD_FAILURE() << fault.ToString();
  EXPECT_EQ(check.dropped.size(), 1u) << "the one that the generator has always dropped";
  EXPECT_GT(check.sentences, 30'000u);
  EXPECT_GT(check.rules, 2'000u);
  EXPECT_GT(check.texts, 11'000u);
  EXPECT_EQ(check.next_number, check.sentences + 1);
}

TEST_F(Copy, ACheckFindsSentencesOfWhichNoQuestionComes) {
  Append("families/change.txt",
         "== a - b | a > b, b > a\n99994 {N} had {a} pens and lost {b}.\n"
         "== a - b | a > b\n99995 {N} had {a} pens and lost three of {b}.\n"
         "99996 Zoe has {a} apples. She gives away {b}. How many remain?");
  Append("rules/one_step.txt", "== one_scene_zoo\n1 T=apes; L");
  Append("swaps.txt", "pens|twelve pens");
  const std::string shared = Text("rules/one_step.txt");
  Write("rules/one_step.txt", "== one_lose_a\n1 x\n" + shared);
  const auto bank = QuestionBank::Read(folder_.string());
  ASSERT_TRUE(bank) << bank.error().ToString();
  const QuestionCheck check = CheckQuestions(**bank);
  std::vector<std::string> found;
  for (const isa::Error& fault : check.faults) found.push_back(fault.message);
  EXPECT_THAT(found, Contains("no numbers were found that meet the section's conditions"));
  EXPECT_THAT(found,
              Contains("a word of it would be read as a number that its program does not have"));
  ASSERT_EQ(check.dropped.size(), 2u);
  EXPECT_THAT(check.dropped[0].place.file, EndsWith("change.txt"));
  EXPECT_EQ(check.dropped[0].message,
            "each question of it is within two words of a fixed test sentence: none is drawn");
  EXPECT_THAT(found, Contains("'L' of the scene is not 'k=text'"));
  EXPECT_THAT(found, Contains(HasSubstr("'twelve pens' has the word 'twelve'")));
}

TEST_F(Copy, ACheckFindsFamiliesAndRulesThatLack) {
  fs::remove(folder_ / "families/money.txt");
  std::string rules = Text("rules/one_step.txt");
  const std::size_t at = rules.find("== one_lose_ask_c\n");
  ASSERT_NE(at, std::string::npos);
  rules.insert(at + 3, "x");
  const std::size_t scene = rules.find("one_lose_ab\n1 ");
  ASSERT_NE(scene, std::string::npos);
  rules.insert(scene + 14, "%9 ");
  Write("rules/one_step.txt", rules);
  const auto bank = QuestionBank::Read(folder_.string());
  ASSERT_TRUE(bank) << bank.error().ToString();
  std::vector<std::string> found;
  for (const isa::Error& fault : CheckQuestions(**bank).faults) found.push_back(fault.message);
  EXPECT_THAT(found, Contains("the family Money has no sentences: families/money.txt is needed"));
  EXPECT_THAT(found, Contains("the rule one_lose_ask_c is needed and does not exist"));
  EXPECT_THAT(found, Contains("no scene fills the '%9' of the rule one_lose_ab"));
}

// A rule whose name is put together is there, and the scenes fill what is open in its texts.
TEST(RuleNeeds, AreThoseOfAllPlans) {
  EXPECT_GT(RulesOfPlots(Bank()).size(), 3 * Bank().plots().size());
  EXPECT_GT(RulesOfOneStep(Bank()).size(), 2 * CountOneStepQuestions());
  EXPECT_GT(RulesOfUnanswerable(Bank()).size(), 2 * CountUnanswerableQuestions());
  EXPECT_GT(RulesOfCalls().size(), 60u);
}

TEST(QuestionsFolder, SaysWhereItLooked) {
  const auto none = QuestionsFolder("/no/such/folder");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "/no/such/folder is no folder of sentences: it has no folder families in it");
  EXPECT_THAT(*QuestionsFolder({}), EndsWith("sentences"));
}

}  // namespace
}  // namespace txvm::neural::questions
