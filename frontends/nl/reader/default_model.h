// The model that comes with txvm: models/ of the source tree, compiled into the program.
#pragma once

#include <string_view>

#include "isa/support/result.h"
#include "neural/llm/bundle.h"

namespace txvm::frontends::nl {

/// The confidence below which txvm gives no answer with this model unless told otherwise: of
/// fresh questions that have an answer, two in a hundred go without one. docs/NL-RESULTS.md has
/// what other thresholds give.
inline constexpr double kDefaultModelThreshold = 0.4;

/// The confidence from which on this model's answers are right with that probability, 0..1: to
/// questions that people ask, who word things in ways that it has not met. REQUIRES: 0 <= precision
/// <= 1.
double ThresholdOf(double precision);

/// A file of models/ by its name: "config.json", "nl.safetensors" or "tokenizer.json"; empty for
/// other names. Generated when txvm is built.
std::string_view DefaultModelFile(std::string_view name);

/// Its weights are views of the program's own bytes, in bfloat16 as they are stored.
/// Errors: those of BundleFromMemory, for files that were changed by hand before the build.
isa::Result<neural::llm::Bundle> OpenDefaultModel();

}  // namespace txvm::frontends::nl
