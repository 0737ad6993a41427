#include "frontends/nl/language/token.h"

#include <algorithm>

namespace txvm::frontends::nl {
namespace {

struct Row {
  std::string_view text, what;
};

constexpr std::array<Row, kFirstLiteral> kRows = {{
#define TXVM_TOKEN(Name, text, what) {text, what},
#include "frontends/nl/language/tokens.def"
#undef TXVM_TOKEN
}};

}  // namespace

std::optional<Token> LiteralToken(std::uint64_t value) {
  const auto found = std::ranges::find(kLiterals, value);
  if (found == kLiterals.end()) return std::nullopt;
  return TokenOf(kFirstLiteral + static_cast<std::size_t>(found - kLiterals.begin()));
}

std::string TokenText(Token token) {
  if (IsLiteral(token)) return std::to_string(LiteralOf(token));
  if (IsSlot(token)) return SlotText(SlotOf(token));
  if (IsTemp(token)) return "T" + std::to_string(TempOf(token));
  return std::string(kRows[Id(token)].text);
}

std::optional<Token> FindToken(std::string_view text) {
  static const std::array<std::string, kTokenCount> texts = [] {
    std::array<std::string, kTokenCount> all;
    for (std::size_t id = 0; id < kTokenCount; ++id) all[id] = TokenText(TokenOf(id));
    return all;
  }();
  const auto found = std::ranges::find(texts, text);
  if (found == texts.end()) return std::nullopt;
  return TokenOf(static_cast<std::size_t>(found - texts.begin()));
}

std::string_view TokenWhat(Token token) {
  return Id(token) < kFirstLiteral ? kRows[Id(token)].what : std::string_view();
}

}  // namespace txvm::frontends::nl
