// Random C programs without undefined behaviour, for comparison with another compiler.
#pragma once

#include <cstdint>
#include <string>

namespace txvm::tests {

/// One source of `programs` independent random programs and a main that runs each and prints a
/// 64-bit checksum of its results: `seed` names the first, seed + 1 the second and so on, whatever
/// the batch. They use integers of 8 to 64 bits, arrays, pointers, structures, loops, switches,
/// recursion, function pointers and the string functions, and terminate within about 10^4
/// operations.
std::string RandomC(std::uint64_t seed, int programs);

}  // namespace txvm::tests
