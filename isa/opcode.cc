#include "isa/opcode.h"

#include "isa/support/text.h"
#include "isa/trap.h"

namespace txvm::isa {

std::optional<Opcode> FindMnemonic(std::string_view text) {
  for (const OpcodeInfo& row : kOpcodes) {
    if (EqualsIgnoreCase(row.text, text)) return row.op;
  }
  return std::nullopt;
}

std::optional<Trap> FindTrap(std::uint32_t code) {
  if (code < 1 || code > kTrapCount) return std::nullopt;
  return static_cast<Trap>(code);
}

std::string_view TrapText(Trap trap) {
  switch (trap) {
#define TXVM_TRAP(code, Name, text) \
  case Trap::k##Name:               \
    return text;
#include "isa/traps.def"
#undef TXVM_TRAP
  }
  return "unknown trap";
}

}  // namespace txvm::isa
