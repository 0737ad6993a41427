// The one interface of all engines: run from a state until something that is not the engine's to
// decide.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "isa/limits.h"
#include "isa/program.h"
#include "isa/trace.h"
#include "isa/verify.h"
#include "vm/machine.h"
#include "vm/outcome.h"
#include "vm/shared_tables.h"
#include "vm/state.h"

namespace txvm::vm {

/// Why an engine handed control back. Two words, so that it travels in registers: a run of a few
/// steps hands on several.
struct Stop {
  enum class Kind : std::uint8_t { kHalted, kTrapped, kHostCall, kOutOfFuel, kInterrupted };
  Kind kind = Kind::kHalted;
  isa::Trap cause = isa::Trap::kUnreachable;  // kTrapped
  const char* detail = "";                    // kTrapped: which limit; static text

  static constexpr Stop Trapped(isa::Trap cause, const char* detail = "") {
    return {Kind::kTrapped, cause, detail};
  }
  static constexpr Stop Of(Kind kind) { return {kind, isa::Trap::kUnreachable, ""}; }
};
static_assert(sizeof(Stop) <= 16);

inline constexpr const char* kSlotsExhausted = "operand slots";
inline constexpr const char* kLocalsExhausted = "locals";
inline constexpr const char* kDepthExhausted = "call depth";

/// Watches every step of a run: digest, trace, attention counts. Engines run a separate variant
/// when one is present.
class Observer {
 public:
  Observer(bool digest, TraceSink sink, bool stats, HeadSink heads = {})
      : digest_(digest), stats_(stats), sink_(std::move(sink)), heads_(std::move(heads)) {
    if (sink_) batch_.reserve(kBatch);
  }

  /// One executed instruction: sp and top after it (before it, if it trapped). Advances
  /// state.digest.
  void Record(State& state, std::uint64_t step, std::uint32_t ip, isa::Instruction instruction,
              std::uint32_t sp, Word top) {
    if (digest_) state.digest = isa::ExtendDigest(state.digest, ip, instruction, sp, top);
    if (sink_) Append({step, ip, instruction, sp, top});
  }
  void Flush();
  bool wants_stats() const { return stats_; }
  bool wants_heads() const { return static_cast<bool>(heads_); }
  /// One head, evaluated. REQUIRES: wants_heads().
  void Report(const HeadReading& reading) { heads_(reading); }
  bool wants_records() const { return digest_ || sink_; }
  Stats& stats() { return counts_; }

 private:
  static constexpr std::size_t kBatch = 4096;
  void Append(const isa::TraceRecord& record);

  bool digest_ = false;
  bool stats_ = false;
  TraceSink sink_;
  HeadSink heads_;
  std::vector<isa::TraceRecord> batch_;
  Stats counts_;
};

/// How another thread stops a run. `floor` is what the fast loops compare their budget with at
/// every backward jump, jump over a poll, call and return, so a request costs them nothing until it
/// is made. Every run has a number, and a request is for one of them: one that comes too late stops
/// none. All functions but Begin and Confirm are thread-safe and async-signal-safe.
class InterruptFlag {
 public:
  static constexpr std::int64_t kRequested = std::numeric_limits<std::int64_t>::max();

  explicit InterruptFlag(std::int64_t idle_floor) : idle_(idle_floor), floor_(idle_floor) {}

  /// Stops the run in progress; no run, if none is.
  void Request(InterruptReason reason) { Request(run(), reason); }
  /// Stops run `run` if it is in progress, or, if it is the next one, as soon as it starts.
  /// Requests for other runs are forgotten.
  void Request(std::uint64_t run, InterruptReason reason) {
    const std::uint64_t request = run << kReasonBits | static_cast<std::uint64_t>(reason);
    std::atomic<std::uint64_t>& slot = request_[run % 2];
    std::uint64_t held = slot.load();
    do {
      if (run > this->run() + 1 || held >> kReasonBits > run) return;
    } while (!slot.compare_exchange_weak(held, request));
    floor_.store(kRequested);
  }
  bool requested() const { return floor_.load(std::memory_order_acquire) == kRequested; }
  InterruptReason reason() const {
    return static_cast<InterruptReason>(request_[run() % 2].load() & ((1u << kReasonBits) - 1));
  }
  /// Number of the run in progress, or of the last one; 0 before the first.
  std::uint64_t run() const { return run_.load(); }
  /// Lowest budget (fuel left + ip) with which a fast loop may go on: the code size, or kRequested.
  const std::atomic<std::int64_t>& floor() const { return floor_; }

  /// A run begins: takes the next number. The running thread's.
  void Begin() {
    const std::uint64_t number = run_.load(std::memory_order_relaxed) + 1;
    run_.store(number, std::memory_order_release);
    // Nothing is written where nothing was asked for, as a write that others see at once takes as
    // long as the rest of a short run. A request that is not seen here raises the floor later.
    if (floor_.load() == idle_ && request_[number % 2].load() >> kReasonBits != number) return;
    if (!Confirm()) return;
    floor_.store(kRequested);
  }
  /// Whether the request that stopped an engine is for this run. The flag is idle afterwards. A
  /// requester writes the request before the floor, and this reads it after: none is lost.
  bool Confirm() {
    floor_.store(idle_);
    return request_[run() % 2].load() >> kReasonBits == run();
  }

