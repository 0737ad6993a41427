// The lens as JSON: one object each.
#pragma once

#include <string>
#include <vector>

#include "frontends/nl/lens/lens.h"
#include "frontends/nl/lens/study.h"
#include "frontends/nl/lens/suffix.h"

namespace txvm::frontends::cli {

/// One question, layer by layer.
std::string LensJson(const nl::LensReport& report);

/// The layers of a model over many questions. `probe`: whether one was trained; else null stands
/// for what it would say.
std::string LensTableJson(const nl::LensTable& table, bool probe);

/// The arms of the suffix study: routes, then the original's prompts.
std::string SuffixJson(const std::vector<nl::SuffixArmReport>& arms);

}  // namespace txvm::frontends::cli
