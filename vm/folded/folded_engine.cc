#include "vm/folded/folded_engine.h"

#include <algorithm>
#include <array>
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
// some: what the function lacks to earn code, between these.
constexpr std::uint64_t kShortNativeSlice = 1'024, kNativeSlice = 20'000;
// What ends a part of a run that goes on, while there is fuel.
constexpr Stop kGoOn = Stop::Of(Stop::Kind::kOutOfFuel);
// Places that an engine remembers.
constexpr std::size_t kPlaces = 8;

/// Where code is entered, and what Run has found out about that. A function with code keeps it, so
/// a place stays right.
struct Place {
  std::uint32_t ip = kNone;
  std::uint32_t entry = 0;
  std::uint32_t height = 0;       // operand cells there
  std::uint32_t most_height = 0;  // and at most, in the function
  const FoldedFunction* function = nullptr;
  std::size_t index = 0;  // of the function
};

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
    gate_ = {};  // the places are of the program, not of a state
    return native_->Forget();
  }
  std::string_view Substitute(bool observed) const override {
    if (context_.verified == nullptr) {
      return "engine folded runs as native: the program is not verified";
    }
    if (folded_ == nullptr && !WhyNotFolded().empty()) return WhyNotFolded();
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
  const Place* Remembered(const State& state);
  Stop FindPlace(State& state, std::uint64_t* fuel);
  Stop StepToEntry(State& state, std::uint64_t* fuel);
  Stop Interpret(State& state, std::size_t function, std::uint64_t* fuel);
  Stop Enter(State& state, const Place& place, std::uint64_t* fuel);
  Stop Returned(State& state, const Context& ctx, std::size_t function);
  Stop LeftAtExit(State& state, const Exit& exit, std::uint64_t* fuel);
  Stop CallNearLimit(State& state, std::uint64_t* fuel);
  void TakeRegisters(State& state, const Context& ctx, std::uint32_t height) const;
  void CompleteFrames(State& state, std::uint32_t first) const;

  EngineContext context_;
  FrameRoom room_;
  FoldWhen when_;
  FastGate gate_;
  std::array<Place, kPlaces> places_;  // by the last bits of the ip
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
    const Place* const place = Remembered(state);
    const Stop stop = place != nullptr ? Enter(state, *place, &fuel) : FindPlace(state, &fuel);
    if (stop.kind != Stop::Kind::kOutOfFuel || fuel == 0) return stop;
  }
}

// The place at state.ip, where it is known and code may be entered there now.
const Place* FoldedEngine::Remembered(const State& state) {
  const Place& place = places_[state.ip % kPlaces];
  if (place.ip != state.ip || !gate_.Opens(room_, context_, state, place.most_height)) {
    return nullptr;
  }
  return state.depth >= room_.safe_depth && place.function->computes_routines ? nullptr : &place;
}

// Goes on from where no place is remembered: into code if there is some, else by steps.
Stop FoldedEngine::FindPlace(State& state, std::uint64_t* fuel) {
  if (!gate_.Opens(room_, context_, state)) {
    return RunNative(state, fuel, kCarefulSlice, nullptr);
  }
  const std::size_t function = CallerOfRoutine(state);
  if (folded_->IsInterpreted(function, when_)) return Interpret(state, function, fuel);
  if (NeedsSteps(state, function)) return RunNative(state, fuel, kCarefulSlice, nullptr);
  if (FunctionAt(state.ip) != function) return StepToEntry(state, fuel);
  const std::uint32_t entry = folded_->EntryAt(function, state.ip);
  if (entry == kNone) return StepToEntry(state, fuel);
  const Place place{state.ip,
                    entry,
                    folded_->HeightAt(state.ip),
                    context_.verified->max_height[function],
                    &folded_->Function(function),
                    function};
  // Inside a routine that was called, the caller's code is entered instead: it is not remembered.
  if (!folded_->IsRoutine(function)) places_[state.ip % kPlaces] = place;
  return Enter(state, place, fuel);
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

// At most *fuel steps of the native engine, and about `most` where nothing is observed.
Stop FoldedEngine::RunNative(State& state, std::uint64_t* fuel, std::uint64_t most,
                             Observer* observer) {
  const std::uint64_t before = state.steps;
  native_->Forget();
  const Stop stop = observer != nullptr ? native_->Run(state, *fuel, observer)
                                        : native_->RunSome(state, *fuel, most);
  *fuel -= state.steps - before;
  gate_.CarefulLoopRan();
  return stop;
}

// In the middle of a block.
Stop FoldedEngine::StepToEntry(State& state, std::uint64_t* fuel) {
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
    if (folded_->IsInterpreted(function, when_)) return kGoOn;
    if (folded_->EntryAt(function, state.ip) != kNone) return kGoOn;
  }
  return kGoOn;
}

