// txvm asm, disasm and compile: one program written in another format.
#pragma once

#include <string>

#include "frontends/cli/input.h"

namespace txvm::frontends::cli {

/// Writes `program` to `path` as .txa text when the path ends in .txa (or `as` says so), else as a
/// .txp file. Errors: those of WriteProgram and WriteFile.
isa::Result<void> WriteProgramAs(const isa::Program& program, const std::string& path, Format as);

/// The path with its extension replaced: "a/b.wat" -> "a/b.txp"; "-" -> "a.txp".
std::string WithExtension(const std::string& path, Format format);

}  // namespace txvm::frontends::cli
