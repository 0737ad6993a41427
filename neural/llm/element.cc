#include "neural/llm/element.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>

namespace txvm::neural::llm {
namespace {

constexpr auto kRows = std::to_array<ElementInfo>({
#define TXVM_ELEMENT(Name, text, gguf, block, bytes, safetensors) \
  {text, gguf, block, bytes, safetensors},
#include "neural/llm/elements.def"
#undef TXVM_ELEMENT
});
static_assert(kRows.size() == 11);

constexpr std::uint8_t kNibble = 15;
constexpr std::size_t kSmallBlock = 32, kHalfBlock = kSmallBlock / 2;
constexpr std::size_t kSuperBlock = 256;
constexpr float kLargestByte = 127.0f;

std::uint16_t Read16(const std::uint8_t* from) {
  return static_cast<std::uint16_t>(from[0] | from[1] << 8);
}
float ReadHalf(const std::uint8_t* from) { return HalfToFloat(Read16(from)); }

// Blocks of 32 with nibbles: elements 0..15 in the low halves, 16..31 in the high ones. `high`
// points to 32 fifth bits, or is null; the value is d * (q - zero) + m.
void DecodeNibbles(const std::uint8_t* nibbles, const std::uint8_t* high, float d, int zero,
                   float m, float* to) {
  std::uint32_t bits = 0;
  if (high != nullptr) std::memcpy(&bits, high, sizeof(bits));
  for (std::size_t i = 0; i < kHalfBlock; ++i) {
    const int low = (nibbles[i] & kNibble) | static_cast<int>((bits >> i & 1) << 4);
    const int top = (nibbles[i] >> 4) | static_cast<int>((bits >> (i + kHalfBlock) & 1) << 4);
    to[i] = d * static_cast<float>(low - zero) + m;
    to[i + kHalfBlock] = d * static_cast<float>(top - zero) + m;
  }
}

void DecodeSmall(Element type, const std::uint8_t* b, float* to) {
  constexpr int kZero4 = 8, kZero5 = 16;
  const float d = ReadHalf(b);
  switch (type) {
    case Element::kQ4_0:
      return DecodeNibbles(b + 2, nullptr, d, kZero4, 0, to);
    case Element::kQ4_1:
      return DecodeNibbles(b + 4, nullptr, d, 0, ReadHalf(b + 2), to);
    case Element::kQ5_0:
      return DecodeNibbles(b + 6, b + 2, d, kZero5, 0, to);
    case Element::kQ5_1:
      return DecodeNibbles(b + 8, b + 4, d, 0, ReadHalf(b + 2), to);
    default:  // Q8_0
      for (std::size_t i = 0; i < kSmallBlock; ++i) {
        to[i] = d * static_cast<float>(static_cast<std::int8_t>(b[2 + i]));
      }
  }
}

struct ScaleAndMinimum {
  std::uint8_t scale, minimum;
};

// Entry j of the 8 pairs of 6-bit numbers in 12 bytes.
ScaleAndMinimum UnpackScale(const std::uint8_t* s, std::size_t j) {
  constexpr std::uint8_t kSix = 63;
  if (j < 4) {
    return {static_cast<std::uint8_t>(s[j] & kSix), static_cast<std::uint8_t>(s[j + 4] & kSix)};
  }
  return {static_cast<std::uint8_t>((s[j + 4] & kNibble) | s[j - 4] >> 6 << 4),
          static_cast<std::uint8_t>(s[j + 4] >> 4 | s[j] >> 6 << 4)};
}

// Q4_K and Q5_K: d, dmin, 12 bytes of scales, for Q5_K 32 bytes of fifth bits, 128 of nibbles.
void DecodeQ45K(const std::uint8_t* b, bool five, float* to) {
  constexpr std::size_t kScalesAt = 4, kBitsAt = 16, kBitBytes = 32;
  const float d = ReadHalf(b), least = ReadHalf(b + 2);
  const std::uint8_t* bits = b + kBitsAt;
  const std::uint8_t* nibbles = five ? bits + kBitBytes : bits;
  for (std::size_t j = 0; j < kSuperBlock / kSmallBlock; ++j) {
    const auto [scale, minimum] = UnpackScale(b + kScalesAt, j);
    const float factor = d * scale, offset = least * minimum;
    const std::uint8_t* from = nibbles + j / 2 * kSmallBlock;
    for (std::size_t l = 0; l < kSmallBlock; ++l) {
      int q = j % 2 == 0 ? from[l] & kNibble : from[l] >> 4;
      if (five) q |= (bits[l] >> j & 1) << 4;
      to[j * kSmallBlock + l] = factor * static_cast<float>(q) - offset;
    }
  }
}

// Q6_K: 128 bytes of low nibbles, 64 of high pairs, 16 signed scales, d; two halves of 128.
void DecodeQ6K(const std::uint8_t* b, float* to) {
  constexpr std::size_t kHighAt = 128, kScalesAt = 192, kFactorAt = 208;
  constexpr std::size_t kHalf = 128, kQuarter = 32, kScaleRun = 16;
  constexpr int kZero = 32;
  const float d = ReadHalf(b + kFactorAt);
  for (std::size_t i = 0; i < kSuperBlock; ++i) {
    const std::size_t half = i / kHalf, quarter = i % kHalf / kQuarter, l = i % kQuarter;
    const std::uint8_t low = b[half * 64 + quarter % 2 * kQuarter + l];
    const std::uint8_t high = b[kHighAt + half * kQuarter + l];
    const int nibble = quarter < 2 ? low & kNibble : low >> 4;
    const int q = (nibble | (high >> (2 * quarter) & 3) << 4) - kZero;
    const auto scale = static_cast<std::int8_t>(b[kScalesAt + i / kScaleRun]);
    to[i] = d * static_cast<float>(scale) * static_cast<float>(q);
  }
}

void DecodeBlock(Element type, const std::uint8_t* block, float* to) {
  switch (type) {
    case Element::kF32:
      std::memcpy(to, block, sizeof(float));
      return;
    case Element::kF16:
      *to = ReadHalf(block);
      return;
    case Element::kBF16:
      *to = BfloatToFloat(Read16(block));
      return;
    case Element::kQ4_K:
      return DecodeQ45K(block, false, to);
    case Element::kQ5_K:
      return DecodeQ45K(block, true, to);
    case Element::kQ6_K:
      return DecodeQ6K(block, to);
    case Element::kQ4_0:
    case Element::kQ4_1:
    case Element::kQ5_0:
    case Element::kQ5_1:
    case Element::kQ8_0:
      return DecodeSmall(type, block, to);
  }
}

void EncodeQ8(const float* values, std::uint8_t* to) {
  float most = 0;
  for (std::size_t i = 0; i < kSmallBlock; ++i) most = std::max(most, std::fabs(values[i]));
  constexpr float kLargestHalf = 65504;
  const float d = std::min(most / kLargestByte, kLargestHalf);
  const std::uint16_t half = FloatToHalf(d);
  std::memcpy(to, &half, sizeof(half));
  for (std::size_t i = 0; i < kSmallBlock; ++i) {
    const float q = d == 0 ? 0 : std::round(values[i] / d);
    // What is no number becomes 0, what is beyond the largest d the largest.
    const float kept = std::isnan(q) ? 0 : std::clamp(q, -kLargestByte, kLargestByte);
    to[2 + i] = static_cast<std::uint8_t>(static_cast<std::int8_t>(kept));
  }
}

}  // namespace

const ElementInfo& Info(Element type) { return kRows[static_cast<std::size_t>(type)]; }
std::span<const ElementInfo> Elements() { return kRows; }

std::optional<Element> ElementOfGguf(std::uint32_t number) {
  const auto* row = std::ranges::find(kRows, number, &ElementInfo::gguf);
  if (row == kRows.end()) return std::nullopt;
  return static_cast<Element>(row - kRows.begin());
}

std::optional<Element> ElementNamed(std::string_view name) {
  const auto same = [](char a, char b) {
    return std::toupper(static_cast<unsigned char>(a)) ==
           std::toupper(static_cast<unsigned char>(b));
  };
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (std::ranges::equal(kRows[i].name, name, same)) return static_cast<Element>(i);
  }
  return std::nullopt;
}

