// Random i32 modules as provable code against the native engine.
#pragma once

#include <cstdint>
#include <string>

namespace txvm::tests {

/// What a run of random functions met.
struct ProvableCoverage {
  std::uint64_t functions = 0;
  std::uint64_t calls = 0;
  std::uint64_t trapped = 0;
  std::uint64_t cycles = 0;  // of the TASM machine
  std::uint64_t in_ram = 0;  // functions whose program keeps locals in RAM
  std::uint64_t saving = 0;  // functions whose program saves them on recursion
};

/// Compares every function of the module of a seed, each with a few calls: empty, or the
/// difference, the call and the module. Every second seed has many locals; one in eight starts on
/// random RAM and so clears its memory first.
std::string CompareRandomModule(std::uint64_t seed, ProvableCoverage& coverage);

}  // namespace txvm::tests
