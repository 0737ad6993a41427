// Runs random modules that import from each other on WABT's interpreter and on txvm.
#pragma once

#include <cstdint>
#include <string>

#include "tests/frontends/wat/compare_wabt.h"

namespace txvm::tests {

/// Compares the two or three modules of `seed`, first as a script whose expectations are what WABT
/// did: every instantiation and several calls of any of them in a row; after each of these, numbers
/// made of all globals, tables and bytes, as every module sees them; at last a call of every
/// element of the tables that the last one sees. The engine is attention for two of three seeds,
/// else native; every other seed is not optimised. Then, where only the last module is called, as
/// one linked program, in the same way. Returns the first difference in words with the script,
/// empty when there is none.
std::string CompareLinked(std::uint64_t seed, WasmCoverage& coverage);

}  // namespace txvm::tests
