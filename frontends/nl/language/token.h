// The tokens of the canonical language: what a model emits and a parser reads. 41 words and signs
// (tokens.def), 15 literals, 32 slots, 8 temporaries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "frontends/nl/numbers/slot.h"

namespace txvm::frontends::nl {

/// Ids are dense: the rows of tokens.def, then literals, slots N0..N31 and temporaries T0..T7.
enum class Token : std::uint8_t {
#define TXVM_TOKEN(Name, text, what) k##Name,
#include "frontends/nl/language/tokens.def"
#undef TXVM_TOKEN
  kFirstLiteral,
};

/// Numbers that a program may use although no question gave them.
inline constexpr std::array<std::uint32_t, 15> kLiterals = {0, 1, 2,  3,  4,  5,  6,  7,
                                                            8, 9, 10, 11, 12, 60, 100};
inline constexpr std::size_t kMaxTemps = 8;
inline constexpr std::size_t kMostElements = 32;  // elements of one list
inline constexpr std::size_t kMaxTokens = 256;    // of one program, kEnd included

inline constexpr std::size_t kFirstLiteral = static_cast<std::size_t>(Token::kFirstLiteral);
inline constexpr std::size_t kFirstSlot = kFirstLiteral + kLiterals.size();
inline constexpr std::size_t kFirstTemp = kFirstSlot + kMaxSlots;
inline constexpr std::size_t kTokenCount = kFirstTemp + kMaxTemps;

constexpr std::size_t Id(Token token) { return static_cast<std::size_t>(token); }
constexpr Token TokenOf(std::size_t id) { return static_cast<Token>(id); }
constexpr Token SlotToken(std::size_t slot) { return TokenOf(kFirstSlot + slot); }
constexpr Token TempToken(std::size_t temp) { return TokenOf(kFirstTemp + temp); }

constexpr bool IsLiteral(Token token) {
  return Id(token) >= kFirstLiteral && Id(token) < kFirstSlot;
}
constexpr bool IsSlot(Token token) { return Id(token) >= kFirstSlot && Id(token) < kFirstTemp; }
constexpr bool IsTemp(Token token) { return Id(token) >= kFirstTemp && Id(token) < kTokenCount; }
constexpr bool IsAbstention(Token token) {
  return token >= Token::kNoQuestion && token <= Token::kNoSense;
}

/// REQUIRES: IsLiteral, IsSlot or IsTemp, respectively.
constexpr std::uint32_t LiteralOf(Token token) { return kLiterals[Id(token) - kFirstLiteral]; }
constexpr std::size_t SlotOf(Token token) { return Id(token) - kFirstSlot; }
constexpr std::size_t TempOf(Token token) { return Id(token) - kFirstTemp; }

/// The literal token of a value, if it is one.
std::optional<Token> LiteralToken(std::uint64_t value);
/// "+", "sum", "12", "N3", "T0". REQUIRES: id below kTokenCount.
std::string TokenText(Token token);
/// The token of a text that TokenText gives.
std::optional<Token> FindToken(std::string_view text);
/// What a word or sign means; for an abstention, its reason. Empty for literals, slots and
/// temporaries.
std::string_view TokenWhat(Token token);

}  // namespace txvm::frontends::nl
