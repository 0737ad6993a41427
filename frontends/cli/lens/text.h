// The lens for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/nl/lens/lens.h"
#include "frontends/nl/lens/study.h"
#include "frontends/nl/lens/suffix.h"

namespace txvm::frontends::cli {

/// One question, layer by layer.
std::string LensText(const nl::LensReport& report);

/// The layers of a model over many questions. `probe`: whether one was trained; else there is no
/// column for it.
std::string LensTableText(const nl::LensTable& table, bool probe);

/// The arms of the suffix study: routes, then the original's prompts.
std::string SuffixText(const std::vector<nl::SuffixArmReport>& arms);

/// How many updates a finished training took in all. When an earlier call made some of them, the
/// text also says how many.
std::string UpdatesText(std::uint64_t all, std::uint64_t of_this_call);

}  // namespace txvm::frontends::cli
