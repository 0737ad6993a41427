// The native engine: a plain threaded interpreter, no attention. The baseline every other engine is
// compared with.
//
// Threaded code: one 16-byte row per instruction with the address of its handler; the top of the
// stack lives in a register. Fuel, interrupts and limits: vm/engines/threaded.h.
// Declared in vm/engine.h.

#pragma GCC diagnostic ignored "-Wpedantic"  // labels as values, the threaded dispatch

#include <cstring>
#include <memory>
#include <vector>

#include "isa/word_ops.h"
#include "vm/engine.h"
#include "vm/engines/alternate-inl.h"
#include "vm/engines/plain_reads.h"

namespace txvm::vm {
namespace {

class NativeEngine final : public Engine {
 public:
  explicit NativeEngine(const EngineContext& context)
      : context_(context), room_(FrameRoom::Of(context)) {}

  Stop Run(State& state, std::uint64_t fuel, Observer* observer) override {
    return Run(state, fuel, observer, kFuelSlice);
  }
  Stop RunSome(State& state, std::uint64_t fuel, std::uint64_t enough) override {
    return Run(state, fuel, nullptr, enough);
  }
  bool Forget() override {
    gate_ = {};
    return true;
  }

 private:
  Stop Run(State& state, std::uint64_t fuel, Observer* observer, std::uint64_t enough);
  template <bool kObserve>
  Exit FastLoop(const void* const** labels, State* state, std::uint64_t* fuel, Observer* observer);
  template <bool kObserve>
  bool Translate();

  EngineContext context_;
  FrameRoom room_;
  FastGate gate_;
  std::shared_ptr<const Threaded> plain_, observed_;  // nullptr until first needed
  isa::Trap cause_ = isa::Trap::kUnreachable;
};

/// Makes the loop's rows; false when the system refuses the memory for them.
template <bool kObserve>
bool NativeEngine::Translate() {
  std::shared_ptr<const Threaded>& threaded = kObserve ? observed_ : plain_;
  if (threaded != nullptr) return true;
  constexpr TableKind kKind = kObserve ? TableKind::kNativeObserved : TableKind::kNativePlain;
  threaded = TableOf<Threaded>(context_.tables, kKind, 0, [&]() -> std::shared_ptr<const Threaded> {
    const void* const* labels = nullptr;
    FastLoop<kObserve>(&labels, nullptr, nullptr, nullptr);
    isa::Result<Threaded> made = Thread(context_.program, {labels, kHandlerCount});
    if (!made) return nullptr;
    return std::make_shared<const Threaded>(*std::move(made));
  });
  return threaded != nullptr;
}

// Goes to the row `pc` points at / to the one after it.
#define TXVM_DISPATCH() goto * pc->handler
#define TXVM_OBSERVE()                                                                             \
  if constexpr (kObserve) {                                                                        \
    const auto observed_ip = static_cast<std::uint32_t>(pc - rows);                                \
    observer->Record(                                                                              \
        *state, state->steps + (fuel_in - (static_cast<std::uint64_t>(budget) - observed_ip)) + 1, \
        observed_ip, code[observed_ip], static_cast<std::uint32_t>(sp - slots), top);              \
  }
#define TXVM_NEXT()  \
  do {               \
    TXVM_OBSERVE();  \
    ++pc;            \
    TXVM_DISPATCH(); \
  } while (false)
// A jump by row.aux = target - ip - 1: the budget moves with the ip.
#define TXVM_JUMP()                                        \
  do {                                                     \
    TXVM_OBSERVE();                                        \
    const auto delta = static_cast<std::int32_t>(pc->aux); \
    budget += delta;                                       \
    pc += delta + 1;                                       \
  } while (false)
#define TXVM_CHECK_BUDGET()                                        \
  if (budget < floor.load(std::memory_order_relaxed)) [[unlikely]] \
  goto polled

template <bool kObserve>
Exit NativeEngine::FastLoop(const void* const** labels, State* state, std::uint64_t* fuel,
                            Observer* observer) {
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
#define TXVM_LABEL(copy) &&op_LocalGet,
      TXVM_HANDLER_COPIES(TXVM_LABEL)
#undef TXVM_LABEL
#define TXVM_LABEL(copy) &&op_LocalSet,
          TXVM_HANDLER_COPIES(TXVM_LABEL)
#undef TXVM_LABEL

  };
  if (state == nullptr) {
    *labels = kLabels;
    return Exit::kHalted;
  }
  const Threaded& threaded = kObserve ? *observed_ : *plain_;
  const Row* const rows = threaded.rows.data();
  [[maybe_unused]] const isa::Instruction* const code = context_.program.code.data();
  const std::atomic<std::int64_t>& floor = context_.interrupt.floor();
  Word* const slots = state->slots.data();
  Frame* const frames = state->frames.data();
  std::uint8_t* const memory = state->memory.data();
  const std::uint64_t memory_size = state->memory.size_bytes();
  const std::uint64_t fuel_in = *fuel;

