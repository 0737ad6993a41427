// Functions that compilers import without being asked: AssemblyScript's and Emscripten's.
#pragma once

#include <optional>
#include <string>

#include "frontends/imports/answers.h"
#include "isa/program.h"
#include "vm/host.h"

namespace txvm::frontends::imports {

/// A function that a compiler imports.
struct CompilerFunction {
  vm::HostFunction function;
  std::string what;                 // "is AssemblyScript's: it traps with its message"
  bool use_time_or_chance = false;  // it reads a clock or random numbers
};

/// What answers `import`, when it is such a function with the types that its compiler gives it.
/// O(number of such functions).
std::optional<CompilerFunction> FindCompilerFunction(const isa::Import& import,
                                                     const Surroundings& surroundings);

}  // namespace txvm::frontends::imports
