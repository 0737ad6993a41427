// WebAssembly code as it is written: bytes, with holes where a function of the runtime is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace txvm::frontends::nl {

using Bytes = std::vector<std::uint8_t>;

/// Appends an unsigned or signed LEB128 number.
void PutUnsigned(Bytes& bytes, std::uint32_t value);
void PutSigned(Bytes& bytes, std::int32_t value);
/// Appends bytes.
void PutBytes(Bytes& bytes, const Bytes& more);
/// Appends a length and the bytes.
void PutSized(Bytes& bytes, const Bytes& more);

/// Instructions of WebAssembly 1.0 that lowering writes.
enum class WasmOp : std::uint8_t {
  kUnreachable = 0x00,
  kBlock = 0x02,
  kLoop = 0x03,
  kIf = 0x04,
  kElse = 0x05,
  kEnd = 0x0b,
  kBr = 0x0c,
  kBrIf = 0x0d,
  kBrTable = 0x0e,
  kCall = 0x10,
  kCallIndirect = 0x11,
  kDrop = 0x1a,
  kLocalGet = 0x20,
  kLocalSet = 0x21,
  kLocalTee = 0x22,
  kGlobalSet = 0x24,
  kLoad = 0x28,
  kStore = 0x36,
  kStore32 = 0x3e,
  kMemorySize = 0x3f,
  kMemoryGrow = 0x40,
  kConst = 0x41,
  kEq = 0x46,
  kNe = 0x47,
  kLtS = 0x48,
  kGtS = 0x4a,
  kLeS = 0x4c,
  kGeS = 0x4e,
  kAdd = 0x6a,
  kSub = 0x6b,
  kMul = 0x6c,
  kDivS = 0x6d,
  kRemS = 0x6f,
  kXor = 0x73,
  kShrS = 0x75,
};

inline constexpr std::uint8_t kVoid = 0x40;  // type of a block without a result
inline constexpr std::uint8_t kI32 = 0x7f;

/// A call of the function `callee` of the runtime; its index goes at byte `at`.
struct CallSite {
  std::size_t at = 0;
  std::uint32_t callee = 0;
};

/// A function's instructions, without its locals and final end.
struct Code {
  Bytes bytes;
  std::vector<CallSite> calls;  // ascending

  Code& Op(WasmOp op) {
    bytes.push_back(static_cast<std::uint8_t>(op));
    return *this;
  }
  Code& Const(std::int32_t value) {
    Op(WasmOp::kConst);
    PutSigned(bytes, value);
    return *this;
  }
  Code& Local(WasmOp op, std::uint32_t index) {
    Op(op);
    PutUnsigned(bytes, index);
    return *this;
  }
  /// kBlock, kLoop or kIf.
  Code& Begin(WasmOp op, std::uint8_t type) {
    Op(op).bytes.push_back(type);
    return *this;
  }
  Code& Branch(WasmOp op, std::uint32_t depth) { return Local(op, depth); }
  Code& Store() {
    constexpr std::uint8_t kAlignment = 2;  // as a power of two
    Op(WasmOp::kStore).bytes.push_back(kAlignment);
    bytes.push_back(0);
    return *this;
  }
  /// Calls an exported function of runtime/*.wat. REQUIRES: it exists.
  Code& Call(std::string_view name);
};

}  // namespace txvm::frontends::nl
