// Just enough JSON for model files: objects, arrays, strings, integers.
//
// Goals: hostile input ends in an Error, never in a crash or a large allocation. Non-goals:
// fractions, \u escapes beyond ASCII, comments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/result.h"

namespace txvm::weights {

/// A JSON value. Members of an object keep their order.
struct Json {
  enum class Kind : std::uint8_t { kNull, kBool, kInteger, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  std::int64_t integer = 0;       // kInteger; 0 or 1 for kBool
  std::string text;               // kString
  std::vector<Json> items;        // kArray; values of kObject
  std::vector<std::string> keys;  // kObject, one per item

  /// The member of this name, or nullptr; the first of duplicates.
  const Json* Find(std::string_view key) const;
};

/// Parses one value that fills `text`. kCorrupt names the byte where it goes wrong. Nesting is
/// limited to kMaxJsonDepth. Numbers must be integers in 64 bits.
isa::Result<Json> ParseJson(std::string_view text);

inline constexpr int kMaxJsonDepth = 16;

/// `text` as a JSON string literal, quotes included.
std::string JsonString(std::string_view text);

}  // namespace txvm::weights
