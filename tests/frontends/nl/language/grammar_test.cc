// The automaton that masks a model accepts exactly what the parser accepts, and can always finish.
#include "frontends/nl/language/grammar.h"

#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/parser.h"
#include "frontends/nl/language/printer.h"
#include "frontends/nl/language/text.h"
#include "tests/frontends/nl/language/random_canonical.h"

namespace txvm::frontends::nl {
namespace {

constexpr std::size_t kSlots = 2;

std::vector<Token> Tokens(std::string_view text) {
  const auto read = ReadCanonical(text, std::vector<Number>(kMaxSlots));
  return read ? read->tokens : std::vector<Token>{};
}

bool Accepts(const std::vector<Token>& tokens, const GrammarOptions& options) {
  CanonicalGrammar grammar(options);
  for (const Token token : tokens) {
    if (!grammar.Advance(token)) return false;
  }
  return grammar.finished();
}

// One of every class of tokens that the grammar treats alike, and neighbours of each kind.
const std::vector<Token> kRepresentatives = {
    Token::kEnd,     Token::kPlus,  Token::kMinus,     Token::kTimes,     Token::kPower,
    Token::kOpen,    Token::kClose, Token::kOpenList,  Token::kCloseList, Token::kComma,
    Token::kAssign,  Token::kThen,  Token::kLess,      Token::kIf,        Token::kIfThen,
    Token::kElse,    Token::kSum,   Token::kMax,       Token::kAbs,       Token::kTo,
    Token::kNoSense, SlotToken(0),  SlotToken(kSlots), TempToken(0),      TempToken(1),
};

// Every sequence of representatives up to a length; without `outside_too` only those whose last
// token alone may be wrong.
struct Enumeration {
  std::size_t sequences = 0, accepted = 0, disagreements = 0;
  std::vector<Token> tokens;

  void Check(const CanonicalGrammar* grammar) {
    ++sequences;
    const bool parsed = Parse(tokens, kSlots).has_value();
    const bool accepted_here = grammar != nullptr && grammar->finished();
    accepted += parsed ? 1 : 0;
    if (parsed == accepted_here) return;
    if (disagreements++ < 5) ADD_FAILURE() << TokensText(tokens) << " parsed " << parsed;
  }
  /// `grammar` is null once the prefix has left the language.
  void Extend(const CanonicalGrammar* grammar, std::size_t more, bool outside_too) {
    if (more == 0) return;
    for (const Token token : kRepresentatives) {
      tokens.push_back(token);
      CanonicalGrammar next = grammar != nullptr ? *grammar : CanonicalGrammar();
      const bool inside = grammar != nullptr && next.Advance(token);
      Check(inside ? &next : nullptr);
      if (inside || outside_too) Extend(inside ? &next : nullptr, more - 1, outside_too);
      tokens.pop_back();
    }
  }
};

TEST(Grammar, AgreesWithTheParserOnEverySequenceOfFourTokens) {
  const CanonicalGrammar start({kSlots, kMaxTokens, true});
  Enumeration all;
  all.Extend(&start, 4, true);
  EXPECT_EQ(all.disagreements, 0u);
  EXPECT_GT(all.sequences, 200'000u);
  EXPECT_GT(all.accepted, 10u);
}

TEST(Grammar, AgreesWithTheParserOnEveryViablePrefixOfSevenTokens) {
  const CanonicalGrammar start({kSlots, kMaxTokens, true});
  Enumeration all;
  all.Extend(&start, 7, false);
  EXPECT_EQ(all.disagreements, 0u);
  EXPECT_GT(all.accepted, 700u);
}

TEST(Grammar, RandomWalksFinishWithinTheBoundAndParse) {
  Rng rng(20260101);
  for (int i = 0; i < 3'000; ++i) {
    const GrammarOptions options{1 + rng.Below(kMaxSlots), 2 + rng.Below(80), rng.Below(2) == 0};
    CanonicalGrammar grammar(options);
    std::vector<Token> tokens;
    while (!grammar.finished()) {
      ASSERT_LE(tokens.size() + grammar.MinimumToFinish(), options.max_tokens);
      const TokenSet allowed = grammar.Allowed();
      ASSERT_TRUE(allowed.any()) << TokensText(tokens);
      const Token token = Pick(allowed, rng);
      ASSERT_TRUE(grammar.Advance(token));
      tokens.push_back(token);
    }
    ASSERT_LE(tokens.size(), options.max_tokens);
    const auto ast = Parse(tokens, options.slots);
    ASSERT_TRUE(ast) << TokensText(tokens) << ": " << ast.error().message;
    const std::vector<Token> printed = Print(*ast);
    const auto again = Parse(printed, options.slots);
    ASSERT_TRUE(again) << TokensText(tokens) << " printed as " << TokensText(printed);
    EXPECT_EQ(Print(*again), printed);
    EXPECT_LE(printed.size(), tokens.size());
  }
}

// A program changed in one token is taken by both or by neither.
TEST(Grammar, AgreesWithTheParserOnDamagedPrograms) {
  Rng rng(77);
  int rejected = 0;
  for (int i = 0; i < 8'000; ++i) {
    std::vector<Token> tokens = RandomTokens({kSlots, 40, true}, rng);
    const std::size_t at = rng.Below(tokens.size());
    const Token token = TokenOf(rng.Below(kTokenCount));
    switch (rng.Below(3)) {
      case 0:
        tokens[at] = token;
        break;
      case 1:
        tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), token);
        break;
      default:
        tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at));
        break;
    }
    const bool parsed = Parse(tokens, kSlots).has_value();
    ASSERT_EQ(parsed, Accepts(tokens, {kSlots, kMaxTokens, true})) << TokensText(tokens);
    rejected += parsed ? 0 : 1;
  }
  EXPECT_GT(rejected, 2'000);
}

