// The original code book: known sequences, its mistakes corrected, bad sequences refused.
#include "frontends/nl/language/codebook.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "frontends/nl/language/evaluate.h"
#include "frontends/nl/language/grammar.h"
#include "frontends/nl/language/parser.h"
#include "frontends/nl/language/printer.h"
#include "frontends/nl/language/text.h"
#include "tests/frontends/nl/language/random_canonical.h"
#include "tests/support/wabt_interp.h"

namespace txvm::frontends::nl {
namespace {

using Codes = std::vector<std::uint8_t>;

struct Source {
  Ast ast;
  std::vector<Rational> numbers;
  std::vector<std::int32_t> words;
};

Source Read(std::string_view text) {
  const auto read = ReadCanonical(text);
  auto ast = read ? Parse(read->tokens, read->numbers.size()) : std::unexpected(read.error());
  if (!ast) throw std::runtime_error(ast.error().message);
  Source source{*std::move(ast), {}, {}};
  for (const Number& number : read->numbers) {
    source.numbers.push_back(number.value);
    source.words.push_back(static_cast<std::int32_t>(ToInt64(number.value).value_or(0)));
  }
  return source;
}

/// What a sequence computes in WABT's interpreter; nothing when it is no valid module or traps.
std::optional<std::int32_t> Compute(const Codes& codes, const std::vector<std::int32_t>& numbers) {
  auto body = DecodeIr(codes, numbers);
  if (!body) throw std::runtime_error(body.error().message);
  const auto instance = tests::WabtInstance::Load(IrModule(*std::move(body)));
  if (!instance->ok()) return std::nullopt;
  const tests::WabtOutcome outcome = instance->Call("compute", {});
  if (outcome.trapped) return std::nullopt;
  return static_cast<std::int32_t>(outcome.results.at(0));
}

TEST(Codebook, EncodesTheOriginalsSequences) {
  const auto encode = [](std::string_view text) {
    const Source source = Read(text);
    return EncodeIr(source.ast, source.numbers).value_or(Codes{});
  };
  EXPECT_EQ(encode("50 - 15"), (Codes{1, 3, 4, 17, 2}));
  EXPECT_EQ(encode("20 - 15 * 14"), (Codes{1, 3, 4, 5, 18, 17, 2}));
  EXPECT_EQ(encode("(20 - 15) * 14"), (Codes{1, 3, 4, 17, 5, 18, 2}));
  EXPECT_EQ(encode("15 > 14"), (Codes{1, 3, 4, 27, 2}));
}

TEST(Codebook, DecodedProgramsComputeWhatTheyEncode) {
  for (const char* text :
       {"50 - 15", "144 / 16", "(20 - 15) * 14 + 2", "-50 + 15", "abs (15 - 50)", "15 mod 10",
        "50 == 15", "50 != 15", "50 < 15", "50 <= 15", "50 >= 15", "sum 1 to 25", "product 1 to 10",
        "count 25 to 0", "count 0 to 25", "count 25 to 25", "if 50 > 15 then 50 - 15 else 15",
        "T0 := 20 * 30; T1 := T0 - 15; T0 + T1 * T1", "abs (-abs (15 - 50)) - 1"}) {
    const Source source = Read(text);
    const auto codes = EncodeIr(source.ast, source.numbers);
    ASSERT_TRUE(codes) << text << ": " << codes.error().message;
    EvaluateOptions options;
    options.engine = vm::EngineKind::kNative;
    const auto answer = Evaluate(source.ast, source.numbers, options);
    ASSERT_TRUE(answer && answer->value) << text;
    EXPECT_EQ(Compute(*codes, source.words), *ToInt64(*answer->value)) << text;
  }
}

TEST(Codebook, RefusesWhatItCannotSay) {
  for (const char* text :
       {"fact 5", "50 + 7", "sum [50, 15]", "7 / 2", "2000000000 * 2", "20 + 30 + 40 + 50 + 70",
        "sum 1 to (15 + 20)", "1 + (if 1 then 2 else 1)", "?chat"}) {
    const Source source = Read(text);
    const auto codes = EncodeIr(source.ast, source.numbers);
    ASSERT_FALSE(codes) << text;
    EXPECT_EQ(codes.error().code, isa::ErrorCode::kUnsupported);
  }
}

// What the original got wrong.
TEST(Codebook, NegNegates) { EXPECT_EQ(Compute({1, 3, 32, 2}, {7}), -7); }
TEST(Codebook, AbsIsNotDropped) {
  EXPECT_EQ(Compute({1, 3, 33, 2}, {-7}), 7);
  EXPECT_EQ(Compute({1, 3, 33, 2}, {7}), 7);
}
TEST(Codebook, DupKeepsLocalZero) {
  // local 0 = 5; 7 twice, added; plus local 0.
  EXPECT_EQ(Compute({1, 3, 49, 4, 57, 16, 48, 16, 2}, {5, 7}), 19);
}
TEST(Codebook, BranchesReachTheLoopFromInsideAnIf) {
  // local 0 = 10; loop: local 0 -= 1; if (local 0 > 0) br the loop; end; local 0.
  EXPECT_EQ(Compute({1, 10, 49, 40, 48, 8, 17, 52, 7, 27, 44, 42, 46, 41, 48, 2}, {}), 0);
}
TEST(Codebook, MissingNumbersAreErrors) {
  EXPECT_EQ(DecodeIr(Codes{1, 3, 4, 16, 2}, std::vector<std::int32_t>{7}).error().message,
            "code 4 (number 3): slot 1 has no number; 1 given");
}
TEST(Codebook, LongBodiesAreWellFormed) {
  Codes codes = {1, 3};
  for (int i = 0; i < 200; ++i) codes.insert(codes.end(), {4, 16});
  codes.push_back(2);
  EXPECT_EQ(Compute(codes, {1, 1000}), 200'001);
}

TEST(Codebook, RefusesBadSequences) {
  const std::vector<std::int32_t> numbers = {1, 2, 3, 4};
  for (const Codes& codes :
       {Codes{}, Codes{3}, Codes{1, 3}, Codes{1, 1, 2}, Codes{1, 3, 2, 3}, Codes{1, 41, 2},
        Codes{1, 40, 2}, Codes{1, 42, 2}, Codes{1, 44, 41, 2}, Codes{1, 45, 2}, Codes{1, 11, 2},
        Codes{1, 63, 2}, Codes{1, 200, 2}, Codes{1, 0, 2}}) {
    EXPECT_FALSE(DecodeIr(codes, numbers));
  }
  EXPECT_TRUE(DecodeIr(Codes{1, 3, 2, 0, 0}, numbers));
}

// An operand that is missing is what WebAssembly's validation finds.
TEST(Codebook, UnbalancedSequencesDoNotValidate) {
  EXPECT_EQ(Compute({1, 16, 2}, {}), std::nullopt);
  EXPECT_EQ(Compute({1, 3, 3, 2}, {1}), std::nullopt);
}

TEST(Codebook, RandomProgramsComputeTheirAnswers) {
  Rng rng(2027);
  int encoded = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::vector<Token> tokens = RandomTokens({kIrSlots, 12, false}, rng);
    const auto ast = Parse(tokens, kIrSlots);
    ASSERT_TRUE(ast);
    const std::vector<Rational> numbers = RandomNumbers(kIrSlots, rng);
    const auto codes = EncodeIr(*ast, numbers);
    if (!codes) continue;
    ++encoded;
    if (encoded % 4 != 0) continue;  // the others would only take longer
    std::vector<std::int32_t> words;
    for (const Rational& number : numbers) {
      words.push_back(static_cast<std::int32_t>(ToInt64(number).value_or(0)));
    }
    EvaluateOptions options;
    options.engine = vm::EngineKind::kNative;
    options.fuel = 2'000'000;
    const auto answer = Evaluate(*ast, numbers, options);
    ASSERT_TRUE(answer);
    if (!answer->value) continue;  // a range that is too long
    EXPECT_EQ(Compute(*codes, words), *ToInt64(*answer->value)) << TokensText(tokens);
  }
  EXPECT_GT(encoded, 400);
}

TEST(Codebook, SurvivesHostileSequences) {
  Rng rng(3);
  int decoded = 0;
  for (int i = 0; i < 20'000; ++i) {
    Codes codes = {1};
    for (std::size_t length = rng.Below(12); length > 0; --length) {
      codes.push_back(static_cast<std::uint8_t>(rng.Below(70)));
    }
    codes.push_back(2);
    auto body = DecodeIr(codes, std::vector<std::int32_t>{1, 2, 3, 4});
    if (!body) continue;
    ++decoded;
    tests::WabtInstance::Load(IrModule(*std::move(body)));  // valid or not, it is a module
  }
  EXPECT_GT(decoded, 500);
}

TEST(Codebook, HasThirtyEightNames) {
  std::set<std::string_view> names;
  for (int code = 0; code < 256; ++code) names.insert(IrName(static_cast<std::uint8_t>(code)));
  names.erase("");
  EXPECT_EQ(names.size(), 38u);
}

}  // namespace
}  // namespace txvm::frontends::nl
