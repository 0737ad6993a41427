// Where low-rank factors lie: for chosen projections W (out, in), A (rank, in) and B (out, rank) of
// W + scale * B * A (Hu and others, arXiv 2106.09685).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace txvm::neural::train {

/// One adapted projection.
struct LoraPair {
  std::string weight;  // "model.layers.0.self_attn.q_proj.weight"
  std::size_t at = 0;  // of W in the model's layout
  std::size_t rows = 0, cols = 0;
  std::size_t a = 0, b = 0;  // of A and B among the factors
};

/// All factors in one flat array.
struct LoraLayout {
  std::vector<LoraPair> pairs;  // blocks in order, projections in the order of the forward pass
  std::size_t rank = 0, size = 0;
  float scale = 1;

  /// The pair of the weight that begins at `at`, or nullptr.
  const LoraPair* Find(std::size_t at) const {
    for (const LoraPair& pair : pairs) {
      if (pair.at == at) return &pair;
    }
    return nullptr;
  }
};

}  // namespace txvm::neural::train
