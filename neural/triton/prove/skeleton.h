// Proof of whole programs with loops: equal control, straight runs proved one by one.
#pragma once

#include <cstdint>

#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// What is compared, and what may be known of its initial stack.
enum class Skeleton : std::uint8_t {
  kProgram,     // programs that start on their own digests
  kSameDigest,  // programs that start on the same words
  kLibrary,     // routines that start on any stack; labels count, as they are where others enter
};

/// True when both programs have the same control instructions in the same order, with calls to
/// corresponding places, and every straight run between them is proved equal to its counterpart
/// (ProveStraight with the height known there), and neither can see its own digest where that
/// counts. Then they are equivalent, whatever their loops do: at each control instruction both are
/// in the same state.
bool SameSkeletonProved(const TasmProgram& first, const TasmProgram& second, Skeleton kind);

}  // namespace txvm::triton
