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

namespace txvm::weights {
struct Model;
}

namespace txvm::vm {

struct Snapshot;
struct State;

/// Receives trace records in order, in batches of at most 4,096. Called on the running thread; must
/// not throw.
using TraceSink = std::function<void(std::span<const isa::TraceRecord>)>;

/// Called between two steps, before the instruction at `ip`, with the steps done so far; false
/// stops the run there as interrupted(breakpoint). Called on the running thread; must not throw.
using StepHook = std::function<bool(std::uint32_t ip, std::uint64_t steps)>;

/// One read head of the attention engine, evaluated: what it asked for and which key won.
struct HeadReading {
  std::uint64_t step = 0;  // the step it belongs to, from 1
  std::uint32_t ip = 0;    // its instruction
  weights::HeadId head{};
  std::uint64_t query = 0;   // the address it asked for
  std::int64_t winner = -1;  // the address of the winning key; -1: none reached the query
  std::int64_t score = 0;    // of the best key in its tile, q k0 + k1 on the address's last digit
  std::int64_t margin = 0;   // score minus that of the second-best key scored
  std::uint32_t keys = 0;    // keys scored
};
/// Receives every head in the order of evaluation. Called on the running thread; must not throw.
using HeadSink = std::function<void(const HeadReading&)>;

/// How to load a program.
struct MachineOptions {
  EngineKind engine = EngineKind::kAttention;
  isa::Limits limits = {};
  bool allow_unverified = false;  // run a program Verify rejects, in the engine's checked variant
  void* embedder = nullptr;       // handed to host functions as HostContext::embedder
  // What hull and transformer run on, imported or folded; null: the compiled weights.
  std::shared_ptr<const weights::Model> model = nullptr;
  // folded: machine code for every function at its first call; else a function runs in the
  // interpreter until it has earned its code (docs/FOLDED.md).
  bool fold_at_first_call = false;
};

/// How to run one invocation. digest, stats, trace and heads select an observed variant of the same
/// engine, before_step runs it one step at a time; without them a run pays nothing for them.
struct RunOptions {
  std::uint64_t fuel = isa::kUnlimitedFuel;  // steps this call may execute
  bool digest = false;
  bool stats = false;
  TraceSink trace{};       // empty: none
  HeadSink heads{};        // empty: none; never called by engines other than attention
  StepHook before_step{};  // empty: none
};

class Prepared;

/// An instance of a program: stacks, locals, memory, globals. Calls run one at a time; only
/// Interrupt and run_number may come from another thread. Movable, not copyable.
class Machine {
 public:
  /// Verifies the program, checks it against the limits, links its imports, applies its data
  /// segments. Does not run the init stub. Errors: kInvalid (Verify), kLimit (globals, memory or
  /// frame beyond the limits, with both numbers), kInvalid "unknown import m.n" / signature
  /// mismatch, kInvalid data segment out of bounds, kMemory when the system refuses what the limits
  /// ask for.
  static isa::Result<Machine> Load(std::shared_ptr<const isa::Program> program,
                                   const Linker& linker, const MachineOptions& options = {});
  /// The same for a program prepared before, which any number of instances may share: nothing is
  /// verified or translated again. options.allow_unverified is the preparation's.
  static isa::Result<Machine> Load(std::shared_ptr<const Prepared> prepared, const Linker& linker,
                                   const MachineOptions& options = {});
  ~Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;

  /// Runs the init stub, if the program has one; else a run that has halted after 0 steps.
  RunResult RunInit(const RunOptions& options = {});

  /// Runs an export. kUsage when args.size() differs from its params, with both numbers.
  isa::Result<RunResult> Call(const isa::Export& entry, std::span<const Word> args,
                              const RunOptions& options = {});
  /// Runs from the stub `start` with its params `args` as operand stack. A host function may call
  /// its caller: a part of the run, with its options; if it neither halts nor traps, the run ends
  /// so too, for good. REQUIRES: args fit max_slots; if verified, `start` begins a function.
  RunResult CallStub(std::uint32_t start, std::span<const Word> args,
                     const RunOptions& options = {});
  /// The same into `*result`, whose memory it uses again; what an exception leaves there means
  /// nothing.
  void CallStub(std::uint32_t start, std::span<const Word> args, const RunOptions& options,
                RunResult* result);

