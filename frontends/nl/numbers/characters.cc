#include "frontends/nl/numbers/characters.h"

#include <algorithm>
#include <array>
#include <span>

namespace txvm::frontends::nl {
namespace {

// clang-format off
constexpr std::array<FractionSign, 18> kFractionSigns = {{
    {"½", {1, 2}}, {"⅓", {1, 3}}, {"⅔", {2, 3}}, {"¼", {1, 4}}, {"¾", {3, 4}}, {"⅕", {1, 5}},
    {"⅖", {2, 5}}, {"⅗", {3, 5}}, {"⅘", {4, 5}}, {"⅙", {1, 6}}, {"⅚", {5, 6}}, {"⅐", {1, 7}},
    {"⅛", {1, 8}}, {"⅜", {3, 8}}, {"⅝", {5, 8}}, {"⅞", {7, 8}}, {"⅑", {1, 9}}, {"⅒", {1, 10}},
}};
// clang-format on

// "\r\n" before its parts.
constexpr std::array<std::string_view, 8> kBlanks = {" ",  "\t",     "\r\n",   "\n",
                                                     "\r", "\u00a0", "\u2009", "\u202f"};
constexpr std::array<std::string_view, 3> kMinuses = {"-", "\u2212", "\u2013"};
constexpr std::array<std::string_view, 2> kApostrophes = {"'", "\u2019"};

/// Length in bytes of the sign at `at`; 0 where none of them stands.
std::size_t LengthOfSign(std::span<const std::string_view> signs, std::string_view text,
                         std::size_t at) {
  if (at >= text.size()) return 0;
  const auto sign = std::ranges::find_if(
      signs, [&](std::string_view row) { return text.substr(at).starts_with(row); });
  return sign == signs.end() ? 0 : sign->size();
}

}  // namespace

std::size_t BlankLength(std::string_view text, std::size_t at) {
  return LengthOfSign(kBlanks, text, at);
}

std::size_t AfterBlanks(std::string_view text, std::size_t at) {
  while (const std::size_t length = BlankLength(text, at)) at += length;
  return at;
}

std::size_t BeforeBlanks(std::string_view text, std::size_t at) {
  while (true) {
    const auto* blank = std::ranges::find_if(
        kBlanks, [&](std::string_view row) { return text.substr(0, at).ends_with(row); });
    if (blank == kBlanks.end()) return at;
    at -= blank->size();
  }
}

std::size_t WordCharacter(std::string_view text, std::size_t at) {
  constexpr unsigned kContinuation = 0x80, kLead = 0xC0, kLatinSigns = 0xC2, kLatin = 0xC3;
  constexpr unsigned kTimes = 0x97, kDividedBy = 0xB7, kSigns = 0xE2;
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (at >= text.size()) return 0;
  const unsigned lead = byte(at), next = byte(at + 1);
  if (lead < kContinuation) {
    return IsLetter(text[at]) || IsDigit(text[at]) || text[at] == '_' ? 1 : 0;
  }
  if (lead == kLatinSigns || lead == kSigns) return 0;
  if (lead == kLatin && (next == kTimes || next == kDividedBy)) return 0;
  if (lead < kLead) return 0;
  std::size_t length = 1;
  while ((byte(at + length) & kLead) == kContinuation) ++length;
  return length;
}

bool IsAfterWord(std::string_view text, std::size_t at) {
  constexpr unsigned kLead = 0xC0, kContinuation = 0x80;
  while (at > 0) {
    --at;
    if ((static_cast<unsigned char>(text[at]) & kLead) != kContinuation) {
      return WordCharacter(text, at) != 0;
    }
  }
  return false;
}

bool IsWord(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, {}, [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
}

std::size_t MinusLength(std::string_view text, std::size_t at) {
  return LengthOfSign(kMinuses, text, at);
}

std::size_t ApostropheLength(std::string_view text, std::size_t at) {
  return LengthOfSign(kApostrophes, text, at);
}

std::size_t CurrencyLength(std::string_view text, std::size_t at) {
  return LengthOfSign(kCurrencies, text, at);
}

bool IsAfterCurrency(std::string_view text, std::size_t at) {
  return std::ranges::any_of(
      kCurrencies, [&](std::string_view row) { return text.substr(0, at).ends_with(row); });
}

const FractionSign* FractionSignAt(std::string_view text, std::size_t at) {
  if (at >= text.size()) return nullptr;
  const auto* found = std::ranges::find_if(kFractionSigns, [&](const FractionSign& fraction) {
    return text.substr(at).starts_with(fraction.sign);
  });
  return found == kFractionSigns.end() ? nullptr : found;
}

}  // namespace txvm::frontends::nl
