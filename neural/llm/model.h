// A llama-architecture model ready to run, and the layout of its parameters for training.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/support/result.h"
#include "neural/llm/checkpoint.h"
#include "neural/llm/config.h"
#include "neural/llm/matrix.h"

namespace txvm::neural::llm {

/// One block: x += o attention(norm(x)), then x += down (silu(gate norm(x)) * up norm(x)).
struct Layer {
  std::vector<float> attention_norm, mlp_norm;  // (hidden,)
  Matrix q, k, v, o;                            // (q_rows | kv_rows, hidden), o: (hidden, q_rows)
  Matrix gate, up, down;                        // (feed_forward, hidden), down the reverse
};

/// Immutable while it runs; shared by any number of contexts and threads.
struct Model {
  Config config;
  Matrix embedding;               // (vocab, hidden)
  Matrix head;                    // (vocab, hidden); shares the embedding's bytes when tied
  std::vector<float> final_norm;  // (hidden,)
  std::vector<Layer> layers;
  std::vector<double> frequencies;   // (head_dim / 2,), radians a position
  std::vector<float> rope_divisors;  // (head_dim / 2,) or empty; already in the frequencies
};

struct LoadOptions {
  /// The type matrices are converted to; nullopt leaves each as it is in the file. Matrices whose
  /// rows do not fit its blocks become F32.
  std::optional<Element> storage;
};

/// Checks every tensor's presence and shape and takes the matrices where they lie: no copy but of
/// norms, misaligned tensors and what `options` convert. kInvalid names the tensor that is missing
/// or of another shape, or does not belong to the model. kUsage: a storage type CanEncode refuses.
isa::Result<std::shared_ptr<const Model>> BuildModel(const Checkpoint& checkpoint,
                                                     const LoadOptions& options = {});

/// A named range of a flat parameter buffer.
struct ParameterView {
  std::string name;                  // as in safetensors
  std::vector<std::size_t> shape;    // outermost first
  std::size_t offset = 0, size = 0;  // floats
};

/// All parameters of a configuration in one buffer: the order of the views is the order of the
/// forward pass, offsets are multiples of kParameterAlignment. A tied head has no view.
struct ParameterLayout {
  std::vector<ParameterView> views;
  std::size_t size = 0;  // floats in the buffer

  /// The view of this name, or nullptr.
  const ParameterView* Find(std::string_view name) const;
};
inline constexpr std::size_t kParameterAlignment = 16;  // floats: a cache line

ParameterLayout LayoutOf(const Config& config);

/// A model whose matrices are views of `parameters`, which must outlive it; later changes to them
/// are seen, save those of the norms, which RefreshNorms copies. Rows are in RopeLayout::kHalves
/// order.
std::shared_ptr<Model> ModelOnParameters(const Config& config, std::span<const float> parameters);
void RefreshNorms(Model& model, std::span<const float> parameters);

/// The parameters of a checkpoint as floats in LayoutOf order, rows in kHalves order. Errors as
/// BuildModel's.
isa::Result<std::vector<float>> ReadParameters(const Checkpoint& checkpoint);

/// Number of weights, norms included, a tied head counted once.
std::size_t ParameterCount(const Config& config);

/// Row of a kPairs matrix that holds row `row` of the kHalves order. Heads follow each other.
std::size_t PairsRow(std::size_t row, std::size_t head_dim);

}  // namespace txvm::neural::llm
