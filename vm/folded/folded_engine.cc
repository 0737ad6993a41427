#include "vm/folded/folded_engine.h"

#include <algorithm>
#include <optional>

#include "vm/engines/alternate-inl.h"
#include "vm/engines/plain_reads.h"
#include "vm/folded/folded_program.h"

namespace txvm::vm {
namespace {

using folded::Context;
using folded::Exit;
using folded::ExitKind;
using folded::FoldedFunction;
using folded::FoldedProgram;
using folded::FoldWhen;
using folded::kNone;
using folded::Left;

// Calls that may nest on the machine's stack; beyond, the frames live in the state alone. With
// kLargestFrameBytes each, at most 128 KiB: threads of any system have that.
constexpr std::uint32_t kNestedCalls = 256;
// Steps made one by one to get to the next entry, before fuel and interrupts are looked at again.
constexpr std::uint64_t kStepsToEntry = 1'024;
// Steps of the native engine in a function without code, before it is asked again whether it has
// some.
constexpr std::uint64_t kNativeSlice = 20'000;

class FoldedEngine final : public Engine {
 public:
  explicit FoldedEngine(const EngineContext& context)
      : context_(context),
        room_(FrameRoom::Of(context)),
        when_(context.fold_at_first_call ? FoldWhen::kFirstCall : FoldWhen::kEarned),
        native_(MakeNativeEngine(context)) {
    if (context.verified == nullptr) return;
    const auto paths = TableOf<isa::PathFacts>(context.tables, TableKind::kPathFacts, 0, [&] {
      return std::make_shared<const isa::PathFacts>(isa::AnalyzePaths(context.program).value());
    });
    folded_ = TableOf<FoldedProgram>(context.tables, TableKind::kFolded, 0,
                                     [&] { return FoldedProgram::Create(context.program, paths); });
  }

  Stop Run(State& state, std::uint64_t fuel, Observer* observer) override;
  bool Forget() override {
    gate_ = {};
    return native_->Forget();
  }
  std::string_view Substitute(bool observed) const override {
    if (context_.verified == nullptr) {
      return "engine folded runs as native: the program is not verified";
    }
    if (!WhyNotFolded().empty()) return WhyNotFolded();
    if (folded_ == nullptr) return "engine folded runs as native: no memory for machine code";
    if (observed) return "engine folded runs as native where steps are observed";
    return {};
  }

 private:
  std::size_t FunctionAt(std::uint32_t ip) const {
    return static_cast<std::size_t>(context_.program.FunctionAt(ip) -
                                    context_.program.functions.data());
  }
  Stop RunNative(State& state, std::uint64_t* fuel, std::uint64_t most, Observer* observer);
  std::size_t CallerOfRoutine(const State& state) const;
  bool NeedsSteps(const State& state, std::size_t function) const;
  std::optional<Stop> StepToEntry(State& state, std::uint64_t* fuel);
  std::optional<Stop> Interpret(State& state, std::size_t function, std::uint64_t* fuel);
  std::optional<Stop> Enter(State& state, std::size_t function, std::uint32_t entry,
                            std::uint64_t* fuel);
  std::optional<Stop> Returned(State& state, const Context& ctx, std::size_t function,
                               std::uint64_t* fuel);
  std::optional<Stop> LeftAtExit(State& state, const Context& ctx, std::uint64_t* fuel);
  std::optional<Stop> CallNearLimit(State& state, std::uint64_t* fuel);
  void TakeRegisters(State& state, const Context& ctx, std::uint32_t height) const;
  void CompleteFrames(State& state, std::uint32_t first) const;

