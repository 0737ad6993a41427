// Random well-typed TIR programs, for differential testing.
#pragma once

#include <cstdint>

#include "neural/triton/field/random_words.h"
#include "neural/triton/tir/op.h"
#include "neural/triton/tir/world.h"

namespace txvm::triton {

/// A program with its inputs. Most programs run to the end; some crash, on purpose.
struct RandomProgram {
  TirModule module;
  TirInputs inputs;
};

/// A valid program with functions, nested arms, counted loops, bounded recursion, RAM, streams,
/// hashing, and functions over more variables than the stack holds (see VariableStack).
RandomProgram RandomTir(TirRng& rng);

/// A valid fragment of about `ops` straight operations on a stack of `depth` words.
TirModule RandomFragment(TirRng& rng, std::size_t ops, std::size_t depth);

}  // namespace txvm::triton
