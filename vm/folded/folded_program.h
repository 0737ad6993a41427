// The folded code of one program, made function by function when each has earned it, and shared by
// all instances.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "isa/program.h"
#include "isa/verify.h"
#include "vm/folded/ir.h"
#include "vm/folded/machine_code.h"

namespace txvm::vm::folded {

/// A function as the driver sees it. Immutable once it is published.
struct FoldedFunction {
  bool computes_routines = false;
  std::vector<Exit> exits;  // where it can stop; cells and locals are in its code
  FunctionCode code;        // start is nullptr: it stays with the interpreter
};

/// When to make code. It takes as long as thousands of steps for each instruction, so a function
/// has to earn it. Measured (txvm_folded_cost): 0.4 ms for 100 instructions, 1.4 ms for 1,000, 46
/// ms for 10,000 and, with 40 locals, three times that.
enum class FoldWhen : std::uint8_t {
  kFirstCall,  // every function
  kEarned,     // one that has run in the interpreter for some time
};

/// Changes the register form of a function before its code is made. Called under a lock.
using IrHook = std::function<void(FunctionIr&)>;

/// Thread-safe: any number of engines call Function at the same time. The program outlives it.
class FoldedProgram {
 public:
  /// nullptr when no machine code can be made here. `hook` changes what functions are folded into:
  /// how tests ask whether they would notice.
  static std::shared_ptr<const FoldedProgram> Create(const isa::Program& program,
                                                     std::shared_ptr<const isa::PathFacts> paths,
                                                     IrHook hook = {});
  /// One whose code was made before: `enter` runs it as Thunks::enter does. REQUIRES:
  /// functions.size() = program.functions.size().
  static std::shared_ptr<const FoldedProgram> CreateMade(
      const isa::Program& program, std::shared_ptr<const isa::PathFacts> paths,
      void (*enter)(Context*, const std::byte*), std::vector<FoldedFunction> functions);

  /// Function `index`, folded now if it was not yet.
  const FoldedFunction& Function(std::size_t index) const;
  /// Whether a function has to run in the interpreter: it has not earned code yet, or gets none.
  bool IsInterpreted(std::size_t index, FoldWhen when) const;
  /// Steps that the interpreter has yet to make in a function before that gets code (kEarned).
  std::uint64_t StepsToEarn(std::size_t index) const;
  /// The interpreter has made `steps` that started in a function.
  void AddSteps(std::size_t index, std::uint64_t steps) const {
    steps_[index].fetch_add(steps, std::memory_order_relaxed);
  }
  /// The entry that belongs to `ip`, kNone when there is none. REQUIRES: not IsInterpreted.
  std::uint32_t EntryAt(std::size_t function, std::uint32_t ip) const;

  /// Operand cells of the function before the instruction at `ip`. REQUIRES: a path reaches it.
  std::uint32_t HeightAt(std::uint32_t ip) const { return paths_->height[ip]; }

  /// Whether function `index` is a routine that its callers compute.
  bool IsRoutine(std::size_t index) const {
    return routines_.StartsAt(program_.functions[index].first);
  }
  bool has_routines() const { return !routines_.empty(); }
  /// Fuel that a run needs to enter code: no path to the next look at it takes more.
  std::uint64_t least_fuel() const { return program_.code.size() + most_routine_steps_; }

  const Thunks& thunks() const { return thunks_; }
  const isa::Program& program() const { return program_; }
  /// Whether frames may be read before they are written, so that no write may be left out.
  bool keeps_all() const { return keeps_all_; }
  /// Of the machine's stack, what a call of folded code takes at most.
  static constexpr std::uint32_t kLargestFrameBytes = 512;

 private:
  explicit FoldedProgram(const isa::Program& program, std::shared_ptr<const isa::PathFacts> paths);
  void Begin();
  bool CanFold(const isa::Function& function) const;
  void Fold(std::size_t index) const;

  const isa::Program& program_;
  std::shared_ptr<const isa::PathFacts> paths_;
  bool keeps_all_ = false;
  std::uint64_t most_routine_steps_ = 0;  // of one block, at most
  RoutineMap routines_;                   // none where frames are read before they are written
  Thunks thunks_;
  IrHook hook_;
  mutable std::mutex mutex_;
  mutable CodeRoom room_;
  // (functions,) what CALL goes through: the code, or Thunks::unfolded.
  mutable std::vector<const std::byte*> table_;
  mutable std::vector<std::atomic<const FoldedFunction*>> functions_;
  mutable std::vector<std::atomic<std::uint64_t>> steps_;  // (functions,) of the interpreter
  mutable std::vector<std::unique_ptr<const FoldedFunction>> owned_;
};

}  // namespace txvm::vm::folded
