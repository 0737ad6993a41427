// Canonical programs written in pieces: whatever is chosen, the text parses and its numbers are the
// question's.
#include "frontends/nl/reader/piece_mask.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/parser.h"
#include "frontends/nl/language/text.h"
#include "frontends/nl/reader/chat_prompts.h"
#include "neural/llm/chat.h"
#include "tests/frontends/nl/reader/piece_tokenizers.h"
#include "tests/neural/llm/tokenizer_files.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;

constexpr const char* kQuestions[] = {
    "Janet has 50 apples. She gives away 15. How many remain?",
    "Two thousand five hundred minus 1,000 and -7",
    "Cost of 2.50 and .5 and 3.0 at 20% over 100 days", "No number here", "",
    "2.5 million, 007, three point one four, -12.75",
    "115792089237316195423570985008687907853269984665640564039457 and 13 13 13",
    // -2^255, which has no magnitude
    "-57896044618658097711785492504343953926634992332820282019728792003956564819968 and 5"};

CanonicalPieces PiecesOf(const llm::Tokenizer& tokenizer) {
  auto pieces = CanonicalPieces::Of(tokenizer, llm::StopTokens(tokenizer, {}));
  EXPECT_TRUE(pieces) << pieces.error().message;
  return *std::move(pieces);
}

std::vector<Number> NumbersOf(std::string_view question) { return Magnitudes(*Lex(question)); }

PieceMask MaskFor(const llm::Tokenizer& tokenizer, std::string_view question,
                  const GrammarOptions& options = {}) {
  return PieceMask(PiecesOf(tokenizer), NumbersOf(question), options);
}

/// Whether the text can be written, byte by byte, and is then a whole program.
bool Writes(PieceMask mask, const llm::Tokenizer& tokenizer, std::string_view text) {
  for (const char c : text) {
    if (!mask.Advance(PieceId(tokenizer, std::string(1, c)))) return false;
  }
  return mask.finished() || mask.Advance(*tokenizer.eos());
}

/// The numbers written in a canonical text are literals or magnitudes of the question's.
void ExpectOwnNumbers(const PieceMask& mask) {
  const auto read = ReadCanonical(mask.text());
  ASSERT_TRUE(read) << mask.text();
  for (const Number& number : read->numbers) {
    EXPECT_NE(std::ranges::find(mask.numbers(), number.value, &Number::value), mask.numbers().end())
        << number.text << " in " << mask.text();
  }
}

void ExpectWhole(const PieceMask& mask) {
  ASSERT_TRUE(mask.finished());
  const auto read = ReadCanonical(mask.text(), mask.numbers());
  ASSERT_TRUE(read) << mask.text() << ": " << read.error().message;
  EXPECT_EQ(read->tokens, mask.tokens()) << mask.text();
  EXPECT_EQ(read->numbers.size(), mask.numbers().size()) << mask.text();
  const auto ast = Parse(mask.tokens(), mask.numbers().size());
  EXPECT_TRUE(ast) << mask.text() << ": " << ast.error().message;
  ExpectOwnNumbers(mask);
}

std::vector<llm::Tokenizer> Tokenizers() {
  const std::string file = llm::SentencePieceFile();
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  return {PieceTokenizer(AwkwardPieces(false), false), PieceTokenizer(AwkwardPieces(true), true),
          *llm::Tokenizer::Make(*llm::SpecFromSentencePiece(bytes)),
          *llm::Tokenizer::Make(*llm::SpecFromJson(llm::kCharacterTokenizer)),
          *llm::Tokenizer::Make(*llm::SpecFromJson(llm::kByteTokenizer))};
}

TEST(Magnitudes, KeepTheSignOfTheOneNumberWithoutAMagnitude) {
  const std::string least =
      "-57896044618658097711785492504343953926634992332820282019728792003956564819968";  // -2^255
  const std::vector<Number> numbers = NumbersOf(least + " and -$5 and -½");
  ASSERT_EQ(numbers.size(), 3u);
  EXPECT_EQ(ToText(numbers[0].value), least);
  EXPECT_EQ(ToText(numbers[1].value), "5");
  EXPECT_EQ(ToText(numbers[2].value), "1/2");
}

