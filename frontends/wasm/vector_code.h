// Emits the word instructions that stand for one vector instruction: a call of a routine, or a few
// instructions where a value only moves.
#pragma once

#include <array>
#include <cstdint>

#include "frontends/wasm/module.h"
#include "frontends/wasm/opcodes.h"
#include "frontends/wasm/wide_code.h"

namespace txvm::frontends::wat {

/// The instruction of a kVector.
constexpr wasm::Op VectorOpOf(const Instr& instr) {
  return static_cast<wasm::Op>(instr.b & ((1u << kLaneShift) - 1));
}

/// The lane of a kVector that names one, else 0.
constexpr std::uint32_t LaneOf(const Instr& instr) { return instr.b >> kLaneShift; }

/// The code of `instr`. A v128 lies on the stack as four words, its highest lanes on top.
/// REQUIRES: its kind is kVector.
void EmitVector(WideCode& code, const Instr& instr);

/// The code of i8x16.shuffle. `lanes`: 16 bytes, each below 32, four to a word.
void EmitShuffle(WideCode& code, const std::array<std::uint32_t, 4>& lanes);

}  // namespace txvm::frontends::wat
