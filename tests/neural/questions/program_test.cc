#include "neural/questions/program.h"

#include <gtest/gtest.h>

namespace txvm::neural::questions {
namespace {

std::string Canonical(std::string_view program, std::vector<std::size_t> slots,
                      Order order = Order::kStory) {
  slots.resize(kVariables);
  return CanonicalText(ParseProgram(program), slots, order);
}

std::string Value(std::string_view program, std::vector<Fraction> values) {
  values.resize(kVariables);
  const auto value = Evaluate(ParseProgram(program), values);
  return value ? ToText(*value) : "none";
}

TEST(Program, OperandsAreInTheOrderOfTheText) {
  EXPECT_EQ(Canonical("a + b", {1, 0}), "N0 + N1 =");
  EXPECT_EQ(Canonical("a - b", {1, 0}), "N1 - N0 =");
  EXPECT_EQ(Canonical("12 * a", {0}), "N0 * 12 =");
  EXPECT_EQ(Canonical("a - (b + c)", {0, 1, 2}), "N0 - N1 - N2 =");
  EXPECT_EQ(Canonical("a - (b - c)", {0, 1, 2}), "N0 - N1 + N2 =");
  EXPECT_EQ(Canonical("(a + b) * c", {1, 2, 0}), "N0 * ( N1 + N2 ) =");
}

TEST(Program, AFormulaKeepsItsShape) {
  EXPECT_EQ(Canonical("a - (b + c)", {0, 1, 2}, Order::kFormula), "N0 - ( N1 + N2 ) =");
  EXPECT_EQ(Canonical("a / (b / c)", {0, 1, 2}, Order::kFormula), "N0 / ( N1 / N2 ) =");
  EXPECT_EQ(Canonical("T0 := a * b; T0 - c", {0, 1, 2}), "T0 := N0 * N1 ; T0 - N2 =");
}

TEST(Program, ValuesAreExact) {
  EXPECT_EQ(Value("a / b + 1", {{7, 1}, {2, 1}}), "9/2");
  EXPECT_EQ(Value("-7 div 2", {}), "-3");
  EXPECT_EQ(Value("-7 mod 2", {}), "-1");
  EXPECT_EQ(Value("floor(-7 / 2)", {}), "-4");
  EXPECT_EQ(Value("ceil(7 / 2)", {}), "4");
  EXPECT_EQ(Value("sum 1 to 100", {}), "5050");
  EXPECT_EQ(Value("count 5 to 2", {}), "2");
  EXPECT_EQ(Value("gcd [12, 8] + fact 4 + fib 10", {}), "83");
  EXPECT_EQ(Value("if 2 > 1 then 3 else 4", {}), "3");
}

TEST(Program, WhatHasNoValueHasNone) {
  EXPECT_EQ(Value("1 / (a - a)", {{3, 1}}), "none");
  EXPECT_EQ(Value("sum 9 to 2", {}), "none");
  EXPECT_EQ(Value("fact (1 / 2)", {}), "none");
  EXPECT_EQ(Value("12 ^ 100", {}), "none");  // beyond 127 bits
}

}  // namespace
}  // namespace txvm::neural::questions
