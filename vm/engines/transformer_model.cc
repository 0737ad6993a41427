#include "vm/engines/transformer_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vm/tensor/gemm.h"
#include "weights/bounds.h"

namespace txvm::vm {
namespace {

using weights::kScoreSize;
namespace sf = weights::state_field;
namespace mf = weights::memory_field;

DenseMatrix Dense(const weights::SparseMatrix& matrix) {
  return {matrix.rows, matrix.columns, matrix.Dense()};
}

/// Appends the rows of `part`.
void StackRows(DenseMatrix& whole, const weights::SparseMatrix& part) {
  const std::vector<float> rows = part.Dense();
  whole.values.insert(whole.values.end(), rows.begin(), rows.end());
  whole.rows += part.rows;
  whole.columns = part.columns;
}

std::vector<float> Floats(const std::vector<std::int32_t>& bias) {
  return {bias.begin(), bias.end()};
}

TransformerModel::Layer DenseLayer(const weights::ModelLayer& source, std::size_t width) {
  TransformerModel::Layer layer;
  layer.heads = source.heads.size();
  layer.first_value = {0};
  for (const weights::ModelHead& head : source.heads) {
    StackRows(layer.q, head.w_q);
    StackRows(layer.k, head.w_k);
    StackRows(layer.v, head.w_v);
    layer.b_q.insert(layer.b_q.end(), head.b_q.begin(), head.b_q.end());
    layer.b_k.insert(layer.b_k.end(), head.b_k.begin(), head.b_k.end());
    layer.first_value.push_back(layer.v.rows);
    layer.ids.push_back(head.id);
  }
  layer.o = {width, layer.v.rows, std::vector<float>(width * layer.v.rows, 0.0f)};
  for (std::size_t h = 0; h < source.heads.size(); ++h) {
    for (const weights::Entry& e : source.heads[h].w_o.entries) {
      const std::size_t column = layer.first_value[h] + e.column;
      layer.o.values[e.row * layer.o.columns + column] = static_cast<float>(e.weight);
    }
  }
  layer.gate = Dense(source.ffn.w_gate);
  layer.up = Dense(source.ffn.w_up);
  layer.down = Dense(source.ffn.w_down);
  layer.b_gate = Floats(source.ffn.b_gate);
  layer.b_up = Floats(source.ffn.b_up);
  return layer;
}

/// x W^T + b for every row of x, (rows, W.rows).
std::vector<float> Project(std::span<const float> x, std::size_t rows, const DenseMatrix& w,
                           std::span<const float> bias) {
  std::vector<float> y(rows * w.rows, 0.0f);
  if (y.empty()) return y;
  for (std::size_t i = 0; i < rows && !bias.empty(); ++i) {
    std::ranges::copy(bias, y.begin() + static_cast<std::ptrdiff_t>(i * w.rows));
  }
  MultiplyTransposed(x.data(), w.values.data(), y.data(), rows, w.rows, w.columns, 1.0f);
  return y;
}

/// x += y W^T.
void AddProjected(std::vector<float>& x, std::span<const float> y, std::size_t rows,
                  const DenseMatrix& w) {
  if (w.columns == 0) return;
  MultiplyTransposed(y.data(), w.values.data(), x.data(), rows, w.rows, w.columns, 1.0f);
}

/// An output as the integer it is. What edited weights yield can be no 32-bit integer: it becomes
/// the nearest one, and 0 where it is no number.
std::int32_t Integer(float field) {
  using Field = std::numeric_limits<std::int32_t>;
  constexpr float kBeyond = 2'147'483'648.0f;  // 2^31, the first that does not fit
  if (std::isnan(field)) return 0;
  if (field >= kBeyond) return Field::max();
  if (field < -kBeyond) return Field::min();
  return static_cast<std::int32_t>(field);
}

/// The records as whole token records, (records, token fields).
std::vector<float> MemoryFields(std::span<const weights::MemoryRecord> records) {
  std::vector<float> fields(records.size() * weights::kTokenFields, 0.0f);
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::ranges::copy(records[i], fields.begin() + static_cast<std::ptrdiff_t>(
                                                       i * weights::kTokenFields + sf::kCount));
  }
  return fields;
}

}  // namespace

isa::Result<std::shared_ptr<const TransformerModel>> TransformerModel::Create(
    const weights::Model& model) {
  TXVM_CHECK_OK(weights::CheckModel(model));
  TXVM_CHECK_OK(weights::CheckFloat32Exact(model));
  auto dense = std::make_shared<TransformerModel>();
  dense->width = model.lanes.size();
  dense->embed = Dense(model.w_embed);
  dense->out = Dense(model.w_out);
  dense->b_out = Floats(model.b_out);
  for (const weights::ModelLayer& layer : model.layers) {
    dense->layers.push_back(DenseLayer(layer, dense->width));
  }
  dense->parameters = weights::Describe(model).parameters;
  return dense;
}

std::vector<weights::HeadId> TransformerModel::heads() const {
  std::vector<weights::HeadId> all;
  for (const Layer& layer : layers) all.insert(all.end(), layer.ids.begin(), layer.ids.end());
  return all;
}

