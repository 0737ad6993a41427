// One Highway target's attention loop; see attention.cc. Fuel, interrupts and limits:
// vm/engines/threaded.h.

#if defined(TXVM_VM_ENGINES_ATTENTION_LOOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TXVM_VM_ENGINES_ATTENTION_LOOP_INL_H_
#undef TXVM_VM_ENGINES_ATTENTION_LOOP_INL_H_
#else
#define TXVM_VM_ENGINES_ATTENTION_LOOP_INL_H_
#endif

#pragma GCC diagnostic ignored "-Wpedantic"  // labels as values, the threaded dispatch

#include <cstring>

#include "isa/word_ops.h"
#include "vm/engines/attention_loop.h"
#include "vm/memory/tile_keys.h"
#include "vm/tensor/head-inl.h"

HWY_BEFORE_NAMESPACE();
namespace txvm::vm {
namespace HWY_NAMESPACE {

/// Index of the winning key of a space's head at `address`: the address itself unless keys or
/// biases were altered; negative when no key is there.
HWY_INLINE HWY_ATTR std::int64_t Attend(const std::int16_t* HWY_RESTRICT keys,
                                        const QueryTable& queries, std::uint32_t address) {
  const std::uint32_t digit = address & kDigitMask;
  const std::size_t tile = address & ~kDigitMask;
  const std::intptr_t lane =
      WinningKey(keys + tile * 2, queries.query[digit], queries.maximum[digit]);
  return lane < 0 ? -1 : static_cast<std::int64_t>(tile) + lane;
}

/// `width` bytes from `address` on. Their heads' queries differ by 0..width-1 and their keys lie in
/// one tile or two, so one tile score, or one per byte where the access crosses tiles, serves all
/// of them.
template <std::size_t kWidth>
HWY_INLINE HWY_ATTR Word AttendBytes(const LoopContext& c, std::uint64_t address,
                                     const std::uint8_t* memory) {
  Word value = 0;
  const auto low = static_cast<std::uint32_t>(address);
  const std::uint32_t digit = low & kDigitMask;
  const std::int16_t* page = c.memory_keys[address >> SharedKeys::kPageBits];
  if (digit + kWidth <= kTileKeys) [[likely]] {
    const std::int16_t* tile = page + (low & (SharedKeys::kPageAddresses - 1) & ~kDigitMask) * 2;
    const std::intptr_t lane = WinningKey(tile, c.queries->query[digit], c.queries->maximum[digit]);
    if (lane < 0) [[unlikely]]
      return 0;
    std::memcpy(&value,
                memory + (address & ~std::uint64_t{kDigitMask}) + static_cast<std::size_t>(lane),
                kWidth);
    return value;
  }
  for (std::size_t i = 0; i < kWidth; ++i) {
    const std::uint64_t at = address + i;
    const auto within = static_cast<std::uint32_t>(at) & (SharedKeys::kPageAddresses - 1);
    const std::int64_t lane =
        Attend(c.memory_keys[at >> SharedKeys::kPageBits], *c.queries, within);
    if (lane < 0) [[unlikely]]
      continue;
    value |= static_cast<Word>(memory[(at - within) + static_cast<std::size_t>(lane)]) << (8 * i);
  }
  return value;
}

// Counts `heads` heads and the keys scored for them, in the observed variant.
#define TXVM_COUNT(space, head_count, tiles)                                   \
  if constexpr (kObserve) {                                                    \
    stats.heads[static_cast<std::size_t>(Space::space)] += (head_count);       \
    stats.keys[static_cast<std::size_t>(Space::space)] += (tiles) * kTileKeys; \
  }
// Goes to the instruction at ip: the fetch head. An absent key ends the run.
#define TXVM_FETCH()                                              \
  do {                                                            \
    TXVM_COUNT(kCode, 1, 1)                                       \
    const std::int64_t next_ip = Attend(c.code_keys, queries, ip); \
    if (next_ip < 0) [[unlikely]]                                  \
      goto no_instruction;                                        \
    row = rows + next_ip;                                          \
    goto * row->handler;                                          \
  } while (false)
#define TXVM_OBSERVE()                                                                             \
  if constexpr (kObserve) {                                                                        \
    observer->Record(*state,                                                                       \
                     state->steps + (fuel_in - (static_cast<std::uint64_t>(budget) - ip)) + 1, ip, \
                     code[row - rows], sp, top);                                                   \
  }
#define TXVM_NEXT() \
  do {              \
    TXVM_OBSERVE()  \
    ++ip;           \
    TXVM_FETCH();   \
  } while (false)
#define TXVM_CHECK_BUDGET()                                        \
  if (budget < floor.load(std::memory_order_relaxed)) [[unlikely]] \
  goto polled
// Evaluates a head of the stack, at sp - below; 0 when the slot is absent.
#define TXVM_STACK_HEAD(target, below)                                            \
  do {                                                                            \
    TXVM_COUNT(kStack, 1, 1)                                                      \
    const std::int64_t slot_winner = Attend(c.stack_keys, queries, sp - (below)); \
    target = slot_winner < 0 ? 0 : slots[slot_winner];                            \
  } while (false)
#define TXVM_LOCAL_HEAD(target, address)                                       \
  do {                                                                         \
    TXVM_COUNT(kLocals, 1, 1)                                                  \
    const std::int64_t slot_winner = Attend(c.local_keys, queries, (address)); \
    target = slot_winner < 0 ? 0 : locals[slot_winner];                        \
  } while (false)

template <bool kObserve>
HWY_ATTR void Loop(LoopContext* context, const void* const** labels) {
  static const void* const kLabels[kHandlerCount] = {
#define TXVM_OP(code, Name, ...) &&op_##Name,
#define TXVM_PSEUDO_OP(code, Name, ...) &&op_##Name,
#include "isa/opcodes.def"
#undef TXVM_PSEUDO_OP
#undef TXVM_OP
      &&op_JzBack,    &&op_JnzBack,  &&op_GlobalGet, &&op_GlobalSet,
      &&op_GlobalTee, &&op_HostCall, &&op_Poll,      &&no_instruction,
  };
  if (context == nullptr) {
    *labels = kLabels;
    return;
  }
  LoopContext& c = *context;
  State* const state = c.state;
  const Row* const rows = c.threaded->rows.data();
  const QueryTable& queries = *c.queries;
  [[maybe_unused]] const isa::Instruction* const code = c.engine->program.code.data();
  [[maybe_unused]] Observer* const observer = c.observer;
  [[maybe_unused]] Stats stats;
  const std::atomic<std::int64_t>& floor = c.engine->interrupt.floor();
  Word* const slots = state->slots.data();
  Word* const locals = state->locals.data();
  Frame* const frames = state->frames.data();
  std::uint8_t* const memory = state->memory.data();
  const std::uint64_t memory_size = state->memory.size_bytes();
  const std::uint64_t fuel_in = c.fuel;

  std::uint32_t ip = state->ip;
  std::uint32_t sp = state->sp;
  std::uint32_t locals_base = state->locals_base;
  std::uint32_t depth = state->depth;
  Word top = slots[sp];
  std::int64_t budget = static_cast<std::int64_t>(fuel_in) + ip;  // fuel left + ip
  const Row* row = rows;
  TXVM_FETCH();

#define TXVM_BINARY(Name)    \
  op_##Name : {              \
    Word a;                  \
    TXVM_STACK_HEAD(a, 1);   \
    top = isa::Name(a, top); \
    slots[--sp] = top;       \
    TXVM_NEXT();             \
  }
#define TXVM_UNARY(Name)  \
  op_##Name : {           \
    top = isa::Name(top); \
    slots[sp] = top;      \
    TXVM_NEXT();          \
  }
#define TXVM_PURE_kArith_2 TXVM_BINARY
#define TXVM_PURE_kCompare_2 TXVM_BINARY
#define TXVM_PURE_kBits_2 TXVM_BINARY
#define TXVM_PURE_kShift_2 TXVM_BINARY
#define TXVM_PURE_kArith_1 TXVM_UNARY
#define TXVM_PURE_kCompare_1 TXVM_UNARY
#define TXVM_PURE_kBits_1 TXVM_UNARY
#include "vm/engines/pure_ops-inl.h"
#undef TXVM_BINARY
#undef TXVM_UNARY

op_Push:
  top = row->arg;
  slots[++sp] = top;
  TXVM_NEXT();
op_Pop:
  TXVM_STACK_HEAD(top, 1);
  --sp;
  TXVM_NEXT();
op_Dup:
  slots[++sp] = top;
  TXVM_NEXT();
op_Nop:
  TXVM_NEXT();
op_Swap: {
  Word a;
  TXVM_STACK_HEAD(a, 1);
  slots[sp - 1] = top;
  slots[sp] = top = a;
  TXVM_NEXT();
}
op_Over:
  TXVM_STACK_HEAD(top, 1);
  slots[++sp] = top;
  TXVM_NEXT();
op_Rot: {
  Word a, b;
  TXVM_STACK_HEAD(b, 1);
  TXVM_STACK_HEAD(a, 2);
  slots[sp - 2] = b;
  slots[sp - 1] = top;
  slots[sp] = top = a;
  TXVM_NEXT();
}
op_Select: {
  Word a, b;
  TXVM_STACK_HEAD(b, 1);
  TXVM_STACK_HEAD(a, 2);
  top = isa::Select(a, b, top);
  sp -= 2;
  slots[sp] = top;
  TXVM_NEXT();
}

#define TXVM_DIVISION(Name, overflow)    \
  op_##Name : {                          \
    Word a;                              \
    TXVM_STACK_HEAD(a, 1);               \
    if (top == 0) goto divide_by_zero;   \
    if (overflow) goto integer_overflow; \
    top = isa::Name(a, top);             \
    slots[--sp] = top;                   \
    TXVM_NEXT();                         \
  }
  TXVM_DIVISION(DivS, isa::DivSOverflows(a, top))
  TXVM_DIVISION(DivU, false)
  TXVM_DIVISION(RemS, false)
  TXVM_DIVISION(RemU, false)
