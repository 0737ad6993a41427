// Low-rank adapters: loaded from PEFT's or mlx's files, applied as deltas or merged.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "isa/support/result.h"
#include "neural/llm/model.h"

namespace txvm::neural::llm {

/// An adapter's matrices by the name of the weight they change.
struct Adapter {
  std::map<std::string, LowRank> deltas;  // "model.layers.0.self_attn.q_proj.weight"
  std::string base;                       // NormsHash of the model it is for; empty: not said
};

/// A hash of the model's norms: the same for a model and its quantised copies, which keep norms as
/// they are, another for any other model.
std::string NormsHash(const Model& model);

/// Reads a folder with adapter_config.json and adapter_model.safetensors (PEFT: lora_A (r, in),
/// lora_B (out, r), scale lora_alpha / r) or adapters.safetensors (mlx: lora_a (in, r), lora_b
/// (r, out), scale given or alpha / rank); or such a tensor file under any name,
/// adapter_config.json beside it. kInvalid: a tensor without its partner or of another shape;
/// kUnsupported: other kinds of adapters, those made for other weights than the base model's or for
/// some tokens alone, names that are no linear layer of a llama model, tensors of no pair. All name
/// the file.
isa::Result<Adapter> OpenAdapter(const std::string& path);

/// Writes a folder in PEFT's layout, its target_modules the last names of the weights ("q_proj"),
/// its tensors of `type`: F32, F16 or BF16. `base` is a key of adapter_config.json that PEFT skips.
/// kUnsupported names a delta whose rank or scale differs from the first's; kHost: what cannot be
/// written.
isa::Result<void> SaveAdapter(const Adapter& adapter, const std::string& directory,
                              Element type = Element::kF32);

/// The model with the adapter's deltas, `strength` times as strong; the weights are shared.
/// kInvalid names a delta that does not fit the model or has a value that is no number; an adapter
/// made for another model is refused too.
isa::Result<std::shared_ptr<const Model>> ApplyAdapter(const Model& model, const Adapter& adapter,
                                                       float strength = 1);

/// The model with the adapter that OpenAdapter reads at `path`; every error names it.
isa::Result<std::shared_ptr<const Model>> WithAdapter(const Model& model, const std::string& path);

/// The model with its deltas added into the weights, in their own type where it can be encoded and
/// in F32 elsewhere.
std::shared_ptr<const Model> MergeDeltas(const Model& model);

}  // namespace txvm::neural::llm
