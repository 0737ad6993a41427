// What this build is.
#pragma once

#include <string>

namespace txvm::frontends::cli {

/// "txvm 0.2.0 (Release, GNU 12.2.0)" and the engines, one line each.
std::string VersionText();

}  // namespace txvm::frontends::cli
