// --link: libraries of a WebAssembly module.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontends/cli/program/input.h"
#include "frontends/cli/run/import_option.h"
#include "frontends/wasm/module.h"
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

/// Reads a .wat or .wasm module. Errors: the reader's, with the file.
isa::Result<wat::Module> ReadSourceModule(const Source& source);

/// Loads a program; with libraries, links it to them: all become one program with one memory.
/// Memories, tables and globals that nobody provides are made as `imports` say. Errors:
/// LoadInput's; kUsage for a file that is no .wat or .wasm, or a rule that does not suit; those of
/// LinkModules.
isa::Result<std::shared_ptr<const isa::Program>> LoadLinked(const std::string& path,
                                                            const InputOptions& input,
                                                            const std::vector<Library>& libraries,
                                                            const ImportOptions& imports = {});

/// The same of a program that was read.
isa::Result<std::shared_ptr<const isa::Program>> LinkSource(const Source& source,
                                                            const InputOptions& input,
                                                            const std::vector<Library>& libraries,
                                                            const ImportOptions& imports);

}  // namespace txvm::frontends::cli
