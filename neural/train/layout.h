// Where the parameters of a llama-architecture model lie in one flat array: gradients, moments and
// weights share the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "neural/llm/config.h"
#include "neural/llm/model.h"

namespace txvm::neural::train {

/// Offsets of one block's parameters.
struct BlockLayout {
  std::size_t attention_norm, q, k, v, o, mlp_norm, gate, up, down;
};

/// llm::LayoutOf, with the offsets the passes use. Gaps between views stay zero.
struct Layout {
  std::vector<llm::ParameterView> views;
  std::vector<BlockLayout> blocks;
  std::size_t embedding = 0, final_norm = 0, size = 0;
};

/// Weight decay is for matrices, not for norms.
inline bool Decays(const llm::ParameterView& view) { return view.shape.size() > 1; }

/// REQUIRES: CheckConfig accepts `config`, and it is tied.
Layout TrainingLayout(const llm::Config& config);

/// Weights at the start of training, (layout.size,): norms 1, matrices normal with deviation 0.02,
/// those that write the residual 0.02 / sqrt(2 layers). The same for the same seed.
std::vector<float> InitialWeights(const llm::Config& config, const Layout& layout,
                                  std::uint64_t seed);

}  // namespace txvm::neural::train
