#include "neural/triton/tasm/sections.h"

#include <gtest/gtest.h>

#include <string>

namespace txvm::triton {
namespace {

std::string SplitError(std::string_view text) {
  const auto sections = SplitSections(text, "f.tir");
  return sections ? "" : sections.error().ToString();
}

TEST(Sections, AFileWithoutHeadersIsOneProgram) {
  for (const std::string_view text : {"", "halt\n", "// === x\n  === y\n====\n"}) {
    const auto sections = SplitSections(text);
    ASSERT_TRUE(sections.has_value());
    ASSERT_EQ(sections->size(), 1u);
    EXPECT_EQ((*sections)[0].name, "");
    EXPECT_EQ((*sections)[0].text, text);
    EXPECT_EQ(AtItsLine((*sections)[0]), text);
  }
}

TEST(Sections, EachHeaderStartsAProgram) {
  const auto sections = SplitSections("// a family\n\n=== one \npush 1\n\n=== two_2\n=== 3\nhalt");
  ASSERT_TRUE(sections.has_value());
  ASSERT_EQ(sections->size(), 3u);
  EXPECT_EQ((*sections)[0].name, "one");
  EXPECT_EQ((*sections)[0].text, "push 1\n\n");
  EXPECT_EQ((*sections)[0].line, 4u);
  EXPECT_EQ(AtItsLine((*sections)[0]), "\n\n\npush 1\n\n");
  EXPECT_EQ((*sections)[1].name, "two_2");
  EXPECT_EQ((*sections)[1].text, "");
  EXPECT_EQ((*sections)[2].name, "3");
  EXPECT_EQ((*sections)[2].text, "halt");
  EXPECT_EQ((*sections)[2].line, 8u);
}

TEST(Sections, ErrorsNameTheLine) {
  EXPECT_EQ(SplitError("=== \nhalt\n"),
            "f.tir:1:1: error: === needs a name of letters, digits and _ after it\n  === \n  ^");
  EXPECT_EQ(SplitError("=== a b\n"),
            "f.tir:1:1: error: === needs a name of letters, digits and _ after it\n  === a b\n  ^");
  EXPECT_EQ(SplitError("=== a\nhalt\n=== a\n"),
            "f.tir:3:1: error: two sections are named \"a\"\n  === a\n  ^");
  EXPECT_EQ(SplitError("\nhalt\n=== a\n"),
            "f.tir:2:1: error: code stands before the first === header\n  halt\n  ^");
}

}  // namespace
}  // namespace txvm::triton
