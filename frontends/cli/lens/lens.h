// What `txvm lens` and `txvm train classifier` share: the model they look at, and its tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontends/cli/support/commands.h"
#include "frontends/nl/lens/lens.h"
#include "frontends/nl/lens/study.h"
#include "frontends/nl/lens/suffix.h"
#include "isa/support/result.h"
#include "neural/llm/bundle.h"

namespace txvm::frontends::cli {

/// The model at a path, or the one that comes with txvm if it is empty, with an adapter unless that
/// is empty. kInvalid: no tokenizer; errors of OpenBundle, OpenAdapter and ApplyAdapter.
isa::Result<neural::llm::Bundle> OpenLensModel(const std::string& path, const std::string& adapter);

/// One question, layer by layer, for people and as one JSON object.
std::string LensText(const nl::LensReport& report);
std::string LensJson(const nl::LensReport& report);

/// The layers of a model over many questions. `probe`: whether one was trained; else there is no
/// column for it, and null in the JSON.
std::string LensTableText(const nl::LensTable& table, bool probe);
std::string LensTableJson(const nl::LensTable& table, bool probe);

/// The arms of the suffix study: routes, then the original's prompts.
std::string SuffixText(const std::vector<nl::SuffixArmReport>& arms);
std::string SuffixJson(const std::vector<nl::SuffixArmReport>& arms);

/// How many updates a finished training took in all; where some of them were taken before this
/// call, after how many of them it went on.
std::string UpdatesText(std::uint64_t all, std::uint64_t of_this_call);

/// `txvm train classifier`. The line begins with "classifier".
int TrainClassifierCommand(const CommandLine& line, isa::Console& console);

}  // namespace txvm::frontends::cli
