// The yardstick loop. Each handler is one opcode and jumps to the next one itself; `top` is the top
// of the stack, so the stack in memory holds one slot less, above a slot nobody reads.
#include "bench/reference_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "isa/limits.h"
#include "isa/opcode.h"

// Labels as values are a GNU extension that both compilers of this project have.
#pragma GCC diagnostic ignored "-Wpedantic"

namespace txvm::bench {
namespace {

using isa::Word;

// Handler table: opcodes by code, then TRAP, then the forms of LOCAL.* that reach globals.
constexpr std::size_t kTrapRow = isa::kOpcodeCount + 1;
constexpr std::size_t kGlobalRow = kTrapRow + 1;
constexpr std::size_t kRows = kGlobalRow + 3;

// The loop hands its table out when it is entered without code.
struct HandlerTable {
  std::array<const void*, kRows> row = {};
};

template <typename T>
Word Load(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<Word>(static_cast<std::int32_t>(value));
}

template <typename T>
void Store(std::uint8_t* at, Word value) {
  const T narrow = static_cast<T>(value);
  std::memcpy(at, &narrow, sizeof narrow);
}

struct LoopState {
  const DecodedInstruction* code;
  const DecodedInstruction* ip;
  Word* sp;
  Word top;
  Word* locals;
  Word* globals;
  std::uint8_t* memory;
  ReferenceFrame* frame;
};

// clang-format off
#define NEXT goto *ip->handler
#define GO { ++ip; NEXT; }
#define UNARY(Name)   op_##Name: top = isa::Name(top); GO
#define BINARY(Name)  op_##Name: top = isa::Name(*--sp, top); GO
#define DIVIDE(Name)  op_##Name: if (top == 0) return nullptr; top = isa::Name(*--sp, top); GO
#define LOAD(Name, T) op_##Name: top = Load<T>(memory + top + std::uint64_t{ip->arg}); GO
#define STORE(Name, T) op_##Name: Store<T>(memory + *--sp + std::uint64_t{ip->arg}, top); top = *--sp; GO

// Runs to HALT and returns the stack pointer with the top stored under it; nullptr at TRAP. With a
// table, fills it and returns.
Word* Loop(const LoopState& state, HandlerTable* table) {
#define TXVM_OP(code, Name, ...) &&op_##Name,
#define TXVM_PSEUDO_OP(code, Name, ...) &&op_##Name,
  static const void* const handlers[kRows] = {
      nullptr,
#include "isa/opcodes.def"
      &&global_get, &&global_set, &&global_tee};
#undef TXVM_PSEUDO_OP
#undef TXVM_OP
  if (table != nullptr) {
    std::copy(std::begin(handlers), std::end(handlers), table->row.begin());
    return nullptr;
  }
  const DecodedInstruction* const code = state.code;
  const DecodedInstruction* ip = state.ip;
  Word* sp = state.sp;
  Word top = state.top;
  Word* locals = state.locals;
  Word* const globals = state.globals;
  std::uint8_t* const memory = state.memory;
  ReferenceFrame* frame = state.frame;
  NEXT;

  op_Push: *sp++ = top; top = ip->arg; GO
  op_Pop:  top = *--sp; GO
  op_Dup:  *sp++ = top; GO
  op_Swap: std::swap(sp[-1], top); GO
  op_Over: { const Word a = sp[-1]; *sp++ = top; top = a; } GO
  op_Rot:  { const Word a = sp[-2]; sp[-2] = sp[-1]; sp[-1] = top; top = a; } GO
  op_Select: { const Word b = sp[-1], a = sp[-2]; sp -= 2; top = isa::Select(a, b, top); } GO
  op_Nop:  GO
  BINARY(Add) BINARY(Sub) BINARY(Mul) BINARY(And) BINARY(Or) BINARY(Xor)
  BINARY(Shl) BINARY(ShrS) BINARY(ShrU) BINARY(Rotl) BINARY(Rotr)
  BINARY(Eq) BINARY(Ne) BINARY(LtS) BINARY(LtU) BINARY(GtS) BINARY(GtU)
  BINARY(LeS) BINARY(LeU) BINARY(GeS) BINARY(GeU)
  DIVIDE(DivS) DIVIDE(DivU) DIVIDE(RemS) DIVIDE(RemU)
  UNARY(Eqz) UNARY(Clz) UNARY(Ctz) UNARY(Popcnt) UNARY(Abs) UNARY(Neg)
  LOAD(Load, Word) LOAD(Load8U, std::uint8_t) LOAD(Load8S, std::int8_t)
  LOAD(Load16U, std::uint16_t) LOAD(Load16S, std::int16_t)
  STORE(Store, Word) STORE(Store8, std::uint8_t) STORE(Store16, std::uint16_t)
  op_LocalGet: *sp++ = top; top = locals[ip->arg]; GO
  op_LocalSet: locals[ip->arg] = top; top = *--sp; GO
  op_LocalTee: locals[ip->arg] = top; GO
  global_get:  *sp++ = top; top = globals[ip->arg]; GO
  global_set:  globals[ip->arg] = top; top = *--sp; GO
  global_tee:  globals[ip->arg] = top; GO
  op_Jz:  { const Word c = top; top = *--sp; if (c == 0) { ip = code + ip->arg; NEXT; } } GO
  op_Jnz: { const Word c = top; top = *--sp; if (c != 0) { ip = code + ip->arg; NEXT; } } GO
  op_Call: *frame++ = {ip + 1, locals}; locals += ip->aux; ip = code + ip->arg; NEXT;
  op_Return: --frame; ip = frame->ip; locals = frame->locals; NEXT;
  op_Halt: *sp = top; return sp;
  op_Trap: return nullptr;
}
// clang-format on

std::size_t RowOf(isa::Instruction instruction) {
  switch (instruction.op()) {
    case isa::Opcode::kLocalGet:
      return instruction.aux() == 0 ? instruction.code() : kGlobalRow;
    case isa::Opcode::kLocalSet:
      return instruction.aux() == 0 ? instruction.code() : kGlobalRow + 1;
    case isa::Opcode::kLocalTee:
      return instruction.aux() == 0 ? instruction.code() : kGlobalRow + 2;
    case isa::Opcode::kTrap:
      return kTrapRow;
    default:
      return instruction.code();
  }
}

}  // namespace

isa::Result<ReferenceLoop> ReferenceLoop::Load(const isa::Program& program) {
  if (!program.imports.empty()) {
    return isa::Fail(isa::ErrorCode::kUnsupported, "the reference loop has no host functions");
  }
  ReferenceLoop loop;
  HandlerTable table;
  Loop({}, &table);
  for (const isa::Instruction instruction : program.code) {
    if (!isa::IsOpcode(instruction.code())) {
      return isa::Fail(isa::ErrorCode::kInvalid,
                       fmt::format("the reference loop has no opcode {}", instruction.code()));
    }
    loop.code_.push_back({table.row[RowOf(instruction)], instruction.arg, instruction.aux()});
  }
  loop.slots_.resize(kSlots);
  loop.frames_.resize(kFrames);
  loop.locals_.resize(kLocals);
  std::ranges::copy(program.globals, loop.locals_.begin());
  loop.globals_ = static_cast<std::uint32_t>(program.globals.size());
  if (program.memory) loop.memory_.resize(std::size_t{program.memory->initial} * isa::kPageBytes);
  for (const isa::DataSegment& data : program.data) {
    if (data.offset + std::uint64_t{data.bytes.size()} > loop.memory_.size()) {
      return isa::Fail(isa::ErrorCode::kInvalid, "data segment out of bounds");
    }
    std::ranges::copy(data.bytes, loop.memory_.begin() + data.offset);
  }
  return loop;
}

isa::Result<std::vector<Word>> ReferenceLoop::Run(std::uint32_t start, std::span<const Word> args) {
  std::copy(args.begin(), args.end(), slots_.begin() + 1);
  Word* const sp = slots_.data() + args.size();
  const Word* const end =
      Loop({code_.data(), code_.data() + start, sp, *sp, locals_.data() + globals_, locals_.data(),
            memory_.data(), frames_.data()},
           nullptr);
  if (end == nullptr) return isa::Fail(isa::ErrorCode::kInvalid, "the reference loop met a trap");
  return std::vector<Word>(std::as_const(slots_).data() + 1, end + 1);
}

}  // namespace txvm::bench
