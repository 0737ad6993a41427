// Proof of whole programs with loops: equal control, straight runs proved one by one.
#pragma once

#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// True when both programs have the same control instructions in the same order, with calls to
/// corresponding places, and every straight run between them is proved equal to its counterpart
/// (ProveStraight with the height known there), and neither can see its own digest. Then they are
/// equivalent, whatever their loops do: at each control instruction both are in the same state.
bool SameSkeletonProved(const TasmProgram& first, const TasmProgram& second);

}  // namespace txvm::triton
