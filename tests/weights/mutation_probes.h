// What a changed weight is looked for with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/random_program.h"
#include "vm/engines/hull_model.h"
#include "vm/state.h"

namespace txvm::vm {

/// A program, how to start it, and how it ends with the weights as they are.
struct Probe {
  isa::Program program;
  isa::Limits limits;
  std::uint32_t start = 0;
  std::vector<Word> args;
  std::uint64_t fuel = 0;
  std::string ending;
};

/// How the probe ends on `model`: outcome, steps, digest, registers, some memory.
std::string Ending(const Probe& probe, std::shared_ptr<const HullModel> model);

/// Programs of one instruction on edge operands, random programs, values that circuits need.
std::vector<Probe> MakeProbes();

/// A hash of what single passes yield from states no short program reaches, such as stacks of 2^24
/// slots: queries, the next state, the tokens written.
std::uint64_t PassDigest(std::shared_ptr<const HullModel> model, int passes);

}  // namespace txvm::vm
