#include "frontends/cli/view/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "frontends/cli/run/host_functions.h"
#include "frontends/cli/weights/model_entry.h"
#include "isa/support/shown_text.h"
#include "vm/engines/transformer.h"
#include "vm/machine.h"
#include "weights/fold.h"
#include "weights/heads.h"
#include "weights/tokens.h"

namespace txvm::frontends::cli {
namespace {

namespace sf = weights::state_field;

isa::Result<ModelStart> StartOf(const std::shared_ptr<const isa::Program>& program,
                                const RunSettings& settings) {
  if (program->init) {
    return isa::Fail(isa::ErrorCode::kUnsupported,
                     "its start function runs before the entry, whose passes alone are shown");
  }
  if (const std::size_t tokens = weights::PrefixTokens(*program); tokens > vm::kMaxPrefixTokens) {
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("it is {} tokens long, the model is given at most {}",
                                 isa::Grouped(tokens), isa::Grouped(vm::kMaxPrefixTokens)));
  }
  ModelStart start;
  start.program = program;
  TXVM_TRY(const isa::Export* const entry, vm::ChooseEntry(*program, settings.invoke));
  TXVM_TRY(start.arguments, EntryWords(*program, entry, settings));
  start.start = entry == nullptr ? program->entry : entry->start;
  return start;
}

void WriteLanes(const std::vector<weights::LaneWrite>& writes, isa::JsonWriter& json) {
  json.BeginArray();
  for (const weights::LaneWrite& write : writes) json.Uint(write.lane).Int(write.value);
  json.EndArray();
}

void WriteStep(const LayerStep& step, isa::JsonWriter& json) {
  json.BeginArray().Uint(step.passes);
  for (const weights::LayerWork& layer : step.layers) {
    json.BeginArray();
    WriteLanes(layer.heads, json);
    WriteLanes(layer.units, json);
    json.BeginArray();
    std::uint32_t last = 0;
    for (const std::uint32_t unit : layer.open) json.Uint(unit - std::exchange(last, unit));
    json.EndArray().EndArray();
  }
  json.EndArray();
}

/// The lanes that each unit writes.
void WriteUnits(const weights::FeedForward& ffn, isa::JsonWriter& json) {
  std::vector<std::vector<std::uint32_t>> lanes(ffn.b_gate.size());
  for (const weights::Entry& e : ffn.w_down.entries) lanes[e.column].push_back(e.row);
  json.BeginArray();
  for (const std::vector<std::uint32_t>& unit : lanes) {
    json.BeginArray();
    for (const std::uint32_t lane : unit) json.Uint(lane);
    json.EndArray();
  }
  json.EndArray();
}

}  // namespace

isa::Result<LayerRecording> RecordLayers(const std::shared_ptr<const isa::Program>& program,
                                         const RunSettings& settings, std::uint64_t most) {
  TXVM_TRY(const ModelStart start, StartOf(program, settings));
  LayerRecording recording;
  recording.model = weights::CompileModel();
  weights::ReferenceModel model(recording.model);
  weights::StateRecord state = FeedProgram(start, settings.limits, model);
  std::uint64_t passes = 0;
  while (recording.steps.size() < most && passes < weights::kMaxPasses) {
    const weights::PassOutput output = model.Forward(state);
    ++passes;
    if (output.state[sf::kHost] != 0) break;
    if (output.state[sf::kCounted] != 0 || output.state[sf::kStopped] != 0) {
      recording.steps.push_back({std::exchange(passes, 0), weights::LayersOfPass(model)});
    }
    if (output.state[sf::kStopped] != 0) break;
    for (const weights::MemoryRecord& write : output.writes) {
      if (!weights::IsEmpty(write)) model.Append(write);
    }
    state = output.state;
  }
  return recording;
}

void WriteLayers(const LayerRecording& recording, isa::JsonWriter& json) {
  const std::set<std::string_view> signals = {
#define TXVM_SIGNAL(name, high, value) #name,
#include "weights/signals.def"
#undef TXVM_SIGNAL
  };
  json.BeginObject().Key("lanes").BeginArray();
  for (const weights::LaneInfo& lane : recording.model.lanes) json.String(lane.name);
  json.EndArray().Key("signals").BeginArray();
  for (std::size_t i = 0; i < recording.model.lanes.size(); ++i) {
    if (signals.contains(recording.model.lanes[i].name)) json.Uint(i);
  }
  json.EndArray().Key("layers").BeginArray();
  for (const weights::ModelLayer& layer : recording.model.layers) {
    json.BeginObject().Key("heads").BeginArray();
    for (const weights::ModelHead& head : layer.heads) {
      json.String(weights::Spec(head.id).name);
    }
    json.EndArray().Key("writes");
    WriteUnits(layer.ffn, json);
    json.EndObject();
  }
  json.EndArray().Key("steps").BeginArray();
  for (const LayerStep& step : recording.steps) WriteStep(step, json);
  json.EndArray().EndObject();
}

}  // namespace txvm::frontends::cli
