// The weights as a transformer library would run them: dense float32 matrices, a batch of state
// tokens at a time, exhaustive hard attention over the stored keys and values.
//
// Everything here is embedding, products with stored matrices, hard-max, ReLU and addition. By the
// bounds of weights/bounds.h every sum is exact, so any order of additions gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "isa/support/result.h"
#include "weights/model.h"

namespace txvm::vm {

/// A dense row-major matrix.
struct DenseMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<float> values;  // (rows * columns,)
};

/// The model's matrices, heads stacked as in the exported tensors. Immutable.
struct TransformerModel {
  struct Layer {
    std::size_t heads = 0;
    std::vector<weights::HeadId> ids;      // (heads,)
    DenseMatrix q, k, v, o;                // (6 heads, d), (6 heads, d), (values, d), (d, values)
    std::vector<float> b_q, b_k;           // (6 heads,)
    std::vector<std::size_t> first_value;  // (heads + 1,) each head's rows of v
    DenseMatrix gate, up, down;            // (units, d), (units, d), (d, units)
    std::vector<float> b_gate, b_up;
  };
  std::size_t width = 0;   // d
  DenseMatrix embed, out;  // (d, token fields), (output fields, d)
  std::vector<float> b_out;
  std::vector<Layer> layers;
  std::size_t parameters = 0;

  /// The heads of all layers, in order.
  std::vector<weights::HeadId> heads() const;

  /// kInvalid: CheckModel or CheckFloat32Exact refuses the model.
  static isa::Result<std::shared_ptr<const TransformerModel>> Create(const weights::Model& model);
};

/// Keys and values of every token a run has seen, per layer with heads.
class TransformerCache {
 public:
  explicit TransformerCache(std::shared_ptr<const TransformerModel> model);

  /// Appends tokens: two products per layer for all of them together.
  void Append(std::span<const weights::MemoryRecord> records);
  std::size_t tokens() const { return tokens_; }

  /// The values of the winners of all heads of layer `layer` for the stacked queries `q`, written
  /// to `values` (values,). The best score wins, the latest among equals; without tokens the values
  /// are 0, as those of a token of no space are.
  void Attend(std::size_t layer, const float* q, float* values) const;

 private:
  struct LayerCache {
    std::vector<std::vector<float>> keys;  // [6 * head + component], (tokens,)
    std::vector<float> values;             // (tokens, values)
  };
  std::size_t Winner(const LayerCache& cache, std::size_t head, const float* q) const;

  std::shared_ptr<const TransformerModel> model_;
  std::vector<LayerCache> layers_;
  std::size_t tokens_ = 0;
  mutable std::vector<float> scores_;
};

/// What one pass yields for one state token: the fields of the next state and the write tokens.
using TransformerOutput = std::array<float, weights::kOutputFields>;

/// Writes what the heads of `layer` find for the stacked queries q of states[row] to `values`.
using TransformerAttend =
    std::function<void(std::size_t row, std::size_t layer, const float* q, float* values)>;

/// One forward pass of all states at once, their reads answered by `attend`.
std::vector<TransformerOutput> TransformerForward(const TransformerModel& model,
                                                  std::span<const weights::StateRecord> states,
                                                  const TransformerAttend& attend);

/// The values of the given tokens for layer `layer`, (tokens, values).
std::vector<float> TransformerValues(const TransformerModel& model, std::size_t layer,
                                     std::span<const weights::MemoryRecord> records);

/// One forward pass of states[i] over *caches[i], for all i at once. The sizes are equal.
std::vector<TransformerOutput> TransformerForward(const TransformerModel& model,
                                                  std::span<const weights::StateRecord> states,
                                                  std::span<const TransformerCache* const> caches);

/// Copies of an output's fields. One that no 32-bit integer is becomes the nearest, no number 0.
weights::StateRecord StateOf(const TransformerOutput& output);
weights::MemoryRecord WriteOf(const TransformerOutput& output, std::size_t slot);

}  // namespace txvm::vm
