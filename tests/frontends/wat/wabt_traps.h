// The traps of WABT's interpreter as those of this machine.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "isa/trap.h"

namespace txvm::tests {

/// The trap that a message of WABT's interpreter names; WABT adds the address or index to some.
inline std::optional<isa::Trap> TrapOfWabt(std::string_view message) {
  constexpr std::pair<std::string_view, isa::Trap> kTraps[] = {
      {"integer divide by zero", isa::Trap::kDivideByZero},
      {"integer overflow", isa::Trap::kIntegerOverflow},
      {"invalid conversion to integer", isa::Trap::kInvalidConversion},
      {"out of bounds memory access", isa::Trap::kOutOfBounds},
      {"out of bounds table access", isa::Trap::kTableOutOfBounds},
      {"unreachable", isa::Trap::kUnreachable},
      {"call stack exhausted", isa::Trap::kExhausted},
      {"indirect call signature mismatch", isa::Trap::kCallTypeMismatch},
      {"undefined table index", isa::Trap::kUndefinedElement},
      {"uninitialized table element", isa::Trap::kNullElement},
  };
  for (const auto& [text, trap] : kTraps) {
    if (message.starts_with(text)) return trap;
  }
  return std::nullopt;
}

}  // namespace txvm::tests
