// The machine of ISA.md, as short as it can be: what the assembler's tests run programs on, so that
// they depend on no engine. Host calls stop the run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/program.h"

namespace txvm::assembler {

enum class Ending : std::uint8_t { kHalted, kTrapped, kOutOfFuel, kHostCall };

struct SmallRun {
  Ending ending = Ending::kHalted;
  std::uint32_t trap = 0;  // cause
  std::vector<std::uint32_t> stack, globals;
  std::vector<std::uint8_t> memory;
  std::uint64_t steps = 0;
  bool operator==(const SmallRun&) const = default;
};

/// Runs from `start` with the first argument deepest, at most `fuel` steps, calls at most
/// `max_depth` deep.
SmallRun RunSmall(const isa::Program& program, std::uint32_t start,
                  const std::vector<std::uint32_t>& arguments, std::uint64_t fuel = 1'000'000,
                  std::size_t max_depth = 500);

}  // namespace txvm::assembler
