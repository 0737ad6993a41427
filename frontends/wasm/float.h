// The float instructions of WebAssembly: a projection of float.def.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "frontends/wasm/module.h"

namespace txvm::frontends::wat {

/// A float instruction by its row in float.def.
enum class FloatOp : std::uint8_t {
#define WAT_FLOAT(wabt_name, text, form, operand, operands, result) k##wabt_name,
#include "frontends/wasm/float.def"
#undef WAT_FLOAT
};

/// How legalize.h lowers a float instruction; the legend of float.def.
enum class FloatForm : std::uint8_t { kRoutine, kAbs, kNeg, kCopysign, kReinterpret, kMove };

/// One row of float.def.
struct FloatInfo {
  std::string_view text;
  FloatForm form;
  ValueType operand;
  std::uint8_t operands;
  ValueType result;
};

inline constexpr auto kFloatOps = std::to_array<FloatInfo>({
#define WAT_FLOAT(wabt_name, text, form, operand, operands, result) \
  {text, FloatForm::form, ValueType::k##operand, operands, ValueType::k##result},
#include "frontends/wasm/float.def"
#undef WAT_FLOAT
});

/// The row of a float instruction.
constexpr const FloatInfo& InfoOf(FloatOp op) { return kFloatOps[static_cast<std::size_t>(op)]; }

}  // namespace txvm::frontends::wat
