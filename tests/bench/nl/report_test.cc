// Tables in three forms, and the place in a document where they belong.
#include "bench/nl/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace txvm::bench::nl {
namespace {

Report Small() {
  Report report;
  report.Add({"Signs", {"A note."}, {{"", {"set", "n"}, {{"a | b", "7"}, {"longer", "12"}}}}});
  report.Figure("signs/all", {3, 4});
  return report;
}

TEST(Report, TextPadsColumns) {
  EXPECT_EQ(Small().Text(), "== Signs\nA note.\n\n  set     n\n  a | b   7\n  longer  12\n\n");
}

TEST(Report, MarkdownKeepsBarsInsideCells) {
  const std::string text = Small().Markdown("tool --x");
  EXPECT_NE(text.find("    tool --x\n"), std::string::npos);
  EXPECT_NE(text.find("| set | n |\n|--|--|\n| a \\| b | 7 |\n"), std::string::npos) << text;
}

TEST(Report, MarkdownBreaksLongNotes) {
  Report report;
  std::string note;
  for (int i = 0; i < 60; ++i) note += "word ";
  report.Add({"Words", {note + "end", "short"}, {}});
  const std::string text = report.Markdown("tool");
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    EXPECT_LE(end - from, 117u);
    from = end + 1;
  }
  EXPECT_NE(text.find("word\nword"), std::string::npos);
  EXPECT_NE(text.find("word end\n\nshort\n"), std::string::npos) << text;
}

TEST(Report, JsonHasFiguresByName) {
  const auto json = nlohmann::json::parse(Small().Json("tool"));
  EXPECT_EQ(json["figures"]["signs/all"]["successes"], 3);
  EXPECT_EQ(json["figures"]["signs/all"]["share"], 0.75);
  EXPECT_EQ(json["sections"][0]["tables"][0]["rows"][1][1], "12");
}

TEST(Report, GeneratedPartReplacesWhatIsBetweenTheMarkers) {
  const std::string document =
      "before\n<!-- generated-begin -->\nold\n<!-- generated-end -->\nafter";
  const std::string once = WithGenerated(document, "new\n");
  EXPECT_EQ(once, "before\n<!-- generated-begin -->\n\nnew\n\n<!-- generated-end -->\nafter");
  EXPECT_EQ(WithGenerated(once, "new\n"), once);
  EXPECT_EQ(WithGenerated("no markers", "new\n"), "new\n");
}

}  // namespace
}  // namespace txvm::bench::nl
