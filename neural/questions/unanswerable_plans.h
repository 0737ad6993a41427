// What unanswerable.cc makes stories of: scenes, facts and what is asked of them.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace txvm::neural::questions {

/// A fact, in the programs A, B, ... by its place. Ways of withholding it: o it is left out, v told
/// vaguely (its rule's name with _vague), x told of something else (_other). With c it can be told
/// twice, so that it contradicts itself.
struct SpoiltFact {
  std::string_view rule;
  char of_class;
  std::string_view ways;
};

struct SpoiltQuestion {
  std::string_view rule, program;
  std::string_view condition = {};
  std::string_view ways = "ovx";  // of withholding
  std::string_view vague = {};    // facts that are always told vaguely
  std::string_view product = {};  // "AB": A is a multiple of B
  bool is_of_two = false;         // asks of two people
  unsigned weight = 10;
};

struct SpoiltPlan {
  std::string_view name;
  std::span<const SpoiltFact> facts;
  std::span<const SpoiltQuestion> asked;
  std::string_view beyond;   // what its things can be asked that is not supported
  std::string_view unnamed;  // what "of them" is where "they" have not been told
  unsigned weight = 10;
};

inline constexpr std::array kSpoiltStockFacts = {
    SpoiltFact{"start", 'm', "ovxc"}, SpoiltFact{"loss", 't', "v"}, SpoiltFact{"gain", 't', "v"},
    SpoiltFact{"end", 'm', "v"}};
inline constexpr std::array kSpoiltKeepAsked = {
    SpoiltQuestion{.rule = "left", .program = "A - B", .condition = "A > B", .weight = 14},
    SpoiltQuestion{.rule = "now", .program = "A + C"},
    SpoiltQuestion{.rule = "now", .program = "A - B + C", .condition = "A > B"},
    SpoiltQuestion{.rule = "gone", .program = "A - D", .condition = "A > D", .vague = "B"},
    SpoiltQuestion{.rule = "first", .program = "D + B"}};
inline constexpr std::array kSpoiltCrowdAsked = {
    SpoiltQuestion{.rule = "left", .program = "A - B", .condition = "A > B"},
    SpoiltQuestion{.rule = "now", .program = "A + C"},
    SpoiltQuestion{.rule = "now", .program = "A - B + C", .condition = "A > B"},
    SpoiltQuestion{.rule = "gone", .program = "A - D", .condition = "A > D", .vague = "B"}};
inline constexpr std::array kSpoiltTwoFacts = {SpoiltFact{"first", 'm', "ovx"},
                                               SpoiltFact{"second", 'm', "ovx"}};
inline constexpr std::array kSpoiltPairAsked = {
    SpoiltQuestion{.rule = "sum", .program = "A + B", .is_of_two = true},
    SpoiltQuestion{.rule = "more", .program = "A - B", .condition = "A > B"},
    SpoiltQuestion{.rule = "fewer", .program = "B - A", .condition = "B > A"}};
inline constexpr std::array kSpoiltDaysAsked = {
    SpoiltQuestion{.rule = "sum", .program = "A + B"},
    SpoiltQuestion{.rule = "more", .program = "A - B", .condition = "A > B"},
    SpoiltQuestion{.rule = "fewer", .program = "B - A", .condition = "B > A"}};
inline constexpr std::array kSpoiltGroupFacts = {SpoiltFact{"total", 'm', "ov"},
                                                 SpoiltFact{"count", 's', "ovx"},
                                                 SpoiltFact{"each", 't', "ovxc"}};
inline constexpr std::array kSpoiltGroupAsked = {
    SpoiltQuestion{.rule = "total", .program = "B * C", .weight = 16},
    SpoiltQuestion{.rule = "each", .program = "A / B", .condition = "A > B", .product = "AB"},
    SpoiltQuestion{.rule = "count", .program = "A / C", .condition = "A > C", .product = "AC"}};
inline constexpr std::array kSpoiltPriceFacts = {
    SpoiltFact{"price", 't', "ovxc"}, SpoiltFact{"other", 't', "ov"},
    SpoiltFact{"count", 's', "ovx"}, SpoiltFact{"purse", 'l', "ov"}};
inline constexpr std::array kSpoiltPriceAsked = {
    SpoiltQuestion{.rule = "cost", .program = "A * C", .weight = 14},
    SpoiltQuestion{.rule = "change", .program = "D - A * C", .condition = "D > A * C"},
    SpoiltQuestion{.rule = "pair", .program = "A + B", .ways = "ov"},
    SpoiltQuestion{.rule = "dearer", .program = "A - B", .condition = "A > B", .ways = "ov"}};
inline constexpr std::array kSpoiltPartFacts = {SpoiltFact{"whole", 'm', "ovxc"},
                                                SpoiltFact{"some", 't', "ovx"}};
inline constexpr std::array kSpoiltPartAsked = {
    SpoiltQuestion{.rule = "rest", .program = "A - B", .condition = "A > B"}};
inline constexpr std::array kSpoiltRateFacts = {
    SpoiltFact{"rate", 't', "ovc"}, SpoiltFact{"time", 's', "ovx"}, SpoiltFact{"goal", 'm', "v"}};
inline constexpr std::array kSpoiltRateAsked = {
    SpoiltQuestion{.rule = "all", .program = "A * B"},
    SpoiltQuestion{
        .rule = "time", .program = "C / A", .condition = "C > A", .product = "CA", .weight = 7}};
