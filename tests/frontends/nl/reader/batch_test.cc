#include "frontends/nl/reader/batch.h"

#include <gtest/gtest.h>

#include <string>

namespace txvm::frontends::nl {
namespace {

std::string QuestionOf(std::string_view line) {
  const auto item = ReadBatchLine(line);
  return item ? item->question : "error: " + item.error().message;
}

BatchItem ItemOf(const std::string& id) {
  return ReadBatchLine("{\"text\": \"x\", \"id\": " + id + "}").value();
}

TEST(BatchLine, TakesTextOrJson) {
  EXPECT_EQ(QuestionOf("Add 1 and 2"), "Add 1 and 2");
  EXPECT_EQ(QuestionOf(R"({"question": "a\nb"})"), "a\nb");
  EXPECT_EQ(QuestionOf(R"( {"nl_input": "b", "text": "c"})"), "b");
  EXPECT_EQ(QuestionOf(R"({"text": "c", "question": "d"})"), "d");
  EXPECT_EQ(QuestionOf(R"({"more": {"question": "e"}, "text": "c"})"), "c");
  EXPECT_EQ(QuestionOf("[1, 2]"), "[1, 2]");
  EXPECT_EQ(QuestionOf(""), "");
}

// Its digits would be operands else.
TEST(BatchLine, AnObjectThatIsNoneIsAnError) {
  constexpr std::string_view kNoText =
      "error: the JSON object has no text under question, nl_input or text";
  EXPECT_EQ(QuestionOf(R"({"other": 1})"), kNoText);
  EXPECT_EQ(QuestionOf(R"({"question": 3})"), kNoText);
  EXPECT_EQ(
      QuestionOf(R"({"question": "Add 5 and 6", "id": 7)"),
      "error: a line that begins with '{' is a JSON object; this one is none from byte 36 on");
  EXPECT_TRUE(QuestionOf("{\"question\": \"caf\xE9 5\"}").starts_with("error: "));
  EXPECT_TRUE(QuestionOf("{1, 2}").starts_with("error: "));
}

TEST(BatchLine, KeepsIdsAsTheyAreWritten) {
  for (const std::string number : {"12", "1.5", "1.10", "-3", "18446744073709551615",
                                   "123456789012345678901234", "1e3", "-0", "0", "-0.0"}) {
    EXPECT_EQ(ItemOf(number).id, number);
    EXPECT_TRUE(ItemOf(number).id_is_number);
  }
  EXPECT_EQ(ItemOf("\"12\"").id, "12");
  EXPECT_FALSE(ItemOf("\"12\"").id_is_number);
  for (const std::string other : {"[1]", "true", "null", "{\"id\": 4}"}) {
    EXPECT_EQ(ItemOf(other).id, std::nullopt) << other;
  }
  EXPECT_EQ(ReadBatchLine(R"({"text": "x"})")->id, std::nullopt);
  EXPECT_EQ(ItemOf("\"\"").id, "");
}

// Whoever looks answers up by their ids finds that there is none.
TEST(BatchLine, AnObjectWithoutTextKeepsItsId) {
  const BatchItem text = UnreadableItem(R"({"id": "a7", "question": 5})");
  EXPECT_EQ(text.question, R"({"id": "a7", "question": 5})");
  EXPECT_EQ(text.id, "a7");
  EXPECT_FALSE(text.id_is_number);
  const BatchItem number = UnreadableItem(R"({"id": 1.50})");
  EXPECT_EQ(number.id, "1.50");
  EXPECT_TRUE(number.id_is_number);
  // Where a line is cut off, its last number may be.
  EXPECT_EQ(UnreadableItem(R"({"id": 1)").id, std::nullopt);
}

TEST(BatchLine, ANumberBeyondADoubleIsNamed) {
  const std::string line = R"({"id": "a7", "score": 1e400, "question": "Add 5 and 6"})";
  EXPECT_EQ(
      QuestionOf(line),
      "error: the number 1e400 that ends at byte 27 of the JSON object is beyond the range of "
      "JSON readers, that of a double");
  EXPECT_EQ(UnreadableItem(line).id, "a7");
  EXPECT_EQ(UnreadableItem(R"({"text": "x", "id": -1e999})").id, std::nullopt);
  EXPECT_LT(QuestionOf("{\"a\": " + std::string(1'000, '9') + "}").size(), 200u);
}

TEST(BatchLine, HalfASurrogatePairIsNamedAndTheIdKept) {
  const std::string line = R"({"question": "Add \ud83d\ude00 5 and \ud800 6", "id": "a7"})";
  EXPECT_EQ(QuestionOf(line),
            "error: the escape \\ud800 at byte 38 of the JSON object is half of a surrogate pair, "
            "which is no character");
  EXPECT_EQ(UnreadableItem(line).id, "a7");
  EXPECT_EQ(UnreadableItem(line).question, line);
  EXPECT_EQ(UnreadableItem(R"({"id": 7, "text": "\uDC00"})").id, "7");
  EXPECT_EQ(UnreadableItem(R"({"id": 7, "text": "\ud800\ud83d\ude00\\ud800"})").id, "7");
  EXPECT_EQ(UnreadableItem(R"({"id": "a\ud800", "text": "x"})").id, std::nullopt);
  EXPECT_EQ(UnreadableItem(R"({"id": 7, "text": "\ud800\u12"})").id, std::nullopt);
  EXPECT_EQ(UnreadableItem(R"({"id": 7, "text": "\ud800)").id, std::nullopt);
  // A backslash that is itself escaped begins no escape.
  EXPECT_EQ(QuestionOf(R"({"text": "\\ud800"})"), R"(\ud800)");
}

TEST(BatchLine, OfSeveralIdsTheLastTextOrNumberCounts) {
  const auto id = [](std::string_view line) { return ReadBatchLine(line).value().id; };
  EXPECT_EQ(id(R"({"id": "a", "text": "x", "id": 3})"), "3");
  EXPECT_EQ(id(R"({"id": 3, "id": "a", "text": "x"})"), "a");
  EXPECT_EQ(id(R"({"id": "a", "id": null, "text": "x"})"), "a");
}

TEST(BatchLine, SurvivesHostileJson) {
  EXPECT_FALSE(ReadBatchLine("{\"a\": " + std::string(100'000, '[')));
  EXPECT_FALSE(ReadBatchLine("{\"text\": \"\xFF\xFE\"}"));
}

}  // namespace
}  // namespace txvm::frontends::nl
