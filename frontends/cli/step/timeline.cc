#include "frontends/cli/step/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <span>
#include <utility>

#include "frontends/cli/run/call_values.h"
#include "frontends/cli/run/choices.h"
#include "frontends/cli/run/host_functions.h"
#include "frontends/cli/run/session.h"

namespace txvm::frontends::cli {
namespace {

// A signal handler can reach only what is global; set while a run of a timeline is in progress.
std::atomic<vm::Machine*> running_machine = nullptr;
static_assert(std::atomic<vm::Machine*>::is_always_lock_free);

void OnSignal(int) {
  if (vm::Machine* machine = running_machine.load()) {
    machine->Interrupt(vm::InterruptReason::kSignal);
  }
}

/// While it lives, Ctrl-C stops the machine's run instead of the process.
class StopOnSignal {
 public:
  explicit StopOnSignal(vm::Machine& machine) {
    running_machine = &machine;
    struct sigaction action = {};
    action.sa_handler = OnSignal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before_);
  }
  ~StopOnSignal() {
    sigaction(SIGINT, &before_, nullptr);
    running_machine = nullptr;
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  struct sigaction before_ = {};
};

/// Bytes of the blocks that `previous` does not share.
std::size_t NewBytes(std::span<const vm::SnapshotBlock> blocks,
                     std::span<const vm::SnapshotBlock> previous) {
  std::size_t bytes = blocks.size_bytes();
  for (const vm::SnapshotBlock& block : blocks) {
    while (!previous.empty() && previous.front().index < block.index) {
      previous = previous.subspan(1);
    }
    if (previous.empty() || previous.front().bytes != block.bytes) bytes += block.bytes->size();
  }
  return bytes;
}

/// Memory of a snapshot beyond what it shares with the one before it, which may be nullptr.
std::size_t NewBytes(const vm::Snapshot& snapshot, const vm::Snapshot* previous) {
  const vm::Snapshot none;
  const vm::Snapshot& before = previous != nullptr ? *previous : none;
  return sizeof(snapshot) + snapshot.stack.size() * sizeof(isa::Word) +
         snapshot.frames.size() * sizeof(std::uint32_t) + NewBytes(snapshot.locals, before.locals) +
         NewBytes(snapshot.memory, before.memory);
}

}  // namespace

isa::Result<Timeline> Timeline::Start(std::shared_ptr<const isa::Program> program,
                                      const RunSettings& settings, const vm::Snapshot* from,
                                      Bounds bounds) {
  const auto tape = std::make_shared<HostTape>();
  TXVM_TRY(HostSet host, HostFunctions(settings));
  vm::MachineOptions options;
  options.engine = settings.engine;
  options.limits = settings.limits;
  options.allow_unverified = settings.unverified;
  TXVM_CHECK_OK(AnswerImports(*program, settings, host));
  const auto changes = [wasi = host.wasi] { return wasi.changes(); };
  isa::Result<vm::Machine> machine =
      vm::Machine::Load(program, HostTape::Record(tape, *program, host.linker, changes), options);
  if (!machine) return LoadError(std::move(machine).error(), *program, settings.path);
  Timeline timeline(*std::move(machine), tape, bounds);
  if (host.uses_wasi) timeline.wasi_ = std::move(host.wasi);
  vm::Machine& loaded = timeline.machine_;
  vm::RunOptions observed;
  observed.digest = true;
  const std::string_view substitute = loaded.Substitute(observed);
  if (!substitute.empty()) timeline.notes_.emplace_back(substitute);
  if (from != nullptr) {
    TXVM_CHECK_OK(loaded.Restore(*from));
    if (timeline.wasi_ && !from->host.empty()) {
      const std::string_view state(reinterpret_cast<const char*>(from->host.data()),
                                   from->host.size());
      TXVM_TRY(const std::vector<std::string> notes, timeline.wasi_->Restore(state));
      timeline.notes_.insert(timeline.notes_.end(), notes.begin(), notes.end());
    }
    timeline.result_types_ = ResultTypesOf(loaded);
    timeline.AddMark();
    return timeline;
  }
  TXVM_TRY(const isa::Export* entry, ChooseEntry(*program, settings));
  TXVM_TRY(const std::vector<isa::Word> words, EntryWords(*program, entry, settings));
  // The start function and _initialize come before step 0.
  vm::RunOptions start;
  start.fuel = bounds.start_steps;
  timeline.last_ = loaded.RunInit(start);
  const isa::Export* initializer = vm::FindInitializer(*program, entry);
  if (timeline.last_.outcome == vm::Outcome::kHalted && initializer != nullptr) {
    start.fuel -= timeline.last_.steps;
    timeline.last_ = loaded.CallStub(initializer->start, {}, start);
  }
  if (timeline.last_.outcome != vm::Outcome::kHalted) {
    timeline.ended_ = true;
    timeline.AddMark();
    return timeline;
  }
  timeline.result_types_ = ResultTypesOf(entry);
  vm::RunOptions run;
  run.digest = true;
  run.fuel = 0;
  if (entry != nullptr) {
    TXVM_TRY(timeline.last_, loaded.Call(*entry, words, run));
  } else {
    timeline.last_ = loaded.CallStub(program->entry, words, run);
  }
  timeline.AddMark();
  return timeline;
}

Timeline::Reason Timeline::RunTo(std::uint64_t target, const vm::StepHook& hook) {
  const StopOnSignal guard(machine_);
  while (now() < target && !ended_) {
    const std::uint64_t mark = (now() / bounds_.interval + 1) * bounds_.interval;
    vm::RunOptions run;
    run.digest = machine_.has_digest();
    run.before_step = hook;
    run.fuel = std::min(target, mark) - now();
    last_ = machine_.Resume(run);
    if (last_.outcome == vm::Outcome::kInterrupted) {
      return last_.interrupt == vm::InterruptReason::kBreakpoint ? Reason::kStopTest
                                                                 : Reason::kInterrupted;
    }
    ended_ = last_.outcome != vm::Outcome::kOutOfFuel;
    if (!ended_ && now() == mark && mark > marks_.back().snapshot.steps) AddMark();
  }
  return ended_ ? Reason::kEnded : Reason::kArrived;
}

Timeline::Reason Timeline::Forward(std::uint64_t target, const StopTest& stop) {
  if (!stop) return RunTo(target, {});
  return RunTo(target, [&, begin = now()](std::uint32_t ip, std::uint64_t steps) {
    return steps == begin || !stop(ip, steps);
  });
}

// A snapshot of this machine's own can be too much for it: an engine that takes any number of
// tokens while it runs may take fewer to begin with.
isa::Result<void> Timeline::Restore(const Mark& mark) {
  TXVM_CHECK_OK(machine_.Restore(mark.snapshot));
  tape_->GoTo(mark.host_calls);
  ended_ = false;
  return {};
}

isa::Result<Timeline::Reason> Timeline::GoTo(std::uint64_t step) {
  if (step < now()) {
    const auto after = std::ranges::upper_bound(
        marks_, step, {}, [](const Mark& mark) { return mark.snapshot.steps; });
    TXVM_ASSERT(after != marks_.begin());
    TXVM_CHECK_OK(Restore(*std::prev(after)));
  }
  return RunTo(step, {});
}

isa::Result<Timeline::Reason> Timeline::Backward(const StopTest& stop) {
  const std::uint64_t origin = now();
  std::uint64_t end = origin;  // looks at the steps before it
  for (std::size_t i = marks_.size(); i-- > 0;) {
    if (marks_[i].snapshot.steps >= end) continue;
    if (isa::Result<void> restored = Restore(marks_[i]); !restored) {
      RunTo(origin, {});
      return std::unexpected(std::move(restored).error());
    }
    std::uint64_t hit = end;  // none yet
    const Reason reason = RunTo(end, [&](std::uint32_t ip, std::uint64_t steps) {
      if (steps < end && stop(ip, steps)) hit = steps;
      return true;
    });
    if (reason == Reason::kInterrupted) return reason;
    if (hit != end) {
      TXVM_CHECK_OK(GoTo(hit));
      return Reason::kStopTest;
    }
    end = marks_[i].snapshot.steps;
  }
  TXVM_CHECK_OK(GoTo(earliest()));
  return Reason::kArrived;
}

void Timeline::AddMark() {
  const vm::Snapshot* previous = marks_.empty() ? nullptr : &marks_.back().snapshot;
  Mark mark{machine_.TakeSnapshot(previous).value(), tape_->place()};
  mark_bytes_ += NewBytes(mark.snapshot, previous);
  marks_.push_back(std::move(mark));
  KeepWithinBounds();
}

// First the snapshots are thinned out; when few are left, the earliest steps are forgotten.
void Timeline::KeepWithinBounds() {
  constexpr std::size_t kFew = 16, kMany = 4'096;
  while (marks_.size() > kMany || (bytes() > bounds_.bytes && marks_.size() > 1)) {
    if (marks_.size() <= kFew) {
      marks_.erase(marks_.begin());
      tape_->Forget(marks_.front().host_calls);
    } else {
      std::vector<Mark> kept;
      for (std::size_t i = 0; i < marks_.size(); i += 2) kept.push_back(std::move(marks_[i]));
      marks_ = std::move(kept);
      bounds_.interval *= 2;
    }
    mark_bytes_ = 0;
    const vm::Snapshot* previous = nullptr;
    for (const Mark& mark : marks_) {
      mark_bytes_ += NewBytes(mark.snapshot, previous);
      previous = &mark.snapshot;
    }
  }
}

}  // namespace txvm::frontends::cli
