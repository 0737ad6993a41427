// Which functions the fold pass takes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "isa/program.h"
#include "isa/verify.h"

namespace txvm::vm::folded {

// Operand cells of a function, and instructions times cells and locals: each block looks at all of
// them. Front ends stay far below; a program may be written to be above.
inline constexpr std::uint32_t kMostHeight = 4'096;
inline constexpr std::uint64_t kMostWork = std::uint64_t{1} << 28;

/// Whether Lift is for this function, however long making code of it may take.
inline bool CanBeFolded(const isa::Function& function, const isa::PathFacts& paths) {
  const std::uint64_t size = std::uint64_t{function.last} - function.first + 1;
  std::uint32_t height = function.params;
  for (std::uint32_t ip = function.first; ip <= function.last; ++ip) {
    if (paths.height[ip] != isa::PathFacts::kUnreached) {
      height = std::max(height, paths.height[ip]);
    }
  }
  return height <= kMostHeight && size * (std::uint64_t{function.locals} + height) <= kMostWork;
}

}  // namespace txvm::vm::folded
