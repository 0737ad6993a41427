// Tries something that may abort the process in a process of its own.
#pragma once

#include <functional>

#include "isa/result.h"

namespace txvm::frontends::wat {

/// Runs `work` in a child process. True when it returned, false when a signal ended it. The child
/// says nothing and leaves no core file. Errors: kInternal when no child could be made. About 0.5
/// ms.
isa::Result<bool> SurvivesInChild(const std::function<void()>& work);

}  // namespace txvm::frontends::wat
