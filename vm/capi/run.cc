// Runs: their start, fuel, resumption and interruption, and how they ended.
// Declared in vm/txvm.h.
#include <fmt/format.h>

#include <algorithm>

#include "isa/support/text.h"
#include "vm/capi/handles.h"
#include "vm/state.h"

namespace {

using namespace txvm;
using namespace txvm::vm::capi;

#define TXVM_TRAP(code, Name, text) static_assert(static_cast<int>(isa::Trap::k##Name) == code);
#include "isa/traps.def"
#undef TXVM_TRAP
static_assert(TXVM_TRAP_DIVIDE_BY_ZERO == static_cast<int>(isa::Trap::kDivideByZero));
static_assert(TXVM_TRAP_EXHAUSTED == static_cast<int>(isa::Trap::kExhausted));
static_assert(TXVM_TRAP_TABLE_OUT_OF_BOUNDS == isa::kTrapCount);
static_assert(TXVM_HALTED == static_cast<int>(vm::Outcome::kHalted));
static_assert(TXVM_OUT_OF_FUEL == static_cast<int>(vm::Outcome::kOutOfFuel));
static_assert(TXVM_HOST_FAILED == static_cast<int>(vm::Outcome::kHostError));
static_assert(TXVM_INTERRUPT_BREAKPOINT == static_cast<int>(vm::InterruptReason::kBreakpoint));
static_assert(TXVM_UNLIMITED_FUEL == isa::kUnlimitedFuel);

/// Where the host wants the results of a run.
struct Results {
  std::int32_t* values;
  std::size_t count;
};

/// All fields but the size.
void SetOutcome(const vm::RunResult& result, std::uint32_t ip, bool stepped,
                txvm_outcome& outcome) {
  outcome.trap = {};
  outcome.stop = static_cast<txvm_stop>(result.outcome);
  if (result.trap) outcome.trap = static_cast<txvm_trap>(result.trap->cause);
  outcome.interrupt = static_cast<txvm_interrupt_reason>(result.interrupt);
  if (stepped) {
    outcome.stop = TXVM_INTERRUPTED;
    outcome.interrupt = TXVM_INTERRUPT_STEP;
  }
  outcome.exit_code = result.exit_code;
  outcome.ip = ip;
  outcome.result_count = static_cast<std::uint32_t>(result.results.size());
  outcome.steps = result.steps;
  outcome.digest = result.digest.value_or(0);
}

/// REQUIRES: CheckOutcome.
isa::Result<void> WriteOutcome(const vm::RunResult& result, std::uint32_t ip, bool stepped,
                               txvm_outcome* to) {
  if (to->size == sizeof(txvm_outcome)) [[likely]] {
    SetOutcome(result, ip, stepped, *to);
    return {};
  }
  txvm_outcome outcome{};
  SetOutcome(result, ip, stepped, outcome);
  return WriteStruct(outcome, to, "txvm_outcome");
}

void WriteResults(const vm::RunResult& result, const Results& to) {
  if (result.outcome != vm::Outcome::kHalted) return;
  std::fill_n(to.values, to.count, 0);
  const std::size_t count = std::min(to.count, result.results.size());
  std::transform(result.results.begin(),
                 result.results.begin() + static_cast<std::ptrdiff_t>(count), to.values,
                 [](vm::Word word) { return isa::Signed(word); });
}

/// Asked before anything changes: a call that is refused leaves an unfinished one as it was.
isa::Result<void> CheckOutcome(const txvm_outcome* outcome) {
  TXVM_CHECK_OK(NotNull(outcome, "txvm_outcome"));
  if (outcome->size >= sizeof(std::size_t)) [[likely]]
    return {};
  return CheckStructSize(outcome, sizeof(txvm_outcome), "txvm_outcome");
}

void ChargeFuel(txvm_instance& instance, std::uint64_t steps) {
  if (instance.fuel != isa::kUnlimitedFuel) instance.fuel -= steps - instance.steps_before;
}

/// The books of a run that an exception ended: it has made steps, and there is nothing to tell.
void DropRun(txvm_instance& instance) {
  ChargeFuel(instance, instance.machine->state().steps);
  instance.last.reset();
  instance.stepped = false;
}

/// Runs `go(options, RunResult*)` for at most `steps` steps of the instance's fuel, and does the
/// books. REQUIRES: CheckOutcome.
template <typename Go>
isa::Result<void> Run(txvm_instance& instance, std::uint64_t steps, std::uint64_t steps_before,
                      const Results& results, txvm_outcome* outcome, const Go& go) {
  const bool limited = steps < instance.fuel;
  instance.steps_before = steps_before;
  instance.options.fuel = std::min(steps, instance.fuel);
  instance.message.clear();
  instance.inner.reset();
  isa::CleaningUp(
      [&] {
        const Scoped running(instance.running, true);
        if (!instance.last) instance.last.emplace();
        go(instance.options, &*instance.last);
      },
      [&] { DropRun(instance); });
  const vm::RunResult& result = *instance.last;
  ChargeFuel(instance, result.steps);
  instance.stepped =
      limited && instance.machine->resumable() && result.outcome == vm::Outcome::kOutOfFuel;
  if (instance.in_start && result.outcome == vm::Outcome::kHalted) instance.started = true;
  WriteResults(result, results);
  return WriteOutcome(result, instance.machine->ip(), instance.stepped, outcome);
}

/// What is called: an export, or the program's entry.
struct Callee {
  std::string_view name;
  std::uint32_t start, params, results;
};

/// The callee, or none where there is no such export.
std::optional<Callee> FindCallee(const txvm_instance& instance, std::uint32_t function) {
  const isa::Program& program = instance.machine->program();
  if (function < program.exports.size()) [[likely]] {
    const isa::Export& found = program.exports[function];
    return Callee{found.name, found.start, found.params, found.results};
  }
  if (function != TXVM_ENTRY) return std::nullopt;
  const isa::Function* entry = program.FunctionAt(program.entry);
  return Callee{"the entry", program.entry, entry->params, entry->results};
}

isa::Result<void> CountError(std::string_view callee, std::string_view verb, std::string_view what,
                             std::size_t expected, std::size_t given) {
  return isa::Fail(isa::ErrorCode::kUsage, isa::CountMismatch(callee, verb, what, expected, given));
}

/// Whether a call fits its callee.
bool Fits(const txvm_instance& instance, const std::optional<Callee>& callee, std::size_t arg_count,
          const std::optional<Results>& wanted) {
  return callee && callee->params == arg_count && (!wanted || callee->results == wanted->count) &&
         arg_count <= instance.max_slots;
}

/// Why not.
isa::Result<void> MisfitError(const txvm_instance& instance, std::uint32_t function,
                              const std::optional<Callee>& callee, std::size_t arg_count,
                              const std::optional<Results>& wanted) {
  if (!callee) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("export {} is out of range: the program has {}", function,
                                 instance.machine->program().exports.size()));
  }
  if (callee->params != arg_count) {
    return CountError(fmt::format("function '{}'", callee->name), "takes", "argument",
                      callee->params, arg_count);
  }
  if (wanted && callee->results != wanted->count) {
    return CountError(fmt::format("function '{}'", callee->name), "returns", "result",
                      callee->results, wanted->count);
  }
  return isa::Fail(isa::ErrorCode::kLimit,
                   fmt::format("{} the limit of {}", isa::ExceedText(arg_count, "argument"),
                               isa::CountText(instance.max_slots, "operand slot")));
}