TEST(Grammar, CountsListElements) {
  std::string text = "sum [N0";
  for (int i = 1; i < 32; ++i) text += ", 1";
  const GrammarOptions options{kSlots, kMaxTokens, true};
  EXPECT_TRUE(Accepts(Tokens(text + "]"), options));
  EXPECT_FALSE(Accepts(Tokens(text + ", 1]"), options));
  EXPECT_TRUE(Parse(Tokens(text + "]"), kSlots));
  const auto refused = Parse(Tokens("2 * " + text + ", 1, 1]"), kSlots);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, isa::ErrorCode::kLimit);
  EXPECT_EQ(refused.error().message, "token 3: a list of 34 elements; the limit is 32");
}

TEST(Grammar, AbstentionCanBeForbidden) {
  EXPECT_TRUE(Accepts(Tokens("?chat"), {kSlots, kMaxTokens, true}));
  EXPECT_FALSE(Accepts(Tokens("?chat"), {kSlots, kMaxTokens, false}));
  EXPECT_FALSE(Accepts(Tokens("T0 := 1; ?chat"), {kSlots, kMaxTokens, true}));
}

TEST(Grammar, ShortestBoundLeavesOneOperand) {
  CanonicalGrammar grammar({kSlots, 2, false});
  const TokenSet allowed = grammar.Allowed();
  EXPECT_EQ(allowed.count(), kLiterals.size() + kSlots);
  ASSERT_TRUE(grammar.Advance(SlotToken(1)));
  EXPECT_EQ(grammar.Allowed().count(), 1u);
  EXPECT_TRUE(grammar.Allowed()[Id(Token::kEnd)]);
}

TEST(Parser, ParsesWhatTheLanguageSays) {
  for (const char* text : {"N0 + N1 * 2",
                           "(N0 + N1) * 2",
                           "-N0 ^ 2",
                           "(-N0) ^ 2",
                           "2 ^ -N0",
                           "2 ^ 3 ^ 2",
                           "N0 - (N1 - 1)",
                           "sum 1 to N0",
                           "sum -N0 to (N1 + 1)",
                           "product 1 to 5",
                           "count N0 to 0",
                           "sum []",
                           "max [N0, N1, N0 * 2]",
                           "if N0 > N1 then N0 else N1",
                           "(if N0 == 1 then 2 else 3) * 5",
                           "T0 := N0 * N1; T1 := T0 - 1; T0 / T1",
                           "abs (N0 - N1)",
                           "fact fib N0",
                           "gcd [N0, N1]",
                           "N0 div N1 + N0 mod N1",
                           "ceil (N0 / N1)",
                           "N0 != N1",
                           "--N0"}) {
    const auto ast = Parse(Tokens(text), kSlots);
    ASSERT_TRUE(ast) << text << ": " << ast.error().message;
    EXPECT_EQ(TokensText(Print(*ast)), text);
  }
}

