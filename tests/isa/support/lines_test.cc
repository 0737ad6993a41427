// Lines of files of questions.
#include "isa/support/lines.h"

#include <gtest/gtest.h>

namespace txvm::isa {
namespace {

TEST(Lines, AByteOrderMarkIsNoPartOfTheFirst) {
  const std::vector<std::string_view> lines = LinesOf("\xEF\xBB\xBF{\"text\": \"x\"}\r\n2\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "{\"text\": \"x\"}");
  EXPECT_EQ(lines[1], "2");
  EXPECT_TRUE(LinesOf("\xEF\xBB\xBF").empty());
}

TEST(Lines, BlankOnesHoldNothingToRead) {
  for (const char* line : {"", " ", "\t ", "\r"}) EXPECT_TRUE(IsBlankLine(line)) << line;
  EXPECT_FALSE(IsBlankLine(" 1 "));
  EXPECT_FALSE(IsBlankLine("\xC2\xA0"));
}

}  // namespace
}  // namespace txvm::isa
