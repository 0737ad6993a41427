#include "frontends/wasm/opcodes.h"

#include <algorithm>
#include <cstring>

namespace txvm::frontends::wasm {
namespace {

constexpr ValueType TypeOf(char letter) {
  switch (letter) {
    case 'i':
      return ValueType::kI32;
    case 'I':
      return ValueType::kI64;
    case 'f':
      return ValueType::kF32;
    case 'F':
      return ValueType::kF64;
    default:
      return ValueType::kV128;
  }
}

constexpr bool IsRead(Feature feature) {
  switch (feature) {
#define WASM_FEATURE(name, text, is_read) \
  case Feature::k##name:                  \
    return is_read;
#include "frontends/wasm/features.def"
#undef WASM_FEATURE
  }
  return false;
}

constexpr OpInfo Row(std::uint8_t prefix, std::uint16_t code, std::string_view text,
                     Immediate immediate, std::string_view params, std::string_view results,
                     std::uint8_t size, Feature feature) {
  OpInfo info{prefix, code, text, immediate, 0, {}, std::nullopt, size, feature, IsRead(feature)};
  for (const char letter : params) info.params[info.param_count++] = TypeOf(letter);
  if (!results.empty()) info.result = TypeOf(results.front());
  return info;
}

}  // namespace

constexpr std::array<OpInfo, kOpCount> kOps = {
#define WASM_OP(prefix, code, name, text, immediate, params, results, size, feature) \
  Row(prefix, code, text, Immediate::k##immediate, params, results, size, Feature::k##feature),
#include "frontends/wasm/opcodes.def"
#undef WASM_OP
};

namespace {

constexpr std::uint32_t KeyOf(std::uint8_t prefix, std::uint32_t code) {
  constexpr int kPrefixShift = 16;
  return std::uint32_t{prefix} << kPrefixShift | code;
}

static_assert(std::ranges::is_sorted(kOps, {}, [](const OpInfo& info) {
  return KeyOf(info.prefix, info.code);
}));

}  // namespace

constexpr std::array<Op, kByteValues> kOpOfByte = [] {
  std::array<Op, kByteValues> ops{};
  ops.fill(Op::kIllegal);
  for (std::size_t i = 0; i < kOpCount && kOps[i].prefix == 0; ++i) {
    ops[kOps[i].code] = static_cast<Op>(i);
  }
  return ops;
}();

Op OpOf(std::uint8_t prefix, std::uint32_t code) {
  constexpr std::uint32_t kMaxCode = 0xFFFF;
  if (code > kMaxCode) return Op::kIllegal;
  const auto key = [](const OpInfo& info) { return KeyOf(info.prefix, info.code); };
  const auto* found = std::ranges::lower_bound(kOps, KeyOf(prefix, code), {}, key);
  if (found == kOps.end() || key(*found) != KeyOf(prefix, code)) return Op::kIllegal;
  return static_cast<Op>(found - kOps.begin());
}

bool IsPrefix(std::uint8_t byte) {
  constexpr std::uint8_t kFirstPrefix = 0xFB, kLastPrefix = 0xFE;
  return byte >= kFirstPrefix && byte <= kLastPrefix;
}

std::string_view FeatureText(Feature feature) {
  switch (feature) {
#define WASM_FEATURE(name, text, is_read) \
  case Feature::k##name:                  \
    return text;
#include "frontends/wasm/features.def"
#undef WASM_FEATURE
  }
  return {};
}

}  // namespace txvm::frontends::wasm
