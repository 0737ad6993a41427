// The part of the embedding interface that differs between the libraries: libtxvm.a reads
// WebAssembly text (wat_reader.cc), libtxvm_core.so does not (no_wat_reader.cc).
#pragma once

#include <string_view>

#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::capi {

/// Reads a module in text form. Errors: those of wat::ReadText, or kUnsupported where this library
/// has no reader.
isa::Result<wat::Module> ReadWat(std::string_view text, std::string_view name);

}  // namespace txvm::frontends::capi