  EngineContext context_;
  FrameRoom room_;
  FoldWhen when_;
  FastGate gate_;
  std::unique_ptr<Engine> native_;
  std::shared_ptr<const FoldedProgram> folded_;  // nullptr: the native engine runs
};

Stop FoldedEngine::Run(State& state, std::uint64_t fuel, Observer* observer) {
  if (folded_ == nullptr || observer != nullptr) {
    return RunNative(state, &fuel, fuel, observer);
  }
  std::optional<folded::DefaultRounding> rounding;
  if (folded_->has_routines()) rounding.emplace();
  const std::uint64_t least = folded_->least_fuel();
  for (;;) {
    if (context_.interrupt.requested()) return Stop::Of(Stop::Kind::kInterrupted);
    if (fuel < least) return RunNative(state, &fuel, fuel, nullptr);
    std::optional<Stop> stop;
    if (!gate_.Opens(room_, context_, state)) {
      stop = RunNative(state, &fuel, kCarefulSlice, nullptr);
      if (stop->kind == Stop::Kind::kOutOfFuel && fuel != 0) stop.reset();
    } else {
      const std::size_t function = CallerOfRoutine(state);
      if (folded_->IsInterpreted(function, when_)) {
        stop = Interpret(state, function, &fuel);
      } else if (NeedsSteps(state, function)) {
        stop = RunNative(state, &fuel, kCarefulSlice, nullptr);
        if (stop->kind == Stop::Kind::kOutOfFuel && fuel != 0) stop.reset();
      } else if (FunctionAt(state.ip) != function) {
        stop = StepToEntry(state, &fuel);
      } else {
        const std::uint32_t entry = folded_->EntryAt(function, state.ip);
        stop = entry == kNone ? StepToEntry(state, &fuel) : Enter(state, function, entry, &fuel);
      }
    }
    if (stop) return *stop;
  }
}

// The function that runs: inside a routine the one that called it, because its code computes the
// routine.
std::size_t FoldedEngine::CallerOfRoutine(const State& state) const {
  const std::size_t function = FunctionAt(state.ip);
  if (!folded_->IsRoutine(function) || state.depth == 0) return function;
  return FunctionAt(state.frames[state.depth].return_ip - 1);
}

// Code that computes routines calls none, so it sees no limit that a call of them meets.
bool FoldedEngine::NeedsSteps(const State& state, std::size_t function) const {
  return state.depth >= room_.safe_depth && folded_->Function(function).computes_routines;
}

Stop FoldedEngine::RunNative(State& state, std::uint64_t* fuel, std::uint64_t most,
                             Observer* observer) {
  const std::uint64_t before = state.steps;
  native_->Forget();
  const Stop stop = native_->Run(state, std::min(*fuel, most), observer);
  *fuel -= state.steps - before;
  gate_.CarefulLoopRan();
  return stop;
}

// In the middle of a block.
std::optional<Stop> FoldedEngine::StepToEntry(State& state, std::uint64_t* fuel) {
  PlainReads reads{context_.program, state};
  CarefulLoop<PlainReads> loop(context_, room_.largest_frame, state, reads, nullptr);
  gate_.CarefulLoopRan();
  for (std::uint64_t step = 0; step < kStepsToEntry && *fuel != 0; ++step) {
    const Stop stop = loop.Run(1);
    if (stop.kind == Stop::Kind::kHostCall || stop.kind == Stop::Kind::kInterrupted) return stop;
    --*fuel;
    if (stop.kind != Stop::Kind::kOutOfFuel) return stop;
    const std::size_t function = FunctionAt(state.ip);
    if (folded_->IsRoutine(function) && state.depth != 0) continue;
    if (folded_->IsInterpreted(function, when_)) return std::nullopt;
    if (folded_->EntryAt(function, state.ip) != kNone) return std::nullopt;
  }
  return std::nullopt;
}

// A function without code: the native engine makes a slice, wherever that leads.
std::optional<Stop> FoldedEngine::Interpret(State& state, std::size_t function,
                                            std::uint64_t* fuel) {
  const std::uint64_t before = state.steps;
  const Stop stop = RunNative(state, fuel, kNativeSlice, nullptr);
  folded_->AddSteps(function, state.steps - before);
  if (stop.kind == Stop::Kind::kOutOfFuel && *fuel != 0) return std::nullopt;
  return stop;
}

std::optional<Stop> FoldedEngine::Enter(State& state, std::size_t function, std::uint32_t entry,
                                        std::uint64_t* fuel) {
  Context ctx;
  ctx.floor = &context_.interrupt.floor();
  ctx.memory = state.memory.data();
  ctx.memory_size = state.memory.size_bytes();
  ctx.globals = state.locals.data();
  // Below the limits no CALL needs a look at them, and the machine's stack has room.
  // A callee may compute routines, which are one call deeper.
  const std::uint32_t nested = state.depth + kNestedCalls;
  const std::uint32_t safe =
      room_.safe_depth - (folded_->has_routines() && room_.safe_depth != 0 ? 1 : 0);
  ctx.frame_limit = state.frames.data() + std::min(nested, std::max(safe, state.depth));
  ctx.locals = state.locals.data() + state.locals_base;
  const std::uint32_t height = folded_->HeightAt(state.ip);
  ctx.cells = state.slots.data() + 1 + (state.sp - height);
  ctx.frame = state.frames.data() + state.depth;
  const std::uint64_t slice = std::min(*fuel, kFuelSlice);
  ctx.fuel = static_cast<std::int64_t>(slice);
  ctx.entry = entry;
  const std::uint32_t depth = state.depth;
  folded_->thunks().enter(&ctx, folded_->Function(function).code.start);
  const std::uint64_t made = slice - static_cast<std::uint64_t>(ctx.fuel);
  *fuel -= made;
  state.steps += made;
  switch (ctx.left) {
    case Left::kReturned:
      return Returned(state, ctx, function, fuel);
    case Left::kExit:
      state.depth = static_cast<std::uint32_t>(ctx.frame - state.frames.data());
      TakeRegisters(state, ctx, folded_->Function(ctx.function).exits[ctx.exit].height);
      CompleteFrames(state, depth + 1);
      return LeftAtExit(state, ctx, fuel);
    case Left::kUnfolded: {
      state.depth = static_cast<std::uint32_t>(ctx.frame - state.frames.data());
      const isa::Instruction call = context_.program.code[state.frames[state.depth].return_ip - 1];
      state.ip = call.arg;
      TakeRegisters(state, ctx, context_.program.FunctionAt(call.arg)->params);
      CompleteFrames(state, depth + 1);
      return std::nullopt;
    }
  }
  return std::nullopt;
}

void FoldedEngine::TakeRegisters(State& state, const Context& ctx, std::uint32_t height) const {
  state.locals_base = static_cast<std::uint32_t>(ctx.locals - state.locals.data());
  state.sp = static_cast<std::uint32_t>(ctx.cells - state.slots.data()) - 1 + height;
}

// Code saves the return address of a call alone: the frame it goes back to starts as many locals
// below as the caller has.
void FoldedEngine::CompleteFrames(State& state, std::uint32_t first) const {
  std::uint32_t base = state.locals_base;
  for (std::uint32_t depth = state.depth; depth >= first && depth != 0; --depth) {
    base -= context_.program.code[state.frames[depth].return_ip - 1].aux();
    state.frames[depth].locals_base = base;
  }
}

// The function that was entered has made its RETURN; only the state knows where to.
std::optional<Stop> FoldedEngine::Returned(State& state, const Context& ctx, std::size_t function,
                                           std::uint64_t* fuel) {
  static_cast<void>(fuel);
  TakeRegisters(state, ctx, context_.program.functions[function].results);
  if (state.depth == 0) {
    state.ip = ctx.return_site;
    return Stop::Trapped(isa::Trap::kStackUnderflow);
  }
  const Frame frame = state.frames[state.depth];
  --state.depth;
  state.ip = frame.return_ip;
  state.locals_base = frame.locals_base;
  return std::nullopt;
}

std::optional<Stop> FoldedEngine::LeftAtExit(State& state, const Context& ctx,
                                             std::uint64_t* fuel) {
  const Exit& exit = folded_->Function(ctx.function).exits[ctx.exit];
  state.ip = exit.ip;
  switch (exit.kind) {
    case ExitKind::kHalted:
      return Stop::Of(Stop::Kind::kHalted);
    case ExitKind::kTrapped:
      return Stop::Trapped(exit.cause);
    case ExitKind::kHostCall:
      return Stop::Of(Stop::Kind::kHostCall);
    case ExitKind::kPolled:
      return std::nullopt;  // Run looks at fuel and interrupts
    case ExitKind::kLimit:
      return CallNearLimit(state, fuel);
    case ExitKind::kStepped:
      return StepToEntry(state, fuel);
  }
  return std::nullopt;
}

// A CALL that has to look at the limits, or finds the machine's stack full. Made here, it starts a
// new nest of calls.
std::optional<Stop> FoldedEngine::CallNearLimit(State& state, std::uint64_t* fuel) {
  const isa::Instruction call = context_.program.code[state.ip];
  const std::uint64_t base = std::uint64_t{state.locals_base} + call.aux();
  if (state.depth >= room_.safe_depth &&
      !room_.Allows(context_, call.arg, state.sp, base, state.depth)) {
    const Stop stop = RunNative(state, fuel, kCarefulSlice, nullptr);
    if (stop.kind == Stop::Kind::kOutOfFuel && *fuel != 0) return std::nullopt;
    return stop;
  }
  state.frames[++state.depth] = {state.ip + 1, state.locals_base};
  state.locals_base = static_cast<std::uint32_t>(base);
  state.ip = call.arg;
  ++state.steps;
  --*fuel;
  return std::nullopt;
}

}  // namespace

std::unique_ptr<Engine> MakeFoldedEngine(const EngineContext& context) {
  return std::make_unique<FoldedEngine>(context);
}

std::string_view WhyNotFolded() {
  return folded::CanMakeCode()
             ? ""
             : "engine folded runs as native: this build of txvm makes no machine code";
}

}  // namespace txvm::vm
