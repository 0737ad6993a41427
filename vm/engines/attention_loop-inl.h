// One Highway target's attention loop; see attention.cc. Fuel, interrupts and limits:
// vm/engines/threaded.h.

#if defined(TXVM_VM_ENGINES_ATTENTION_LOOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TXVM_VM_ENGINES_ATTENTION_LOOP_INL_H_
#undef TXVM_VM_ENGINES_ATTENTION_LOOP_INL_H_
#else
#define TXVM_VM_ENGINES_ATTENTION_LOOP_INL_H_
#endif

#pragma GCC diagnostic ignored "-Wpedantic"  // labels as values, the threaded dispatch

#include "isa/word_ops.h"
#include "vm/engines/attention_heads-inl.h"

HWY_BEFORE_NAMESPACE();
namespace txvm::vm {
namespace HWY_NAMESPACE {

// Counts `heads` heads and the keys scored for them, in the observed variant.
#define TXVM_COUNT(space, head_count, tiles)                                   \
  if constexpr (kObserve) {                                                    \
    stats.heads[static_cast<std::size_t>(Space::space)] += (head_count);       \
    stats.keys[static_cast<std::size_t>(Space::space)] += (tiles) * kTileKeys; \
  }
// The ip of the instruction being executed.
#define TXVM_IP() (tile->first + static_cast<std::uint32_t>(lane))
// Goes to the instruction the fetch head returns for the query in `ip_query`, a digit of `tile`.
#define TXVM_ATTEND_CODE()                   \
  do {                                       \
    lane = WinningKey(tile->keys, ip_query); \
    goto * tile->handler(lane);              \
  } while (false)
#define TXVM_FETCH()        \
  do {                      \
    TXVM_COUNT(kCode, 1, 1) \
    TXVM_ATTEND_CODE();     \
  } while (false)
#define TXVM_OBSERVE()                                                                             \
  if constexpr (kObserve) {                                                                        \
    const std::uint32_t observed_ip = TXVM_IP();                                                   \
    observer->Record(                                                                              \
        *state, state->steps + (fuel_in - (static_cast<std::uint64_t>(budget) - observed_ip)) + 1, \
        observed_ip, code[observed_ip], static_cast<std::uint32_t>(sp), top);                      \
  }
#define TXVM_NEXT()                    \
  do {                                 \
    TXVM_OBSERVE()                     \
    ip_query = hn::Add(ip_query, one); \
    TXVM_FETCH();                      \
  } while (false)
// The state's ip becomes `target`: its high digits choose the tile, its last digit is the query.
#define TXVM_JUMP_TO(target)                    \
  do {                                          \
    const std::uint32_t jump_target = (target); \
    tile = tiles + jump_target / kTileKeys;     \
    ip_query = QueryFor(jump_target);           \
  } while (false)
#define TXVM_MOVE_SP(delta)                                                                   \
  do {                                                                                        \
    sp += static_cast<std::size_t>(std::ptrdiff_t{delta});                                    \
    sp_query =                                                                                \
        (delta) == 1 ? hn::Add(sp_query, one) : hn::Sub(sp_query, (delta) == -1 ? one : two); \
  } while (false)
#define TXVM_CHECK_BUDGET(target)                                    \
  if (budget < floor.load(std::memory_order_relaxed)) [[unlikely]] { \
    next_ip = (target);                                              \
    goto polled;                                                     \
  }
// Evaluates a head of the stack, at sp - below.
#define TXVM_STACK_HEAD(target, below)                                                        \
  do {                                                                                        \
    TXVM_COUNT(kStack, 1, 1)                                                                  \
    const Query slot = (below) == 0 ? sp_query : hn::Sub(sp_query, (below) == 1 ? one : two); \
    target = slots[Attend(stack_keys, hn::And(slot, digit_mask), sp - (below))];              \
  } while (false)
#define TXVM_LOCAL_HEAD(target, address)                         \
  do {                                                           \
    TXVM_COUNT(kLocals, 1, 1)                                    \
    const std::uint32_t local = (address);                       \
    target = locals[Attend(local_keys, QueryFor(local), local)]; \
  } while (false)

template <bool kObserve>
HWY_ATTR void Loop(LoopContext* context, const void* const** labels) {
  static const void* const kLabels[kHandlerCount] = {
#define TXVM_OP(code, Name, ...) &&op_##Name,
#define TXVM_PSEUDO_OP(code, Name, ...) &&op_##Name,
#include "isa/opcodes.def"
#undef TXVM_PSEUDO_OP
#undef TXVM_OP
      &&op_JzChecked,
      &&op_JnzChecked,
      &&op_GlobalGet,
      &&op_GlobalSet,
      &&op_GlobalTee,
      &&op_HostCall,
      &&op_Poll,
      &&op_Absent,
#define TXVM_LABEL(copy) &&op_LocalGet##copy,
      TXVM_HANDLER_COPIES(TXVM_LABEL)
#undef TXVM_LABEL
#define TXVM_LABEL(copy) &&op_LocalSet##copy,
          TXVM_HANDLER_COPIES(TXVM_LABEL)
#undef TXVM_LABEL

  };
  if (context == nullptr) {
    *labels = kLabels;
    return;
  }
  LoopContext& c = *context;
  State* const state = c.state;
  const auto* const tiles = reinterpret_cast<const CodeTile*>(c.code);
  const std::int16_t* const stack_keys = c.stack_keys;
  const std::int16_t* const local_keys = c.local_keys;
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

  std::uint32_t next_ip = state->ip;  // where the run goes on after it stopped between two steps
  std::size_t sp = state->sp;
  std::uint32_t locals_base = state->locals_base;
  std::uint32_t depth = state->depth;
  Word top = slots[sp];
  std::int64_t budget = static_cast<std::int64_t>(fuel_in) + next_ip;  // fuel left + ip
  const Query one = hn::Set(KeyTag(), c.constants[0]);
  const Query two = hn::Set(KeyTag(), c.constants[1]);
  const Query digit_mask = hn::Set(KeyTag(), c.constants[2]);
  // The address lanes of the state as vectors: of ip the digit within `tile`, of sp the value mod
  // 2^16.
  const CodeTile* tile;
  Query ip_query;
  Query sp_query = hn::Set(KeyTag(), static_cast<std::int16_t>(sp));
  std::size_t lane;  // of the fetched instruction in its tile
  TXVM_JUMP_TO(next_ip);
  TXVM_FETCH();

#define TXVM_BINARY(Name)    \
  op_##Name : {              \
    Word a;                  \
    TXVM_STACK_HEAD(a, 1);   \
    top = isa::Name(a, top); \
    TXVM_MOVE_SP(-1);        \
    slots[sp] = top;         \
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
  top = tile->arg[lane];
  TXVM_MOVE_SP(1);
  slots[sp] = top;
  TXVM_NEXT();
op_Pop:
  TXVM_MOVE_SP(-1);
  TXVM_STACK_HEAD(top, 0);
  TXVM_NEXT();
op_Dup:
  TXVM_MOVE_SP(1);
  slots[sp] = top;
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
  TXVM_MOVE_SP(1);
  slots[sp] = top;
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
  TXVM_MOVE_SP(-2);
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
    TXVM_MOVE_SP(-1);                    \
    slots[sp] = top;                     \
    TXVM_NEXT();                         \
  }
  TXVM_DIVISION(DivS, isa::DivSOverflows(a, top))
  TXVM_DIVISION(DivU, false)
  TXVM_DIVISION(RemS, false)
  TXVM_DIVISION(RemU, false)
#undef TXVM_DIVISION

// Copies of the same handler: a processor that predicts by the address of a load which store it
// depends on would otherwise know all local reads of a program as one, and wait for the wrong
// stores (measured on matmul: 1.7 times the speed with 8 copies).
#define TXVM_LOCAL_GET(copy)                             \
  op_LocalGet##copy : {                                  \
    TXVM_LOCAL_HEAD(top, locals_base + tile->arg[lane]); \
    TXVM_MOVE_SP(1);                                     \
    slots[sp] = top;                                     \
    TXVM_NEXT();                                         \
  }
#define TXVM_LOCAL_SET(copy)                     \
  op_LocalSet##copy : {                          \
    locals[locals_base + tile->arg[lane]] = top; \
    TXVM_MOVE_SP(-1);                            \
    TXVM_STACK_HEAD(top, 0);                     \
    TXVM_NEXT();                                 \
  }