TEST(PieceMask, RandomChoicesParseAndCopyNumbers) {
  std::mt19937 random(20);
  std::set<std::string> texts;
  for (const llm::Tokenizer& tokenizer : Tokenizers()) {
    for (int round = 0; round < 150; ++round) {
      GrammarOptions options;
      options.max_tokens = 2 + random() % 40;
      options.allow_abstention = round % 2 == 0;
      PieceMask mask = MaskFor(tokenizer, kQuestions[random() % std::size(kQuestions)], options);
      int steps = 0;
      while (!mask.finished()) {
        const std::vector<llm::Token> allowed = mask.Allowed();
        ASSERT_FALSE(allowed.empty()) << mask.text();
        ASSERT_TRUE(mask.Advance(allowed[random() % allowed.size()])) << mask.text();
        ASSERT_LT(++steps, 5'000);
      }
      EXPECT_LE(mask.tokens().size(), options.max_tokens);
      ExpectWhole(mask);
      texts.insert(mask.text());
    }
  }
  EXPECT_GT(texts.size(), 400u);
}

TEST(PieceMask, AllowedAndAdvanceAgree) {
  std::mt19937 random(21);
  for (const bool byte_level : {false, true}) {
    const llm::Tokenizer tokenizer = PieceTokenizer(AwkwardPieces(byte_level), byte_level);
    for (int round = 0; round < 8; ++round) {
      PieceMask mask = MaskFor(tokenizer, kQuestions[round % std::ssize(kQuestions)]);
      for (int step = 0; step < 25 && !mask.finished(); ++step) {
        const std::vector<llm::Token> allowed = mask.Allowed();
        const std::set<llm::Token> set(allowed.begin(), allowed.end());
        for (std::size_t i = 0; i < tokenizer.size(); ++i) {
          const auto id = static_cast<llm::Token>(i);
          PieceMask copy = mask;
          EXPECT_EQ(copy.Advance(id), set.contains(id))
              << "'" << tokenizer.Bytes(id) << "' after '" << mask.text() << "'";
        }
        mask.Advance(allowed[random() % allowed.size()]);
      }
    }
  }
}

TEST(PieceMask, NumbersAreWrittenAsTheQuestionMeansThem) {
  const llm::Tokenizer tokenizer = PieceTokenizer({}, false);
  const auto writes = [&](std::string_view question, std::string_view text) {
    return Writes(MaskFor(tokenizer, question), tokenizer, text);
  };
  const std::string_view words = kQuestions[1], decimals = kQuestions[2], odd = kQuestions[5];
  EXPECT_TRUE(writes(words, "2500 - 1000 - 7 ="));
  EXPECT_TRUE(writes(words, "2500-1000+-7"));
  EXPECT_FALSE(writes(words, "250 - 1000"));
  EXPECT_FALSE(writes(words, "2500 - 13"));
  EXPECT_FALSE(writes(words, "1,000"));
  EXPECT_TRUE(writes(decimals, "2.50 + 2.5 + .5 + 0.5 + 3.0 + 3 + 20 / 100"));
  EXPECT_FALSE(writes(decimals, "2.51"));
  EXPECT_FALSE(writes(decimals, "2."));
  EXPECT_TRUE(writes(odd, "2500000 * 007 - 3.14 * 12.75"));
  EXPECT_TRUE(writes("", "0 + 12 * 60 / 100"));
  EXPECT_FALSE(writes("", "13"));
  EXPECT_FALSE(writes("1 2 3", "N0 + N1"));
}

// Canonical text has no such number, and the minus of others must not be taken for its sign.
TEST(PieceMask, ANumberWithoutAMagnitudeIsNotWritten) {
  const llm::Tokenizer tokenizer = PieceTokenizer({}, false);
  const std::string_view question = kQuestions[7];
  const PieceMask mask = MaskFor(tokenizer, question);
  EXPECT_FALSE(Writes(mask, tokenizer, question.substr(0, question.find(' '))));
  EXPECT_TRUE(Writes(mask, tokenizer, "1 -5 "));
  EXPECT_TRUE(Writes(mask, tokenizer, "-5"));
}

TEST(PieceMask, BlanksAreSingleAndSeparate) {
  const llm::Tokenizer tokenizer = PieceTokenizer({}, true);
  const auto writes = [&](std::string_view text) {
    return Writes(MaskFor(tokenizer, "30 and 40"), tokenizer, text);
  };
  EXPECT_TRUE(writes(" 30 + 40 ="));
  EXPECT_TRUE(writes("30+40"));
  EXPECT_TRUE(writes("sum 30 to 40\n"));
  EXPECT_TRUE(writes("sum 30to 40"));
  EXPECT_TRUE(writes("T0 := 30 * 40; T0 + T0 ="));
  EXPECT_FALSE(writes("30  + 40"));
  EXPECT_FALSE(writes("sum30 to 40"));
  EXPECT_FALSE(writes("sum 30 to40 x"));
  EXPECT_FALSE(writes("30 4 0"));
  EXPECT_FALSE(writes("3 0"));
  EXPECT_FALSE(writes("30 +"));
  EXPECT_FALSE(writes(""));
}

TEST(PieceMask, AnEqualsSignEndsWhereAnotherPieceSaysEquality) {
  const llm::Tokenizer with = PieceTokenizer({"=="}, true), without = PieceTokenizer({}, true);
  EXPECT_TRUE(Writes(MaskFor(without, "8 9"), without, "8 == 9 ="));
  EXPECT_TRUE(Writes(MaskFor(without, "8 9"), without, "8 = "));
  EXPECT_FALSE(Writes(MaskFor(with, "8 9"), with, "8 == 9"));
  PieceMask mask = MaskFor(with, "8 9");
  for (const char* piece : {"8", " ", "==", " ", "9", " "}) {
    ASSERT_TRUE(mask.Advance(PieceId(with, piece))) << piece;
    EXPECT_FALSE(mask.finished());
  }
  EXPECT_FALSE(PieceMask(mask).Advance(PieceId(with, "==")));
  EXPECT_TRUE(mask.Advance(PieceId(with, "=")));
  EXPECT_TRUE(mask.finished());
  EXPECT_TRUE(mask.Allowed().empty());
}

TEST(PieceMask, EveryShotIsAProgramOfItsQuestion) {
  const llm::Tokenizer tokenizer = PieceTokenizer({}, false);
  for (std::size_t i = 0; i <= static_cast<std::size_t>(Pipeline::kWordProblem); ++i) {
    const auto pipeline = static_cast<Pipeline>(i);
    EXPECT_FALSE(ShotsOf(pipeline).empty());
    EXPECT_EQ(FindPipeline(Info(pipeline).name), pipeline);
    for (const Shot& shot : ShotsOf(pipeline)) {
      const GrammarOptions options{.max_tokens = Info(pipeline).most_tokens,
                                   .allow_abstention = Info(pipeline).abstains};
      EXPECT_TRUE(Writes(MaskFor(tokenizer, shot.question, options), tokenizer, shot.answer))
          << shot.question << " -> " << shot.answer;
    }
  }
}

TEST(PieceMask, AVocabularyThatCouldRunIntoADeadEndIsRefused) {
  llm::TokenizerSpec spec;
  for (const char c : std::string(" .0123456789")) {
    spec.pieces.push_back({std::string(1, c), 0, llm::PieceKind::kNormal});
  }
  const auto tokenizer = llm::Tokenizer::Make(std::move(spec));
  ASSERT_TRUE(tokenizer);
  const auto pieces = CanonicalPieces::Of(*tokenizer, {});
  ASSERT_FALSE(pieces);
  EXPECT_NE(pieces.error().message.find("no piece '!'"), std::string::npos)
      << pieces.error().message;
}

// Of 32,000 pieces that canonical text may contain far more would fit than of a real vocabulary.
TEST(PieceMask, AStepIsShortWithALargeVocabulary) {
  constexpr std::size_t kPieces = 32'000;
  constexpr double kMostSeconds = 0.02;  // 0.001 promised; sanitizers and debug builds are slow
  std::mt19937 random(22);
  const std::string letters = " 0123456789+-*/()=sumtoifthenelsemaxminproductcountabsfloor[],";
  std::set<std::string> pieces;
  while (pieces.size() < kPieces) {
    std::string text;
    for (std::size_t n = 1 + random() % 6; n > 0; --n) text += letters[random() % letters.size()];
    pieces.insert(text);
  }
  const llm::Tokenizer tokenizer = PieceTokenizer({pieces.begin(), pieces.end()}, true);
  const CanonicalPieces canonical = PiecesOf(tokenizer);
  std::size_t steps = 0;
  const std::clock_t begin = std::clock();
  for (int round = 0; round < 20; ++round) {
    PieceMask mask(canonical, NumbersOf(kQuestions[0]), {.max_tokens = 32});
    for (; !mask.finished(); ++steps) {
      const std::vector<llm::Token> allowed = mask.Allowed();
      mask.Advance(allowed[random() % allowed.size()]);
    }
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  fmt::print("{:.0f} us a step\n", 1e6 * seconds / static_cast<double>(steps));
  EXPECT_LT(seconds / static_cast<double>(steps), kMostSeconds);
}

}  // namespace
}  // namespace txvm::frontends::nl