#undef TXVM_DIVISION

op_LocalGet:
  TXVM_LOCAL_HEAD(top, locals_base + row->arg);
  slots[++sp] = top;
  TXVM_NEXT();
op_LocalSet:
  locals[locals_base + row->arg] = top;
  TXVM_STACK_HEAD(top, 1);
  --sp;
  TXVM_NEXT();
op_LocalTee:
  locals[locals_base + row->arg] = top;
  TXVM_NEXT();
op_GlobalGet:
  TXVM_LOCAL_HEAD(top, row->arg);
  slots[++sp] = top;
  TXVM_NEXT();
op_GlobalSet:
  locals[row->arg] = top;
  TXVM_STACK_HEAD(top, 1);
  --sp;
  TXVM_NEXT();
op_GlobalTee:
  locals[row->arg] = top;
  TXVM_NEXT();

#define TXVM_LOAD(Name, width, Extend)                                                  \
  op_##Name : {                                                                         \
    const std::uint64_t address = static_cast<std::uint64_t>(top) + row->arg;           \
    if (address + width > memory_size) goto out_of_bounds;                              \
    TXVM_COUNT(kMemory, width, (address & kDigitMask) + width <= kTileKeys ? 1 : width) \
    top = Extend(AttendBytes<width>(c, address, memory));                               \
    slots[sp] = top;                                                                    \
    TXVM_NEXT();                                                                        \
  }
  TXVM_LOAD(Load, 4, Word)
  TXVM_LOAD(Load8U, 1, Word)
  TXVM_LOAD(Load8S, 1, isa::SignExtend8)
  TXVM_LOAD(Load16U, 2, Word)
  TXVM_LOAD(Load16S, 2, isa::SignExtend16)
