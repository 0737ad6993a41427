#include "vm/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "isa/support/exceptions.h"
#include "vm/engine.h"
#include "vm/engines/transformer.h"
#include "vm/load.h"
#include "vm/prepared.h"
#include "vm/snapshot.h"

namespace txvm::vm {

// INVARIANT: state_ is between two steps whenever no Run is active; resumable_ says whether it may
// go on.
struct Machine::Impl {
  std::shared_ptr<const Prepared> prepared;
  const isa::Program* program;  // that of `prepared`
  MachineOptions options;
  std::vector<HostBinding> hosts;  // (imports,)
  InterruptFlag interrupt;
  EngineContext context;
  std::unique_ptr<Engine> engine;
  State state;
  bool resumable = false;
  bool active = false;    // a Run is under way: host functions find the state between two steps
  bool digested = false;  // the digest covers all steps of the invocation

  /// The run under way, for calls that its host functions make.
  struct Active {
    const RunOptions* run = nullptr;
    Observer* observer = nullptr;
    std::uint64_t first = 0;  // steps when it began
  };
  Active current;
  std::uint32_t nesting = 0;        // calls under way that host functions have made
  std::optional<RunResult> ending;  // how such a call ended the whole run: no host function goes on
  const isa::Function* stub = nullptr;  // the last one that CheckStub accepted

  Impl(std::shared_ptr<const Prepared> p, const MachineOptions& o)
      : prepared(std::move(p)),
        program(&prepared->program()),
        options(o),
        interrupt(static_cast<std::int64_t>(program->code.size())),
        context{*program,
                prepared->verified(),
                options.limits,
                interrupt,
                &prepared->tables(),
                options.model.get(),
                options.fold_at_first_call} {}

  void Start(std::uint32_t start, std::span<const Word> args);
  void Run(const RunOptions& run, RunResult* result);
  RunResult RunNothing(const RunOptions& run);
  void RunNested(std::uint32_t start, std::span<const Word> args, RunResult* result);
  void Nest(std::uint32_t start, std::span<const Word> args, RunResult* result);
  std::uint64_t FuelLeft(std::uint64_t to_come) const;
  Stop RunToStop(RunResult* result);
  Stop RunEngine(const RunOptions& run, std::uint64_t fuel, Observer* observer);
  std::optional<Stop> HostCall(Observer* observer, RunResult* result);
  isa::Result<void> CheckIdle(std::string_view what) const;
  isa::Result<void> Restore(const Snapshot& snapshot);
  isa::Result<std::unique_ptr<Impl>> Clone(std::vector<HostBinding> clone_hosts) const;
  void CheckStub(std::uint32_t start, std::size_t args);
  void Finish(const Stop& stop, const RunOptions& run, Observer* observer, RunResult* result);
};

void Machine::Impl::Start(std::uint32_t start, std::span<const Word> args) {
  state.ip = start;
  state.sp = 0;
  state.locals_base = static_cast<std::uint32_t>(program->globals.size());
  state.depth = 0;
  state.steps = 0;
  state.digest = isa::kDigestSeed;
  digested = true;
  for (const Word arg : args) state.slots[++state.sp] = arg;
}

// Holds a call against what CallStub requires.
void Machine::Impl::CheckStub(std::uint32_t start, std::size_t args) {
  TXVM_ASSERT(args <= options.limits.max_slots);
  if (prepared->verified() == nullptr) return;
  if (stub == nullptr || stub->first != start) stub = program->FunctionAt(start);
  TXVM_ASSERT(stub != nullptr && stub->first == start && stub->params == args);
}

// Raises a flag for as long as it lives: also when memory is refused by an exception.
class Raised {
 public:
  explicit Raised(bool& flag) : flag_(flag) { flag_ = true; }
  ~Raised() { flag_ = false; }
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;

