// The part of the embedding interface that differs between the libraries: libtxvm.a reads
// WebAssembly (wasm_reader.cc), libtxvm_core.so does not (no_wasm_reader.cc).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/program.h"
#include "vm/capi/handles.h"

namespace txvm::frontends::capi {

/// A program, and the globals its source names.
struct ReadProgram {
  isa::Program program;
  std::vector<vm::capi::NamedGlobal> globals;
};

/// Reads a module in text (`is_text`) or binary form. Errors: those of frontends/wat/load.h, or
/// kUnsupported where this library has no reader.
isa::Result<ReadProgram> ReadWasm(std::span<const std::uint8_t> bytes, bool is_text,
                                  std::string_view name);

}  // namespace txvm::frontends::capi