/// Why a call cannot be made; REQUIRES: one of the conditions of Call failed.
isa::Result<void> CallError(const txvm_instance& instance, std::uint32_t function,
                            const std::optional<Callee>& callee, std::size_t arg_count,
                            const std::optional<Results>& wanted) {
  TXVM_CHECK_OK(CheckIdle(instance, "call"));
  if (!instance.started) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "the program's start function has not halted yet: call txvm_start first");
  }
  return MisfitError(instance, function, callee, arg_count, wanted);
}

isa::Result<void> Call(txvm_instance& instance, std::uint32_t function,
                       std::span<const vm::Word> args, const std::optional<Results>& wanted,
                       std::uint64_t steps, txvm_outcome* outcome) {
  const std::optional<Callee> callee = FindCallee(instance, function);
  if (instance.running || !instance.started || !Fits(instance, callee, args.size(), wanted))
      [[unlikely]] {
    return CallError(instance, function, callee, args.size(), wanted);
  }
  TXVM_CHECK_OK(CheckOutcome(outcome));
  instance.in_start = false;
  instance.expected_results = callee->results;
  instance.asked_at.reset();
  return Run(instance, steps, 0, wanted.value_or(Results{nullptr, 0}), outcome,
             [&](const vm::RunOptions& options, vm::RunResult* result) {
               instance.machine->CallStub(callee->start, args, options, result);
             });
}

