#include "neural/train/layout.h"

#include <fmt/format.h>

#include <cmath>

#include "isa/support/result.h"
#include "neural/train/random.h"

namespace txvm::neural::train {
namespace {

constexpr double kDeviation = 0.02;

}  // namespace

Layout TrainingLayout(const llm::Config& config) {
  const llm::ParameterLayout parameters = llm::LayoutOf(config);
  const auto offset = [&parameters](const std::string& name) {
    const llm::ParameterView* view = parameters.Find(name);
    TXVM_ASSERT(view != nullptr);
    return view->offset;
  };
  Layout layout;
  layout.views = parameters.views;
  layout.size = parameters.size;
  layout.embedding = offset("model.embed_tokens.weight");
  layout.final_norm = offset("model.norm.weight");
  for (std::size_t i = 0; i < config.layers; ++i) {
    const auto at = [&](const char* part) {
      return offset(fmt::format("model.layers.{}.{}.weight", i, part));
    };
    layout.blocks.push_back({at("input_layernorm"), at("self_attn.q_proj"), at("self_attn.k_proj"),
                             at("self_attn.v_proj"), at("self_attn.o_proj"),
                             at("post_attention_layernorm"), at("mlp.gate_proj"), at("mlp.up_proj"),
                             at("mlp.down_proj")});
  }
  return layout;
}

std::vector<float> InitialWeights(const llm::Config& config, const Layout& layout,
                                  std::uint64_t seed) {
  std::vector<float> weights(layout.size);
  Random random(seed);
  const double scaled = kDeviation / std::sqrt(2.0 * static_cast<double>(config.layers));
  for (const llm::ParameterView& view : layout.views) {
    const bool writes_residual =
        view.name.ends_with("o_proj.weight") || view.name.ends_with("down_proj.weight");
    const double deviation = writes_residual ? scaled : kDeviation;
    for (std::size_t i = 0; i < view.size; ++i) {
      weights[view.offset + i] =
          Decays(view) ? static_cast<float>(random.Normal() * deviation) : 1.0f;
    }
  }
  return weights;
}

}  // namespace txvm::neural::train
