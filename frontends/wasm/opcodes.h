// The instructions of WebAssembly as the binary format has them: a projection of opcodes.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "frontends/wasm/module.h"

namespace txvm::frontends::wasm {

using wat::ValueType;

/// A proposal, by its row in features.def.
enum class Feature : std::uint8_t {
#define WASM_FEATURE(name, text, is_read) k##name,
#include "frontends/wasm/features.def"
#undef WASM_FEATURE
};

/// What follows the code of an instruction.
enum class Immediate : std::uint8_t {
  kNone,
  kBlock,         // block type
  kTryTable,      // block type, catch clauses
  kTag,           // tag index
  kLabel,         // label
  kLabels,        // count, labels, default label
  kFunction,      // function index
  kFunctionType,  // type index
  kIndirect,      // type index, table index
  kLocal,         // local index
  kGlobal,        // global index
  kTable,         // table index
  kTwoTables,     // destination table, source table
  kElement,       // element segment
  kElementTable,  // element segment, table
  kData,          // data segment
  kDataMemory,    // data segment, memory
  kMemory,        // memory
  kTwoMemories,   // memory written, memory read
  kAccess,        // alignment, offset
  kAccessLane,    // alignment, offset, lane
  kLane,          // lane
  kShuffle,       // 16 lanes
  kTypes,         // count, value types
  kRefType,       // reference type
  kI32,           // a number as LEB128
  kI64,           //
  kF32,           // 4 bytes
  kF64,           // 8 bytes
  kV128,          // 16 bytes
};

/// An instruction by its row in opcodes.def.
enum class Op : std::uint16_t {
#define WASM_OP(prefix, code, name, text, immediate, params, results, size, feature) k##name,
#include "frontends/wasm/opcodes.def"
#undef WASM_OP
  kIllegal,  // no instruction has this code
};

inline constexpr std::size_t kOpCount = static_cast<std::size_t>(Op::kIllegal);
inline constexpr std::size_t kMaxOperands = 3;

/// One row of opcodes.def. `params` has param_count types, the deepest first.
struct OpInfo {
  std::uint8_t prefix = 0;
  std::uint16_t code = 0;
  std::string_view text;
  Immediate immediate = Immediate::kNone;
  std::uint8_t param_count = 0;
  std::array<ValueType, kMaxOperands> params{};
  std::optional<ValueType> result;
  std::uint8_t size = 0;
  Feature feature = Feature::kMvp;
  bool is_read = false;  // whether the reader knows its feature
};

/// The rows of opcodes.def.
extern const std::array<OpInfo, kOpCount> kOps;

/// The instructions by their first byte, where that is all: kIllegal for prefixes and unassigned
/// bytes.
inline constexpr std::size_t kByteValues = 256;
extern const std::array<Op, kByteValues> kOpOfByte;

/// The row of an instruction. REQUIRES: op is not kIllegal.
inline const OpInfo& InfoOf(Op op) { return kOps[static_cast<std::size_t>(op)]; }

/// The instruction of a first byte without more code.
inline Op OpOf(std::uint8_t byte) { return kOpOfByte[byte]; }

/// The instruction of a prefix byte and its code: kIllegal when there is none. Cost O(log rows).
Op OpOf(std::uint8_t prefix, std::uint32_t code);

/// Whether a first byte is a prefix that more code follows.
bool IsPrefix(std::uint8_t byte);

/// The text of a feature: "SIMD", "threads", ...
std::string_view FeatureText(Feature feature);

}  // namespace txvm::frontends::wasm
