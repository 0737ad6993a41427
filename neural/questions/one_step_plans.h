// What one_step.cc makes stories of: scenes, and amounts of which all but one are told.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "neural/questions/generator.h"

namespace txvm::neural::questions {

/// How amounts may be told: in one text together, or also one after the other, or in either order.
enum class PlainManner : std::uint8_t { kTogether, kEither, kEitherOrder };

struct PlainQuestion {
  std::string_view rule;  // of the question
  std::string_view told;  // the letters of the amounts, which name the rules that tell them
  std::string_view program;
  std::string_view condition = {};
  PlainManner telling = PlainManner::kTogether;
  unsigned weight = 10;
};

struct PlainPlan {
  Family family;
  std::string_view rules, scenes;  // the names of the rules behind "one_"; the kind of scene
  std::string_view amounts;        // their specification, "@" being the class that the scene gives
  char of_class;                   // where it gives none
  std::span<const PlainQuestion> asked;
  unsigned weight = 10;
};

// Of what was there, what went or came, and what there is then.
inline constexpr std::array kPlainLoss = {
    PlainQuestion{"c", "ab", "a - b", "", PlainManner::kEither, 12},
    PlainQuestion{"b", "ac", "a - c", "", PlainManner::kEither},
    PlainQuestion{"a", "bc", "b + c", "", PlainManner::kEither, 8}};
inline constexpr std::array kPlainGain = {
    PlainQuestion{"c", "ab", "a + b", "", PlainManner::kEither, 12},
    PlainQuestion{"b", "ac", "c - a", "", PlainManner::kEither},
    PlainQuestion{"a", "bc", "c - b", "", PlainManner::kEither, 8}};
inline constexpr std::array kPlainLossTogether = {PlainQuestion{"c", "ab", "a - b"},
                                                  PlainQuestion{"b", "ac", "a - c"},
                                                  PlainQuestion{"a", "bc", "b + c"}};
inline constexpr std::array kPlainGainTogether = {PlainQuestion{"c", "ab", "a + b"},
                                                  PlainQuestion{"b", "ac", "c - a"},
                                                  PlainQuestion{"a", "bc", "c - b"}};
// Parts a, b, d and the whole c.
inline constexpr std::array kPlainParts = {
    PlainQuestion{"c", "ab", "a + b", "", PlainManner::kEitherOrder, 12},
    PlainQuestion{"b", "ac", "c - a", "", PlainManner::kEitherOrder, 12},
    PlainQuestion{"c", "abd", "a + b + d", "", PlainManner::kTogether, 8},
    PlainQuestion{"d", "abc", "c - a - b", "", PlainManner::kTogether, 6}};
// a is the larger, b the smaller, c the difference.
inline constexpr std::array kPlainCompared = {
    PlainQuestion{"c", "ab", "a - b", "", PlainManner::kEitherOrder, 14},
    PlainQuestion{"a", "bc", "b + c", "", PlainManner::kEitherOrder},
    PlainQuestion{"b", "ac", "a - c", "", PlainManner::kEitherOrder},
    PlainQuestion{"diff", "ab", "abs (a - b)", "", PlainManner::kEitherOrder, 4}};
inline constexpr std::array kPlainMultiples = {PlainQuestion{"a", "bc", "b * c"},
                                               PlainQuestion{"b", "ac", "a / c"},
                                               PlainQuestion{"c", "ab", "a / b"}};
inline constexpr std::array kPlainHalves = {
    PlainQuestion{"b", "half", "a / 2", "a mod 2 == 0"},
    PlainQuestion{"a", "double", "b * 2"},
    PlainQuestion{"a", "of_half", "b * 2"},
    PlainQuestion{"b", "of_double", "a / 2", "a mod 2 == 0"},
    PlainQuestion{"b", "third", "a / 3", "a mod 3 == 0", PlainManner::kTogether, 6},
    PlainQuestion{"b", "quarter", "a / 4", "a mod 4 == 0", PlainManner::kTogether, 5}};
// So many of them, so much in each, so much together.
inline constexpr std::array kPlainProducts = {
    PlainQuestion{"c", "ab", "a * b", "", PlainManner::kEitherOrder, 12},
    PlainQuestion{"b", "ac", "c / a", "", PlainManner::kEitherOrder},
    PlainQuestion{"a", "bc", "c / b", "", PlainManner::kEitherOrder}};
inline constexpr std::array kPlainProductsTogether = {PlainQuestion{"c", "ab", "a * b"},
                                                      PlainQuestion{"b", "ac", "c / a"},
                                                      PlainQuestion{"a", "bc", "c / b"}};
inline constexpr std::array kPlainRemains = {PlainQuestion{"rest", "bc", "c mod b"},
                                             PlainQuestion{"need", "bc", "ceil (c / b)"},
                                             PlainQuestion{"full", "bc", "floor (c / b)"}};
inline constexpr std::array kPlainBought = {PlainQuestion{"a", "bc", "c / b"}};
inline constexpr std::array kPlainPercent = {PlainQuestion{"b", "ab", "a * b / 100"}};
inline constexpr std::array kPlainMeans = {PlainQuestion{"total", "ab", "a * b"},
                                           PlainQuestion{"mean", "ac", "c / a"}};
inline constexpr std::array kPlainValues = {
    PlainQuestion{"mean", "xy", "(a + b) / 2", "(a + b) mod 2 == 0"},
    PlainQuestion{"mean", "xyz", "(a + b + c) / 3", "(a + b + c) mod 3 == 0"}};

inline constexpr std::string_view kPlainSpent = "b:@, c:@, a=b+c";  // the first is the others' sum
inline constexpr std::string_view kPlainGrown = "a:@, b:@, c=a+b";  // the last is
inline constexpr std::string_view kPlainEqual = "a:s, b:@, c=a*b";
// Those of a family stand together.
inline constexpr std::array kPlainPlans = {
    PlainPlan{Family::kChange, "lose", "own", kPlainSpent, 't', kPlainLoss, 12},
    PlainPlan{Family::kChange, "gain", "own", kPlainGrown, 't', kPlainGain, 12},
    PlainPlan{Family::kChange, "out", "site", kPlainSpent, 't', kPlainLoss},
    PlainPlan{Family::kChange, "in", "site", kPlainGrown, 't', kPlainGain},
    PlainPlan{Family::kChange, "level", "drop", kPlainSpent, 't', kPlainLossTogether, 12},
    PlainPlan{Family::kChange, "level", "rise", kPlainGrown, 't', kPlainGainTogether, 10},
    PlainPlan{Family::kChange, "goal", "goal", kPlainGrown, 't', kPlainGainTogether, 7},
    PlainPlan{Family::kCombine, "kinds", "kinds", "a:@, b:@, d:@, c=a+b+d", 't', kPlainParts, 12},
    PlainPlan{Family::kCombine, "times", "doing", "a:@, b:@, d:@, c=a+b+d", 't', kPlainParts, 12},
    PlainPlan{Family::kCombine, "pair", "pair", kPlainGrown, 't', kPlainGainTogether},
    PlainPlan{Family::kCompare, "compare", "measure", kPlainSpent, 't', kPlainCompared},
    PlainPlan{Family::kGroups, "group", "group", kPlainEqual, 't', kPlainProducts, 14},
    PlainPlan{Family::kGroups, "share", "share", kPlainEqual, 't', kPlainProductsTogether, 10},
    PlainPlan{Family::kGroups, "takes", "takes", kPlainEqual, 's', kPlainProducts, 9},
    PlainPlan{Family::kGroups, "over", "group", "b:s, c:m, c > b * 2, c mod b > 0", 's',
              kPlainRemains, 9},
    PlainPlan{Family::kRate, "rate", "rate", kPlainEqual, 't', kPlainProducts},
    PlainPlan{Family::kScale, "multiple", "measure", "b:@, c:x, a=b*c", 't', kPlainMultiples, 12},
    PlainPlan{Family::kScale, "portion", "measure", "a:@, b:@", 't', kPlainHalves, 12},
    PlainPlan{Family::kScale, "percent", "percent", "b:p, d:@, a=d*20", 't', kPlainPercent, 6},
    PlainPlan{Family::kTimeAge, "age", "age", "a:g, b:b, c=a+b", 's', kPlainGainTogether, 10},
    PlainPlan{Family::kTimeAge, "ago", "age", "a:g, b:b, c=a+b", 's', kPlainGainTogether, 8},
    PlainPlan{Family::kTimeAge, "span", "span", "a:o, b:x, c=a+b, c <= 12", 's', kPlainGainTogether,
              10},
    PlainPlan{Family::kTimeAge, "span", "years", "a:y, b:g, c=a+b, c < 2026", 's',
              kPlainGainTogether, 7},
    PlainPlan{Family::kTimeAge, "course", "course", kPlainSpent, 't', kPlainLossTogether, 10},
    PlainPlan{Family::kMoney, "price", "goods", "a:s, b:@, c=a*b", 't', kPlainProducts, 14},
    PlainPlan{Family::kMoney, "buy", "goods", kPlainEqual, 't', kPlainBought, 5},
    PlainPlan{Family::kMoney, "change", "goods", kPlainSpent, 't', kPlainLossTogether},
    PlainPlan{Family::kMoney, "purse", "purse", kPlainSpent, 't', kPlainLossTogether, 8},
    PlainPlan{Family::kMoney, "afford", "goods", kPlainGrown, 't', kPlainGainTogether, 8},
    PlainPlan{Family::kMoney, "basket", "basket", kPlainGrown, 't', kPlainGainTogether, 8},
    PlainPlan{Family::kMoney, "off", "goods", "b:p, d:@, a=d*20", 't', kPlainPercent, 5},
    PlainPlan{Family::kMoney, "cut", "goods", kPlainSpent, 't', kPlainLossTogether, 8},
    PlainPlan{Family::kMoney, "wage", "wage", kPlainEqual, 't', kPlainProductsTogether, 9},
    PlainPlan{Family::kAverage, "mean", "mean", kPlainEqual, 't', kPlainMeans},
    PlainPlan{Family::kAverage, "mean", "mean", "a:@, b:@, c:@", 't', kPlainValues}};

}  // namespace txvm::neural::questions