op_LocalGet:  // the table's own label; code uses the copies
  TXVM_HANDLER_COPIES(TXVM_LOCAL_GET)
op_LocalSet:
  TXVM_HANDLER_COPIES(TXVM_LOCAL_SET)
#undef TXVM_LOCAL_GET
#undef TXVM_LOCAL_SET
op_LocalTee:
  locals[locals_base + tile->arg[lane]] = top;
  TXVM_NEXT();
op_GlobalGet:
  TXVM_LOCAL_HEAD(top, tile->arg[lane]);
  TXVM_MOVE_SP(1);
  slots[sp] = top;
  TXVM_NEXT();
op_GlobalSet:
  locals[tile->arg[lane]] = top;
  TXVM_MOVE_SP(-1);
  TXVM_STACK_HEAD(top, 0);
  TXVM_NEXT();
op_GlobalTee:
  locals[tile->arg[lane]] = top;
  TXVM_NEXT();

#define TXVM_LOAD(Name, width, Extend)                                                  \
  op_##Name : {                                                                         \
    const std::uint64_t address = static_cast<std::uint64_t>(top) + tile->arg[lane];    \
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
#define TXVM_STORE(Name, width)                                                       \
  op_##Name : {                                                                       \
    Word base;                                                                        \
    TXVM_STACK_HEAD(base, 1);                                                         \
    const std::uint64_t address = static_cast<std::uint64_t>(base) + tile->arg[lane]; \
    if (address + width > memory_size) goto out_of_bounds;                            \
    std::memcpy(memory + address, &top, width);                                       \
    TXVM_STACK_HEAD(top, 2);                                                          \
    TXVM_MOVE_SP(-2);                                                                 \
    TXVM_NEXT();                                                                      \
  }
  TXVM_STORE(Store, 4)
  TXVM_STORE(Store8, 1)
  TXVM_STORE(Store16, 2)
