// What a stored weight looks like, and its conversion to and from float.
//
// Goals: exact decoding of every type in elements.def, encoding of F32, F16, BF16 and Q8_0.
// Non-goals: encoding of the smaller types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace txvm::neural::llm {

enum class Element : std::uint8_t {
#define TXVM_ELEMENT(Name, text, gguf, block, bytes, safetensors) k##Name,
#include "neural/llm/elements.def"
#undef TXVM_ELEMENT
};

/// A row of elements.def.
struct ElementInfo {
  std::string_view name;
  std::uint32_t gguf;
  std::size_t block;  // elements
  std::size_t bytes;  // of a block
  std::string_view safetensors;
};

const ElementInfo& Info(Element type);
std::span<const ElementInfo> Elements();

/// The type of this GGUF number or name ("BF16", any case); nullopt for others.
std::optional<Element> ElementOfGguf(std::uint32_t number);
std::optional<Element> ElementNamed(std::string_view name);

/// Bytes of a row of n elements; nullopt when n is no multiple of the block.
std::optional<std::size_t> RowBytes(Element type, std::size_t n);

/// to[0..n) = the elements of a row; n is a multiple of the block. Rounds to nearest float.
void DecodeRow(Element type, const std::uint8_t* row, std::size_t n, float* to);

/// The types EncodeRow writes.
bool CanEncode(Element type);
/// A row of these values; its length is a multiple of the block. F16 and BF16 round to nearest,
/// ties to even, beyond the largest finite value to infinity; Q8_0 takes d = max |x| / 127, at
/// most 65,504, and rounds x / d to nearest, ties away from zero, beyond 127 to 127.
void EncodeRow(Element type, std::span<const float> values, std::uint8_t* to);

/// IEEE half and bfloat16, exact one way, rounded to nearest even the other.
float HalfToFloat(std::uint16_t half);
std::uint16_t FloatToHalf(float value);
float BfloatToFloat(std::uint16_t bits);
std::uint16_t FloatToBfloat(float value);

}  // namespace txvm::neural::llm