/// A call that a host function makes of its caller.
isa::Result<void> CallInner(txvm_instance& instance, std::uint32_t function,
                            std::span<const vm::Word> args, const Results& results,
                            txvm_outcome* outcome) {
  if (!instance.in_host) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "no host function of the instance is running: txvm_call calls it");
  }
  const std::optional<Callee> callee = FindCallee(instance, function);
  if (!Fits(instance, callee, args.size(), results)) {
    return MisfitError(instance, function, callee, args.size(), results);
  }
  TXVM_CHECK_OK(CheckOutcome(outcome));
  instance.inner.reset();
  instance.inner_message.clear();
  {
    const Scoped in_host(instance.in_host, false);
    // A run that is to make some steps may take all fuel here: a call inside a host function cannot
    // be cut and go on. It stops after the host call.
    const Scoped all_fuel(instance.options.fuel, instance.fuel);
    instance.inner = instance.machine->CallStub(callee->start, args);
  }
  instance.inner_message.clear();  // of calls that were made meanwhile
  WriteResults(*instance.inner, results);
  const std::uint32_t ip = instance.inner->trap ? instance.inner->trap->ip : instance.machine->ip();
  return WriteOutcome(*instance.inner, ip, false, outcome);
}

isa::Result<void> Resume(txvm_instance& instance, Results results, std::uint64_t steps,
                         txvm_outcome* outcome) {
  TXVM_CHECK_OK(CheckIdle(instance, "resume"));
  if (!instance.machine->resumable()) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "there is nothing to resume: the last run was not out of fuel or interrupted");
  }
  if (instance.expected_results && *instance.expected_results != results.count) {
    return CountError("the resumed call", "returns", "result", *instance.expected_results,
                      results.count);
  }
  TXVM_CHECK_OK(CheckOutcome(outcome));
  return Run(instance, steps, instance.machine->state().steps, results, outcome,
             [&](const vm::RunOptions& options, vm::RunResult* result) {
               *result = instance.machine->Resume(options);
             });
}

std::span<const vm::Word> Words(const std::int32_t* values, std::size_t count) {
  return {reinterpret_cast<const vm::Word*>(values), count};
}

txvm_frame FrameAt(const isa::Program& program, std::uint32_t ip) {
  const isa::Function* function = program.FunctionAt(ip);
  return {ip, program.LineAt(ip), function == nullptr ? "" : function->name.c_str(),
          program.source.c_str()};
}

std::string MessageOf(const txvm_instance& instance, const vm::RunResult& result, std::uint32_t ip,
                      bool stepped) {
  const std::string place = PlaceText(instance.machine->program(), ip);
  const std::string after = "after " + isa::CountText(result.steps, "step");
  if (stepped) return fmt::format("stepped: {}{}", after, place);
  switch (result.outcome) {
    case vm::Outcome::kHalted:
      return fmt::format("halted {}", after);
    case vm::Outcome::kTrapped: {
      const std::string& detail = result.trap->detail;
      return fmt::format("trapped: {}{}{}", isa::TrapText(result.trap->cause),
                         detail.empty() ? "" : ": " + detail, place);
    }
    case vm::Outcome::kExited:
      return fmt::format("exited with code {}", result.exit_code);
    case vm::Outcome::kOutOfFuel:
      return fmt::format("out of fuel {}{}", after, place);
    case vm::Outcome::kInterrupted:
      return fmt::format("interrupted: {} {}{}", vm::InterruptText(result.interrupt), after, place);
    case vm::Outcome::kHostError:
      return fmt::format("host function failed: {}{}", result.host_error->message, place);
  }
  return {};
}

vm::InterruptReason ReasonOf(txvm_interrupt_reason reason) {
  return reason == TXVM_INTERRUPT_TIMEOUT ? vm::InterruptReason::kTimeout
                                          : vm::InterruptReason::kSignal;
}

}  // namespace

std::string txvm::vm::capi::PlaceText(const isa::Program& program, std::uint32_t ip) {
  const txvm_frame frame = FrameAt(program, ip);
  std::string text;
  if (*frame.function != '\0') text += fmt::format(" in '{}'", frame.function);
  if (frame.line != 0) text += fmt::format(" at {}:{}", frame.source, frame.line);
  return text + fmt::format(" (instruction {})", ip);
}

txvm_error* txvm_start(txvm_instance* instance, txvm_outcome* outcome) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    TXVM_CHECK_OK(CheckIdle(*instance, "start"));
    TXVM_CHECK_OK(CheckOutcome(outcome));
    instance->in_start = true;
    instance->expected_results = 0;
    instance->asked_at.reset();
    return Run(*instance, TXVM_UNLIMITED_FUEL, 0, {nullptr, 0}, outcome,
               [&](const vm::RunOptions& options, vm::RunResult* result) {
                 *result = instance->machine->RunInit(options);
               });
  });
}

