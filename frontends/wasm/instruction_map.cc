#include "frontends/wasm/instruction_map.h"

#include "frontends/wasm/float.h"
#include "frontends/wasm/wide.h"

namespace txvm::frontends::wasm {
namespace {

using isa::Opcode;
using wat::Instr;
using wat::InstrKind;

/// An entry that stands for no instruction.
constexpr Instr kNone{InstrKind::kUnsupported, Opcode::kNop, 0, 0, 0};

}  // namespace

// The tables of frontends/wat name instructions as opcodes.def does.
constexpr std::array<wat::Instr, kOpCount> kInstrOfOp = [] {
  constexpr std::uint32_t kWordBits = 32;
  std::array<Instr, kOpCount> map{};
  map.fill(kNone);
  const auto set = [&map](Op op, Instr instr) { map[static_cast<std::size_t>(op)] = instr; };
#define WAT_OP(wabt_name, isa_name) \
  set(Op::k##wabt_name, {InstrKind::kOp, Opcode::k##isa_name, 0, 0, 0});
#define WAT_ACCESS(wabt_name, isa_name) \
  set(Op::k##wabt_name, {InstrKind::kAccess, Opcode::k##isa_name, 0, 0, 0});
#define WAT_EXTEND(wabt_name, bits) \
  set(Op::k##wabt_name, {InstrKind::kExtend, Opcode::kNop, kWordBits - (bits), 0, 0});
#include "frontends/wasm/machine_opcodes.def"
#define WAT_WIDE(wabt_name, text, form, op, bits)           \
  set(Op::k##wabt_name, {InstrKind::kWide, Opcode::kNop, 0, \
                         static_cast<std::uint32_t>(wat::WideOp::k##wabt_name), 0});
#include "frontends/wasm/wide.def"
#undef WAT_WIDE
#define WAT_FLOAT(wabt_name, text, form, operand, operands, result) \
  set(Op::k##wabt_name, {InstrKind::kFloat, Opcode::kNop, 0,        \
                         static_cast<std::uint32_t>(wat::FloatOp::k##wabt_name), 0});
#include "frontends/wasm/float.def"
#undef WAT_FLOAT
  // Vectors have no table of their own; constants and shuffles are kinds of instructions.
  const auto set_vector = [&set](Op op, Feature feature) {
    if (feature != Feature::kSimd && feature != Feature::kRelaxedSimd) return;
    set(op, {InstrKind::kVector, Opcode::kNop, 0, static_cast<std::uint32_t>(op), 0});
  };
  constexpr int kAtomicPrefix = 0xFE;
#define WASM_OP(prefix, code, name, text, immediate, params, results, size, feature) \
  set_vector(Op::k##name, Feature::k##feature);                                      \
  if ((prefix) == kAtomicPrefix) {                                                   \
    set(Op::k##name, {InstrKind::kAtomic, Opcode::kNop, 0, (code), 0});              \
  }
#include "frontends/wasm/opcodes.def"
#undef WASM_OP
  return map;
}();

}  // namespace txvm::frontends::wasm
