// The opcodes as C++: everything here is a projection of opcodes.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace txvm::isa {

/// An opcode by its number in a program file. Values outside the table are legal to hold and
/// illegal to run.
enum class Opcode : std::uint8_t {
#define TXVM_OP(code, Name, ...) k##Name = code,
#define TXVM_PSEUDO_OP(code, Name, ...) k##Name = code,
#include "isa/opcodes.def"
#undef TXVM_PSEUDO_OP
#undef TXVM_OP
};

/// What the `arg` of an instruction means; see the legend of opcodes.def.
enum class Operand : std::uint8_t { kNone, kValue, kLocal, kOffset, kTarget, kCallee, kCause };

/// The circuit that computes an opcode's result.
enum class OpClass : std::uint8_t {
  kMove,
  kArith,
  kDivide,
  kCompare,
  kBits,
  kShift,
  kMemory,
  kFlow,
};

/// One row of opcodes.def. Counts are slots, except memory_reads and memory_writes, which are
/// bytes.
struct OpcodeInfo {
  Opcode op;
  std::string_view text;
  Operand operand;
  std::uint8_t pops, pushes;
  std::uint8_t stack_reads, local_reads, memory_reads, memory_writes, call_reads;
  OpClass op_class;
  std::string_view effect;
};

inline constexpr std::size_t kOpcodeCount = 55;  // executable opcodes; TRAP is row 56
inline constexpr std::uint8_t kTrapCode = 99;

inline constexpr std::array<OpcodeInfo, kOpcodeCount + 1> kOpcodes = {{
#define TXVM_ROW(code, Name, text, arg, pop, psh, sr, lr, mr, mw, cr, op_class, effect) \
  {Opcode::k##Name, text, Operand::arg, pop, psh, sr, lr, mr, mw, cr, OpClass::op_class, effect},
#define TXVM_OP TXVM_ROW
#define TXVM_PSEUDO_OP TXVM_ROW
#include "isa/opcodes.def"
#undef TXVM_PSEUDO_OP
#undef TXVM_OP
#undef TXVM_ROW
}};

namespace internal {
constexpr bool CodesAreDense() {
  for (std::size_t i = 0; i < kOpcodeCount; ++i) {
    if (static_cast<std::size_t>(kOpcodes[i].op) != i + 1) return false;
  }
  return static_cast<std::uint8_t>(kOpcodes[kOpcodeCount].op) == kTrapCode;
}
}  // namespace internal
static_assert(
    internal::CodesAreDense());  // row i has code i+1, so a lookup is an index, not a search

/// True for codes 1..55 and 99.
constexpr bool IsOpcode(std::uint8_t code) {
  return (code >= 1 && code <= kOpcodeCount) || code == kTrapCode;
}

/// The row of an opcode, or nullptr for a code that is not in the table. O(1).
constexpr const OpcodeInfo* FindInfo(std::uint8_t code) {
  if (!IsOpcode(code)) return nullptr;
  return &kOpcodes[code == kTrapCode ? kOpcodeCount : code - 1u];
}

/// The row of an opcode that is in the table.
constexpr const OpcodeInfo& Info(Opcode op) { return *FindInfo(static_cast<std::uint8_t>(op)); }

/// The opcode with this mnemonic, compared without regard to case; nullopt when there is none.
/// O(56).
std::optional<Opcode> FindMnemonic(std::string_view text);

}  // namespace txvm::isa
