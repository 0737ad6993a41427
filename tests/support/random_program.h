// Random programs for the engine tests: valid by construction from the opcode table, or damaged.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/limits.h"
#include "isa/program.h"
#include "tests/support/random.h"

namespace txvm::support {

/// A program and how to run it.
struct RandomCase {
  isa::Program program;
  isa::Limits limits;
  std::uint32_t start = 0;          // where the run begins
  std::vector<std::uint32_t> args;  // the initial operand stack
  std::uint64_t fuel = 0;           // enough for most, so that no case runs for long
};

/// A program that Verify accepts: every opcode, several functions, calls (recursive ones too), host
/// calls, loops, forward branches, memory in and out of bounds, globals, division by zero, limits
/// from generous to tiny. The same seed gives the same case. Its imports are test_hosts.h's.
RandomCase MakeRandomCase(std::uint64_t seed);

/// Such a program after 1..6 random edits of its code and tables: for what Verify rejects, and for
/// engines that must run it all the same.
RandomCase MakeDamagedCase(std::uint64_t seed);

/// 1..count random edits of the code and tables.
void Damage(isa::Program& program, Random& random, std::uint32_t count);

}  // namespace txvm::support
