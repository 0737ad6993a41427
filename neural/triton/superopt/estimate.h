// A state of the search for schedules, and an estimate of the work that is left from it. Internal
// to superopt.
#pragma once

#include <cstdint>
#include <vector>

#include "neural/triton/superopt/guide.h"
#include "neural/triton/superopt/model.h"

namespace txvm::triton {

/// No trace: the state is the start.
inline constexpr std::uint32_t kNoTrace = 0xFFFF'FFFF;

/// How far a schedule has come.
struct SearchState {
  std::vector<Value> stack;  // bottom first
  std::uint16_t inputs = 0, secrets = 0, outputs = 0, stores = 0, events = 0;
  std::uint64_t checks = 0;
  std::uint32_t parent = kNoTrace;  // index of its trace
  std::uint32_t advice = 0;         // sum of the guide's costs so far
  std::uint32_t score = 0;
};

/// A lower estimate of the instructions that a state still needs, done in the usual ways.
class Estimator {
 public:
  /// REQUIRES that the model outlives this.
  explicit Estimator(const BlockModel& model);

  /// The estimate. The functions below are about the last state counted.
  std::uint32_t Count(const SearchState& state);

  /// Uses of a value: words of it that the rest of the run takes or leaves. Copies: words of it
  /// that are there, or are sure to come. Wanted: there are more uses than copies. Surplus: fewer.
  bool Wanted(Value value) const { return uses_[value] > copies_[value]; }
  bool Surplus(Value value) const { return copies_[value] > uses_[value]; }
  /// Whether an operation of the model must still run.
  bool Needed(std::size_t operation) const { return done_[operation]; }
  /// The state for a guide; `left` is the result of Count.
  GuidedState View(const SearchState& state, std::size_t left) const {
    return {state.stack,   uses_,         copies_,      done_,        state.inputs,
            state.secrets, state.outputs, state.stores, state.events, left};
  }
  /// Whether the estimate is a lower bound: it assumed nothing about checks and loads.
  bool IsBound() const { return is_bound_; }

 private:
  void Use(Value value) {
    if (++uses_[value] == 1) work_.push_back(value);
  }
  void Perform(std::size_t index, std::uint32_t& cost);
  std::uint32_t MissingOperations(const SearchState& state);
  void PerformWanted(std::uint32_t& cost, std::uint32_t& loads);
  std::uint32_t Balance() const;

  const BlockModel& model_;
  std::vector<std::uint16_t> uses_;
  std::vector<std::uint16_t> copies_;
  std::vector<bool> done_;  // by operation: counted as one that must still run
  std::vector<Value> work_;
  bool loads_known_ = false;  // some load brings a word with another source
  bool is_bound_ = true;
};

}  // namespace txvm::triton
