// The Triton instructions as C++: everything here is a projection of ops.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace txvm::triton {

/// An instruction by its row in ops.def. Two pairs of rows share an opcode; see TasmIsa.
enum class TasmOp : std::uint8_t {
#define TXVM_TASM_OP(cls, code, Name, ...) k##Name,
#include "neural/triton/tasm/ops.def"
};

/// What follows the mnemonic.
enum class TasmArg : std::uint8_t { kNone, kElement, kCount, kRegister, kLabel };

/// What kind of thing an instruction does; ops.def says what each class promises.
enum class TasmClass : std::uint8_t { kControl, kMove, kPure, kStream, kMemory, kAssert, kEvent };

/// What an instruction does to RAM.
enum class RamAccess : std::uint8_t { kNone, kLoads, kStores };

/// Which versions of Triton VM have an instruction.
enum class TasmSet : std::uint8_t { kAll, kDot, kHorner };

/// The instruction set a program is written for: kDot is v2.0.0 .. v7.0.0, kHorner later.
enum class TasmIsa : std::uint8_t { kDot, kHorner };

/// Weights of the six-table view, in the order processor, hash, u32, op_stack, ram, jump_stack.
inline constexpr std::size_t kSeedTables = 6;
using Seed6 = std::array<std::uint64_t, kSeedTables>;

/// Enumerators of TasmOp as the columns of the tables name them; kNone is no instruction.
struct TasmOpOrNone {
  static constexpr std::optional<TasmOp> kNone = std::nullopt;
#define TXVM_TASM_OP(cls, code, Name, ...) \
  static constexpr std::optional<TasmOp> k##Name = TasmOp::k##Name;
#include "neural/triton/tasm/ops.def"
};

/// One row of ops.def.
struct TasmOpInfo {
  TasmOp op;
  TasmClass op_class;
  std::uint8_t code;
  std::string_view text;
  TasmArg arg;
  TasmSet set;
  std::int8_t net, net_per_unit;
  std::uint8_t reads;  // words from the top, besides those that the argument names
  std::uint8_t ram_rows;
  bool ram_per_unit;
  RamAccess access;
  std::uint8_t hash_rows;
  std::uint8_t u32_entries;    // of the u32 table
  bool commutes;               // the same with the two words on top exchanged
  std::optional<TasmOp> undo;  // with the same argument
  Seed6 seed;
  std::string_view effect;
};

/// All rows of ops.def, by TasmOp.
inline constexpr std::array kTasmOps = {
#define TXVM_TASM_OP(cls, code, Name, text, arg, isa, net, per, reads, ram, ramn, access, hash, \
                     u32, com, undo, p, h, u, o, r, j, effect)                                  \
  TasmOpInfo{TasmOp::k##Name,                                                                   \
             TasmClass::cls,                                                                    \
             code,                                                                              \
             text,                                                                              \
             TasmArg::arg,                                                                      \
             TasmSet::isa,                                                                      \
             net,                                                                               \
             per,                                                                               \
             reads,                                                                             \
             ram,                                                                               \
             ramn,                                                                              \
             RamAccess::access,                                                                 \
             hash,                                                                              \
             u32,                                                                               \
             com,                                                                               \
             TasmOpOrNone::undo,                                                                \
             {p, h, u, o, r, j},                                                                \
             effect},
#include "neural/triton/tasm/ops.def"
};
static_assert(kTasmOps.size() == 48);  // 44 common instructions and two variants of two

/// Registers the program can name: st0 .. st15. The stack never holds fewer elements.
inline constexpr std::size_t kTasmRegisters = 16;
/// The largest argument of the kCount instructions; the smallest is 1.
inline constexpr std::uint64_t kTasmMaxCount = 5;

/// The row of `op`.
constexpr const TasmOpInfo& Info(TasmOp op) { return kTasmOps[static_cast<std::size_t>(op)]; }

/// Words an instruction occupies in the program: 2 with an argument, else 1.
constexpr std::uint32_t TasmSize(TasmOp op) { return Info(op).arg == TasmArg::kNone ? 1 : 2; }

/// True when `isa` has the instruction.
constexpr bool IsInIsa(TasmOp op, TasmIsa isa) {
  const TasmSet set = Info(op).set;
  return set == TasmSet::kAll || (set == TasmSet::kDot) == (isa == TasmIsa::kDot);
}

/// The change of the stack length by an instruction with this argument.
constexpr std::int32_t TasmNet(TasmOp op, std::uint64_t arg) {
  const TasmOpInfo& info = Info(op);
  return info.net + (info.arg == TasmArg::kCount ? info.net_per_unit * static_cast<int>(arg) : 0);
}

/// Words from the top that an instruction with this argument looks at.
constexpr std::uint32_t TasmReads(TasmOp op, std::uint64_t arg) {
  const TasmOpInfo& info = Info(op);
  const auto n = static_cast<std::uint32_t>(arg);
  if (info.arg == TasmArg::kRegister) return info.reads + n + 1;
  return info.reads + (info.arg == TasmArg::kCount && info.net_per_unit < 0 ? n : 0);
}

/// True for the instructions that do not decide where the run goes on: those that StepTasm runs.
constexpr bool IsStraight(TasmOp op) { return Info(op).op_class != TasmClass::kControl; }

/// The instruction with this mnemonic in `isa`, case-sensitive; nullopt when there is none.
std::optional<TasmOp> FindTasmMnemonic(std::string_view text, TasmIsa isa);

/// The instruction with this opcode in `isa`.
std::optional<TasmOp> FindTasmOpcode(std::uint64_t code, TasmIsa isa);

}  // namespace txvm::triton