#undef TXVM_STORE

// Both arms fetch: a taken jump is predicted by its own branch, not waited for.
#define TXVM_CONDITIONAL(Label, condition, check)           \
  op_##Label : {                                            \
    const Word condition_word = top;                        \
    TXVM_MOVE_SP(-1);                                       \
    TXVM_STACK_HEAD(top, 0);                                \
    if (condition) {                                        \
      TXVM_OBSERVE()                                        \
      const std::uint32_t target = tile->arg[lane];         \
      budget += static_cast<std::int32_t>(tile->aux[lane]); \
      check;                                                \
      TXVM_JUMP_TO(target);                                 \
      TXVM_FETCH();                                         \
    }                                                       \
    TXVM_NEXT();                                            \
  }
  TXVM_CONDITIONAL(Jz, condition_word == 0, )
  TXVM_CONDITIONAL(Jnz, condition_word != 0, )
  TXVM_CONDITIONAL(JzChecked, condition_word == 0, TXVM_CHECK_BUDGET(target))
  TXVM_CONDITIONAL(JnzChecked, condition_word != 0, TXVM_CHECK_BUDGET(target))
#undef TXVM_CONDITIONAL

op_Call: {
  const std::uint32_t target = tile->arg[lane];
  const std::uint32_t aux = tile->aux[lane];
  const std::uint32_t ip = TXVM_IP();
  if (depth >= c.ready_depth) [[unlikely]] {
    if (!c.prepare_call(&c, target, static_cast<std::uint32_t>(sp),
                        std::uint64_t{locals_base} + aux, depth)) {
      c.exit = Exit::kCareful;  // which limit it is, the careful loop finds out
      goto fetched_in_vain;
    }
  }
  TXVM_OBSERVE()
  frames[++depth] = {ip + 1, locals_base};
  locals_base += aux;
  budget += static_cast<std::int64_t>(target) - ip - 1;
  TXVM_CHECK_BUDGET(target);
  TXVM_JUMP_TO(target);
  TXVM_FETCH();
}
op_Return: {
  if (depth == 0) goto stack_underflow;
  TXVM_COUNT(kCall, 1, 1)
  const Frame frame = frames[Attend(c.call_keys, QueryFor(depth), depth)];
  TXVM_OBSERVE()
  --depth;
  locals_base = frame.locals_base;
  budget += static_cast<std::int64_t>(frame.return_ip) - TXVM_IP() - 1;
  TXVM_CHECK_BUDGET(frame.return_ip);
  TXVM_JUMP_TO(frame.return_ip);
  TXVM_FETCH();
}
op_Absent:  // the query ran past the tile's last key: its high digits choose the next tile
  if (hn::GetLane(ip_query) != static_cast<std::int16_t>(kTileKeys)) goto no_instruction;
  ++tile;
  ip_query = hn::Zero(KeyTag());
  TXVM_COUNT(kCode, 0, 1)
  TXVM_ATTEND_CODE();
op_Poll:
  if (c.engine->interrupt.requested()) {
    c.exit = Exit::kPolled;
    goto fetched_in_vain;
  }
  goto* c.threaded->polled_handlers[TXVM_IP() / kPollDistance];

op_HostCall:
  c.exit = Exit::kHostCall;
  goto leave_here;
op_Halt:
  TXVM_OBSERVE()
  --budget;  // HALT is a step, but does not move
  c.exit = Exit::kHalted;
  goto leave_here;
op_Trap:
  c.cause = static_cast<isa::Trap>(tile->arg[lane]);
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
  goto leave_here;
no_instruction:  // no step and no record
  lane = static_cast<std::uint32_t>(hn::GetLane(ip_query));
  c.cause = isa::Trap::kInvalidPc;
  c.exit = Exit::kTrapped;
  goto leave_here;
fetched_in_vain:  // the instruction will be fetched again: its fetch does not count twice
  if constexpr (kObserve) {
    --stats.heads[static_cast<std::size_t>(Space::kCode)];
    stats.keys[static_cast<std::size_t>(Space::kCode)] -= kTileKeys;
  }
leave_here:
  next_ip = TXVM_IP();
  goto leave;
polled:
  c.exit = Exit::kPolled;
leave:
  state->ip = next_ip;
  state->sp = static_cast<std::uint32_t>(sp);
  state->locals_base = locals_base;
  state->depth = depth;
  c.fuel = static_cast<std::uint64_t>(budget) - next_ip;
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
#undef TXVM_MOVE_SP
#undef TXVM_JUMP_TO
#undef TXVM_ATTEND_CODE
#undef TXVM_IP
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
inline HWY_ATTR std::uint32_t ScoreTile(const std::int16_t* tile, std::uint32_t address) {
  return static_cast<std::uint32_t>(WinningKey(tile, QueryFor(address)));
}
inline AttentionTarget Target() {
  return {kTileKeys, sizeof(CodeTile), &Labels, &BuildCode, &RunPlain, &RunObserved, &ScoreTile};
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace txvm::vm
HWY_AFTER_NAMESPACE();

#endif  // include guard
