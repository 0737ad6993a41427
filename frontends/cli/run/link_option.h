// --link: libraries of a WebAssembly module.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontends/cli/program/input.h"
#include "isa/program.h"
#include "isa/support/result.h"

namespace txvm::frontends::cli {

class Arguments;

/// A module that others import from by its name.
struct Library {
  std::string name, path;
};

/// Adds --link.
void AddLinkOption(Arguments& arguments, std::vector<Library>& libraries);

/// Loads a program; with libraries, links it to them: all become one program with one memory.
/// Errors: LoadInput's; kUsage for a file that is no .wat or .wasm; those of LinkModules.
isa::Result<std::shared_ptr<const isa::Program>> LoadLinked(const std::string& path,
                                                            const InputOptions& input,
                                                            const std::vector<Library>& libraries);

}  // namespace txvm::frontends::cli