 private:
  static constexpr unsigned kReasonBits = 8;

  std::int64_t idle_;
  std::atomic<std::int64_t> floor_;
  std::atomic<std::uint64_t> run_{0};
  // run << kReasonBits | reason, of the run in progress and of the next one: the even and the odd.
  std::atomic<std::uint64_t> request_[2] = {0, 0};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// What every engine is built from. The references outlive the engine.
struct EngineContext {
  const isa::Program& program;
  const isa::Verified*
      verified;  // nullptr: the program was not accepted, every instruction is checked
  isa::Limits limits;
  const InterruptFlag& interrupt;
  SharedTables* tables = nullptr;         // of the program's instances; nullptr: nothing is shared
  const weights::Model* model = nullptr;  // what hull and transformer run on; nullptr: the compiled
  bool fold_at_first_call = false;        // MachineOptions
};

/// An engine for one program. Not thread-safe.
class Engine {
 public:
  virtual ~Engine() = default;
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Executes at most `fuel` steps from `state` on, and updates it. On kHostCall, state.ip is the
  /// unexecuted CALL. On a trap the step is counted and recorded, and state.ip is its instruction.
  /// `observer` may be null.
  virtual Stop Run(State& state, std::uint64_t fuel, Observer* observer) = 0;
  /// The same, unobserved, but may stop as out of fuel with fuel left once it has made `enough`
  /// steps: soon after, where that costs least.
  virtual Stop RunSome(State& state, std::uint64_t fuel, std::uint64_t enough) {
    return Run(state, std::min(fuel, enough), nullptr);
  }
  /// The state is another than the one Run left: forgets what was remembered of that. False: it
  /// cannot, a new engine is to take over.
  virtual bool Forget() { return false; }
  /// Why another engine makes the run, in words for a person; empty: none does. `observed`: a run
  /// with digest, trace, stats or a hook before its steps.
  virtual std::string_view Substitute(bool observed) const {
    static_cast<void>(observed);
    return {};
  }
  /// Keys of a space that can still win a head, for reports.
  virtual std::uint64_t LiveKeys(const State&, Space) const { return 0; }
};

/// How far the functions of a program reach, without regard to limits.
struct FrameFacts {
  std::uint32_t largest_frame = 0;         // locals of the largest function
  std::uint32_t most_growth = 1;           // the largest of slot_growth, or 1
  std::uint32_t most_height = 1;           // slots of the tallest function, or 1
  std::vector<std::uint32_t> slot_growth;  // (functions,) slots added above the caller's sp
};

/// Frame-room facts of a program under limits, shared by the engines' fast paths.
struct FrameRoom {
  std::uint32_t largest_frame = 0;  // locals of the largest function
  std::uint32_t tallest = 1;        // slots one more frame can reach, at most
  std::uint32_t safe_depth = 0;  // a CALL below this depth cannot exhaust locals or operand slots
  std::shared_ptr<const FrameFacts> facts;
  static FrameRoom Of(const EngineContext& context);
  /// Whether a CALL of the function at `target` from here needs no check beyond this one: depth,
  /// locals and the callee's tallest stack are within the limits.
  bool Allows(const EngineContext& context, std::uint32_t target, std::uint32_t sp,
              std::uint64_t callee_base, std::uint32_t depth) const;
};

/// Whether a fast loop, which checks operand slots at CALL only, may go on from a state. Remembers
/// what the state cannot say: whether every function on the call stack fits, or one that does not
/// was entered by the careful loop.
class FastGate {
 public:
  bool Opens(const FrameRoom& room, const EngineContext& context, const State& state) {
    if (function_ == nullptr || state.ip < function_->first || state.ip > function_->last) {
      function_ = context.program.FunctionAt(state.ip);
      if (function_ == nullptr) return false;
      const auto f = static_cast<std::size_t>(function_ - context.program.functions.data());
      height_ = context.verified->max_height[f];
    }
    return Opens(room, context, state, height_);
  }
  /// The same where the function at state.ip is known to be `height` slots tall.
  bool Opens(const FrameRoom& room, const EngineContext& context, const State& state,
             std::uint32_t height) {
    if (state.depth == 0 || state.depth < room.safe_depth) callers_fit_ = true;
    return callers_fit_ && std::uint64_t{state.sp} + height <= context.limits.max_slots;
  }
  void CarefulLoopRan() { callers_fit_ = false; }

 private:
  bool callers_fit_ = false;
  const isa::Function* function_ = nullptr;  // the last one asked about
  std::uint32_t height_ = 0;                 // of it
};

std::unique_ptr<Engine> MakeNativeEngine(const EngineContext& context);

}  // namespace txvm::vm
