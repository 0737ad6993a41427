// Random C programs with floats and without undefined behaviour, for comparison with another
// compiler.
#pragma once

#include <cstdint>
#include <string>

namespace txvm::tests {

/// What else the programs do.
struct FloatOptions {
  bool texts = false;  // random_text_c.h
  bool jumps = false;  // random_jump_c.h
};

/// One source of `programs` independent random programs, as RandomC has them, on float and double:
/// arithmetic, comparisons, conversions from and to integers of 32 and 64 bits, the builtins that
/// are one instruction of WebAssembly, arrays, structures, loops and calls. A NaN counts as one
/// value: C does not say which bits it has.
std::string RandomFloatC(std::uint64_t seed, int programs, const FloatOptions& options = {});

}  // namespace txvm::tests