#undef TXVM_LOAD
#define TXVM_STORE(Name, width)                                                \
  op_##Name : {                                                                \
    Word base;                                                                 \
    TXVM_STACK_HEAD(base, 1);                                                  \
    const std::uint64_t address = static_cast<std::uint64_t>(base) + row->arg; \
    if (address + width > memory_size) goto out_of_bounds;                     \
    std::memcpy(memory + address, &top, width);                                \
    TXVM_STACK_HEAD(top, 2);                                                   \
    sp -= 2;                                                                   \
    TXVM_NEXT();                                                               \
  }
  TXVM_STORE(Store, 4)
  TXVM_STORE(Store8, 1)
  TXVM_STORE(Store16, 2)
#undef TXVM_STORE

// Both arms fetch: a taken jump is predicted by its own branch, not waited for.
#define TXVM_CONDITIONAL(Label, condition, check)             \
  op_##Label : {                                              \
    const Word condition_word = top;                          \
    TXVM_STACK_HEAD(top, 1);                                  \
    --sp;                                                     \
    if (condition) {                                          \
      TXVM_OBSERVE()                                          \
      const auto delta = static_cast<std::int32_t>(row->aux); \
      budget += delta;                                        \
      ip += static_cast<std::uint32_t>(delta) + 1;            \
      check;                                                  \
      TXVM_FETCH();                                           \
    }                                                         \
    TXVM_NEXT();                                              \
  }
  TXVM_CONDITIONAL(Jz, condition_word == 0, )
  TXVM_CONDITIONAL(Jnz, condition_word != 0, )
  TXVM_CONDITIONAL(JzBack, condition_word == 0, TXVM_CHECK_BUDGET())
  TXVM_CONDITIONAL(JnzBack, condition_word != 0, TXVM_CHECK_BUDGET())
