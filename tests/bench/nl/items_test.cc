// Where questions come from.
#include "bench/nl/items.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/neural/questions/bank.h"

namespace txvm::bench::nl {
namespace {

std::string Written(std::string_view text) {
  const auto path = std::filesystem::path(testing::TempDir()) / "txvm-items.jsonl";
  std::ofstream(path) << text;
  return path.string();
}

TEST(FixedSets, AreTheHundredAndTwo) {
  std::size_t items = 0;
  const auto sets = ReadSentenceSets({});
  ASSERT_TRUE(sets) << sets.error().message;
  for (const ItemSet& set : sets->fixed) items += set.items.size();
  EXPECT_EQ(sets->fixed.size(), 8u);
  EXPECT_EQ(items, 102u);
}

TEST(WrittenSets, HaveAnswersOrNone) {
  const std::vector<ItemSet> sets = ReadSentenceSets({})->written;
  ASSERT_EQ(sets.size(), 8u);
  for (const ItemSet& set : sets) {
    EXPECT_GE(set.items.size(), 100u) << set.name;
    for (const Item& item : set.items) {
      EXPECT_EQ(item.answer.empty(), set.name == "no-answer") << item.question;
    }
  }
}

TEST(ReadItems, TakesNumbersInSeveralForms) {
  const auto set = ReadItems(Written(R"({"question": "q", "answer": 7}
{"nl_input": "q", "expected_result": -5.0}

{"text": "q", "result": "7/2"}
{"text": "q", "expected": 2.5})"));
  ASSERT_TRUE(set) << set.error().message;
  ASSERT_EQ(set->items.size(), 4u);
  EXPECT_EQ(set->items[0].answer, "7");
  EXPECT_EQ(set->items[1].answer, "-5");
  EXPECT_EQ(set->items[2].answer, "7/2");
  EXPECT_EQ(set->items[3].answer, "5/2");
}

TEST(ReadItems, ReducesFractionsAndRefusesWhatIsNone) {
  const auto set =
      ReadItems(Written("{\"text\": \"q\", \"answer\": \"6/4\"}\r\n\r\n"
                        "{\"text\": \"q\", \"answer\": \"-8/4\"}\r\n"
                        "{\"text\": \"q\", \"answer\": 1e20}\n"));
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->items[0].answer, "3/2");
  EXPECT_EQ(set->items[1].answer, "-2");
  EXPECT_EQ(set->items[2].answer, "100000000000000000000");
  const std::string deep = std::string(300'000, '[') + std::string(300'000, ']');
  for (const std::string answer :
       {"\"5/abc\"", "\"5/0\"", "\"\"", "true", "\"1e9999999999\"", deep.c_str()}) {
    EXPECT_FALSE(ReadItems(Written("{\"text\": \"q\", \"answer\": " + answer + "}")))
        << answer.substr(0, 20);
  }
}

TEST(ReadItems, NamesTheBadLineButNotItsText) {
  const auto set = ReadItems(Written("{\"question\": \"q\", \"answer\": 7}\n{\"text\": \"x\"}\n"));
  ASSERT_FALSE(set);
  EXPECT_NE(set.error().message.find("line 2"), std::string::npos);
  EXPECT_FALSE(ReadItems("/no/such/file.jsonl"));
}

TEST(DrawItems, GivesWantedHeldOutPrograms) {
  Draw draw;
  draw.options.split = neural::questions::Split::kHeldOut;
  draw.options.axis = neural::questions::Axis::kTemplates;
  draw.options.family = neural::questions::Family::kRange;
  draw.count = 20;
  draw.wanted = [](std::string_view program) { return program.starts_with("sum N"); };
  const std::vector<Item> items = DrawItems(neural::questions::Bank(), draw);
  ASSERT_EQ(items.size(), 20u);
  for (const Item& item : items) EXPECT_TRUE(item.program.starts_with("sum N")) << item.program;
  EXPECT_GE(DistinctPhrasings(neural::questions::Bank().lexicon(), items),
            DistinctTemplates(items));
}

TEST(PrintedProgram, DropsWhatIsNotNeeded) {
  EXPECT_EQ(PrintedProgram("( N0 + N1 ) * 2 ="), "(N0 + N1) * 2");
  EXPECT_EQ(PrintedProgram("?chat ="), "?chat");
}

TEST(WithoutQuestion, TakesTheQuestionAway) {
  EXPECT_EQ(WithoutQuestion("Mr. Bell has 2.5 kg. He sells 1 kg. How much is left?"),
            "Mr. Bell has 2.5 kg. He sells 1 kg.");
  EXPECT_EQ(WithoutQuestion("How many are left? Ann had 7 and ate 2."), "Ann had 7 and ate 2.");
  EXPECT_EQ(WithoutQuestion("What is 5 plus 3?"), std::nullopt);
  EXPECT_EQ(WithoutQuestion("Hello. How many?"), std::nullopt) << "no number is left";
  EXPECT_EQ(WithoutQuestion("Add 5 and 3."), std::nullopt);
}

}  // namespace
}  // namespace txvm::bench::nl
