// The i64 instructions of WebAssembly: a projection of wide.def.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/opcode.h"

namespace txvm::frontends::wat {

/// An i64 instruction by its row in wide.def.
enum class WideOp : std::uint8_t {
#define WAT_WIDE(wabt_name, text, form, op, bits) k##wabt_name,
#include "frontends/wasm/wide.def"
#undef WAT_WIDE
};

/// How legalize.h lowers an i64 instruction; the legend of wide.def.
enum class WideForm : std::uint8_t {
  kPair,
  kShift,
  kHelper,
  kRoutine,
  kUnary,
  kCompare,
  kEqz,
  kWrap,
  kWiden,
  kExtend,
  kLoad,
  kStore
};

/// One row of wide.def.
struct WideInfo {
  std::string_view text;
  WideForm form;
  isa::Opcode op;
  std::uint8_t bits;
};

inline constexpr auto kWideOps = std::to_array<WideInfo>({
#define WAT_WIDE(wabt_name, text, form, op, bits) {text, WideForm::form, isa::Opcode::k##op, bits},
#include "frontends/wasm/wide.def"
#undef WAT_WIDE
});

}  // namespace txvm::frontends::wat