std::optional<std::size_t> RowBytes(Element type, std::size_t n) {
  const ElementInfo& info = Info(type);
  if (n % info.block != 0) return std::nullopt;
  return n / info.block * info.bytes;
}

void DecodeRow(Element type, const std::uint8_t* row, std::size_t n, float* to) {
  const ElementInfo& info = Info(type);
  for (std::size_t i = 0; i < n; i += info.block, row += info.bytes) DecodeBlock(type, row, to + i);
}

bool CanEncode(Element type) {
  return type == Element::kF32 || type == Element::kF16 || type == Element::kBF16 ||
         type == Element::kQ8_0;
}

void EncodeRow(Element type, std::span<const float> values, std::uint8_t* to) {
  if (type == Element::kF32) {
    std::memcpy(to, values.data(), values.size_bytes());
    return;
  }
  if (type == Element::kQ8_0) {
    for (std::size_t i = 0; i < values.size(); i += kSmallBlock, to += Info(type).bytes) {
      EncodeQ8(values.data() + i, to);
    }
    return;
  }
  for (const float value : values) {
    const std::uint16_t bits = type == Element::kF16 ? FloatToHalf(value) : FloatToBfloat(value);
    std::memcpy(to, &bits, sizeof(bits));
    to += sizeof(bits);
  }
}

// NOTATION  half = 1 sign, 5 exponent (bias 15), 10 fraction bits; float = 1, 8 (bias 127), 23.
float HalfToFloat(std::uint16_t half) {
  constexpr std::uint32_t kExponent = 31, kBiasGap = 112, kFraction = 0x3FF;
  constexpr float kLeast = 0x1p-24f;  // of the subnormal halves
  const std::uint32_t sign = static_cast<std::uint32_t>(half >> 15) << 31;
  const std::uint32_t exponent = half >> 10 & kExponent, fraction = half & kFraction;
  if (exponent == 0) {
    const float value = static_cast<float>(fraction) * kLeast;
    return sign != 0 ? -value : value;
  }
  const std::uint32_t wide = exponent == kExponent ? 255 : exponent + kBiasGap;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

std::uint16_t FloatToHalf(float value) {
  constexpr std::uint32_t kInfinity = 0x7C00, kQuiet = 0x7E00;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const float magnitude = std::fabs(value);
  std::uint32_t half = 0;
  if (std::isnan(value)) {
    half = kQuiet;
  } else if (magnitude >= 65520.0f) {  // halfway between the largest half and the next power
    half = kInfinity;
  } else if (magnitude < 0x1p-14f) {  // subnormal: adding 1/2 leaves units of 2^-24, rounded
    half = std::bit_cast<std::uint32_t>(magnitude + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
  } else {
    const std::uint32_t rebased = (bits & 0x7FFFFFFF) - (112u << 23);
    half = (rebased + 0xFFF + (rebased >> 13 & 1)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}

float BfloatToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t FloatToBfloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

}  // namespace txvm::neural::llm
