#include "tests/frontends/nl/language/random_canonical.h"

#include <string>

namespace txvm::frontends::nl {
namespace {

/// Programs end, groups close and slots appear more often than by chance; words and signs that
/// share one place in the grammar stay equally likely.
std::size_t Weight(Token token) {
  if (token == Token::kEnd || token == Token::kThen) return 40;
  if (IsAbstention(token)) return 1;
  if (token == Token::kClose || token == Token::kCloseList) return 24;
  if (token == Token::kComma) return 30;
  if (token == Token::kOpenList) return 150;  // else ranges crowd out the lists of sum
  if (IsTemp(token)) return 30;
  if (IsSlot(token)) return 8;
  if (IsLiteral(token)) return 3;
  return 8;
}

std::string RandomDigits(std::size_t count, Rng& rng) {
  std::string digits(1, static_cast<char>('1' + rng.Below(9)));
  while (digits.size() < count) digits.push_back(static_cast<char>('0' + rng.Below(10)));
  return digits;
}

}  // namespace

Token Pick(const TokenSet& allowed, Rng& rng) {
  std::size_t total = 0;
  for (std::size_t id = 0; id < kTokenCount; ++id) total += allowed[id] ? Weight(TokenOf(id)) : 0;
  std::size_t at = rng.Below(total);
  for (std::size_t id = 0; id < kTokenCount; ++id) {
    if (!allowed[id]) continue;
    if (at < Weight(TokenOf(id))) return TokenOf(id);
    at -= Weight(TokenOf(id));
  }
  return Token::kEnd;
}

std::vector<Token> RandomTokens(const GrammarOptions& options, Rng& rng) {
  CanonicalGrammar grammar(options);
  std::vector<Token> tokens;
  while (!grammar.finished()) {
    TokenSet allowed = grammar.Allowed();
    const bool opened = !tokens.empty() && tokens.back() == Token::kOpenList;
    if (opened && allowed.count() > 1 && rng.Below(12) != 0) allowed[Id(Token::kCloseList)] = false;
    tokens.push_back(Pick(allowed, rng));
    grammar.Advance(tokens.back());
  }
  return tokens;
}

std::vector<Rational> RandomNumbers(std::size_t count, Rng& rng) {
  std::vector<Rational> numbers;
  while (numbers.size() < count) {
    const std::string sign = rng.Below(6) == 0 ? "-" : "";
    std::string text;
    switch (rng.Below(12)) {
      case 0:
      case 4:
      case 5:
        text = RandomDigits(1 + rng.Below(3), rng) + "." + RandomDigits(1 + rng.Below(2), rng);
        break;
      case 1:
        text = RandomDigits(8 + rng.Below(4), rng);
        break;
      case 2:
        text = RandomDigits(20 + rng.Below(57), rng);
        break;
      case 3:
        text = std::to_string(std::uint64_t{2147483646} + rng.Below(4));
        break;
      default:
        text = std::to_string(rng.Below(rng.Below(2) == 0 ? 13 : 1'000));
        break;
    }
    if (const auto value = ParseDecimal(sign + text)) numbers.push_back(*value);
  }
  return numbers;
}

}  // namespace txvm::frontends::nl