inline constexpr std::array kSpoiltAgeFacts = {
    SpoiltFact{"own", 'g', "ovxc"}, SpoiltFact{"older", 's', "v"}, SpoiltFact{"younger", 'o', "v"},
    SpoiltFact{"second", 'g', "ovx"}};
inline constexpr std::array kSpoiltAgeAsked = {
    SpoiltQuestion{.rule = "second", .program = "A + B"},
    SpoiltQuestion{.rule = "second", .program = "A - C", .condition = "A > C"},
    SpoiltQuestion{.rule = "sum", .program = "A + D", .is_of_two = true},
    SpoiltQuestion{.rule = "gap", .program = "A - D", .condition = "A > D"}};
inline constexpr std::array kSpoiltShareFacts = {
    SpoiltFact{"all", 'm', "ovc"}, SpoiltFact{"over", 's', "v"}, SpoiltFact{"count", 's', "ovx"},
    SpoiltFact{"each", 's', "v"}};
inline constexpr std::array kSpoiltShareAsked = {
    SpoiltQuestion{.rule = "each", .program = "A / B", .condition = "A > B", .product = "AB"},
    SpoiltQuestion{.rule = "left", .program = "A - C * D", .condition = "A > C * D", .weight = 8}};
inline constexpr std::array kSpoiltGoalFacts = {SpoiltFact{"goal", 'm', "ov"},
                                                SpoiltFact{"so_far", 'm', "v"}};
inline constexpr std::array kSpoiltGoalAsked = {
    SpoiltQuestion{.rule = "need", .program = "A - B", .condition = "A > B"}};
inline constexpr std::array kSpoiltSaveFacts = {
    SpoiltFact{"goal", 'l', "ovxc"}, SpoiltFact{"so_far", 'l', "v"}, SpoiltFact{"gift", 't', "v"}};
inline constexpr std::array kSpoiltSaveAsked = {
    SpoiltQuestion{.rule = "need", .program = "A - B", .condition = "A > B"},
    SpoiltQuestion{.rule = "need", .program = "A - B - C", .condition = "A > B + C"}};
inline constexpr std::array kSpoiltRopeFacts = {
    SpoiltFact{"length", 'm', "ov"}, SpoiltFact{"cut", 't', "v"}, SpoiltFact{"piece", 's', "v"},
    SpoiltFact{"pieces", 's', "v"}};
inline constexpr std::array kSpoiltRopeAsked = {
    SpoiltQuestion{.rule = "rest", .program = "A - B", .condition = "A > B"},
    SpoiltQuestion{
        .rule = "count", .program = "A / C", .condition = "A > C", .product = "AC", .weight = 6},
    SpoiltQuestion{
        .rule = "size", .program = "A / D", .condition = "A > D", .product = "AD", .weight = 6}};
inline constexpr std::array kSpoiltMoreFacts = {
    SpoiltFact{"base", 'm', "ovxc"}, SpoiltFact{"more", 't', "v"}, SpoiltFact{"fewer", 't', "v"},
    SpoiltFact{"times", 'x', "v"}};
inline constexpr std::array kSpoiltMoreAsked = {
    SpoiltQuestion{.rule = "own", .program = "A + B"},
    SpoiltQuestion{.rule = "own", .program = "A - C", .condition = "A > C"},
    SpoiltQuestion{.rule = "own", .program = "A * D", .weight = 6}};

inline constexpr std::string_view kSpoiltOfHis = "of {his} %T", kSpoiltOfThe = "of the %T %p";
inline constexpr std::array kSpoiltPlans = {
    SpoiltPlan{"keep", kSpoiltStockFacts, kSpoiltKeepAsked, "things", kSpoiltOfHis, 18},
    SpoiltPlan{"crowd", kSpoiltStockFacts, kSpoiltCrowdAsked, "crowd", kSpoiltOfThe},
    SpoiltPlan{"pair", kSpoiltTwoFacts, kSpoiltPairAsked, "things", "", 14},
    SpoiltPlan{"days", kSpoiltTwoFacts, kSpoiltDaysAsked, "days", "", 12},
    SpoiltPlan{"group", kSpoiltGroupFacts, kSpoiltGroupAsked, "things", "", 14},
    SpoiltPlan{"price", kSpoiltPriceFacts, kSpoiltPriceAsked, "money", "", 16},
    SpoiltPlan{"part", kSpoiltPartFacts, kSpoiltPartAsked, "part", "", 11},
    SpoiltPlan{"rate", kSpoiltRateFacts, kSpoiltRateAsked, "days", "", 12},
    SpoiltPlan{"age", kSpoiltAgeFacts, kSpoiltAgeAsked, "age", "", 9},
    SpoiltPlan{"share", kSpoiltShareFacts, kSpoiltShareAsked, "things", "", 11},
    SpoiltPlan{"goal", kSpoiltGoalFacts, kSpoiltGoalAsked, "days", "", 8},
    SpoiltPlan{"save", kSpoiltSaveFacts, kSpoiltSaveAsked, "money", "", 8},
    SpoiltPlan{"rope", kSpoiltRopeFacts, kSpoiltRopeAsked, "rope", "", 9},
    SpoiltPlan{"more", kSpoiltMoreFacts, kSpoiltMoreAsked, "things", "", 11}};

}  // namespace txvm::neural::questions
