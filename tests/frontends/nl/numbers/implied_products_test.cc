// Where a sign of multiplication is meant and not written.
#include "frontends/nl/numbers/implied_products.h"

#include <gtest/gtest.h>

#include <string>

namespace txvm::frontends::nl {
namespace {

/// The text with its implied signs.
std::string WithSigns(const std::string& text) {
  const auto lexed = Lex(text);
  if (!lexed) return "error: " + lexed.error().message;
  std::string out = text;
  const std::vector<std::size_t> products = ImpliedProducts(*lexed);
  for (std::size_t i = products.size(); i-- > 0;) out.insert(products[i], "*");
  return out;
}

TEST(ImpliedProducts, StandBetweenFactorsWithoutASign) {
  EXPECT_EQ(WithSigns("2(3+4)"), "2*(3+4)");
  EXPECT_EQ(WithSigns("What is (2 + 3)(4 + 5)?"), "What is (2 + 3)*(4 + 5)?");
  EXPECT_EQ(WithSigns("(3 + 4)2"), "(3 + 4)*2");
  EXPECT_EQ(WithSigns("2(3)(-4)5"), "2*(3)*(-4)*5");
  EXPECT_EQ(WithSigns("2(3(4+1)+1)(6)"), "2*(3*(4+1)+1)*(6)");
  EXPECT_EQ(WithSigns("ten(twenty-five)"), "ten*(twenty-five)");
  EXPECT_EQ(WithSigns("(2 + 3) (4 + 5)  (6)"), "(2 + 3) *(4 + 5)  *(6)");
}

TEST(ImpliedProducts, AreNotSeenAmongWords) {
  for (const char* text :
       {"2 * (3 + 4)", "2 (3 + 4)", "(2) 3", "(3) and (4)", "5(five red ones)", "(x + 2)(x - 3)",
        "(2x + 3)(4x - 5)", "85(z + 6) = 7", "a)5 + 3 b)4", "f(5)", "fib(3) + 2", "2()", "()3",
        "(3", "3)(", "))((", "(4 pens)(5 cups)", ""}) {
    EXPECT_EQ(WithSigns(text), text);
  }
}

TEST(ImpliedProducts, TakeLinearTime) {
  const std::string deep = "2" + std::string(500'000, '(') + std::string(500'000, ')');
  EXPECT_EQ(WithSigns(deep), deep);
}

}  // namespace
}  // namespace txvm::frontends::nl
