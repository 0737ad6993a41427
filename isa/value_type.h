// The types of values and values themselves: what a program's borders speak of, where the machine
// inside has words alone.
// Non-goals: text (value_text.h), types of operands inside a function.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "isa/word.h"

namespace txvm::isa {

/// A projection of value_types.def; the value is the code in program files.
enum class ValueType : std::uint8_t {
#define TXVM_VALUE_TYPE(code, Name, text, words, letter) k##Name = code,
#include "isa/value_types.def"
#undef TXVM_VALUE_TYPE
};

inline constexpr std::uint32_t kValueTypeCount = 0
#define TXVM_VALUE_TYPE(code, Name, text, words, letter) +1
#include "isa/value_types.def"
#undef TXVM_VALUE_TYPE
    ;
static_assert(kValueTypeCount == 5);

/// "i32", "i64", ...
std::string_view TypeText(ValueType type);
/// The letter of a signature of the C interface: 'i', 'l', 'f', 'd', 'v'.
char TypeLetter(ValueType type);
/// The type of this text, this letter or this code; nullopt when there is none.
std::optional<ValueType> FindType(std::string_view text);
std::optional<ValueType> FindTypeOfLetter(char letter);
std::optional<ValueType> FindTypeOfCode(std::uint32_t code);

/// Cells of 32 bits that a value takes: 1, 2 or 4.
std::uint32_t WordsOf(ValueType type);
/// Cells that values of these types take together. O(types).
std::uint64_t WordsOf(std::span<const ValueType> types);
inline bool IsFloat(ValueType type) { return type == ValueType::kF32 || type == ValueType::kF64; }

/// A value with its type. INVARIANT: of a type of one word, the upper half of `bits` is 0; of any
/// but v128, `high` is 0.
struct Value {
  ValueType type = ValueType::kI32;
  std::uint64_t bits =
      0;  // two's complement, the bits of an IEEE 754 number, or low half of a v128
  std::uint64_t high = 0;  // high half of a v128

  static constexpr Value I32(std::int32_t value) {
    return {ValueType::kI32, static_cast<std::uint32_t>(value)};
  }
  static constexpr Value I64(std::int64_t value) {
    return {ValueType::kI64, static_cast<std::uint64_t>(value)};
  }
  /// A vector by its words, the lowest lane first.
  static constexpr Value V128(std::array<std::uint32_t, 4> words) {
    constexpr int kWordBits = 32;
    return {ValueType::kV128, std::uint64_t{words[1]} << kWordBits | words[0],
            std::uint64_t{words[3]} << kWordBits | words[2]};
  }
  static constexpr Value F32(float value) {
    return {ValueType::kF32, std::bit_cast<std::uint32_t>(value)};
  }
  static constexpr Value F64(double value) {
    return {ValueType::kF64, std::bit_cast<std::uint64_t>(value)};
  }

  constexpr std::int32_t AsI32() const { return static_cast<std::int32_t>(bits & 0xFFFFFFFF); }
  constexpr std::int64_t AsI64() const { return static_cast<std::int64_t>(bits); }
  constexpr float AsF32() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits & 0xFFFFFFFF));
  }
  constexpr double AsF64() const { return std::bit_cast<double>(bits); }

  /// The words of a vector, the lowest lane first.
  constexpr std::array<std::uint32_t, 4> AsV128() const {
    constexpr int kWordBits = 32;
    return {static_cast<std::uint32_t>(bits & 0xFFFFFFFF),
            static_cast<std::uint32_t>(bits >> kWordBits),
            static_cast<std::uint32_t>(high & 0xFFFFFFFF),
            static_cast<std::uint32_t>(high >> kWordBits)};
  }

  /// Whether it is a float that is no number.
  bool IsNan() const;
  /// The same type and the same bits: -0.0 is not 0.0, a NaN equals itself.
  friend constexpr bool operator==(const Value&, const Value&) = default;
};

/// Equal as results of a computation: the same type, and the same bits or both NaN.
bool SameResult(const Value& a, const Value& b);

/// Appends the words of a value, low first.
void AppendWords(const Value& value, std::vector<Word>& words);
/// The words of values, each low first. O(values).
std::vector<Word> WordsOfValues(std::span<const Value> values);
/// The values of words, deepest first. REQUIRES: WordsOf(types) == words.size(). O(types).
std::vector<Value> ValuesOfWords(std::span<const ValueType> types, std::span<const Word> words);

/// `types`, or an i32 for each of `words` where they are not known (empty). O(words).
std::vector<ValueType> KnownTypes(std::span<const ValueType> types, std::uint32_t words);

}  // namespace txvm::isa
