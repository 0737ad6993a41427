// One program, loaded and ready to be called: the C++ embedding API. vm/txvm.h is its C face.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "isa/limits.h"
#include "isa/program.h"
#include "isa/trace.h"
#include "vm/host.h"
#include "vm/outcome.h"

namespace txvm::vm {

/// Receives trace records in order, in batches of at most 4,096. Called on the running thread; must
/// not throw.
using TraceSink = std::function<void(std::span<const isa::TraceRecord>)>;

/// How to load a program.
struct MachineOptions {
  EngineKind engine = EngineKind::kAttention;
  isa::Limits limits;
  bool allow_unverified = false;  // run a program Verify rejects, in the engine's checked variant
};

/// How to run one invocation. digest, stats and trace select an observed variant of the same
/// engine; without them a run pays nothing for them.
struct RunOptions {
  std::uint64_t fuel = isa::kUnlimitedFuel;  // steps this call may execute
  bool digest = false;
  bool stats = false;
  TraceSink trace;  // empty: none
};

/// An instance of a program: stacks, locals, memory, globals. Calls run one at a time; only
/// Interrupt may come from another thread. Movable, not copyable.
class Machine {
 public:
  /// Verifies the program, checks it against the limits, links its imports, applies its data
  /// segments. Does not run the init stub. Errors: kInvalid (Verify), kLimit (globals, memory or
  /// frame beyond the limits, with both numbers), kInvalid "unknown import m.n" / signature
  /// mismatch, kInvalid data segment out of bounds.
  static isa::Result<Machine> Load(std::shared_ptr<const isa::Program> program,
                                   const Linker& linker, const MachineOptions& options = {});
  ~Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;

  /// Runs the init stub, if the program has one; else a halted result of 0 steps.
  RunResult RunInit(const RunOptions& options = {});

  /// Runs an export. kUsage when args.size() differs from its params, with both numbers.
  isa::Result<RunResult> Call(const isa::Export& entry, std::span<const Word> args,
                              const RunOptions& options = {});
  /// Runs from the stub `start` with `args` as the initial operand stack. REQUIRES: args fit max_slots, and in a verified
  /// program `start` is a function's first instruction and args are its params.
  RunResult CallStub(std::uint32_t start, std::span<const Word> args,
                     const RunOptions& options = {});

  /// Goes on after out_of_fuel or interrupted. digest, stats and trace of `options` must match the
  /// call's. steps and digest continue: any cuts give the result of the uncut run. REQUIRES:
  /// resumable().
  RunResult Resume(const RunOptions& options = {});
  bool resumable() const;

  /// Asks the current run to stop; it does within 1,024 steps, with outcome interrupted.
  /// Thread-safe, async-signal-safe. A request that is pending when a run starts is dropped.
  void Interrupt(InterruptReason reason);

  const isa::Program& program() const;
  EngineKind engine() const;
  /// Whether Verify accepted the program; if not, the checked variant runs.
  bool verified() const;
  LinearMemory& memory();
  const LinearMemory& memory() const;
  /// Globals: slots 0..G-1 of the locals space. (G,)
  std::span<Word> globals();
  /// Operand stack of the stopped run, first deepest. (sp,)
  std::span<const Word> stack() const;
  std::uint32_t ip() const;
  std::uint32_t depth() const;

 private:
  struct Impl;
  explicit Machine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The entry `txvm run` uses: `requested` if not empty, else export `_start`, `main`, the only
/// exported function without params. A program with neither exports nor a request runs from
/// program.entry: nullptr is returned. kUsage lists the exports when there is no choice.
isa::Result<const isa::Export*> ChooseEntry(const isa::Program& program,
                                            std::string_view requested);

}  // namespace txvm::vm