TransformerCache::TransformerCache(std::shared_ptr<const TransformerModel> model)
    : model_(std::move(model)), layers_(model_->layers.size()) {
  for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i].keys.resize(model_->layers[i].k.rows);
}

void TransformerCache::Append(std::span<const weights::MemoryRecord> records) {
  const std::size_t count = records.size();
  if (count == 0) return;
  const std::vector<float> x = Project(MemoryFields(records), count, model_->embed, {});
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const TransformerModel::Layer& layer = model_->layers[i];
    if (layer.heads == 0) continue;
    const std::vector<float> keys = Project(x, count, layer.k, layer.b_k);
    const std::vector<float> values = Project(x, count, layer.v, {});
    for (std::size_t row = 0; row < layer.k.rows; ++row) {
      for (std::size_t t = 0; t < count; ++t) {
        layers_[i].keys[row].push_back(keys[t * layer.k.rows + row]);
      }
    }
    layers_[i].values.insert(layers_[i].values.end(), values.begin(), values.end());
  }
  tokens_ += count;
}

std::size_t TransformerCache::Winner(const LayerCache& cache, std::size_t head,
                                     const float* q) const {
  scores_.assign(tokens_, 0.0f);
  for (std::size_t c = 0; c < kScoreSize; ++c) {
    const float* key = cache.keys[head * kScoreSize + c].data();
    const float scale = q[head * kScoreSize + c];
    for (std::size_t t = 0; t < tokens_; ++t) scores_[t] += scale * key[t];
  }
  std::size_t winner = 0;
  for (std::size_t t = 1; t < tokens_; ++t) {
    if (scores_[t] >= scores_[winner]) winner = t;
  }
  return winner;
}

void TransformerCache::Attend(std::size_t layer, const float* q, float* values) const {
  const TransformerModel::Layer& shape = model_->layers[layer];
  if (tokens_ == 0) {
    std::fill_n(values, shape.v.rows, 0.0f);
    return;
  }
  for (std::size_t h = 0; h < shape.heads; ++h) {
    const std::size_t winner = Winner(layers_[layer], h, q);
    const float* row = layers_[layer].values.data() + winner * shape.v.rows;
    std::copy(row + shape.first_value[h], row + shape.first_value[h + 1],
              values + shape.first_value[h]);
  }
}

std::vector<TransformerOutput> TransformerForward(const TransformerModel& model,
                                                  std::span<const weights::StateRecord> states,
                                                  std::span<const TransformerCache* const> caches) {
  TXVM_ASSERT(states.size() == caches.size());
  return TransformerForward(model, states,
                            [&](std::size_t row, std::size_t layer, const float* q, float* values) {
                              caches[row]->Attend(layer, q, values);
                            });
}

std::vector<float> TransformerValues(const TransformerModel& model, std::size_t layer,
                                     std::span<const weights::MemoryRecord> records) {
  const std::vector<float> x = Project(MemoryFields(records), records.size(), model.embed, {});
  return Project(x, records.size(), model.layers[layer].v, {});
}

std::vector<TransformerOutput> TransformerForward(const TransformerModel& model,
                                                  std::span<const weights::StateRecord> states,
                                                  const TransformerAttend& attend) {
  const std::size_t count = states.size();
  std::vector<float> fields(count * weights::kTokenFields, 0.0f);
  for (std::size_t i = 0; i < count; ++i) {
    std::ranges::copy(states[i],
                      fields.begin() + static_cast<std::ptrdiff_t>(i * weights::kTokenFields));
  }
  std::vector<float> x = Project(fields, count, model.embed, {});
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const TransformerModel::Layer& layer = model.layers[l];
    if (layer.heads > 0) {
      const std::vector<float> q = Project(x, count, layer.q, layer.b_q);
      std::vector<float> values(count * layer.v.rows);
      for (std::size_t i = 0; i < count; ++i) {
        attend(i, l, q.data() + i * layer.q.rows, values.data() + i * layer.v.rows);
      }
      AddProjected(x, values, count, layer.o);
    }
    std::vector<float> gate = Project(x, count, layer.gate, layer.b_gate);
    const std::vector<float> up = Project(x, count, layer.up, layer.b_up);
    for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = std::max(gate[i], 0.0f) * up[i];
    AddProjected(x, gate, count, layer.down);
  }
  const std::vector<float> y = Project(x, count, model.out, model.b_out);
  std::vector<TransformerOutput> outputs(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(i * weights::kOutputFields),
                weights::kOutputFields, outputs[i].begin());
  }
  return outputs;
}

weights::StateRecord StateOf(const TransformerOutput& output) {
  weights::StateRecord state;
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = Integer(output[i]);
  return state;
}

weights::MemoryRecord WriteOf(const TransformerOutput& output, std::size_t slot) {
  weights::MemoryRecord record;
  const std::size_t first = sf::kCount + slot * mf::kCount;
  for (std::size_t i = 0; i < record.size(); ++i) record[i] = Integer(output[first + i]);
  return record;
}

}  // namespace txvm::vm
