// JSON for model files: objects, arrays, strings, integers and, where asked for, fractions.
//
// Goals: hostile input ends in an Error, never in a crash or a large allocation. Non-goals:
// comments, numbers beyond a double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/support/result.h"

namespace txvm::isa {

/// A JSON value. Members of an object keep their order.
struct Json {
  enum class Kind : std::uint8_t { kNull, kBool, kInteger, kReal, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  std::int64_t integer = 0;       // kInteger; 0 or 1 for kBool
  double real = 0;                // kReal, and kInteger too
  std::string text;               // kString
  std::vector<Json> items;        // kArray; values of kObject
  std::vector<std::string> keys;  // kObject, one per item

  /// The member of this name, or nullptr; the first of duplicates.
  const Json* Find(std::string_view key) const;
  /// Whether the member is true; `fallback` when there is none or it is neither true nor false.
  bool Flag(std::string_view key, bool fallback = false) const;
};

inline constexpr int kMaxJsonDepth = 16;
inline constexpr std::size_t kMaxJsonValues = 1u << 21;  // 200 MB; a vocabulary of 128 k takes 1 M

/// What ParseJson accepts besides objects, arrays, strings, integers, true, false and null.
struct JsonOptions {
  bool fractions = false;  // numbers with a fraction or exponent, finite as doubles
  std::size_t most_values = kMaxJsonValues;
};

/// Parses one value that fills `text`. kCorrupt names the byte where it goes wrong. Nesting is
/// limited to kMaxJsonDepth. Integers have 64 bits. An escaped surrogate without its partner
/// becomes U+FFFD.
Result<Json> ParseJson(std::string_view text, const JsonOptions& options = {});

/// `text` as a JSON string literal, quotes included.
std::string JsonString(std::string_view text);

}  // namespace txvm::isa
