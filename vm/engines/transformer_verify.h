// Checks a recorded run with the dense weights, many passes at a time.
//
// Recording keeps each pass's state token, how long the history was, and which token each head
// found (the hull engine's index). Checking redoes every pass as part of a batched product. A
// recorded read is accepted only with its certificate: the winner's key is the query and no later
// token before the pass has the same key; or no token before the pass has the query as its key.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vm/engine.h"
#include "vm/engines/hull_model.h"
#include "vm/engines/transformer_model.h"

namespace txvm::vm {

/// One forward pass of a recorded run.
struct RecordedPass {
  std::array<std::uint8_t, weights::state_field::kCount> state;  // fields of the state token
  std::array<std::uint32_t, weights::kHeadCount> winners;  // token each head found, by head id
  std::uint32_t tokens;                                    // history before the pass
};

/// A run from its first state; passes[i + 1].state is what pass i yields. The last element is the
/// last state, not a pass.
struct RecordedRun {
  std::vector<HullToken> tokens;
  std::vector<RecordedPass> passes;
  std::uint64_t steps = 0;
};

/// Runs `state` on CompiledHullModel for at most `fuel` steps, to a stop or a host call, and
/// records it. About 120 bytes a pass and 16 a token. REQUIRES: a verified program.
RecordedRun RecordRun(const EngineContext& context, State& state, std::uint64_t fuel);

/// What checking found.
struct VerifyReport {
  std::uint64_t passes = 0, steps = 0;  // checked
  std::uint64_t wrong = 0;              // passes that yield something else, or a read without proof
  std::string first_fault;              // empty when there is none
};

/// Redoes every pass with `model`, on `threads` threads. Deterministic but for first_fault, which
/// is that of the earliest faulty batch.
VerifyReport VerifyRun(const TransformerModel& model, const RecordedRun& run, unsigned threads);

}  // namespace txvm::vm
