#include "vm/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "isa/verify.h"
#include "vm/engine.h"
#include "vm/load.h"

namespace txvm::vm {

// INVARIANT: state_ is between two steps whenever no Run is active; resumable_ says whether it may
// go on.
struct Machine::Impl {
  std::shared_ptr<const isa::Program> program;
  MachineOptions options;
  std::optional<isa::Verified> verified;
  std::vector<HostBinding> hosts;  // (imports,)
  InterruptFlag interrupt;
  EngineContext context;
  std::unique_ptr<Engine> engine;
  State state;
  bool resumable = false;

  Impl(std::shared_ptr<const isa::Program> p, const MachineOptions& o,
       std::optional<isa::Verified> v)
      : program(std::move(p)),
        options(o),
        verified(std::move(v)),
        interrupt(static_cast<std::int64_t>(program->code.size())),
        context{*program, verified ? &*verified : nullptr, options.limits, interrupt} {}

  void Start(std::uint32_t start, std::span<const Word> args);
  RunResult Run(const RunOptions& run);
  Stop RunToStop(const RunOptions& run, Observer* observer, RunResult* result);
  std::optional<Stop> HostCall(Observer* observer, RunResult* result);
  RunResult Finish(const Stop& stop, const RunOptions& run, Observer* observer, RunResult result);
};

void Machine::Impl::Start(std::uint32_t start, std::span<const Word> args) {
  state.ip = start;
  state.sp = 0;
  state.locals_base = static_cast<std::uint32_t>(program->globals.size());
  state.depth = 0;
  state.steps = 0;
  state.digest = isa::kDigestSeed;
  for (const Word arg : args) state.slots[++state.sp] = arg;
}

RunResult Machine::Impl::Run(const RunOptions& run) {
  interrupt.Clear();
  resumable = false;
  RunResult result;
  const bool observe = run.digest || run.stats || run.trace;
  std::optional<Observer> observer;
  if (observe) observer.emplace(run.digest, run.trace, run.stats);
  Observer* watching = observer ? &*observer : nullptr;
  const Stop stop = RunToStop(run, watching, &result);
  return Finish(stop, run, watching, std::move(result));
}

Stop Machine::Impl::RunToStop(const RunOptions& run, Observer* observer, RunResult* result) {
  const std::uint64_t first = state.steps;
  for (;;) {
    const std::uint64_t left =
        run.fuel == isa::kUnlimitedFuel ? run.fuel : run.fuel - (state.steps - first);
    const Stop stop = engine->Run(state, left, observer);
    if (stop.kind != Stop::Kind::kHostCall) return stop;
    if (const std::optional<Stop> ended = HostCall(observer, result)) return *ended;
  }
}

// One step: pops the import's params, calls it, pushes its results. Nothing changes when it traps.
std::optional<Stop> Machine::Impl::HostCall(Observer* observer, RunResult* result) {
  const isa::Instruction instruction = program->code[state.ip];
  const HostBinding& host = hosts[instruction.arg & ~isa::kHostCallBit];
  const auto record = [&](std::uint32_t ip) {
    ++state.steps;
    if (observer != nullptr)
      observer->Record(state, state.steps, ip, instruction, state.sp, state.top());
  };
  const auto trap = [&](isa::Trap cause, std::string_view detail) {
    record(state.ip);
    return Stop::Trapped(cause, detail);
  };
  if (state.sp < host.params) return trap(isa::Trap::kStackUnderflow, {});
  const std::uint64_t after = static_cast<std::uint64_t>(state.sp) - host.params + host.results;
  if (host.results > host.params && after > options.limits.max_slots) {
    return trap(isa::Trap::kExhausted, kSlotsExhausted);
  }
  const std::span<const Word> args(state.slots.data() + state.sp + 1 - host.params, host.params);
  std::vector<Word> values(host.results);
  HostContext host_context{state.memory};
  HostStatus status = host.function(host_context, args, values);
  switch (status.kind) {
    case HostStatus::Kind::kContinue:
      break;
    case HostStatus::Kind::kTrap:
      result->trap = TrapInfo{status.trap, state.ip, std::move(status.message)};
      return trap(status.trap, {});
    case HostStatus::Kind::kExit:
      record(state.ip);
      result->outcome = Outcome::kExited;
      result->exit_code = status.exit_code;
      return Stop::Of(Stop::Kind::kHostCall);
    case HostStatus::Kind::kError:
      record(state.ip);
      result->outcome = Outcome::kHostError;
      result->host_error = isa::Error{isa::ErrorCode::kHost, std::move(status.message), {}, {}};
      return Stop::Of(Stop::Kind::kHostCall);
  }
  state.sp -= host.params;
  for (const Word value : values) state.slots[++state.sp] = value;
  record(state.ip++);
  return std::nullopt;
}

RunResult Machine::Impl::Finish(const Stop& stop, const RunOptions& run, Observer* observer,
                                RunResult result) {
  switch (stop.kind) {
    case Stop::Kind::kHalted:
      result.outcome = Outcome::kHalted;
      result.results.assign(state.slots.data() + 1, state.slots.data() + 1 + state.sp);
      break;
    case Stop::Kind::kTrapped:
      result.outcome = Outcome::kTrapped;
      if (!result.trap) result.trap = TrapInfo{stop.cause, state.ip, std::string(stop.detail)};
      if (result.trap->detail.empty()) result.trap->detail = std::string(program->NoteAt(state.ip));
      break;
    case Stop::Kind::kOutOfFuel:
      result.outcome = Outcome::kOutOfFuel;
      resumable = true;
      break;
    case Stop::Kind::kInterrupted:
      result.outcome = Outcome::kInterrupted;
      result.interrupt = interrupt.reason();
      resumable = true;
      break;
    case Stop::Kind::kHostCall:  // exited or host_error, already in the result
      break;
  }
  result.steps = state.steps;
  if (run.digest) result.digest = state.digest;
  if (observer != nullptr) observer->Flush();
  if (run.stats) {
    result.stats = observer->stats();
    for (std::size_t s = 0; s < kSpaceCount; ++s) {
      result.stats->live[s] = engine->LiveKeys(state, static_cast<Space>(s));
    }
  }
  return result;
}

Machine::Machine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;

isa::Result<Machine> Machine::Load(std::shared_ptr<const isa::Program> program,
                                   const Linker& linker, const MachineOptions& options) {
  std::optional<isa::Verified> verified;
  isa::Result<isa::Verified> accepted = isa::Verify(*program);
  if (accepted) {
    verified = *std::move(accepted);
  } else if (!options.allow_unverified) {
    return std::unexpected(std::move(accepted).error());
  }
  TXVM_CHECK_OK(CheckLimits(*program, options.limits));
  auto impl = std::make_unique<Impl>(std::move(program), options, std::move(verified));
  TXVM_TRY(impl->hosts, LinkImports(*impl->program, linker));
  TXVM_TRY(impl->state, MakeState(*impl->program, options.limits));
  TXVM_TRY(impl->engine, MakeEngine(options.engine, impl->context));
  return Machine(std::move(impl));
}

RunResult Machine::RunInit(const RunOptions& options) {
  if (!impl_->program->init) return RunResult{};
  return CallStub(*impl_->program->init, {}, options);
}

isa::Result<RunResult> Machine::Call(const isa::Export& entry, std::span<const Word> args,
                                     const RunOptions& options) {
  if (args.size() != entry.params) {
    return isa::Fail(
        isa::ErrorCode::kUsage,
        fmt::format("function '{}' takes {} argument{}, but {} {} given", entry.name, entry.params,
                    entry.params == 1 ? "" : "s", args.size(), args.size() == 1 ? "was" : "were"));
  }
  if (args.size() > impl_->options.limits.max_slots) {
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("{} arguments exceed the limit of {} operand slots", args.size(),
                                 impl_->options.limits.max_slots));
  }
  return CallStub(entry.start, args, options);
}