  const Row* pc = rows + state->ip;
  Word* sp = slots + state->sp;  // the slot of the top; the top itself is in `top`
  Word top = *sp;
  Word* globals = state->locals.data();
  Word* locals = globals + state->locals_base;
  std::uint32_t depth = state->depth;
  std::int64_t budget = static_cast<std::int64_t>(fuel_in) + state->ip;  // fuel left + ip, see FUEL
  Exit exit = Exit::kHalted;
  TXVM_DISPATCH();

#define TXVM_BINARY(Name)    \
  op_##Name : --sp;          \
  top = isa::Name(*sp, top); \
  TXVM_NEXT();
#define TXVM_UNARY(Name)            \
  op_##Name : top = isa::Name(top); \
  TXVM_NEXT();
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
  *sp++ = top;
  top = pc->arg;
  TXVM_NEXT();
op_Pop:
  top = *--sp;
  TXVM_NEXT();
op_Dup:
  *sp++ = top;
  TXVM_NEXT();
op_Nop:
  TXVM_NEXT();
op_Swap: {
  const Word a = sp[-1];
  sp[-1] = top;
  top = a;
  TXVM_NEXT();
}
op_Over:
  *sp = top;
  top = sp[-1];
  ++sp;
  TXVM_NEXT();
op_Rot: {
  const Word a = sp[-2];
  sp[-2] = sp[-1];
  sp[-1] = top;
  top = a;
  TXVM_NEXT();
}
op_Select:
  sp -= 2;
  top = isa::Select(sp[0], sp[1], top);
  TXVM_NEXT();

op_DivS:
  if (top == 0) goto divide_by_zero;
  if (isa::DivSOverflows(sp[-1], top)) {
    cause_ = isa::Trap::kIntegerOverflow;
    goto trapped;
  }
  --sp;
  top = isa::DivS(*sp, top);
  TXVM_NEXT();
op_DivU:
  if (top == 0) goto divide_by_zero;
  --sp;
  top = isa::DivU(*sp, top);
  TXVM_NEXT();
op_RemS:
  if (top == 0) goto divide_by_zero;
  --sp;
  top = isa::RemS(*sp, top);
  TXVM_NEXT();
op_RemU:
  if (top == 0) goto divide_by_zero;
  --sp;
  top = isa::RemU(*sp, top);
  TXVM_NEXT();

op_LocalGet:
  *sp++ = top;
  top = locals[pc->arg];
  TXVM_NEXT();
op_LocalSet:
  locals[pc->arg] = top;
  top = *--sp;
  TXVM_NEXT();
op_LocalTee:
  locals[pc->arg] = top;
  TXVM_NEXT();
op_GlobalGet:
  *sp++ = top;
  top = globals[pc->arg];
  TXVM_NEXT();
op_GlobalSet:
  globals[pc->arg] = top;
  top = *--sp;
  TXVM_NEXT();
op_GlobalTee:
  globals[pc->arg] = top;
  TXVM_NEXT();

#define TXVM_LOAD(Name, Type, Extend)                                        \
  op_##Name : {                                                              \
    const std::uint64_t address = static_cast<std::uint64_t>(top) + pc->arg; \
    if (address + sizeof(Type) > memory_size) goto out_of_bounds;            \
    Type value;                                                              \
    std::memcpy(&value, memory + address, sizeof(Type));                     \
    top = Extend(value);                                                     \
    TXVM_NEXT();                                                             \
  }
  TXVM_LOAD(Load, std::uint32_t, Word)
  TXVM_LOAD(Load8U, std::uint8_t, Word)
  TXVM_LOAD(Load8S, std::uint8_t, isa::SignExtend8)
  TXVM_LOAD(Load16U, std::uint16_t, Word)
  TXVM_LOAD(Load16S, std::uint16_t, isa::SignExtend16)
#undef TXVM_LOAD
#define TXVM_STORE(Name, Type)                                                  \
  op_##Name : {                                                                 \
    const std::uint64_t address = static_cast<std::uint64_t>(sp[-1]) + pc->arg; \
    if (address + sizeof(Type) > memory_size) goto out_of_bounds;               \
    const auto value = static_cast<Type>(top);                                  \
    std::memcpy(memory + address, &value, sizeof(Type));                        \
    sp -= 2;                                                                    \
    top = *sp;                                                                  \
    TXVM_NEXT();                                                                \
  }
  TXVM_STORE(Store, std::uint32_t)
  TXVM_STORE(Store8, std::uint8_t)
  TXVM_STORE(Store16, std::uint16_t)
#undef TXVM_STORE

