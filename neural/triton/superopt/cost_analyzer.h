// What a TIR program costs without running it, and with the inputs it declares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/superopt/program.h"
#include "neural/triton/tasm/op.h"
#include "neural/triton/tir/op.h"

namespace txvm::triton {

/// Rows of the nine tables, estimated: executed instructions of the lowering with every loop run
/// its declared bound and the dearer arm of every branch; u32 operations at their worst (33 rows),
/// none repeated; hashing of the program included; 80 cascade rows per permutation up to 65,536.
struct StaticCost {
  TasmHeights heights;
  TasmCost cost;
  Seed6 seed6{};                       // the six-table view along the same path
  std::vector<std::string> unbounded;  // loops without bound=, counted once
  bool recursive = false;              // a function calls itself: the inner call counts nothing
};

/// The static cost of a TIR program or fragment, after lowering with the peepholes.
/// Sums saturate at 2^63. Errors: kInvalid from ValidateTir.
isa::Result<StaticCost> AnalyzeCost(const TirModule& module);

/// How often a straight run of a TASM program ran, summed over its declared inputs.
struct RunWeight {
  std::size_t start = 0;  // first instruction
  std::size_t length = 0;
  std::uint64_t executions = 0;
};

/// The straight runs of a program, those with the most executed instructions first. Errors: as
/// TasmMachine.
isa::Result<std::vector<RunWeight>> ProfileRuns(const TasmProgram& program,
                                                const std::vector<TirInputs>& inputs);

}  // namespace txvm::triton
