// The one interface of all engines: run from a state until something that is not the engine's to
// decide.
#pragma once

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
#include "vm/state.h"

namespace txvm::vm {

/// Why an engine handed control back.
struct Stop {
  enum class Kind : std::uint8_t { kHalted, kTrapped, kHostCall, kOutOfFuel, kInterrupted };
  Kind kind = Kind::kHalted;
  isa::Trap cause = isa::Trap::kUnreachable;  // kTrapped
  std::string_view detail;                    // kTrapped: which limit; static text

  static constexpr Stop Trapped(isa::Trap cause, std::string_view detail = {}) {
    return {Kind::kTrapped, cause, detail};
  }
  static constexpr Stop Of(Kind kind) { return {kind, isa::Trap::kUnreachable, {}}; }
};

inline constexpr std::string_view kSlotsExhausted = "operand slots";
inline constexpr std::string_view kLocalsExhausted = "locals";
inline constexpr std::string_view kDepthExhausted = "call depth";

/// Watches every step of a run: digest, trace, attention counts. Engines run a separate variant
/// when one is present.
class Observer {
 public:
  Observer(bool digest, TraceSink sink, bool stats)
      : digest_(digest), stats_(stats), sink_(std::move(sink)) {
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
  bool wants_records() const { return digest_ || sink_; }
  Stats& stats() { return counts_; }

 private:
  static constexpr std::size_t kBatch = 4096;
  void Append(const isa::TraceRecord& record);

  bool digest_ = false;
  bool stats_ = false;
  TraceSink sink_;
  std::vector<isa::TraceRecord> batch_;
  Stats counts_;
};

/// How another thread stops a run. `floor` is what the fast loops compare their budget with at
/// every backward jump, call and return, so a request costs them nothing until it is made.
class InterruptFlag {
 public:
  static constexpr std::int64_t kRequested = std::numeric_limits<std::int64_t>::max();

  explicit InterruptFlag(std::int64_t idle_floor) : idle_(idle_floor), floor_(idle_floor) {}
  /// Async-signal-safe.
  void Request(InterruptReason reason) {
    reason_.store(reason, std::memory_order_relaxed);
    floor_.store(kRequested, std::memory_order_release);
  }
  void Clear() {
    floor_.store(idle_, std::memory_order_relaxed);
    reason_.store(InterruptReason::kNone, std::memory_order_relaxed);
  }
  bool requested() const { return floor_.load(std::memory_order_acquire) == kRequested; }
  InterruptReason reason() const { return reason_.load(std::memory_order_relaxed); }
  /// Lowest budget (fuel left + ip) with which a fast loop may go on: the code size, or kRequested.
  const std::atomic<std::int64_t>& floor() const { return floor_; }

 private:
  std::int64_t idle_;
  std::atomic<std::int64_t> floor_;
  std::atomic<InterruptReason> reason_{InterruptReason::kNone};
};

/// What every engine is built from. The references outlive the engine.
struct EngineContext {
  const isa::Program& program;
  const isa::Verified*
      verified;  // nullptr: the program was not accepted, every instruction is checked
  isa::Limits limits;
  const InterruptFlag& interrupt;
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
  /// Keys of a space that can still win a head, for reports.
  virtual std::uint64_t LiveKeys(const State&, Space) const { return 0; }
};

/// Frame-room facts of a program under limits, shared by the engines' fast paths.
struct FrameRoom {
  std::uint32_t largest_frame = 0;  // locals of the largest function
  std::uint32_t tallest = 1;        // slots one more frame can reach, at most
  std::uint32_t safe_depth = 0;  // a CALL below this depth cannot exhaust locals or operand slots
  std::vector<std::uint32_t>
      slot_growth;  // (functions,) slots a function may add above its caller's sp
  static FrameRoom Of(const EngineContext& context);
  /// Whether the function at state.ip can run on without any operand slot check.
  bool Fits(const EngineContext& context, const State& state) const;
  /// Whether a CALL of the function at `target` from here needs no check beyond this one: depth,
  /// locals and the callee's tallest stack are within the limits.
  bool Allows(const EngineContext& context, std::uint32_t target, std::uint32_t sp,
              std::uint64_t callee_base, std::uint32_t depth) const;
};

/// Whether a fast loop, which checks operand slots at CALL only, may go on from a state. Remembers what the state cannot say:
/// whether every function on the call stack fits, or one that does not was entered by the careful loop.
class FastGate {
 public:
  bool Opens(const FrameRoom& room, const EngineContext& context, const State& state) {
    if (state.depth == 0 || state.depth < room.safe_depth) callers_fit_ = true;
    return callers_fit_ && room.Fits(context, state);
  }
  void CarefulLoopRan() { callers_fit_ = false; }

 private:
  bool callers_fit_ = false;
};

std::unique_ptr<Engine> MakeNativeEngine(const EngineContext& context);

}  // namespace txvm::vm
