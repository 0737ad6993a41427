// The first steps of a run on the weights, layer by layer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frontends/cli/run/run_options.h"
#include "isa/support/json_writer.h"
#include "weights/layer_work.h"
#include "weights/model.h"

namespace txvm::frontends::cli {

/// The most steps whose layers a page holds.
inline constexpr std::uint64_t kMostLayerSteps = 200;

/// The last pass of one step; a division takes 34.
struct LayerStep {
  std::uint64_t passes = 1;
  std::vector<weights::LayerWork> layers;
};

/// What the layers did in the steps of a run from its beginning.
struct LayerRecording {
  weights::Model model;
  std::vector<LayerStep> steps;  // of the steps 1, 2, ...
};

/// Runs the entry of `program` on the compiled weights for `most` steps, to its end or to its first
/// call of a host function. Errors: kUnsupported for a program with a start function, kLimit for
/// one of more tokens than the model is given; EntryWords'. Cost O(non-zeros + tokens) a pass.
isa::Result<LayerRecording> RecordLayers(const std::shared_ptr<const isa::Program>& program,
                                         const RunSettings& settings, std::uint64_t most);

/// Writes {"lanes": names, "signals": lanes of the opcode's decoder, "layers": [{"heads": names,
/// "writes": [lanes by unit]}], "steps": [[passes, [[lane, value, ...] of heads, the same of units,
/// [open units as differences]] for each layer]]}.
void WriteLayers(const LayerRecording& recording, isa::JsonWriter& json);

}  // namespace txvm::frontends::cli
