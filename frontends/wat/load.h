// WebAssembly modules in text form as programs of this machine; those in binary form: wasm/load.h.
#pragma once

#include <string_view>

#include "frontends/wasm/load.h"
#include "isa/program.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// Parses, validates and lowers a module in text form. `file` names it in errors and in
/// Program::source. Errors: kSyntax (with its place, line and caret), kInvalid (validation), kLimit
/// (size, nesting, locals), and those of LowerModule.
/// Starts no process and no thread; nesting costs heap. Cost O(text + code). Thread-safe.
isa::Result<isa::Program> LoadWat(std::string_view text, std::string_view file,
                                  const LoadOptions& options = {});

}  // namespace txvm::frontends::wat
