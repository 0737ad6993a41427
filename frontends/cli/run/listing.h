// run --list: what a program imports and exports, with types.
#pragma once

#include <string>

#include "frontends/cli/run/run_options.h"
#include "isa/support/result.h"

namespace txvm::frontends::cli {

/// A table of the imports, the memories, tables and globals, and the exports of settings.path, each
/// with its type, exported functions with a command line; or one JSON object. Of a .wat or .wasm
/// file as it stands, before anything is linked to it or made. Errors: the loader's.
isa::Result<std::string> Listing(const RunSettings& settings, bool is_json);

}  // namespace txvm::frontends::cli
