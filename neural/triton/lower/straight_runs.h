// Straight runs of a TASM program: the pieces that may be rewritten without looking at control.
#pragma once

#include <cstddef>
#include <vector>

#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// Instructions [start, start + length): straight-line, entered only at `start`, and none of them
/// skipped by a skiz.
struct StraightRun {
  std::size_t start = 0;
  std::size_t length = 0;
};

/// All maximal runs of at least one instruction, in order.
std::vector<StraightRun> StraightRuns(const TasmProgram& program);

/// The instructions of a run.
std::vector<TasmInstruction> RunCode(const TasmProgram& program, const StraightRun& run);

/// The program with every run replaced. Labels follow their instruction. An error_id of a run moves
/// to the assertion of its replacement that checks the same words. It is dropped where there is
/// none, and in runs of more than 4,096 instructions or SymbolicWorld::kMostWork. Source lines are
/// dropped.
/// REQUIRES runs == StraightRuns(program) and one replacement per run.
TasmProgram ReplaceRuns(const TasmProgram& program, const std::vector<StraightRun>& runs,
                        const std::vector<std::vector<TasmInstruction>>& replacements);

}  // namespace txvm::triton
