// Runs programs on the reference model, for the tests of this folder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/support/random_program.h"
#include "weights/reference.h"

namespace txvm::weights {

/// The compiled model, built once.
const Model& TheModel();

/// A run of the reference model and what it left.
struct Trial {
  ModelRun run;
  std::vector<std::uint32_t> stack;  // read back from the last write to each slot
  std::int64_t largest_row = 0;
  std::string fault;  // the first lane that left its declared range; empty when none did
};

/// Runs a case for at most `fuel` steps, checking every lane after every pass. model: a folded one
/// starts without code tokens.
Trial RunOnModel(const support::RandomCase& random_case, std::uint64_t fuel,
                 const Model& model = TheModel());

/// A case that runs `code` from instruction 0 with `args` on the stack.
support::RandomCase CaseOf(std::vector<isa::Instruction> code, std::vector<std::uint32_t> args,
                           std::uint32_t pages = 0);

}  // namespace txvm::weights