// A function without code: the native engine makes a slice, wherever that leads.
Stop FoldedEngine::Interpret(State& state, std::size_t function, std::uint64_t* fuel) {
  const std::uint64_t before = state.steps;
  const std::uint64_t to_earn = folded_->StepsToEarn(function);  // 0: it gets no code
  const std::uint64_t slice =
      to_earn == 0 ? kNativeSlice : std::clamp(to_earn, kShortNativeSlice, kNativeSlice);
  const Stop stop = RunNative(state, fuel, slice, nullptr);
  folded_->AddSteps(function, state.steps - before);
  return stop;
}

Stop FoldedEngine::Enter(State& state, const Place& place, std::uint64_t* fuel) {
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
  ctx.cells = state.slots.data() + 1 + (state.sp - place.height);
  ctx.frame = state.frames.data() + state.depth;
  const std::uint64_t slice = std::min(*fuel, kFuelSlice);
  ctx.fuel = static_cast<std::int64_t>(slice);
  ctx.entry = place.entry;
  const std::uint32_t depth = state.depth;
  folded_->thunks().enter(&ctx, place.function->code.start);
  const std::uint64_t made = slice - static_cast<std::uint64_t>(ctx.fuel);
  *fuel -= made;
  state.steps += made;
  switch (ctx.left) {
    case Left::kReturned:
      return Returned(state, ctx, place.index);
    case Left::kExit: {
      const FoldedFunction& left =
          ctx.function == place.index ? *place.function : folded_->Function(ctx.function);
      const Exit& exit = left.exits[ctx.exit];
      state.depth = static_cast<std::uint32_t>(ctx.frame - state.frames.data());
      TakeRegisters(state, ctx, exit.height);
      CompleteFrames(state, depth + 1);
      return LeftAtExit(state, exit, fuel);
    }
    case Left::kUnfolded: {
      state.depth = static_cast<std::uint32_t>(ctx.frame - state.frames.data());
      const isa::Instruction call = context_.program.code[state.frames[state.depth].return_ip - 1];
      state.ip = call.arg;
      TakeRegisters(state, ctx, context_.program.FunctionAt(call.arg)->params);
      CompleteFrames(state, depth + 1);
      return kGoOn;
    }
  }
  return kGoOn;
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
Stop FoldedEngine::Returned(State& state, const Context& ctx, std::size_t function) {
  TakeRegisters(state, ctx, context_.program.functions[function].results);
  if (state.depth == 0) {
    state.ip = ctx.return_site;
    return Stop::Trapped(isa::Trap::kStackUnderflow);
  }
  const Frame frame = state.frames[state.depth];
  --state.depth;
  state.ip = frame.return_ip;
  state.locals_base = frame.locals_base;
  return kGoOn;
}

Stop FoldedEngine::LeftAtExit(State& state, const Exit& exit, std::uint64_t* fuel) {
  state.ip = exit.ip;
  switch (exit.kind) {
    case ExitKind::kHalted:
      return Stop::Of(Stop::Kind::kHalted);
    case ExitKind::kTrapped:
      return Stop::Trapped(exit.cause);
    case ExitKind::kHostCall:
      return Stop::Of(Stop::Kind::kHostCall);
    case ExitKind::kPolled:
      return kGoOn;  // Run looks at fuel and interrupts
    case ExitKind::kLimit:
      return CallNearLimit(state, fuel);
    case ExitKind::kStepped:
      return StepToEntry(state, fuel);
  }
  return kGoOn;
}

// A CALL that has to look at the limits, or finds the machine's stack full. Made here, it starts a
// new nest of calls.
Stop FoldedEngine::CallNearLimit(State& state, std::uint64_t* fuel) {
  const isa::Instruction call = context_.program.code[state.ip];
  const std::uint64_t base = std::uint64_t{state.locals_base} + call.aux();
  if (state.depth >= room_.safe_depth &&
      !room_.Allows(context_, call.arg, state.sp, base, state.depth)) {
    return RunNative(state, fuel, kCarefulSlice, nullptr);
  }
  state.frames[++state.depth] = {state.ip + 1, state.locals_base};
  state.locals_base = static_cast<std::uint32_t>(base);
  state.ip = call.arg;
  ++state.steps;
  --*fuel;
  return kGoOn;
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
