// The reference interpreter of TIR: it defines what a module means.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/tir/op.h"
#include "neural/triton/tir/world.h"

namespace txvm::triton {

/// Limits of a run; past them the run stops with kStepLimit or kOutOfMemory.
struct TirRunLimits {
  std::uint64_t steps = 100'000'000;  // operations
  std::size_t stack_words = std::size_t{1} << 22;
  std::size_t call_depth = std::size_t{1} << 20;  // frames, arms included
};

/// What a run did.
struct TirRun {
  std::vector<std::uint64_t> output;  // also what was written before a fault
  Fault fault = Fault::kNone;         // kNone: the program halted, or the fragment ended
  std::uint64_t steps = 0;            // operations executed
  std::vector<std::uint64_t> stack;   // bottom first, as the run left it
  std::unordered_map<std::uint64_t, std::uint64_t> ram;
  std::uint32_t line = 0;  // source line of the operation that failed, 0 when unknown
};

/// Runs a program from its entry with an empty stack, or a fragment on `stack` (bottom first).
/// Deterministic. A fragment that takes more words than `stack` has stops with kShallow.
/// Errors: kInvalid from ValidateTir, or for a library, which has nothing to run.
isa::Result<TirRun> RunTir(const TirModule& module, const TirInputs& inputs,
                           const std::vector<std::uint64_t>& stack = {},
                           const TirRunLimits& limits = {});

}  // namespace txvm::triton
