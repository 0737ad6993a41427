// The causes of a trap: a projection of traps.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace txvm::isa {

/// Why a program trapped. The value is the immediate of TRAP.
enum class Trap : std::uint8_t {
#define TXVM_TRAP(code, Name, text) k##Name = code,
#include "isa/traps.def"
#undef TXVM_TRAP
};

inline constexpr std::uint32_t kTrapCount = 0
#define TXVM_TRAP(code, Name, text) +1
#include "isa/traps.def"
#undef TXVM_TRAP
    ;
static_assert(kTrapCount == 16);

/// The cause with this code, or nullopt.
std::optional<Trap> FindTrap(std::uint32_t code);

/// The cause in words, as the WebAssembly specification tests spell it.
std::string_view TrapText(Trap trap);

}  // namespace txvm::isa
