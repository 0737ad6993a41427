// Where txvm keeps what it learns for one user.
#pragma once

#include <string>

#include "isa/support/result.h"

namespace txvm::isa {

/// $TXVM_DATA_DIR, else $XDG_DATA_HOME/txvm, else $HOME/.local/share/txvm; it may not exist yet. An
/// environment variable that is empty counts as unset. Errors: kHost when none of them is set.
Result<std::string> UserFolder();

}  // namespace txvm::isa
