#include "frontends/nl/reader/codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "frontends/nl/numbers/characters.h"
#include "frontends/nl/numbers/implied_products.h"

namespace txvm::frontends::nl {
namespace {

/// What is said of dollars is said of the other currencies.
constexpr std::string_view kDollar = kCurrencies.front();

/// Characters with a usual spelling in ASCII: a reader sees one sign for one meaning.
constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
    {"×", "*"},   {"·", "*"},        {"÷", "/"},      {"−", "-"},     {"–", "-"},
    {"—", " - "}, {"²", " squared"}, {"³", " cubed"}, {"≤", "<="},    {"≥", ">="},
    {"≠", "!="},  {"‘", "'"},        {"’", "'"},      {"“", "\""},    {"”", "\""},
    {"…", "..."}, {"\u00a0", " "},   {"\u2009", " "}, {"\u202f", " "}};

/// The text with kSpellings in place, and "$" for that currency.
std::string Spelled(std::string_view text, std::string_view currency) {
  std::string spelled;
  while (!text.empty()) {
    if (!currency.empty() && text.starts_with(currency)) {
      spelled += kDollar;
      text.remove_prefix(currency.size());
      continue;
    }
    const auto* found = std::ranges::find_if(
        kSpellings, [&](const auto& spelling) { return text.starts_with(spelling.first); });
    if (found == std::end(kSpellings)) {
      spelled += text.front();
      text.remove_prefix(1);
    } else {
      spelled += found->second;
      text.remove_prefix(found->first.size());
    }
  }
  return spelled;
}

/// Tidied text, with "$" for that currency.
std::string TidiedIn(std::string_view currency, std::string_view text) {
  std::string tidied;
  for (char c : Spelled(text, currency)) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
    if (c == ' ' && (tidied.empty() || tidied.back() == ' ')) continue;
    tidied += c;
  }
  if (!tidied.empty() && tidied.back() == ' ') tidied.pop_back();
  return tidied;
}

/// Plain text, with "$" for that currency.
std::string PlainIn(std::string_view currency, std::string_view text) {
  std::string plain = TidiedIn(currency, text);
  for (char& c : plain) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return plain;
}

/// The sign to read as "$": the only one in a question. Where two currencies meet, or the word
/// "dollar", it matters which is which, and nothing is.
std::string_view CurrencyOf(std::string_view text) {
  std::string_view only;
  for (const std::string_view sign : kCurrencies) {
    if (sign == kDollar || text.find(sign) == std::string_view::npos) continue;
    if (!only.empty()) return {};
    only = sign;
  }
  if (only.empty()) return {};
  const bool has_dollars = text.find(kDollar) != std::string_view::npos ||
                           PlainIn({}, text).find("dollar") != std::string::npos;
  return has_dollars ? std::string_view() : only;
}

/// A part of a text, with the signs of the products that are implied in it and at its ends.
std::string WithSigns(std::string_view part, std::string_view text,
                      const std::vector<std::size_t>& products) {
  const auto begin = static_cast<std::size_t>(part.data() - text.data());
  std::string out;
  std::size_t from = 0;
  const auto first = std::ranges::lower_bound(products, begin);
  for (auto at = first; at != products.end() && *at <= begin + part.size(); ++at) {
    out += part.substr(from, *at - begin - from);
    out += " * ";
    from = *at - begin;
  }
  return out += part.substr(from);
}

}  // namespace

std::string PieceText(Token token) { return fmt::format("<{}>", TokenText(token)); }

std::vector<std::string> AddedPieces() {
  std::vector<std::string> pieces;
  for (std::size_t id = 0; id < kTokenCount; ++id) pieces.push_back(PieceText(TokenOf(id)));
  pieces.emplace_back(kProgramPiece);
  return pieces;
}

std::string Plain(std::string_view text) { return PlainIn({}, text); }

std::string Tidied(std::string_view text) { return TidiedIn({}, text); }

isa::Result<Codec> Codec::Of(const neural::llm::Tokenizer& tokenizer) {
  Codec codec(tokenizer);
  const auto find = [&tokenizer](const std::string& piece) -> isa::Result<neural::llm::Token> {
    if (const auto id = tokenizer.Find(piece)) return *id;
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("the tokenizer has no token {}: the model is none that reads "
                                 "questions with slots",
                                 piece));
  };
  for (std::size_t id = 0; id < kTokenCount; ++id) {
    TXVM_TRY(codec.ids_[id], find(PieceText(TokenOf(id))));
  }
  TXVM_TRY(codec.program_, find(std::string(kProgramPiece)));
  return codec;
}

std::vector<neural::llm::Token> Codec::Prompt(const Lexed& question) const {
  // What a user writes is text, even where it looks like an added token.
  const neural::llm::EncodeOptions text_only{
      .add_special = false, .match_special = false, .match_added = false};
  std::vector<neural::llm::Token> prompt;
  const auto add_text = [&](std::string_view plain) {
    if (plain.empty()) return;
    const auto tokens = tokenizer_.Encode(plain, text_only);
    prompt.insert(prompt.end(), tokens.begin(), tokens.end());
  };
  if (const auto bos = tokenizer_.bos()) prompt.push_back(*bos);
  const std::string_view currency = CurrencyOf(question.text);
  const std::vector<std::size_t> products = ImpliedProducts(question);
  bool after_dollar = false;
  for (const Piece& piece : Pieces(question)) {
    if (piece.is_slot) {
      prompt.push_back(IdOf(SlotToken(piece.slot)));
      if (after_dollar) add_text(kDollar);
      after_dollar = false;
      continue;
    }
    std::string plain = PlainIn(currency, WithSigns(piece.text, question.text, products));
    after_dollar = plain.ends_with(kDollar);
    if (after_dollar) {
      plain.resize(plain.size() - kDollar.size());
      if (plain.ends_with(' ')) plain.pop_back();
    }
    add_text(plain);
  }
  // No number follows it.
  if (after_dollar) add_text(kDollar);
  prompt.push_back(program_);
  return prompt;
}

}  // namespace txvm::frontends::nl