RunResult Machine::CallStub(std::uint32_t start, std::span<const Word> args,
                            const RunOptions& options) {
  TXVM_ASSERT(args.size() <= impl_->options.limits.max_slots);
  if (impl_->verified) {
    const isa::Function* function = impl_->program->FunctionAt(start);
    TXVM_ASSERT(function != nullptr && function->first == start && function->params == args.size());
  }
  impl_->Start(start, args);
  return impl_->Run(options);
}

RunResult Machine::Resume(const RunOptions& options) {
  TXVM_ASSERT(impl_->resumable);
  return impl_->Run(options);
}

bool Machine::resumable() const { return impl_->resumable; }
void Machine::Interrupt(InterruptReason reason) { impl_->interrupt.Request(reason); }
const isa::Program& Machine::program() const { return *impl_->program; }
EngineKind Machine::engine() const { return impl_->options.engine; }
bool Machine::verified() const { return impl_->verified.has_value(); }
LinearMemory& Machine::memory() { return impl_->state.memory; }
const LinearMemory& Machine::memory() const { return impl_->state.memory; }
std::span<Word> Machine::globals() {
  return {impl_->state.locals.data(), impl_->program->globals.size()};
}
std::span<const Word> Machine::stack() const {
  return {impl_->state.slots.data() + 1, impl_->state.sp};
}
std::uint32_t Machine::ip() const { return impl_->state.ip; }
std::uint32_t Machine::depth() const { return impl_->state.depth; }

}  // namespace txvm::vm