 private:
  bool& flag_;
};

void Machine::Impl::Run(const RunOptions& run, RunResult* result) {
  interrupt.Begin();
  resumable = false;
  const std::uint64_t first = state.steps;
  result->Clear();
  const bool observe = run.digest || run.stats || run.trace || run.heads;
  std::optional<Observer> observer;
  if (observe) observer.emplace(run.digest, run.trace, run.stats, run.heads);
  Observer* watching = observer ? &*observer : nullptr;
  current = {&run, watching, first};
  ending.reset();
  const Stop stop = [&] {
    const Raised running(active);
    return isa::CleaningUp([&] { return RunToStop(result); },
                           [&] {
                             // Of a host function, or memory is refused: the steps made are
                             // recorded.
                             if (watching != nullptr) watching->Flush();
                           });
  }();
  if (!run.digest && state.steps != first) digested = false;
  Finish(stop, run, watching, result);
  if (ending) resumable = false;
}

// A call that a host function makes of its caller: as if the function that made the host call had
// called the stub. The registers are those of the host call again afterwards.
void Machine::Impl::RunNested(std::uint32_t start, std::span<const Word> args, RunResult* result) {
  constexpr std::uint32_t kMostNested = 200;  // as Lua's limit of C calls; each takes host stack
  result->Clear();
  const isa::Function* caller =
      prepared->verified() == nullptr ? nullptr : program->FunctionAt(state.ip);
  if (ending) {
    *result = *ending;
  } else if (caller == nullptr || !engine->Forget()) {
    result->outcome = Outcome::kHostError;
    result->host_error = isa::Error{
        isa::ErrorCode::kUnsupported,
        caller == nullptr
            ? std::string("a program that is not verified takes no calls of its host "
                          "functions")
            : fmt::format("engine {} takes no calls of host functions", EngineName(options.engine)),
        {},
        {}};
    ending = *result;
  } else if (nesting == kMostNested || state.depth == options.limits.max_depth ||
             args.size() > options.limits.max_slots - state.sp) {
    result->outcome = Outcome::kTrapped;
    result->trap =
        TrapInfo{isa::Trap::kExhausted, state.ip,
                 std::string(nesting == kMostNested                    ? "calls of host functions"
                             : state.depth == options.limits.max_depth ? kDepthExhausted
                                                                       : kSlotsExhausted)};
  } else {
    Nest(start, args, result);
  }
  result->steps = state.steps;
}

void Machine::Impl::Nest(std::uint32_t start, std::span<const Word> args, RunResult* result) {
  /// Puts the registers back, whatever ends the call.
  struct Registers {
    Impl& machine;
    std::uint32_t ip, sp, locals_base, depth;
    ~Registers() {
      machine.state.ip = ip;
      machine.state.sp = sp;
      machine.state.locals_base = locals_base;
      machine.state.depth = depth;
      --machine.nesting;
      machine.engine->Forget();
    }
  };
  ++nesting;
  const Registers registers{*this, state.ip, state.sp, state.locals_base, state.depth};
  state.frames[++state.depth] = {state.ip + 1, state.locals_base};
  state.locals_base += program->FunctionAt(state.ip)->locals;
  for (const Word arg : args) state.slots[++state.sp] = arg;
  state.ip = start;
  const Stop stop = RunToStop(result);
  switch (stop.kind) {
    case Stop::Kind::kHalted:
      result->outcome = Outcome::kHalted;
      result->results.assign(state.slots.data() + 1 + registers.sp,
                             state.slots.data() + 1 + state.sp);
      return;
    case Stop::Kind::kTrapped:
      result->outcome = Outcome::kTrapped;
      if (!result->trap) result->trap = TrapInfo{stop.cause, state.ip, std::string(stop.detail)};
      if (result->trap->detail.empty()) {
        result->trap->detail = std::string(program->NoteAt(state.ip));
      }
      return;
    case Stop::Kind::kOutOfFuel:
      result->outcome = Outcome::kOutOfFuel;
      break;
    case Stop::Kind::kInterrupted:
      result->outcome = Outcome::kInterrupted;
      result->interrupt = interrupt.reason();
      break;
    case Stop::Kind::kHostCall:  // exited or host_error, already in the result
      break;
  }
  ending = *result;
}

// A run that halts before its first step: numbered, and the end of an unfinished one, like any.
RunResult Machine::Impl::RunNothing(const RunOptions& run) {
  Start(0, {});
  interrupt.Begin();
  resumable = false;
  Observer observer(run.digest, run.trace, run.stats, run.heads);
  RunResult result;
  Finish(Stop::Of(Stop::Kind::kHalted), run, &observer, &result);
  return result;
}

// Without `to_come` steps, those of the host calls under way.
std::uint64_t Machine::Impl::FuelLeft(std::uint64_t to_come) const {
  const std::uint64_t fuel = current.run->fuel;
  if (fuel == isa::kUnlimitedFuel) return fuel;
  return fuel - std::min(fuel, state.steps - current.first + to_come);
}

Stop Machine::Impl::RunToStop(RunResult* result) {
  const RunOptions& run = *current.run;
  Observer* const observer = current.observer;
  for (;;) {
    const std::uint64_t left = FuelLeft(nesting);
    const Stop stop = RunEngine(run, left, observer);
    if (stop.kind == Stop::Kind::kInterrupted && !interrupt.Confirm()) continue;
    if (stop.kind != Stop::Kind::kHostCall) return stop;
    if (const std::optional<Stop> ended = HostCall(observer, result)) return *ended;
  }
}

// With a hook, one step after the other. A stop by the hook is a request like any other.
Stop Machine::Impl::RunEngine(const RunOptions& run, std::uint64_t fuel, Observer* observer) {
  if (!run.before_step) return engine->Run(state, fuel, observer);
  for (; fuel != 0; --fuel) {
    if (!run.before_step(state.ip, state.steps)) {
      interrupt.Request(InterruptReason::kBreakpoint);
      return Stop::Of(Stop::Kind::kInterrupted);
    }
    const Stop stop = engine->Run(state, 1, observer);
    if (stop.kind != Stop::Kind::kOutOfFuel) return stop;
  }
  return Stop::Of(Stop::Kind::kOutOfFuel);
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
  const auto trap = [&](isa::Trap cause, const char* detail) {
    record(state.ip);
    return Stop::Trapped(cause, detail);
  };
  if (state.sp < host.params) return trap(isa::Trap::kStackUnderflow, "");
  const std::uint64_t after = static_cast<std::uint64_t>(state.sp) - host.params + host.results;
  if (host.results > host.params && after > options.limits.max_slots) {
    return trap(isa::Trap::kExhausted, kSlotsExhausted);
  }
  const std::span<const Word> args(state.slots.data() + state.sp + 1 - host.params, host.params);
  constexpr std::size_t kFew = 8;  // results that take no memory
  std::array<Word, kFew> few{};
  std::vector<Word> many(host.results > kFew ? host.results : 0);
  const std::span<Word> values(host.results > kFew ? many.data() : few.data(), host.results);
  HostContext host_context{state.memory, options.embedder, FuelLeft(nesting + 1)};
  HostStatus status = host.function(host_context, args, values);
  state.steps += host_context.steps;
  if (ending) {  // a call that it made has: what it returned does not count
    result->outcome = ending->outcome;
    result->exit_code = ending->exit_code;
    result->host_error = ending->host_error;
    if (ending->outcome == Outcome::kOutOfFuel) return Stop::Of(Stop::Kind::kOutOfFuel);
    if (ending->outcome == Outcome::kInterrupted) return Stop::Of(Stop::Kind::kInterrupted);
    record(state.ip);
    return Stop::Of(Stop::Kind::kHostCall);
  }
  switch (status.kind) {
    case HostStatus::Kind::kContinue:
      break;
    case HostStatus::Kind::kTrap:
      result->trap = TrapInfo{status.trap, state.ip, std::move(status.message)};
      return trap(status.trap, "");
    case HostStatus::Kind::kExit:
      record(state.ip);
      result->outcome = Outcome::kExited;
      result->exit_code = status.exit_code;
      return Stop::Of(Stop::Kind::kHostCall);
    case HostStatus::Kind::kOutOfFuel:
      ending = RunResult{};
      ending->outcome = Outcome::kOutOfFuel;
      return Stop::Of(Stop::Kind::kOutOfFuel);
    case HostStatus::Kind::kInterrupted:
      ending = RunResult{};
      ending->outcome = Outcome::kInterrupted;
      return Stop::Of(Stop::Kind::kInterrupted);
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

void Machine::Impl::Finish(const Stop& stop, const RunOptions& run, Observer* observer,
                           RunResult* result) {
  switch (stop.kind) {
    case Stop::Kind::kHalted:
      result->outcome = Outcome::kHalted;
      result->results.assign(state.slots.data() + 1, state.slots.data() + 1 + state.sp);
      break;
    case Stop::Kind::kTrapped:
      result->outcome = Outcome::kTrapped;
      if (!result->trap) result->trap = TrapInfo{stop.cause, state.ip, std::string(stop.detail)};
      if (result->trap->detail.empty())
        result->trap->detail = std::string(program->NoteAt(state.ip));
      break;
    case Stop::Kind::kOutOfFuel:
      result->outcome = Outcome::kOutOfFuel;
      resumable = true;
      break;
    case Stop::Kind::kInterrupted:
      result->outcome = Outcome::kInterrupted;
      result->interrupt = interrupt.reason();
      resumable = true;
      break;
    case Stop::Kind::kHostCall:  // exited or host_error, already in the result
      break;
  }
  result->steps = state.steps;
  if (run.digest) result->digest = state.digest;
  if (observer != nullptr) observer->Flush();
  if (run.stats) {
    result->stats = observer->stats();
    for (std::size_t s = 0; s < kSpaceCount; ++s) {
      result->stats->live[s] = engine->LiveKeys(state, static_cast<Space>(s));
    }
  }
}

isa::Result<void> Machine::Impl::CheckIdle(std::string_view what) const {
  if (!active) return {};
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("{} while an invocation runs: a host function cannot", what));
}

isa::Result<void> Machine::Impl::Restore(const Snapshot& snapshot) {
  TXVM_CHECK_OK(CheckIdle("restore"));
  std::shared_ptr<const isa::PathFacts> paths;
  if (prepared->verified() != nullptr) {
    paths = prepared->tables().Get<isa::PathFacts>(TableKind::kPathFacts, 0, [&] {
      return std::make_shared<const isa::PathFacts>(isa::AnalyzePaths(*program).value());
    });
  }
  const SnapshotTarget target{prepared->shared_program(), paths.get(), options.limits,
                              state.memory.max_pages()};
  TXVM_TRY(const SnapshotFrames frames, CheckSnapshot(snapshot, target));
  if (const std::uint64_t tokens = SnapshotTokens(snapshot, *program);
      options.engine == EngineKind::kTransformer && tokens > kMaxPrefixTokens) {
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("snapshot: it is {} tokens long, engine transformer takes {}",
                                 tokens, kMaxPrefixTokens));
  }
  if (!engine->Forget()) {
    TXVM_TRY(engine, MakeEngine(options.engine, context));
  }
  StoreSnapshot(snapshot, frames, state);
  resumable = snapshot.running;
  digested = snapshot.has_digest;
  return {};
}

isa::Result<std::unique_ptr<Machine::Impl>> Machine::Impl::Clone(
    std::vector<HostBinding> clone_hosts) const {
  auto clone = std::make_unique<Impl>(prepared, options);
  clone->hosts = std::move(clone_hosts);
  clone->resumable = resumable;
  clone->digested = digested;
  TXVM_TRY(clone->state, ReserveState(*program, options.limits));
  const std::uint32_t pages = clone->state.memory.max_pages();
  if (pages < state.memory.pages()) {
    return isa::Fail(isa::ErrorCode::kMemory, "clone: " + clone->state.memory.ShortageText());
  }
  clone->context.limits.max_pages = std::min(options.limits.max_pages, pages);
  TXVM_TRY(clone->engine, MakeEngine(options.engine, clone->context));
  CopyState(state, options.limits, clone->state);
  return clone;
}

Machine::Machine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;

isa::Result<std::shared_ptr<const Prepared>> Prepared::Create(
    std::shared_ptr<const isa::Program> program, bool allow_unverified) {
  std::optional<isa::Verified> verified;
  isa::Result<isa::Verified> accepted = isa::Verify(*program);
  if (accepted) {
    verified = *std::move(accepted);
  } else if (!allow_unverified) {
    return std::unexpected(std::move(accepted).error());
  }
  return std::make_shared<const Prepared>(std::move(program), std::move(verified));
}

isa::Result<Machine> Machine::Load(std::shared_ptr<const isa::Program> program,
                                   const Linker& linker, const MachineOptions& options) {
  TXVM_TRY(std::shared_ptr<const Prepared> prepared,
           Prepared::Create(std::move(program), options.allow_unverified));
  return Load(std::move(prepared), linker, options);
}

isa::Result<Machine> Machine::Load(std::shared_ptr<const Prepared> prepared, const Linker& linker,
                                   const MachineOptions& options) {
  TXVM_CHECK_OK(CheckLimits(prepared->program(), options.limits));
  auto impl = std::make_unique<Impl>(std::move(prepared), options);
  TXVM_TRY(impl->hosts, LinkImports(*impl->program, linker));
  TXVM_TRY(impl->state, MakeState(*impl->program, options.limits));
  // Engines keep keys for what the system allows the memory to be.
  impl->context.limits.max_pages =
      std::min(options.limits.max_pages, impl->state.memory.max_pages());
  TXVM_TRY(impl->engine, MakeEngine(options.engine, impl->context));
  return Machine(std::move(impl));
}

isa::Result<Snapshot> Machine::TakeSnapshot(const Snapshot* previous) const {
  TXVM_CHECK_OK(impl_->CheckIdle("take a snapshot"));
  Snapshot snapshot = TakeState(impl_->state, impl_->options.limits, previous);
  snapshot.program = impl_->prepared->shared_program();
  snapshot.limits = impl_->options.limits;
  snapshot.running = impl_->resumable;
  snapshot.has_digest = impl_->digested;
  if (snapshot.running) return snapshot;
  snapshot.ip = 0;
  snapshot.steps = 0;
  snapshot.has_digest = false;
  snapshot.stack.clear();
  snapshot.frames.clear();
  return snapshot;
}

isa::Result<void> Machine::Restore(const Snapshot& snapshot) { return impl_->Restore(snapshot); }

isa::Result<Machine> Machine::FromSnapshot(std::shared_ptr<const isa::Program> program,
                                           const Linker& linker, const MachineOptions& options,
                                           const Snapshot& snapshot) {
  TXVM_TRY(Machine machine, Load(std::move(program), linker, options));
  TXVM_CHECK_OK(machine.Restore(snapshot));
  return machine;
}

isa::Result<Machine> Machine::Clone() const {
  TXVM_CHECK_OK(impl_->CheckIdle("clone"));
  TXVM_TRY(std::unique_ptr<Impl> clone, impl_->Clone(impl_->hosts));
  return Machine(std::move(clone));
}

isa::Result<Machine> Machine::Clone(const Linker& linker) const {
  TXVM_CHECK_OK(impl_->CheckIdle("clone"));
  TXVM_TRY(std::vector<HostBinding> hosts, LinkImports(*impl_->program, linker));
  TXVM_TRY(std::unique_ptr<Impl> clone, impl_->Clone(std::move(hosts)));
  return Machine(std::move(clone));
}

RunResult Machine::RunInit(const RunOptions& options) {
  if (!impl_->program->init) return impl_->RunNothing(options);
  return CallStub(*impl_->program->init, {}, options);
}

isa::Result<RunResult> Machine::Call(const isa::Export& entry, std::span<const Word> args,
                                     const RunOptions& options) {
  TXVM_CHECK_OK(CheckArguments(*impl_->program, &entry, args.size(), impl_->options.limits));
  return CallStub(entry.start, args, options);
}

RunResult Machine::CallStub(std::uint32_t start, std::span<const Word> args,
                            const RunOptions& options) {
  RunResult result;
  CallStub(start, args, options, &result);
  return result;
}

void Machine::CallStub(std::uint32_t start, std::span<const Word> args, const RunOptions& options,
                       RunResult* result) {
  impl_->CheckStub(start, args.size());
  if (impl_->active) return impl_->RunNested(start, args, result);
  impl_->Start(start, args);
  impl_->Run(options, result);
}

RunResult Machine::Resume(const RunOptions& options) {
  TXVM_ASSERT(impl_->resumable);
  RunResult result;
  impl_->Run(options, &result);
  return result;
}

bool Machine::resumable() const { return impl_->resumable; }
void Machine::Interrupt(InterruptReason reason) { impl_->interrupt.Request(reason); }
void Machine::Interrupt(std::uint64_t run, InterruptReason reason) {
  impl_->interrupt.Request(run, reason);
}
std::uint64_t Machine::run_number() const { return impl_->interrupt.run(); }
void Machine::SetEmbedder(void* embedder) { impl_->options.embedder = embedder; }
const isa::Program& Machine::program() const { return *impl_->program; }
EngineKind Machine::engine() const { return impl_->options.engine; }
std::string_view Machine::Substitute(const RunOptions& run) const {
  return impl_->engine->Substitute(run.digest || run.stats || run.trace || run.heads ||
                                   run.before_step);
}
bool Machine::verified() const { return impl_->prepared->verified() != nullptr; }
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
bool Machine::has_digest() const { return impl_->digested; }
const State& Machine::state() const { return impl_->state; }

std::vector<std::uint32_t> Machine::Backtrace(std::size_t most) const {
  const State& state = impl_->state;
  std::vector<std::uint32_t> ips;
  if (most != 0) ips.push_back(state.ip);
  for (std::uint32_t depth = state.depth; depth != 0 && ips.size() < most; --depth) {
    ips.push_back(state.frames[depth].return_ip - 1);
  }
  return ips;
}

}  // namespace txvm::vm
