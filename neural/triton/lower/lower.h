// TIR to TASM: every operation with the meaning the TIR interpreter gives it.
#pragma once

#include "isa/support/result.h"
#include "neural/triton/tasm/program.h"
#include "neural/triton/tir/op.h"

namespace txvm::triton {

/// How to lower.
struct LowerOptions {
  bool peepholes = true;  // the TIR passes before lowering, the TASM rules after it
};

/// Lowers a module. Functions get the label "__name", loops "__name", arms and other deferred
/// bodies "_then_k" and "_else_k", numbered in order. A library becomes functions without an entry.
/// A fragment becomes a straight run without `halt`; with arms or loops it ends in `halt`, and the
/// deferred bodies follow.
/// Deterministic. O(operations).
/// Errors: kInvalid from ValidateTir.
isa::Result<TasmProgram> LowerTir(const TirModule& module, const LowerOptions& options = {});

}  // namespace txvm::triton
