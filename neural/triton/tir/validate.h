// Static stack effects of TIR: what each function needs, what it leaves, and that every path
// agrees.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "isa/support/result.h"
#include "neural/triton/tir/op.h"

namespace txvm::triton {

/// What a run of operations does to the stack, in words.
struct StackEffect {
  std::int64_t needs = 0;  // least depth at its start so that nothing below the stack is touched
  std::int64_t net = 0;    // depth at the end minus depth at the start
  bool ends = true;        // false: control never gets past it (halt, endless recursion)

  bool operator==(const StackEffect&) const = default;
};

/// The effect of one operation by itself. An operation that runs other code (call, if_else,
/// if_only, asm, proof_block) counts as nothing.
StackEffect OwnEffect(const TirOp& op);

/// Parses the lines of an asm operation: straight-line TASM only (no labels and no control), with
/// the net effect that the operation declares.
/// Errors: kInvalid.
isa::Result<StackEffect> CheckAsm(const TirOp& op);

/// What validation found out about a module.
struct TirSummary {
  enum class Kind : std::uint8_t {
    kProgram,   // has an entry: can run
    kLibrary,   // functions without an entry
    kFragment,  // operations without functions: one block
  };
  Kind kind = Kind::kFragment;
  std::map<std::string, StackEffect, std::less<>> effects;  // by function or loop name
  StackEffect fragment;                                     // of a kFragment module
};

/// Checks a module: labels exist once, arms agree, every path of a function leaves the same depth,
/// loops keep the depth, `return` stands directly in a function or loop body, the entry needs
/// nothing. Cost O(operations) times the depth of mutual recursion, at most 64 rounds. Errors:
/// kInvalid with line and column of the operation.
isa::Result<TirSummary> ValidateTir(const TirModule& module);

}  // namespace txvm::triton
