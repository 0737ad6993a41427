// The page that shows a run, as part of `txvm`.
#pragma once

#include <string_view>

namespace txvm::frontends::cli {

/// A file of the folder page/, by its path from frontends/cli/; empty for other names.
std::string_view PageFile(std::string_view name);

}  // namespace txvm::frontends::cli
