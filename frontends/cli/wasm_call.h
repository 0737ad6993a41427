// A module that calls itself: for runtimes whose command line cannot pass arguments to an export.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/result.h"
#include "isa/word_ops.h"

namespace txvm::frontends::cli {

/// The binary module `wasm` with one function more, which calls the export `name` with `args` and
/// returns its `results` i32 values; "txvm_call" is its only export. REQUIRES: `wasm` is valid and
/// the export takes args.size() and returns `results` values, all i32. kUnsupported when the
/// sections cannot be read that way.
isa::Result<std::string> WithCall(std::string_view wasm, std::string_view name,
                                  std::span<const isa::Word> args, std::uint32_t results);

}  // namespace txvm::frontends::cli
