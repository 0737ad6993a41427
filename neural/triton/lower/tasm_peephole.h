// Peephole rules over straight-line TASM that TIR cannot express: addi, pick, place, constants.
#pragma once

#include <vector>

#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// One rule, by name: before -> after.
enum class TasmRule : std::uint8_t {
  kAddConstant,    // push c; add -> addi c, and addi a; addi b -> addi a+b
  kFoldConstants,  // push a; push b; op -> push, and push a; op -> push, unless op crashes on them
  kCommute,        // swap 1; op -> op, for commutative ops
  kStackNop,       // swap 0, pick 0, place 0, nop, addi 0 -> nothing
  kInverseMoves,   // swap i; swap i, pick i; place i, place i; pick i -> nothing
  kRotation,  // swap 1; swap 2; .. -> pick, .. swap 2; swap 1 -> place, pick 1, place 1 -> swap 1
  kPushPop,   // push or dup before a pop that drops it -> nothing
  kMergeCounts,  // pop a; pop b and divine a; divine b -> batches
  kAssertCopy,   // five times dup 4; assert_vector -> nothing
  kSwapDup,      // dup 0; swap 1 -> dup 0
};
/// The number of rules.
inline constexpr std::size_t kTasmRules = 10;

/// Applies one rule at the first place it matches; true when it did. The code keeps its meaning:
/// same stack, streams, RAM, crashes and least stack length.
bool ApplyTasmRule(TasmRule rule, std::vector<TasmInstruction>& code);

/// All rules on straight-line code until none matches; runs longer than 4096 piece by piece.
/// O(n).
void OptimizeStraight(std::vector<TasmInstruction>& code);

/// OptimizeStraight on every straight run of a program.
TasmProgram OptimizeTasm(const TasmProgram& program);

}  // namespace txvm::triton
