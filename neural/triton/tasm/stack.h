// What the instructions of Triton VM share. Internal to tasm_runner and tasm_instructions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "vm/tensor/goldilocks_ext.h"

namespace txvm::triton {

inline bool IsU32(std::uint64_t element) { return element >> 32 == 0; }

/// The extension element whose coefficient 0 is *at and whose others lie below it on the stack.
inline vm::goldilocks::Cubic LoadCubic(const std::uint64_t* at) {
  return {{at[0], at[-1], at[-2]}};
}

inline void StoreCubic(std::uint64_t* at, const vm::goldilocks::Cubic& value) {
  for (int i = 0; i < 3; ++i) at[-i] = value.c[static_cast<std::size_t>(i)];
}

}  // namespace txvm::triton
