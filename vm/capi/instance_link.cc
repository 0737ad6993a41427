// The exports of a living instance as host functions of others.
// Declared in vm/txvm.h.
#include <fmt/format.h>

#include "vm/capi/handles.h"

namespace {

using namespace txvm;
using namespace txvm::vm::capi;
using vm::HostStatus;
using vm::Word;

/// Steps between two looks at whether the caller's run is to stop.
constexpr std::uint64_t kSlice = 1 << 20;  // milliseconds

/// Owns a part of an instance.
class Owner {
 public:
  explicit Owner(txvm_instance* instance) : instance_(instance) { ++instance_->owners; }
  ~Owner() { LetGo(instance_); }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  txvm_instance& instance() const { return *instance_; }

 private:
  txvm_instance* instance_;
};

/// Whether the run of a caller, or of one that calls that, is to stop.
bool IsStopped(const txvm_instance* caller) {
  for (; caller != nullptr; caller = caller->called_by) {
    if (caller->interrupted_run.load() == caller->machine->run_number()) return true;
  }
  return false;
}

/// What a call may take of its caller's fuel: all there is, where the caller is to make some steps.
std::uint64_t FuelOf(const vm::HostContext& host) {
  const auto* caller = static_cast<const txvm_instance*>(host.embedder);
  if (caller == nullptr || caller->options.fuel == caller->fuel) return host.fuel;
  if (caller->fuel == isa::kUnlimitedFuel) return isa::kUnlimitedFuel;
  return host.fuel + (caller->fuel - caller->options.fuel);
}

/// A run of an export, and whether the caller's was to stop meanwhile.
struct Sliced {
  vm::RunResult run;
  bool is_stopped = false;
};

/// Runs an export in slices of the caller's fuel, until it ends or that does.
Sliced RunSliced(txvm_instance& callee, std::uint32_t start, std::span<const Word> args,
                 std::uint64_t fuel, const txvm_instance* caller) {
  const auto next_slice = [&](std::uint64_t steps) {
    callee.steps_before = steps;
    callee.fuel = fuel == isa::kUnlimitedFuel ? fuel : fuel - steps;
    callee.options.fuel = std::min(callee.fuel, kSlice);
  };
  next_slice(0);
  vm::RunResult run = callee.machine->CallStub(start, args, callee.options);
  while (run.outcome == vm::Outcome::kOutOfFuel && run.steps < fuel &&
         callee.machine->resumable()) {
    if (IsStopped(caller)) return {std::move(run), true};
    next_slice(run.steps);
    run = callee.machine->Resume(callee.options);
  }
  return {std::move(run), false};
}

/// How the run of the callee ends or continues that of the caller.
HostStatus StatusOf(const txvm_instance& callee, const vm::RunResult& run, std::string_view place,
                    std::span<Word> results) {
  const auto words = [&](std::string_view what) { return fmt::format("{} {}", place, what); };
  switch (run.outcome) {
    case vm::Outcome::kHalted:
      if (run.results.size() != results.size()) {
        return HostStatus::Failed(words("left an unexpected number of results"));
      }
      std::ranges::copy(run.results, results.begin());
      return HostStatus::Continue();
    case vm::Outcome::kTrapped:
      return HostStatus::Trap(fmt::format("{}{}in a call of {}{}", run.trap->detail,
                                          run.trap->detail.empty() ? "" : ", ", place,
                                          PlaceText(callee.machine->program(), run.trap->ip)),
                              run.trap->cause);
    case vm::Outcome::kExited:
      return HostStatus::Exit(run.exit_code);
    case vm::Outcome::kOutOfFuel:
      return HostStatus::OutOfFuel();
    case vm::Outcome::kInterrupted:
      return HostStatus::Failed(words("was interrupted"));
    case vm::Outcome::kHostError:
      return HostStatus::Failed(words(run.host_error->message));
  }
  return HostStatus::Failed(words("ended in an unknown way"));
}

HostStatus CallInstance(txvm_instance& callee, std::uint32_t start, std::string_view place,
                        vm::HostContext& host, std::span<const Word> args,
                        std::span<Word> results) {
  if (callee.running && !callee.in_host) {
    return HostStatus::Failed(fmt::format("{} is running", place));
  }
  if (!callee.started && !callee.running) {
    return HostStatus::Trap(fmt::format("{} waits for its start function", place));
  }
  if (callee.running) {  // a host function of it has run the caller: a part of its own run
    const Scoped in_host(callee.in_host, false);
    const vm::RunResult run = callee.machine->CallStub(start, args);
    if (run.outcome == vm::Outcome::kOutOfFuel) {
      return HostStatus::Failed(fmt::format("{} is out of fuel", place));
    }
    return StatusOf(callee, run, place, results);
  }
  callee.message.clear();
  callee.last.reset();
  callee.inner.reset();
  callee.stepped = false;
  callee.in_start = false;
  callee.expected_results = static_cast<std::uint32_t>(results.size());
  callee.asked_at.reset();
  const auto* caller = static_cast<const txvm_instance*>(host.embedder);
  const Scoped running(callee.running, true);
  const Scoped called_by(callee.called_by, caller);
  const Scoped own_fuel(callee.fuel, callee.fuel);
  Sliced sliced = RunSliced(callee, start, args, FuelOf(host), caller);
  host.steps = sliced.run.steps;
  callee.last = std::move(sliced.run);
  const bool is_interrupted = callee.last->outcome == vm::Outcome::kInterrupted;
  if (sliced.is_stopped || (is_interrupted && IsStopped(caller))) return HostStatus::Interrupted();
  return StatusOf(callee, *callee.last, place, results);
}

}  // namespace

txvm_error* txvm_linker_define_instance(txvm_linker* linker, const char* module,
                                        txvm_instance* instance) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(linker, "linker"));
    TXVM_CHECK_OK(NotNull(module, "module"));
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    const auto owner = std::make_shared<const Owner>(instance);
    for (const isa::Export& item : instance->machine->program().exports) {
      const std::string place = fmt::format("{}.{}", module, item.name);
      const auto call = [owner, place, start = item.start](vm::HostContext& host,
                                                           std::span<const Word> args,
                                                           std::span<Word> results) {
        return CallInstance(owner->instance(), start, place, host, args, results);
      };
      if (isa::IsTyped(item)) {
        linker->linker.Define(module, item.name, item.param_types, item.result_types, call);
      } else {
        linker->linker.Define(module, item.name, item.params, item.results, call);
      }
    }
    return {};
  });
}