// Both arms dispatch: a taken jump is predicted by its own branch, not waited for.
#define TXVM_CONDITIONAL(Label, condition, check) \
  op_##Label : {                                  \
    const Word c = top;                           \
    top = *--sp;                                  \
    if (condition) {                              \
      TXVM_JUMP();                                \
      check;                                      \
      TXVM_DISPATCH();                            \
    }                                             \
    TXVM_NEXT();                                  \
  }
  TXVM_CONDITIONAL(Jz, c == 0, )
  TXVM_CONDITIONAL(Jnz, c != 0, )
  TXVM_CONDITIONAL(JzChecked, c == 0, TXVM_CHECK_BUDGET())
  TXVM_CONDITIONAL(JnzChecked, c != 0, TXVM_CHECK_BUDGET())
#undef TXVM_CONDITIONAL

op_Call: {
  if (depth >= room_.safe_depth) [[unlikely]] {
    const auto base = static_cast<std::uint64_t>(locals - globals) + pc->aux;
    if (!room_.Allows(context_, pc->arg, static_cast<std::uint32_t>(sp - slots), base, depth)) {
      exit = Exit::kCareful;  // which limit it is, the careful loop finds out
      goto leave;
    }
  }
  const auto at = static_cast<std::uint32_t>(pc - rows);
  TXVM_OBSERVE();
  ++depth;
  frames[depth] = {at + 1, static_cast<std::uint32_t>(locals - globals)};
  locals += pc->aux;
  budget += static_cast<std::int64_t>(pc->arg) - at - 1;
  pc = rows + pc->arg;
  TXVM_CHECK_BUDGET();
  TXVM_DISPATCH();
}
op_Return: {
  if (depth == 0) {
    cause_ = isa::Trap::kStackUnderflow;
    goto trapped;
  }
  const auto at = static_cast<std::int64_t>(pc - rows);
  TXVM_OBSERVE();
  const Frame frame = frames[depth];
  --depth;
  locals = globals + frame.locals_base;
  budget += static_cast<std::int64_t>(frame.return_ip) - at - 1;
  pc = rows + frame.return_ip;
  TXVM_CHECK_BUDGET();
  TXVM_DISPATCH();
}
op_Poll:
  if (context_.interrupt.requested()) goto polled;
  goto* threaded.polled_handlers[static_cast<std::size_t>(pc - rows) / kPollDistance];

op_Absent:  // unreachable: verified code never leaves its functions
  cause_ = isa::Trap::kInvalidPc;
  exit = Exit::kTrapped;
  goto leave;
op_HostCall:
  exit = Exit::kHostCall;
  goto leave;
op_Halt:
  TXVM_OBSERVE();
  --budget;  // HALT is a step, but does not move
  exit = Exit::kHalted;
  goto leave;
op_Trap:
  cause_ = static_cast<isa::Trap>(pc->arg);
  goto trapped;
out_of_bounds:
  cause_ = isa::Trap::kOutOfBounds;
  goto trapped;
divide_by_zero:
  cause_ = isa::Trap::kDivideByZero;
trapped:
  TXVM_OBSERVE();
  --budget;
  exit = Exit::kTrapped;
  goto leave;
polled:
  exit = Exit::kPolled;
leave:
  *sp = top;
  state->ip = static_cast<std::uint32_t>(pc - rows);
  state->sp = static_cast<std::uint32_t>(sp - slots);
  state->locals_base = static_cast<std::uint32_t>(locals - globals);
  state->depth = depth;
  *fuel = static_cast<std::uint64_t>(budget) - state->ip;
  state->steps += fuel_in - *fuel;
  return exit;
}

#undef TXVM_CHECK_BUDGET
#undef TXVM_JUMP
#undef TXVM_NEXT
#undef TXVM_OBSERVE
#undef TXVM_DISPATCH

Stop NativeEngine::Run(State& state, std::uint64_t fuel, Observer* observer, std::uint64_t enough) {
  PlainReads reads{context_.program, state};
  const bool observe = observer != nullptr && observer->wants_records();
  if (context_.verified == nullptr || !(observe ? Translate<true>() : Translate<false>())) {
    return RunChecked(context_, room_, gate_, state, reads, observer, &fuel, fuel);
  }
  return RunAlternating(
      context_, room_, gate_, state, reads, observer, fuel,
      [&](std::uint64_t* slice) -> FastExit {
        const Exit exit = observe ? FastLoop<true>(nullptr, &state, slice, observer)
                                  : FastLoop<false>(nullptr, &state, slice, nullptr);
        return {exit, cause_};
      },
      enough);
}

}  // namespace

std::unique_ptr<Engine> MakeNativeEngine(const EngineContext& context) {
  return std::make_unique<NativeEngine>(context);
}

}  // namespace txvm::vm
