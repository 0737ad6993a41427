// Writes large WebAssembly modules, for measuring readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace txvm::bench {

/// A valid module of about `bytes` bytes, the same for a seed everywhere: functions as compilers
/// write them (locals, i32, i64 and f64 arithmetic, loads and stores, blocks, loops, branches,
/// calls, calls through a table), nine tenths of the bytes code and the rest data and names.
std::vector<std::uint8_t> MakeLargeModule(std::size_t bytes, std::uint64_t seed);

}  // namespace txvm::bench