txvm_error* txvm_call(txvm_instance* instance, uint32_t function, const int32_t* args,
                      size_t arg_count, int32_t* results, size_t result_count,
                      txvm_outcome* outcome) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(CheckBuffers(instance, args, arg_count, results, result_count));
    return Call(*instance, function, Words(args, arg_count), Results{results, result_count},
                TXVM_UNLIMITED_FUEL, outcome);
  });
}

txvm_error* txvm_host_call(txvm_instance* caller, uint32_t function, const int32_t* args,
                           size_t arg_count, int32_t* results, size_t result_count,
                           txvm_outcome* outcome) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(CheckBuffers(caller, args, arg_count, results, result_count));
    return CallInner(*caller, function, Words(args, arg_count), {results, result_count}, outcome);
  });
}

txvm_error* txvm_begin(txvm_instance* instance, uint32_t function, const int32_t* args,
                       size_t arg_count) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(CheckBuffers(instance, args, arg_count, nullptr, 0));
    txvm_outcome outcome{};
    outcome.size = sizeof(outcome);
    return Call(*instance, function, Words(args, arg_count), std::nullopt, 0, &outcome);
  });
}

txvm_error* txvm_resume(txvm_instance* instance, int32_t* results, size_t result_count,
                        txvm_outcome* outcome) {
  return txvm_step(instance, TXVM_UNLIMITED_FUEL, results, result_count, outcome);
}

txvm_error* txvm_step(txvm_instance* instance, uint64_t steps, int32_t* results,
                      size_t result_count, txvm_outcome* outcome) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(CheckBuffers(instance, nullptr, 0, results, result_count));
    return Resume(*instance, {results, result_count}, steps, outcome);
  });
}

bool txvm_resumable(const txvm_instance* instance) {
  return instance != nullptr && !instance->running && instance->machine->resumable();
}

txvm_error* txvm_fuel_set(txvm_instance* instance, uint64_t fuel) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    TXVM_CHECK_OK(CheckIdle(*instance, "refuel"));
    instance->fuel = fuel;
    return {};
  });
}

uint64_t txvm_fuel_get(const txvm_instance* instance) {
  if (instance == nullptr) return 0;
  if (!instance->running || instance->fuel == TXVM_UNLIMITED_FUEL) return instance->fuel;
  const std::uint64_t used = instance->machine->state().steps - instance->steps_before;
  return instance->fuel - std::min(instance->fuel, used);
}

void txvm_interrupt(txvm_instance* instance, txvm_interrupt_reason reason) {
  if (instance == nullptr) return;
  instance->interrupted_run.store(instance->machine->run_number());
  instance->machine->Interrupt(ReasonOf(reason));
}

void txvm_interrupt_run(txvm_instance* instance, uint64_t run, txvm_interrupt_reason reason) {
  if (instance == nullptr) return;
  instance->interrupted_run.store(run);
  instance->machine->Interrupt(run, ReasonOf(reason));
}

uint64_t txvm_run_number(const txvm_instance* instance) {
  return instance == nullptr ? 0 : instance->machine->run_number();
}

const char* txvm_message(txvm_instance* instance) {
  if (instance == nullptr) return "";
  const bool is_inner = instance->running;
  const std::optional<vm::RunResult>& result = is_inner ? instance->inner : instance->last;
  if (!result) return "";
  std::string& message = is_inner ? instance->inner_message : instance->message;
  const bool is_trapped = is_inner && result->trap;
  const auto text = [&] {
    if (message.empty()) {
      message =
          MessageOf(*instance, *result, is_trapped ? result->trap->ip : instance->machine->ip(),
                    !is_inner && instance->stepped);
    }
    return message.c_str();
  };
  return isa::OrOnException(text, [] { return "out of memory"; });
}

size_t txvm_backtrace(const txvm_instance* instance, txvm_frame* frames, size_t capacity) {
  if (instance == nullptr) return 0;
  const isa::Program& program = instance->machine->program();
  const vm::State& state = instance->machine->state();
  const std::size_t count = std::size_t{state.depth} + 1;
  if (frames == nullptr) return count;
  for (std::size_t i = 0; i < std::min(count, capacity); ++i) {
    const std::uint32_t ip = i == 0 ? state.ip : state.frames[state.depth + 1 - i].return_ip - 1;
    frames[i] = FrameAt(program, ip);
  }
  return count;
}
