// Finds the programs that turn C into WebAssembly.
#pragma once

#include <string>

#include "isa/support/result.h"

namespace txvm::frontends::c {

inline constexpr int kOldestClang = 14;  // what Debian 12 has; older ones name main differently
inline constexpr int kNewestClang = 22;  // the newest versioned name that is looked for

/// Paths of the tools.
struct Toolchain {
  std::string clang;     // version kOldestClang or later
  std::string linker;    // wasm-ld
  std::string wasm_opt;  // of binaryen; empty when there is none
};

/// Looks on PATH for clang (then clang-22 ... clang-14), the wasm-ld of the same version (then any)
/// and wasm-opt. Errors: kHost, saying what was looked for and what to install.
isa::Result<Toolchain> FindToolchain();

}  // namespace txvm::frontends::c
