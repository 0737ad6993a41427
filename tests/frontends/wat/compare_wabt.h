// Runs a random module on WABT's interpreter and on txvm, every engine and lowering.
#pragma once

#include <cstdint>
#include <string>

namespace txvm::tests {

/// What comparing one module exercised.
struct WasmCoverage {
  std::uint64_t calls = 0, halted = 0, trapped = 0;
  std::uint64_t steps = 0;  // of the native engine, optimised
};

/// Compares the module of `seed`: results or trap of several calls in a row, globals and memory
/// after each, on both engines, with and without optimisation; engines also by trace digest.
/// `references`: the module has references, several tables and segments of each mode, and runs
/// either optimised or not. The elements of its tables are compared, and called, at the end.
/// Returns the first difference in words with the module's text, empty when there is none.
std::string CompareWithWabt(std::uint64_t seed, WasmCoverage& coverage, bool references = false);
/// The same with vectors and no references.
std::string CompareVectors(std::uint64_t seed, WasmCoverage& coverage);

}  // namespace txvm::tests