  /// Goes on after out_of_fuel or interrupted. digest, stats and trace of `options` must match the
  /// call's. steps and digest continue: any cuts give the result of the uncut run. REQUIRES:
  /// resumable().
  RunResult Resume(const RunOptions& options = {});
  bool resumable() const;

  /// What decides how this instance goes on, for Restore on any engine (vm/snapshot.h). Blocks
  /// equal to those of `previous`, an earlier snapshot of this instance, are shared with it. kUsage
  /// while an invocation runs. Cost O(cells in use).
  isa::Result<Snapshot> TakeSnapshot(const Snapshot* previous = nullptr) const;
  /// Makes this instance what the snapshot says; resumable() if an invocation was under way. Errors
  /// are CheckSnapshot's, kLimit when the engine cannot take that many tokens, and kUsage while an
  /// invocation runs; after one the instance is as it was. The weights-only engines start a new
  /// history with the snapshot's cells as its prefix. Cost O(cells), the first time O(code) more.
  isa::Result<void> Restore(const Snapshot& snapshot);
  /// Loads `program` and restores `snapshot`. Errors of Load and Restore.
  static isa::Result<Machine> FromSnapshot(std::shared_ptr<const isa::Program> program,
                                           const Linker& linker, const MachineOptions& options,
                                           const Snapshot& snapshot);
  /// Another instance of the same program in the same state, with copies of the same host
  /// functions, or with those of `linker`. Shares nothing that changes: each goes on by itself, on
  /// its own thread if need be. Errors: kUsage while an invocation runs, kMemory when the system
  /// refuses, and Load's for imports. Cost O(cells in use).
  isa::Result<Machine> Clone() const;
  isa::Result<Machine> Clone(const Linker& linker) const;

  /// Asks the current run to stop; it does within 1,024 steps, with outcome interrupted.
  /// Thread-safe, async-signal-safe. A request never reaches a later run: one that is made, or
  /// seen, when its run is over is dropped.
  void Interrupt(InterruptReason reason);
  /// The same for the run of a number: in progress, or the next one, which then stops at its start.
  void Interrupt(std::uint64_t run, InterruptReason reason);
  /// Number of the run in progress or, between runs, of the last one: every RunInit, Call, CallStub
  /// and Resume counts one. Thread-safe.
  std::uint64_t run_number() const;

  /// What host functions get as HostContext::embedder from now on.
  void SetEmbedder(void* embedder);

  /// The program as it is now: one that grows (isa/growth.h) has more functions after a run.
  const isa::Program& program() const;
  std::shared_ptr<const isa::Program> shared_program() const;
  EngineKind engine() const;
  /// Why another engine than engine() makes a run with these options, in words for a person; empty:
  /// none does.
  std::string_view Substitute(const RunOptions& options) const;
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
  /// Whether the digest covers every step of the invocation so far.
  bool has_digest() const;
  /// Registers, frames, locals: what a debugger shows of a stopped run.
  const State& state() const;
  /// Where the stopped run, or the one that is in a host call, is: ip, then the CALL of every frame
  /// outwards; at most `most` of them. Cost O(most).
  std::vector<std::uint32_t> Backtrace(std::size_t most) const;

 private:
  struct Impl;
  explicit Machine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The entry `txvm run` uses: the export `requested`, whose name may be empty, else `_start`,
/// `main`, the only exported function without params. A program with neither exports nor a request
/// runs from program.entry: nullptr is returned. kUsage lists the exports when there is no choice.
isa::Result<const isa::Export*> ChooseEntry(const isa::Program& program,
                                            const std::optional<std::string>& requested);

/// The export `_initialize` of a WASI library (a "reactor"), which `txvm run` calls between the
/// init stub and `entry`. nullptr: there is none without params and results, it is `entry` itself,
/// or the program has `_start`, which initialises by itself.
const isa::Export* FindInitializer(const isa::Program& program, const isa::Export* entry);

}  // namespace txvm::vm
