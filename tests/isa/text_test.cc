// Texts that are safe to print, compared and replaced.
#include "isa/text.h"

#include <gtest/gtest.h>

#include <string>

namespace txvm::isa {
namespace {

TEST(Text, PrintableKeepsOrdinaryNames) {
  EXPECT_EQ(Printable("std::vector<int>::push_back"), "std::vector<int>::push_back");
  EXPECT_EQ(Printable("a\"b\\c ~"), "a\"b\\c ~");
  EXPECT_EQ(Printable(""), "");
}

TEST(Text, PrintableHasNoByteThatATerminalObeys) {
  EXPECT_EQ(Printable("a\x1b[2Jb\n\x7f\x9b"), "a\\1b[2Jb\\0a\\7f\\9b");
  EXPECT_EQ(Printable(std::string_view("\0", 1)), "\\00");
}

TEST(Text, PrintableIsCut) {
  EXPECT_EQ(Printable(std::string(kShownBytes, 'x')), std::string(kShownBytes, 'x'));
  EXPECT_EQ(Printable(std::string(kShownBytes + 1, 'x')), std::string(kShownBytes, 'x') + "...");
  EXPECT_EQ(Printable("\n\n\n", 2), "\\0a\\0a...");
}

TEST(Text, EveryOccurrenceIsReplaced) {
  EXPECT_EQ(Replaced("a-b-c", "-", " and "), "a and b and c");
  EXPECT_EQ(Replaced("--", "-", ""), "");
  EXPECT_EQ(Replaced("none", "-", "+"), "none");
  EXPECT_EQ(Replaced("", "-", "+"), "");
  EXPECT_EQ(Replaced("aaa", "aa", "b"), "ba");  // from the left
  EXPECT_EQ(Replaced("xy", "x", "xx"), "xxy");  // what is put in stays
}

TEST(Text, CaseOfAsciiLettersIsIgnored) {
  EXPECT_TRUE(EqualsIgnoreCase("Unreachable", "uNREACHABLE"));
  EXPECT_TRUE(EqualsIgnoreCase("", ""));
  EXPECT_FALSE(EqualsIgnoreCase("PUSH", "PUSHES"));
  EXPECT_FALSE(EqualsIgnoreCase("[", "{"));  // 32 apart, as letters are
}

}  // namespace
}  // namespace txvm::isa
