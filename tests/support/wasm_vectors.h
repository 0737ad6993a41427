// The instructions of WebAssembly on vectors as text, for generators.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "isa/support/random.h"

namespace txvm::tests {

/// A vector operation without an immediate. Types are letters as in wasm_numbers.h, v for v128.
struct VectorOp {
  std::string text;
  std::string operands;  // the first deepest
  char result;
  char nan = 0;  // f or d: its result has lanes of f32 or f64 that may be any NaN
};

/// Those of WebAssembly 2.0, relaxed ones not among them. Static.
std::span<const VectorOp> VectorOps();

/// One with a lane or lanes: extract_lane, replace_lane, splat, shuffle; its lanes are drawn.
VectorOp RandomLaneOp(isa::SplitMix64& random);

/// A load or a store, its lane drawn; `offset`: " offset=5" or nothing. The operands of the first
/// begin with the address; a store's result is 0.
VectorOp RandomVectorAccess(isa::SplitMix64& random, const std::string& offset);

}  // namespace txvm::tests
