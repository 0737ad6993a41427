// Texts that are safe to print, compared and replaced.
#include "isa/support/text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

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

TEST(Text, ALineIsShownWithoutItsEnd) {
  EXPECT_EQ(ShownLine("a\r\nb\n", 1), "a");
  EXPECT_EQ(ShownLine("a\r\nb\n", 2), "b");
  EXPECT_EQ(ShownLine("a\r\nb\n", 3), "");
  EXPECT_EQ(ShownLine("a\r\nb\n", 4), "");
  EXPECT_EQ(ShownLine("a", 0), "");
  const std::string longest(kShownLineBytes, 'x');
  EXPECT_EQ(ShownLine(longest + "\n", 1), longest);
  EXPECT_EQ(ShownLine(longest + "x\n", 1), "");
}

TEST(Text, AnErrorIsPlacedByItsByte) {
  const std::string_view text = "one\r\ntwo three\n";
  const auto report = [text](std::size_t at) {
    return ErrorAt(text, at, "f", ErrorCode::kSyntax, "no").ToString();
  };
  EXPECT_EQ(report(0), "f:1:1: error: no\n  one\n  ^");
  EXPECT_EQ(report(text.find("three")), "f:2:5: error: no\n  two three\n      ^");
  EXPECT_EQ(report(text.find("\n", 5)), "f:2:10: error: no\n  two three\n           ^");
  EXPECT_EQ(report(text.size()), "f:3:1: error: no");
  EXPECT_EQ(ErrorAt("", 0, "", ErrorCode::kSyntax, "no").place.line, 1u);
}

TEST(Text, ACountHasItsNounInTheRightNumber) {
  EXPECT_EQ(ExceedText(1, "page"), "1 page exceeds");
  EXPECT_EQ(ExceedText(2, "page"), "2 pages exceed");
  EXPECT_EQ(CountText(0, "step"), "0 steps");
  EXPECT_EQ(CountText(1, "operand slot"), "1 operand slot");
  EXPECT_EQ(CountText(1'234, "pass"), "1234 passes");
  EXPECT_EQ(CountText(1, "pass"), "1 pass");
}

TEST(Text, OfManyNamesTheFirstAreListed) {
  std::vector<std::string_view> names;
  EXPECT_EQ(NameList(names), "");
  names = {"f", "\x1b"};
  EXPECT_EQ(NameList(names), "'f', '\\1b'");
  names.assign(kShownNames, "g");
  EXPECT_TRUE(NameList(names).ends_with("'g', 'g'"));
  names.resize(20'000);
  EXPECT_EQ(NameList(names), "'g', 'g', 'g', 'g', 'g', 'g', 'g', 'g', 'g', 'g' and 19990 more");
}

TEST(Text, CaseOfAsciiLettersIsIgnored) {
  EXPECT_TRUE(EqualsIgnoreCase("Unreachable", "uNREACHABLE"));
  EXPECT_TRUE(EqualsIgnoreCase("", ""));
  EXPECT_FALSE(EqualsIgnoreCase("PUSH", "PUSHES"));
  EXPECT_FALSE(EqualsIgnoreCase("[", "{"));  // 32 apart, as letters are
}

}  // namespace
}  // namespace txvm::isa
