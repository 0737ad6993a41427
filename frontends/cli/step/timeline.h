// A run that can be gone through in both directions: snapshots now and then, and the steps between
// them executed again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/cli/run/run_options.h"
#include "frontends/cli/step/host_tape.h"
#include "frontends/wasi/wasi.h"
#include "vm/machine.h"
#include "vm/snapshot.h"

namespace txvm::frontends::cli {

/// One invocation and its past. Steps count from 0, the state before the first instruction.
/// INVARIANT: marks_ holds a snapshot at earliest(), and ascends; the tape reaches back to it.
class Timeline {
 public:
  /// Memory that snapshots and recorded host calls may take, steps between snapshots at first, and
  /// steps of what runs before the entry, which must end by itself.
  struct Bounds {
    std::size_t bytes = std::size_t{256} << 20;
    std::uint64_t interval = 10'000;
    std::uint64_t start_steps = 1'000'000'000;
  };
  /// Whether to stop before the instruction at `ip`, which is step number `steps`.
  using StopTest = std::function<bool(std::uint32_t ip, std::uint64_t steps)>;
  /// Why a walk ended.
  enum class Reason : std::uint8_t { kArrived, kStopTest, kEnded, kInterrupted };

  /// Loads the program, runs its init stub and what FindInitializer names, and stands before the
  /// entry's first step; or restores `from`, which is of a run under way. Where one of the two does
  /// not halt, that is the run, and it has ended() already: then there is nothing to walk through.
  /// Errors: RunSession's.
  static isa::Result<Timeline> Start(std::shared_ptr<const isa::Program> program,
                                     const RunSettings& settings, const vm::Snapshot* from,
                                     Bounds bounds);

  /// Goes forward to step `target`, or until `stop` says so (empty: it never does; not asked at the
  /// step the walk begins with), the run ends, or Ctrl-C.
  Reason Forward(std::uint64_t target, const StopTest& stop);
  /// Goes to a step in the past, or where a walk forward ends. REQUIRES: step >= earliest().
  /// Errors: kLimit when the engine cannot restore that state; the timeline stays where it is.
  isa::Result<Reason> GoTo(std::uint64_t step);
  /// Goes back to the last step before this one at which `stop` says so; stays, kArrived, at
  /// earliest() when there is none. Errors: GoTo's.
  isa::Result<Reason> Backward(const StopTest& stop);

  std::uint64_t now() const { return machine_.state().steps; }
  /// The first step that can be gone back to: 0, until the bounds make the timeline forget.
  std::uint64_t earliest() const { return marks_.front().snapshot.steps; }
  /// How the run ended; nullptr while it can go on.
  const vm::RunResult* ended() const { return ended_ ? &last_ : nullptr; }
  /// The types of the entry's results; empty: not known.
  const std::vector<isa::ValueType>& result_types() const { return result_types_; }
  const vm::Machine& machine() const { return machine_; }
  /// What could not be restored of the snapshot that the run began with, and which engine makes
  /// the run where the one asked for does not; a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  /// The state of WASI's calls as of here, for a snapshot. Empty for a program without WASI, and
  /// where the run has been further: files keep what was written to them since.
  std::string HostState() const {
    return wasi_ && tape_->is_at_end() ? wasi_->Save() : std::string();
  }
  /// Changes of files and folders that the run made after this step, when it was further. They
  /// stay.
  std::uint64_t changes_ahead() const { return tape_->changes_ahead(); }
  /// Whether that state is missing because the run has been further.
  bool has_no_host_state() const { return wasi_ && !tape_->is_at_end(); }
  std::size_t snapshots() const { return marks_.size(); }
  /// Memory of the snapshots and the recorded host calls.
  std::size_t bytes() const { return mark_bytes_ + tape_->bytes(); }
  /// A snapshot of the present.
  vm::Snapshot Here() const { return machine_.TakeSnapshot().value(); }

 private:
  struct Mark {
    vm::Snapshot snapshot;
    std::uint64_t host_calls = 0;
  };
  Timeline(vm::Machine machine, std::shared_ptr<HostTape> tape, Bounds bounds)
      : machine_(std::move(machine)), tape_(std::move(tape)), bounds_(bounds) {}

  Reason RunTo(std::uint64_t target, const vm::StepHook& hook);
  isa::Result<void> Restore(const Mark& mark);
  void AddMark();
  void KeepWithinBounds();

  vm::Machine machine_;
  std::shared_ptr<HostTape> tape_;
  std::optional<wasi::State> wasi_;  // of a program that imports WASI
  std::vector<std::string> notes_;
  Bounds bounds_;
  std::vector<Mark> marks_;
  std::size_t mark_bytes_ = 0;
  vm::RunResult last_;
  std::vector<isa::ValueType> result_types_;
  bool ended_ = false;
};

}  // namespace txvm::frontends::cli
