#include "tests/frontends/wat/mutate_text.h"

#include <algorithm>
#include <array>

#include "frontends/wat/lexer.h"
#include "frontends/wat/text_op.h"

namespace txvm::tests {
namespace {

using frontends::wat::Lexer, frontends::wat::TextOpNames, frontends::wat::Token,
    frontends::wat::TokenKind;

std::vector<std::string> TokensOf(std::string_view text) {
  std::vector<std::string> tokens;
  Lexer lexer(text);
  for (Token token = lexer.Next(); token.kind != TokenKind::kEnd; token = lexer.Next()) {
    tokens.emplace_back(token.text);
  }
  return tokens;
}

std::size_t Place(std::size_t size, support::Random& random) {
  return random.Below(static_cast<std::uint32_t>(std::max<std::size_t>(size, 1)));
}

std::string AnyToken(support::Random& random) {
  constexpr auto kTokens = std::to_array<std::string_view>({"(",
                                                            ")",
                                                            "func",
                                                            "param",
                                                            "result",
                                                            "local",
                                                            "type",
                                                            "i32",
                                                            "i64",
                                                            "f32",
                                                            "f64",
                                                            "funcref",
                                                            "externref",
                                                            "mut",
                                                            "global",
                                                            "table",
                                                            "memory",
                                                            "elem",
                                                            "data",
                                                            "import",
                                                            "export",
                                                            "start",
                                                            "offset",
                                                            "item",
                                                            "declare",
                                                            "then",
                                                            "else",
                                                            "end",
                                                            "block",
                                                            "loop",
                                                            "if",
                                                            "0",
                                                            "1",
                                                            "2",
                                                            "-1",
                                                            "0x10",
                                                            "1_000",
                                                            "1__0",
                                                            "1e3",
                                                            "0x1p4",
                                                            "nan",
                                                            "nan:0x1",
                                                            "inf",
                                                            "1.5",
                                                            "$x",
                                                            "$f",
                                                            "$l",
                                                            "\"a\"",
                                                            "\"\\00\"",
                                                            "\"\\q\"",
                                                            "offset=4",
                                                            "align=2",
                                                            "align=3",
                                                            "module",
                                                            "select",
                                                            "call",
                                                            "br",
                                                            "br_table",
                                                            "return",
                                                            "drop",
                                                            "call_indirect",
                                                            "ref.null",
                                                            "func",
                                                            "extern",
                                                            "ref.func",
                                                            "0x",
                                                            "4294967296",
                                                            "18446744073709551616",
                                                            "\"",
                                                            "(;",
                                                            ";;",
                                                            "_",
                                                            "+1"});
  if (random.OneIn(3)) return std::string(TextOpNames()[Place(TextOpNames().size(), random)]);
  return std::string(kTokens[Place(kTokens.size(), random)]);
}

void MutateToken(std::string& token, support::Random& random) {
  constexpr std::string_view kLetters = "0123456789abcdefnxp._$+-\"\\(); \n{}";
  const std::size_t at = Place(token.size(), random);
  const char letter = kLetters[Place(kLetters.size(), random)];
  switch (random.Below(3)) {
    case 0:
      token[at] = letter;
      return;
    case 1:
      token.insert(at, 1, letter);
      return;
    default:
      token.erase(at, 1);
  }
}

/// Another token of the same text in the place of one that begins alike: most such texts stay
/// well-formed.
void ReplaceByLikes(std::vector<std::string>& tokens, std::size_t at, support::Random& random) {
  if (tokens[at].size() > 1 && tokens[at][0] != '"' && tokens[at][0] != '$') {
    const auto& names = TextOpNames();
    const std::size_t start = Place(names.size(), random);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string_view name = names[(start + i) % names.size()];
      if (name.starts_with(std::string_view(tokens[at]).substr(0, 5))) {
        tokens[at] = name;
        return;
      }
    }
  }
  for (int i = 0; i < 50; ++i) {
    const std::string& other = tokens[Place(tokens.size(), random)];
    if (other[0] == tokens[at][0] && other != tokens[at]) {
      tokens[at] = std::string(other);
      return;
    }
  }
}

/// Another number in the place of the next one.
void ReplaceNumber(std::vector<std::string>& tokens, std::size_t at, support::Random& random) {
  constexpr auto kNumbers = std::to_array<std::string_view>({"0",
                                                             "1",
                                                             "2",
                                                             "7",
                                                             "0x7fff_ffff",
                                                             "4294967295",
                                                             "-1",
                                                             "0x0.1p-3",
                                                             "1e39",
                                                             "-0x1p127",
                                                             "nan",
                                                             "-nan:0x1",
                                                             "+inf",
                                                             "0.1",
                                                             "123456789",
                                                             "1e-45",
                                                             "0x1.fffffep127",
                                                             "-2147483648",
                                                             "9223372036854775807",
                                                             "1.7976931348623157e308",
                                                             "4.9e-324",
                                                             "0x1p-1074",
                                                             "00",
                                                             "0_1",
                                                             "0x1.000001p0",
                                                             "16777217",
                                                             "0x1.0000010000000001p0",
                                                             "3.4028235677973366e38",
                                                             "1e400"});
  for (; at < tokens.size(); ++at) {
    if (tokens[at][0] < '0' || tokens[at][0] > '9') continue;
    tokens[at] = kNumbers[Place(kNumbers.size(), random)];
    return;
  }
}

}  // namespace

std::string MutateText(std::string_view seed, std::string_view other, support::Random& random) {
  std::vector<std::string> tokens = TokensOf(seed);
  const std::uint32_t faults = random.OneIn(3) ? 1 + random.Below(3) : 1;
  for (std::uint32_t fault = faults; fault > 0 && !tokens.empty(); --fault) {
    const std::size_t at = Place(tokens.size(), random);
    if (tokens[at].empty()) continue;
    const auto here = tokens.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random.Below(14)) {
      case 9:
      case 10:
      case 11:
        ReplaceByLikes(tokens, at, random);
        break;
      case 12:
        ReplaceNumber(tokens, at, random);
        break;

      case 0:
        tokens.erase(here);
        break;
      case 1:
        tokens.insert(here, std::string(tokens[Place(tokens.size(), random)]));
        break;
      case 2:
        std::swap(tokens[at], tokens[Place(tokens.size(), random)]);
        break;
      case 3:
        tokens[at] = AnyToken(random);
        break;
      case 4:
        tokens.insert(here, AnyToken(random));
        break;
      case 5: {
        const std::vector<std::string> others = TokensOf(other);
        if (others.empty()) break;
        const std::size_t first = Place(others.size(), random);
        const std::size_t count = std::min<std::size_t>(others.size() - first, 1 + random.Below(8));
        tokens.insert(here, others.begin() + static_cast<std::ptrdiff_t>(first),
                      others.begin() + static_cast<std::ptrdiff_t>(first + count));
        break;
      }
      case 6:
        if (!tokens[at].empty()) MutateToken(tokens[at], random);
        break;
      case 7:
        std::swap(tokens[at], tokens[std::min(at + 1, tokens.size() - 1)]);
        break;
      default:
        if (random.OneIn(8)) tokens.resize(at);
    }
  }
  std::string text;
  for (const std::string& token : tokens) {
    text += token;
    text += random.OneIn(40) ? "" : " ";
  }
  return text;
}

}  // namespace txvm::tests