#undef TXVM_CONDITIONAL

op_Call: {
  const std::uint32_t target = row->arg;
  const std::uint32_t aux = row->aux;
  if (depth >= c.ready_depth) [[unlikely]] {
    if (!c.prepare_call(&c, target, sp, std::uint64_t{locals_base} + aux, depth)) {
      c.exit = Exit::kCareful;  // which limit it is, the careful loop finds out
      goto fetched_in_vain;
    }
  }
  TXVM_OBSERVE()
  frames[++depth] = {ip + 1, locals_base};
  locals_base += aux;
  budget += static_cast<std::int64_t>(target) - ip - 1;
  ip = target;
  TXVM_CHECK_BUDGET();
  TXVM_FETCH();
}
op_Return: {
  if (depth == 0) goto stack_underflow;
  TXVM_COUNT(kCall, 1, 1)
  const std::int64_t winner = Attend(c.call_keys, queries, depth);
  const Frame frame = frames[winner < 0 ? 0 : winner];
  TXVM_OBSERVE()
  --depth;
  locals_base = frame.locals_base;
  budget += static_cast<std::int64_t>(frame.return_ip) - ip - 1;
  ip = frame.return_ip;
  TXVM_CHECK_BUDGET();
  TXVM_FETCH();
}
op_Poll:
  if (c.engine->interrupt.requested()) {
    c.exit = Exit::kPolled;
    goto fetched_in_vain;
  }
  goto* c.threaded->polled_handlers[ip / kPollDistance];

op_HostCall:
  c.exit = Exit::kHostCall;
  goto leave;
op_Halt:
  TXVM_OBSERVE()
  --budget;  // HALT is a step, but does not move
  c.exit = Exit::kHalted;
  goto leave;
op_Trap:
  c.cause = static_cast<isa::Trap>(row->arg);
  goto trapped;
stack_underflow:
  c.cause = isa::Trap::kStackUnderflow;
  goto trapped;
out_of_bounds:
  c.cause = isa::Trap::kOutOfBounds;
  goto trapped;
integer_overflow:
  c.cause = isa::Trap::kIntegerOverflow;
  goto trapped;
divide_by_zero:
  c.cause = isa::Trap::kDivideByZero;
trapped:
  TXVM_OBSERVE()
  --budget;
  c.exit = Exit::kTrapped;
  goto leave;
no_instruction:  // no step and no record
  c.cause = isa::Trap::kInvalidPc;
  c.exit = Exit::kTrapped;
  goto leave;
polled:
  c.exit = Exit::kPolled;
  goto leave;
fetched_in_vain:  // the instruction will be fetched again: its fetch does not count twice
  if constexpr (kObserve) {
    --stats.heads[static_cast<std::size_t>(Space::kCode)];
    stats.keys[static_cast<std::size_t>(Space::kCode)] -= kTileKeys;
  }
leave:
  state->ip = ip;
  state->sp = sp;
  state->locals_base = locals_base;
  state->depth = depth;
  c.fuel = static_cast<std::uint64_t>(budget) - ip;
  state->steps += fuel_in - c.fuel;
  if constexpr (kObserve) {
    for (std::size_t s = 0; s < kSpaceCount; ++s) {
      observer->stats().heads[s] += stats.heads[s];
      observer->stats().keys[s] += stats.keys[s];
    }
  }
}

#undef TXVM_LOCAL_HEAD
#undef TXVM_STACK_HEAD
#undef TXVM_CHECK_BUDGET
#undef TXVM_NEXT
#undef TXVM_OBSERVE
#undef TXVM_FETCH
#undef TXVM_COUNT

inline void RunPlain(LoopContext* context) { Loop<false>(context, nullptr); }
inline void RunObserved(LoopContext* context) { Loop<true>(context, nullptr); }
inline const void* const* Labels(bool observe) {
  const void* const* labels = nullptr;
  if (observe)
    Loop<true>(nullptr, &labels);
  else
    Loop<false>(nullptr, &labels);
  return labels;
}
inline HWY_ATTR std::intptr_t ScoreTile(const std::int16_t* tile, const std::int16_t* query,
                                        const std::int16_t* maximum) {
  return WinningKey(tile, query, maximum);
}
inline AttentionTarget Target() {
  return {kTileKeys, &Labels, &RunPlain, &RunObserved, &ScoreTile};
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace txvm::vm
HWY_AFTER_NAMESPACE();

#endif  // include guard
