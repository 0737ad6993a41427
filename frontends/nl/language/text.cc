#include "frontends/nl/language/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "frontends/nl/numbers/characters.h"
#include "isa/support/text.h"
#include "neural/llm/unicode.h"

namespace txvm::frontends::nl {
namespace {

using isa::Error;
using isa::ErrorCode;
using isa::Result;

constexpr std::size_t kLongestSign = 2;  // "=="
constexpr std::size_t kLongestToken = std::max({
#define TXVM_TOKEN(Name, text, what) std::string_view(text).size(),
#include "frontends/nl/language/tokens.def"
#undef TXVM_TOKEN
});

class Reader {
 public:
  Reader(std::string_view text, std::vector<Number> given) : text_(text), given_(given.size()) {
    out_.numbers = std::move(given);
  }

  Result<CanonicalText> Run() && {
    while (true) {
      while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
      if (at_ == text_.size()) break;
      TXVM_CHECK_OK(IsDigit(text_[at_]) || text_[at_] == '.' ? ReadNumber() : ReadToken());
    }
    if (out_.tokens.empty() || out_.tokens.back() != Token::kEnd) {
      out_.tokens.push_back(Token::kEnd);
      out_.places.push_back(after_);
    }
    return std::move(out_);
  }

 private:
  std::unexpected<Error> Refuse(ErrorCode code, std::string message) const {
    return std::unexpected(isa::ErrorAt(text_, at_, "canonical", code, std::move(message)));
  }

  /// Takes the token that ends at `end`.
  void Take(Token token, std::size_t end) {
    out_.tokens.push_back(token);
    out_.places.push_back(at_);
    at_ = after_ = end;
  }

  Result<void> ReadNumber() {
    std::size_t end = at_;
    while (end < text_.size() && (IsDigit(text_[end]) || text_[end] == '.')) ++end;
    const std::string_view digits = text_.substr(at_, end - at_);
    Result<Rational> value = ParseDecimal(digits);
    if (!value && IsGroupWithMinus(end)) {
      // -2^255 fits where 2^255 does not; CanonicalText of ask.h writes it so.
      const auto negative = ParseDecimal("-" + std::string(digits));
      if (negative) return TakeNegative(*negative, end);
    }
    if (!value) return Refuse(value.error().code, value.error().message);
    const auto small = ToInt64(*value);
    if (const auto literal =
            small ? LiteralToken(static_cast<std::uint64_t>(*small)) : std::nullopt) {
      Take(*literal, end);
      return {};
    }
    return TakeSlot(*value, end);
  }

  /// Whether the digits that begin at at_ stand in "(-5)".
  bool IsGroupWithMinus(std::size_t end) const {
    return at_ > 1 && text_.substr(at_ - 2, 2) == "(-" && end < text_.size() && text_[end] == ')';
  }
  /// The slot of a group whose parenthesis and minus were taken as tokens of their own.
  Result<void> TakeNegative(const Rational& value, std::size_t end) {
    constexpr std::size_t kTaken = 2;
    out_.tokens.resize(out_.tokens.size() - kTaken);
    out_.places.resize(out_.places.size() - kTaken);
    at_ -= kTaken;
    return TakeSlot(value, end + 1);
  }

  Result<void> TakeSlot(const Rational& value, std::size_t end) {
    const auto known = std::ranges::find(out_.numbers, value, &Number::value);
    const auto slot = static_cast<std::size_t>(known - out_.numbers.begin());
    if (slot == kMaxSlots) {
      return Refuse(ErrorCode::kLimit,
                    fmt::format("more than {} different numbers in one program", kMaxSlots));
    }
    if (known == out_.numbers.end()) {
      out_.numbers.push_back({value, at_, end, std::string(text_.substr(at_, end - at_))});
    }
    Take(SlotToken(slot), end);
    return {};
  }

  /// A word with its digits ("sum", "N12", "?chat"), or the longest sign.
  Result<void> ReadToken() {
    std::size_t end = at_;
    if (IsLetter(text_[at_]) || text_[at_] == '?') {
      // One byte too many shows that a word is none of the tokens.
      const std::size_t most = std::min(text_.size(), at_ + kLongestToken + 1);
      do {
        ++end;
      } while (end < most && (IsLetter(text_[end]) || IsDigit(text_[end])));
    } else {
      end = std::min(text_.size(), at_ + kLongestSign);
    }
    for (; end > at_; --end) {
      const auto token = FindToken(text_.substr(at_, end - at_));
      if (token && IsSlot(*token) && SlotOf(*token) >= given_) {
        return Refuse(ErrorCode::kUsage,
                      fmt::format("N{} has no number; {} given", SlotOf(*token), given_));
      }
      if (token) {
        Take(*token, end);
        return {};
      }
      if (IsLetter(text_[at_])) break;
    }
    return RefuseWord();
  }

  /// Names the whole word or character that is no token.
  std::unexpected<Error> RefuseWord() const {
    constexpr std::size_t kMostShown = 40;  // bytes
    std::size_t end = at_;
    while (end < text_.size() && (IsLetter(text_[end]) || IsDigit(text_[end]))) ++end;
    if (end == at_) end += neural::llm::FirstCodePoint(text_.substr(at_)).size;
    std::string word = neural::llm::ValidUtf8(text_.substr(at_, std::min(end - at_, kMostShown)));
    if (word.size() < end - at_) word += "...";
    const bool is_slot =
        word.size() > 1 && word.front() == 'N' && std::ranges::all_of(word.substr(1), IsDigit);
    if (is_slot) {
      return Refuse(ErrorCode::kSyntax,
                    fmt::format("there is no slot {}: they are N0 to N{}", word, kMaxSlots - 1));
    }
    return Refuse(ErrorCode::kSyntax,
                  fmt::format("'{}' is no token of the canonical language", word));
  }

  std::string_view text_;
  std::size_t given_;  // how many of the numbers were
  std::size_t at_ = 0;
  std::size_t after_ = 0;  // the last token
  CanonicalText out_;
};

}  // namespace

Result<CanonicalText> ReadCanonical(std::string_view text, std::vector<Number> given) {
  return Reader(text, std::move(given)).Run();
}

}  // namespace txvm::frontends::nl