TEST(Parser, ErrorsNameTheTokenAndWhatWasExpected) {
  const auto message = [](std::string_view text) {
    const auto ast = Parse(Tokens(text), kSlots);
    return ast ? "parsed" : ast.error().message;
  };
  EXPECT_EQ(message("(N0 + 1"), "token 5: '=' where ')' was expected");
  EXPECT_EQ(message("N0 +"), "token 3: '=' where an operand was expected");
  EXPECT_EQ(message("N2"), "token 1: 'N2' where an operand with 2 numbers given was expected");
  for (const char* text : {"T0", "T0 + 1", "T0 2; T0"}) {
    EXPECT_EQ(message(text),
              "token 1: T0 has no value here: temporaries are defined in order, T0 first, and read "
              "after their definition");
  }
  EXPECT_EQ(message("T0 := T0; 1"),
            "token 3: T0 has no value here: temporaries are defined in order, T0 first, and read "
            "after their definition");
  EXPECT_EQ(message("1 < 2 < 3"), "token 4: '<' where the end of the program was expected");
  EXPECT_EQ(message("1 = 2"), "token 3: '2' where nothing more was expected");
  EXPECT_EQ(Parse({}, 0).error().message,
            "token 1: the end of the program where an operand was expected");
  const std::vector<Token> long_one(kMaxTokens + 1, Token::kMinus);
  EXPECT_EQ(Parse(long_one, 0).error().message, "a program of 257 tokens; the limit is 256");
}

TEST(Text, NumbersBecomeLiteralsOrSlots) {
  const auto read = ReadCanonical("(50 + 15) * 2 - 50 =");
  ASSERT_TRUE(read);
  EXPECT_EQ(TokensText(read->tokens), "(N0 + N1) * 2 - N0");
  ASSERT_EQ(read->numbers.size(), 2u);
  EXPECT_EQ(read->numbers[1].text, "15");
  const auto bad = ReadCanonical("1 + $2");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().place.column, 5u);
  EXPECT_FALSE(ReadCanonical("foo 1"));
}

TEST(Text, TokensHaveTheirPlaces) {
  const auto places = [](std::string_view text) { return ReadCanonical(text)->places; };
  EXPECT_EQ(places(" 50+2 = \n"), (std::vector<std::size_t>{1, 3, 4, 6}));
  EXPECT_EQ(places("sum\n1 to 200 \n"), (std::vector<std::size_t>{0, 4, 6, 9, 12}));
  EXPECT_EQ(places("  "), (std::vector<std::size_t>{0}));
}

TEST(Text, ErrorsShowTheirLineWhereItIsShort) {
  const auto error = [](std::string_view text) { return ReadCanonical(text).error(); };
  EXPECT_EQ(error("1 +\n2 $").ToString(),
            "canonical:2:3: error: '$' is no token of the canonical language\n  2 $\n    ^");
  EXPECT_EQ(error("1 $\r\n2").source_line, "1 $");
  const isa::Error lengthy = error("1 +\n" + std::string(1u << 20, ' ') + "$");
  EXPECT_EQ(lengthy.place.line, 2u);
  EXPECT_EQ(lengthy.place.column, (1u << 20) + 1);
  EXPECT_EQ(lengthy.source_line, "");
}

// Every prefix of a word was looked up.
TEST(Text, ALongWordIsRefusedAtOnce) {
  constexpr std::size_t kBytes = 15'000'000;
  constexpr double kMostSeconds = 2;  // 0.02 measured; sanitizers and debug builds are slow
  const std::clock_t begin = std::clock();
  EXPECT_FALSE(ReadCanonical("?" + std::string(kBytes, 'a')));
  EXPECT_FALSE(ReadCanonical(std::string(kBytes, 'a')));
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, kMostSeconds);
  EXPECT_EQ(ReadCanonical("?unsupported1")->tokens.size(), 3u);
  EXPECT_FALSE(ReadCanonical("productproduct 1 to 2"));
}

TEST(Tokens, TextsAreDistinct) {
  for (std::size_t id = 0; id < kTokenCount; ++id) {
    EXPECT_EQ(FindToken(TokenText(TokenOf(id))), TokenOf(id)) << id;
  }
  EXPECT_EQ(kTokenCount, 96u);
}

TEST(Docs, CanonicalListsEveryToken) {
  std::ifstream stream(TXVM_SOURCE_DIR "/docs/CANONICAL.md");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  for (std::size_t id = 0; id < kFirstLiteral; ++id) {
    const std::string token = "`" + TokenText(TokenOf(id)) + "`";
    EXPECT_NE(text.find(token), std::string::npos) << token;
  }
}

}  // namespace
}  // namespace txvm::frontends::nl
