// The model run slowly and exactly: integer sums, every token scored by every head. The oracle of
// every faster way to run it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "isa/trace.h"
#include "isa/trap.h"
#include "weights/model.h"

namespace txvm::weights {

/// What one forward pass of a state token yields.
struct PassOutput {
  StateRecord state{};
  std::array<MemoryRecord, kWriteTokens> writes{};  // IsEmpty where nothing is written
};

/// How one head chose; for `txvm explain` and tests.
struct HeadChoice {
  HeadId id = HeadId::kFetch;
  std::array<std::int64_t, kScoreSize> query{};
  std::int64_t score = 0;      // of the winner
  std::int64_t runner_up = 0;  // best score of another key; equal to score when there is none
  std::size_t token = 0;       // index of the winner in the history
};

/// A history of memory tokens and the forward pass of a state token over it.
class ReferenceModel {
 public:
  /// REQUIRES: CheckModel(model) holds, and `model` outlives this.
  explicit ReferenceModel(const Model& model);

  /// Adds a token at the end of the history. O(heads).
  void Append(const MemoryRecord& record);
  std::span<const MemoryRecord> history() const { return history_; }
  const Model& model() const { return model_; }

  /// One pass. The history must not be empty. Cost O(non-zeros + tokens * heads); allocates.
  /// Exact: sums are 64-bit.
  PassOutput Forward(const StateRecord& state);

  /// Choices of the last pass, in the order of layers and heads.
  std::span<const HeadChoice> choices() const { return choices_; }
  /// The residual vector after the last pass, (d_model,).
  std::span<const std::int64_t> residual() const { return residual_; }
  /// The largest sum |w x| + |b| of any row so far: below 2^24 means float32 was exact too.
  std::int64_t largest_row() const { return largest_row_; }

 private:
  std::vector<std::int64_t> Apply(const SparseMatrix& matrix, std::span<const std::int32_t> bias,
                                  std::span<const std::int64_t> x);
  void Attend(const ModelHead& head, std::size_t index);
  void FeedForwardStep(const FeedForward& ffn);

  const Model& model_;
  std::vector<const ModelHead*> heads_;  // all heads, in order
  std::vector<MemoryRecord> history_;
  std::vector<std::vector<std::array<std::int64_t, kScoreSize>>> keys_;  // [head][token]
  std::vector<std::int64_t> residual_;
  std::vector<HeadChoice> choices_;
  std::int64_t largest_row_ = 0;
};

/// Passes an instruction may take: a division needs 34. Only edited weights go beyond.
inline constexpr std::uint32_t kMaxPasses = 64;

/// How a run of the model ended.
struct ModelRun {
  enum class Stop : std::uint8_t { kHalted, kTrapped, kHost, kFuel };
  Stop stop = Stop::kFuel;
  std::optional<isa::Trap> cause;  // set iff kTrapped
  StateRecord state{};             // the last one
  std::uint64_t steps = 0;         // instructions
  std::uint64_t passes = 0;        // forward passes: steps and micro-steps
  std::uint64_t digest = isa::kDigestSeed;
};

/// Runs from `state` until it stops, calls a host function, or has taken `fuel` steps. Between one
/// pass and the next it copies the records and reads stopped, host, counted and micro, nothing
/// else. trace (may be empty) receives each step. Traps as unsupported when an instruction takes
/// more than kMaxPasses, or is counted and goes on: else neither fuel nor anything would end it.
ModelRun RunReference(ReferenceModel& model, const StateRecord& state, std::uint64_t fuel,
                      const std::function<void(const isa::TraceRecord&)>& trace = {});

/// The record of the step from state `before` to `after`.
isa::TraceRecord RecordOf(const StateRecord& before, const StateRecord& after, std::uint64_t step);

}  // namespace txvm::weights
