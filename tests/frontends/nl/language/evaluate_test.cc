// Programs run: known answers, exact wide arithmetic, refusals with their values, every engine.
#include "frontends/nl/language/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "frontends/nl/language/parser.h"
#include "frontends/nl/language/text.h"
#include "frontends/nl/language/word_values.h"
#include "tests/frontends/nl/language/differential_canonical.h"
#include "tests/support/wabt_interp.h"

namespace txvm::frontends::nl {
namespace {

/// A program in text form with its numbers.
struct Source {
  Ast ast;
  std::vector<Rational> numbers;
};

Source Read(std::string_view text) {
  const auto read = ReadCanonical(text);
  if (!read) throw std::runtime_error(read.error().message);
  auto ast = Parse(read->tokens, read->numbers.size());
  if (!ast) throw std::runtime_error(ast.error().message);
  Source source{*std::move(ast), {}};
  for (const Number& number : read->numbers) source.numbers.push_back(number.value);
  return source;
}

Answer AnswerOf(std::string_view text, const EvaluateOptions& options = {}) {
  const Source source = Read(text);
  const auto answer = Evaluate(source.ast, source.numbers, options);
  if (!answer) throw std::runtime_error(answer.error().message);
  return *answer;
}

std::string Value(std::string_view text, const EvaluateOptions& options = {}) {
  const Answer answer = AnswerOf(text, options);
  return answer.value ? ToText(*answer.value) : answer.refusal->text;
}

Lowered LowerText(std::string_view text, const LowerOptions& options = {}) {
  const Source source = Read(text);
  return *Lower(source.ast, source.numbers, options);
}

std::string Hex(const Bytes& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const std::uint8_t byte : bytes) {
    hex.push_back(kDigits[byte / 16]);
    hex.push_back(kDigits[byte % 16]);
  }
  return hex;
}

EvaluateOptions Wide() {
  EvaluateOptions options;
  options.lower.always_wide = true;
  return options;
}

struct Case {
  const char* text;
  const char* answer;
};

const Case kAnswers[] = {
    {"50 - 15", "35"},
    {"15 - 20", "-5"},
    {"7 / 2", "7/2"},
    {"2.5 * 4", "10"},
    {"0.1 + 0.2", "3/10"},
    {"10 + 5 * 2", "20"},
    {"(5 + 2) * 3", "21"},
    {"-7 div 2", "-3"},
    {"-7 mod 2", "-1"},
    {"7.5 mod 2", "3/2"},
    {"2 ^ 10", "1024"},
    {"2 ^ -3", "1/8"},
    {"-2 ^ 2", "-4"},
    {"2 ^ 3 ^ 2", "512"},
    {"15 > 10", "1"},
    {"15 < 10", "0"},
    {"1 / 3 == 2 / 6", "1"},
    {"-1 < 0", "1"},
    {"0 != -0", "0"},
    {"sum 1 to 10", "55"},
    {"sum 1 to 1000000", "500000500000"},
    {"sum -5 to 5", "0"},
    {"sum 7 to 7", "7"},
    {"product 1 to 5", "120"},
    {"product 1 to 20", "2432902008176640000"},
    {"product -3 to 3", "0"},
    {"count 10 to 0", "0"},
    {"count 5 to 2", "2"},
    {"count 3 to 9", "9"},
    {"count 4 to 4", "4"},
    {"sum []", "0"},
    {"product []", "1"},
    {"count []", "0"},
    {"sum [3, 5, 9]", "17"},
    {"max [3, -5, 9, 2]", "9"},
    {"min [3, -5, 9, 2]", "-5"},
    {"mean [1, 2]", "3/2"},
    {"mean [2, 4]", "3"},
    {"gcd [48, 36, -60]", "12"},
    {"gcd [0, 0]", "0"},
    {"abs (3 - 10)", "7"},
    {"floor (-7 / 2)", "-4"},
    {"ceil (-7 / 2)", "-3"},
    {"ceil (7 / 2)", "4"},
    {"fact 0", "1"},
    {"fact 12", "479001600"},
    {"fact 20", "2432902008176640000"},
    {"fib 46", "1836311903"},
    {"fib 47", "2971215073"},
    {"if 3 > 2 then 10 else 1 / 0", "10"},
    {"if 3 < 2 then 10 else 20", "20"},
    {"T0 := 12 * 3; T1 := 10 / 2; T0 - T1", "31"},
    {"if sum [1, 1] then 4 else 5", "4"},
    {"2147483647 + 1", "2147483648"},
    {"2147483647 * 2147483647 * 4", "18446744056529682436"},
    {"fact 57", "40526919504877216755680601905432322134980384796226602145184481280000000000000"},
    {"2 ^ 254 + (2 ^ 254 - 1)",
     "57896044618658097711785492504343953926634992332820282019728792003956564819967"},
    {"-(2 ^ 254) - 2 ^ 254",
     "-57896044618658097711785492504343953926634992332820282019728792003956564819968"},
    {"1 / 7 ^ 90 * 7 ^ 89", "1/7"},
    {"(2 ^ 254 - 1) / 2 ^ 254 + 1 / 2 ^ 254", "1"},
};

TEST(Evaluate, KnownAnswers) {
  for (const auto& [text, answer] : kAnswers) EXPECT_EQ(Value(text), answer) << text;
}

TEST(Evaluate, WideArithmeticAgreesWhereWordsDo) {
  for (const auto& [text, answer] : kAnswers) EXPECT_EQ(Value(text, Wide()), answer) << text;
}

TEST(Evaluate, RecursiveFunctionsAgree) {
  for (const char* text :
       {"fact 12", "fact 30", "fib 40", "fib 300", "3 ^ 19", "3 ^ 100", "2.5 ^ -7",
        "gcd [462, 1071]", "gcd [2 ^ 100 * 15, 6 ^ 50]", "fact 0", "fib 0", "fib 1", "5 ^ 0"}) {
    EvaluateOptions recursive;
    recursive.lower.recursive = true;
    EXPECT_EQ(Value(text, recursive), Value(text)) << text;
    recursive.lower.always_wide = true;
    EXPECT_EQ(Value(text, recursive), Value(text)) << text;
  }
}

TEST(Evaluate, UsesWordsWhereTheyDo) {
  EXPECT_FALSE(AnswerOf("50 - 15").wide);
  EXPECT_FALSE(AnswerOf("sum 1 to 65535").wide);
  EXPECT_TRUE(AnswerOf("sum 1 to 65536").wide);  // 2,147,516,416
  EXPECT_FALSE(AnswerOf("8 / 2").wide);
  EXPECT_TRUE(AnswerOf("7 / 2").wide);
  EXPECT_FALSE(AnswerOf("fact 12").wide);
  EXPECT_TRUE(AnswerOf("fact 13").wide);
  EXPECT_FALSE(AnswerOf("max [3, 5]").wide);
  EXPECT_TRUE(AnswerOf("max []").wide);
}

TEST(Evaluate, RefusalsNameReasonValueAndPlace) {
  EXPECT_EQ(Value("7 / (3 - 3)"), "division by zero; '/' (token 2) of 7 and 0");
  EXPECT_EQ(
      Value("sum 10 to 1"),
      "the range is reversed: its first number is above its last; 'sum' (token 1) of 10 and 1");
  EXPECT_EQ(
      Value("product 3 to 2"),
      "the range is reversed: its first number is above its last; 'product' (token 1) of 3 and 2");
  EXPECT_EQ(
      Value("2 ^ 255"),
      "the result does not fit in a signed 256-bit integer, or in a fraction of two; '^' (token 2) "
      "of 2 and 255");
  EXPECT_EQ(Value("1 + fact 58").substr(0, 40), "the result does not fit in a signed 256-");
  EXPECT_EQ(Value("fact (-3)"), "a number from 0 on is needed; 'fact' (token 1) of -3");
  EXPECT_EQ(Value("fib 2.5"), "an integer is needed; 'fib' (token 1) of 5/2");
  EXPECT_EQ(Value("2 ^ 0.5"), "an integer is needed; '^' (token 2) of 1/2");
  EXPECT_EQ(Value("sum 1 to 2.5"), "an integer is needed; 'sum' (token 1) of 5/2");
  EXPECT_EQ(Value("0 ^ -1"), "division by zero; '^' (token 2) of 0 and -1");
  EXPECT_EQ(Value("max []"), "the list is empty; 'max' (token 1)");
  EXPECT_EQ(Value("mean []"), "the list is empty; 'mean' (token 1)");
}

// Equal operands may be one number in memory.
TEST(Evaluate, RefusalsNameEqualOperandsTwice) {
  EXPECT_EQ(Value("0 / 0"), "division by zero; '/' (token 2) of 0 and 0");
  EXPECT_EQ(Value("T0 := 5 - 5; T0 mod T0"), "division by zero; 'mod' (token 8) of 0 and 0");
  EXPECT_TRUE(Value("300 ^ 300").ends_with("; '^' (token 2) of 300 and 300"));
  EXPECT_EQ(Value("0.5 ^ 0.5"), "an integer is needed; '^' (token 2) of 1/2");
}

TEST(Evaluate, FuelStopsLongLoops) {
  EXPECT_EQ(Value("sum 1 to 2000000000"),
            "the program needs more steps than its limit, 1000000000; 'sum' (token 1) from 1 to "
            "2000000000");
  EvaluateOptions options;
  options.fuel = 1'000;
  const Answer answer = AnswerOf("5 + count 900 to 0", options);
  ASSERT_TRUE(answer.refusal);
  EXPECT_EQ(answer.refusal->kind, RefusalKind::kOutOfFuel);
  EXPECT_EQ(answer.steps, 1'000u);
  EXPECT_EQ(answer.refusal->text,
            "the program needs more steps than its limit, 1000; 'count' (token 3) from 900 to 0");
  EXPECT_EQ(Value("sum 1 to 3 + count 900 to 0", options),
            "the program needs more steps than its limit, 1000; 'count' (token 6) from 900 to 0");
  EXPECT_EQ(Value("1 / 3 + sum 1 to 900", options),
            "the program needs more steps than its limit, 1000; '/' (token 2)");
  options.fuel = 2;
  EXPECT_EQ(AnswerOf("7 / 2", options).steps, 2u);
  EXPECT_EQ(AnswerOf("sum 1 to 3000000000").refusal->kind, RefusalKind::kTooLong);
}

TEST(Evaluate, FuelBlamesTheRangeThatTheRunWasIn) {
  const auto at = [](std::string_view text, std::uint64_t fuel) {
    EvaluateOptions options;
    options.fuel = fuel;
    const std::string told = Value(text, options);
    const std::string limit = "the program needs more steps than its limit, ";
    EXPECT_TRUE(told.starts_with(limit)) << told;
    return told.substr(std::min(told.size(), limit.size()));
  };
  EXPECT_EQ(at("fact 12 + sum 1 to 2", 5), "5");
  EXPECT_EQ(at("12 * 3 - 12 + sum 1 to 3", 5), "5");
  EXPECT_EQ(at("fib 46 + count [count 5000 to 1]", 100), "100");
  EXPECT_EQ(at("fib 46 + (if 0 then count 5000 to 1 else 1)", 100), "100");
  EXPECT_EQ(at("abs (1 / 3)", 5), "5");  // wide, before the division
  const std::string two = "product 1 to 3 + sum 1 to 15 + sum 101 to 105";
  EXPECT_EQ(at(two, 20), "20; 'product' (token 1) from 1 to 3");
  EXPECT_EQ(at(two, 150), "150; 'sum' (token 6) from 1 to 15");
  EXPECT_EQ(at(two, 230), "230; 'sum' (token 11) from 101 to 105");
  EXPECT_EQ(at("if sum 4 to 5 then (if 0 then product 1 to 9 else count 1 to 9) else 1", 60),
            "60; 'count' (token 16) from 1 to 9");
}

// The elements of a count in words are not evaluated: they take no steps. Those of a wide one are.
TEST(Evaluate, FuelIsNotSpentOnWhatIsNotEvaluated) {
  EvaluateOptions options;
  options.fuel = 1'000;
  EXPECT_EQ(Value("count [sum 1 to 5000]", options), "1");
  EXPECT_EQ(Value("if 0 then sum 1 to 5000 else 3", options), "3");
  options.lower.always_wide = true;
  EXPECT_EQ(Value("count [sum 1 to 5000]", options),
            "the program needs more steps than its limit, 1000; 'sum' (token 3) from 1 to 5000");
}

// Whatever the fuel: bounds of a word each may lie further apart than a word counts.
TEST(Evaluate, RangesOfTooManyTermsAreRefusedBetweenWordsAsWell) {
  EvaluateOptions options;
  options.fuel = 6'000'000'000;
  options.engine = vm::EngineKind::kNative;
  for (const std::string_view text :
       {"count -2000000000 to 2000000000", "count 1073741824 to -1073741823"}) {
    const Answer answer = AnswerOf(text, options);
    ASSERT_TRUE(answer.refusal) << text;
    EXPECT_EQ(answer.refusal->kind, RefusalKind::kTooLong) << answer.refusal->text;
  }
  EXPECT_FALSE(LowerText("count 1073741823 to -1073741823").wide);
}

// The modules that the reference of the code book states, byte for byte.
TEST(Lower, NarrowCodeIsTheOriginals) {
  EXPECT_EQ(Hex(LowerText("11 + 94").ir), "410b41de006a");
  EXPECT_EQ(Hex(LowerText("100 - 37").ir), "41e40041256b");
  EXPECT_EQ(Hex(LowerText("144 / 12").ir), "419001410c6d");
  EXPECT_EQ(Hex(LowerText("(50 - 20) / 3").ir), "413241146b41036d");
  EXPECT_EQ(Hex(LowerText("15 > 10").ir), "410f410a4a");
  EXPECT_EQ(Hex(LowerText("sum 1 to 100").ir),
            "41002100410121010340200020016a2100200141016a220141e4004c0d000b2000");
  EXPECT_EQ(Hex(LowerText("product 1 to 5").ir),
            "41012100410121010340200020016c2100200141016a220141054c0d000b2000");
  EXPECT_EQ(Hex(LowerText("count 10 to 0").ir), "410a21000340200041016b220041004a0d000b2000");
  EXPECT_EQ(
      Hex(LowerText("50 - 15").wasm),
      "0061736d010000000105016000017f03020100070b0107636f6d7075746500000a0b010901027f4132410f6b0b");
}

// The host evaluates a program to choose its code.
TEST(Lower, TheValuesThatChooseWordsAreTheAnswers) {
  std::size_t narrow = 0;
  for (const auto& [text, answer] : kAnswers) {
    const Source source = Read(text);
    const WordValues values = FindWordValues(source.ast, source.numbers);
    EXPECT_EQ(values.narrow(), !AnswerOf(text).wide) << text;
    if (!values.narrow()) continue;
    ++narrow;
    EXPECT_EQ(std::to_string(*values.of[source.ast.result]), answer) << text;
  }
  EXPECT_GT(narrow, 30u);
}

TEST(Lower, WhatIsNoWordOnTheWayIsWide) {
  for (const char* text : {"2147483647 + 1 - 1",
                           "-2147483648",
                           "2 ^ 31 - 1",
                           "46341 * 46341 div 9",
                           "abs (0 - 2 ^ 31)",
                           "fact 13 / fact 12",
                           "fib 47 - fib 46",
                           "7 / 2 * 2",
                           "sum -70000 to 70000",
                           "sum [2147483647, 1, -1]",
                           "product [65536, 65536, 0]",
                           "product -3 to 65534",
                           "gcd [-2147483647 - 1]",
                           "mean [1, 2]",
                           "max [1 / 2, 3]",
                           "if 1 then 2 else 1 / 2",
                           "count [1 / 2]",
                           "1 / 0",
                           "5 mod 0",
                           "2 ^ -1",
                           "sum 3 to 1",
                           "max []",
                           "mean []"}) {
    EXPECT_TRUE(LowerText(text).wide) << text;
  }
  for (const char* text :
       {"2147483647 - 1 + 1", "-2147483647 - 1", "46340 * 46340", "(-2147483647 - 1) mod -1",
        "0 ^ 0", "(-1) ^ 2147483647", "sum -65535 to 65535", "product -3 to 65532", "mean [1, 3]",
        "gcd [-2147483647, 0]", "if 0 then 2 else 3", "count 4 to 4"}) {
    EXPECT_FALSE(LowerText(text).wide) << text;
  }
}

TEST(Lower, LongBodiesHaveFullLengths) {
  std::string text = "50";
  for (int i = 0; i < 60; ++i) text += " + 50 * 3";
  const Lowered lowered = LowerText(text);
  EXPECT_GT(lowered.ir.size(), 300u);
  EXPECT_EQ(Value(text), "9050");
}

TEST(Lower, ModulesAreWebAssemblyOneOfWordsOnly) {
  for (const auto& [text, answer] : kAnswers) {
    for (const bool wide : {false, true}) {
      const Lowered lowered = LowerText(text, {false, wide});
      const auto instance = tests::WabtInstance::Load(lowered.wasm);
      ASSERT_TRUE(instance->ok()) << text << ": " << instance->error();
      const auto program = ToProgram(lowered);
      ASSERT_TRUE(program) << text << ": " << program.error().message;
      EXPECT_TRUE(program->notes.empty()) << text << " has an unsupported instruction";
    }
  }
}

TEST(Lower, AWideModuleSaysWhereItsAnswerIs) {
  constexpr std::size_t kLimbs = 8;
  const auto limbs_of = [](const char* text) {
    const Lowered lowered = LowerText(text);
    EXPECT_TRUE(lowered.wide);
    const auto instance = tests::WabtInstance::Load(lowered.wasm);
    EXPECT_TRUE(instance->ok()) << instance->error();
    EXPECT_EQ(instance->Call("compute", {}).results, std::vector<std::uint32_t>{0});
    std::array<std::uint32_t, 2 * kLimbs> limbs{};  // numerator, then denominator
    std::memcpy(limbs.data(), instance->MemoryData() + instance->Global("result"), sizeof limbs);
    return limbs;
  };
  EXPECT_EQ(limbs_of("2 ^ 100 / 3"),
            (std::array<std::uint32_t, 2 * kLimbs>{0, 0, 0, 16, 0, 0, 0, 0, 3}));
  const std::uint32_t ones = 0xFFFFFFFF;
  EXPECT_EQ(limbs_of("-7 / 2"), (std::array<std::uint32_t, 2 * kLimbs>{ones - 6, ones, ones, ones,
                                                                       ones, ones, ones, ones, 2}));
}

TEST(Lower, RefusesWhatIsNoProgram) {
  const auto tokens = std::vector<Token>{Token::kNoQuestion, Token::kEnd};
  const auto ast = Parse(tokens, 0);
  ASSERT_TRUE(ast);
  EXPECT_FALSE(Lower(*ast, {}));
  const auto missing = Parse(std::vector<Token>{SlotToken(2), Token::kEnd}, 3);
  ASSERT_TRUE(missing);
  EXPECT_EQ(Lower(*missing, {}).error().message, "N2 has no number; 0 given");
}

TEST(Lower, ANarrowProgramKeepsItsInstructions) {
  const auto program = ToProgram(LowerText("50 - 15"));
  ASSERT_TRUE(program);
  const auto subtracts = [](const isa::Instruction& instruction) {
    return instruction.op() == isa::Opcode::kSub;
  };
  EXPECT_EQ(std::ranges::count_if(program->code, subtracts), 1);
}

// The weights alone compute short programs too.
TEST(Evaluate, RunsOnEveryEngine) {
  for (const vm::EngineKind engine : vm::AllEngines()) {
    EvaluateOptions options;
    options.engine = engine;
    EXPECT_EQ(Value("(50 + 15) * 2 - 6", options), "124") << vm::EngineName(engine);
    EXPECT_EQ(Value("sum 1 to 5", options), "15") << vm::EngineName(engine);
  }
}

TEST(Evaluate, WideRunsOnTheHullOfTheWeights) {
  EvaluateOptions options;
  options.engine = vm::EngineKind::kHull;
  EXPECT_EQ(Value("7 / 2", options), "7/2");
}

TEST(Evaluate, RandomProgramsAgreeWithBoostAndWabt) {
  Coverage coverage;
  for (std::uint64_t i = 0; i < 300; ++i) {
    Rng rng(9'000'000 + i);
    EXPECT_EQ(CompareOne(rng, coverage), "") << "program " << i;
  }
  EXPECT_GT(coverage.answers, 100u);
}

}  // namespace
}  // namespace txvm::frontends::nl
