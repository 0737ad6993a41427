#include "neural/llm/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "isa/support/text.h"

namespace txvm::neural::llm {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;

std::string LayerName(std::size_t layer, std::string_view part) {
  return fmt::format("model.layers.{}.{}.weight", layer, part);
}

constexpr std::string_view kEmbedding = "model.embed_tokens.weight";
constexpr std::string_view kFinalNorm = "model.norm.weight";
constexpr std::string_view kHead = "lm_head.weight";

/// Takes tensors out of a checkpoint and remembers which were taken.
class Taker {
 public:
  Taker(const Checkpoint& checkpoint, const LoadOptions& options)
      : checkpoint_(checkpoint), options_(options) {}

  Result<Matrix> TakeMatrix(std::string_view name, std::size_t rows, std::size_t cols) {
    TXVM_TRY(const StoredTensor* tensor, Find(name, {rows, cols}));
    const std::optional<std::size_t> row_bytes = RowBytes(tensor->type, cols);
    if (!row_bytes) {
      return Fail(ErrorCode::kInvalid, fmt::format("tensor '{}': rows of {} elements in {}", name,
                                                   cols, Info(tensor->type).name));
    }
    Matrix matrix{tensor->type, rows, cols, tensor->bytes.data(), *row_bytes, tensor->owner, {}};
    if (options_.storage && *options_.storage != tensor->type) {
      const Element to = RowBytes(*options_.storage, cols) ? *options_.storage : Element::kF32;
      return Converted(Aligned(matrix), to);
    }
    return Aligned(matrix);
  }

  Result<std::vector<float>> TakeVector(std::string_view name, std::size_t size) {
    TXVM_TRY(const StoredTensor* tensor, Find(name, {size}));
    std::vector<float> values(size);
    DecodeRow(tensor->type, tensor->bytes.data(), size, values.data());
    return values;
  }

  bool Has(std::string_view name) const { return checkpoint_.tensors.contains(name); }

  /// Refuses what no one asked for: a model of another architecture. Positions' frequencies, which
  /// old checkpoints carry, can be computed.
  Result<void> CheckAllTaken() const {
    for (const auto& [name, tensor] : checkpoint_.tensors) {
      if (taken_.contains(name) || name.ends_with("rotary_emb.inv_freq")) continue;
      if (checkpoint_.config.tied && name == kHead) continue;
      return Fail(ErrorCode::kInvalid,
                  fmt::format("tensor '{}' does not belong to a llama model of {} layers",
                              isa::Printable(name), checkpoint_.config.layers));
    }
    return {};
  }

 private:
  Result<const StoredTensor*> Find(std::string_view name, const std::vector<std::size_t>& shape) {
    const auto found = checkpoint_.tensors.find(name);
    if (found == checkpoint_.tensors.end()) {
      return Fail(ErrorCode::kInvalid, fmt::format("tensor '{}' is missing", name));
    }
    if (found->second.shape != shape) {
      return Fail(ErrorCode::kInvalid,
                  fmt::format("tensor '{}' has shape [{}], the configuration asks for [{}]", name,
                              fmt::join(found->second.shape, ", "), fmt::join(shape, ", ")));
    }
    taken_.insert(found->first);
    return &found->second;
  }

  /// The kernels read F32, F16 and BF16 at their own alignment; a file need not provide it.
  static Matrix Aligned(const Matrix& matrix) {
    const std::size_t block = Info(matrix.type).block;
    const std::size_t alignment = block == 1 ? Info(matrix.type).bytes : 1;
    if (reinterpret_cast<std::uintptr_t>(matrix.data) % alignment == 0) return matrix;
    Matrix copy = NewMatrix(matrix.type, matrix.rows, matrix.cols);
    std::memcpy(MutableBytes(copy).data(), matrix.data, matrix.rows * matrix.row_bytes);
    return copy;
  }

  const Checkpoint& checkpoint_;
  const LoadOptions& options_;
  std::set<std::string_view> taken_;
};

Result<Layer> TakeLayer(Taker& taker, const Config& c, std::size_t i) {
  Layer layer;
  const auto matrix = [&](std::string_view part, std::size_t rows, std::size_t cols) {
    return taker.TakeMatrix(LayerName(i, part), rows, cols);
  };
  TXVM_TRY(layer.attention_norm, taker.TakeVector(LayerName(i, "input_layernorm"), c.hidden));
  TXVM_TRY(layer.q, matrix("self_attn.q_proj", c.q_rows(), c.hidden));
  TXVM_TRY(layer.k, matrix("self_attn.k_proj", c.kv_rows(), c.hidden));
  TXVM_TRY(layer.v, matrix("self_attn.v_proj", c.kv_rows(), c.hidden));
  TXVM_TRY(layer.o, matrix("self_attn.o_proj", c.hidden, c.q_rows()));
  TXVM_TRY(layer.mlp_norm, taker.TakeVector(LayerName(i, "post_attention_layernorm"), c.hidden));
  TXVM_TRY(layer.gate, matrix("mlp.gate_proj", c.feed_forward, c.hidden));
  TXVM_TRY(layer.up, matrix("mlp.up_proj", c.feed_forward, c.hidden));
  TXVM_TRY(layer.down, matrix("mlp.down_proj", c.hidden, c.feed_forward));
  return layer;
}

Result<void> ApplyDivisors(const std::vector<float>& divisors, Model& model) {
  if (divisors.empty()) return {};
  if (divisors.size() != model.frequencies.size()) {
    return Fail(ErrorCode::kInvalid, fmt::format("rope_freqs has {} entries, the head {} pairs",
                                                 divisors.size(), model.frequencies.size()));
  }
  for (std::size_t i = 0; i < divisors.size(); ++i) {
    if (!(divisors[i] > 0)) {
      return Fail(ErrorCode::kInvalid, fmt::format("rope_freqs entry {} is {}", i, divisors[i]));
    }
    model.frequencies[i] /= static_cast<double>(divisors[i]);
  }
  model.rope_divisors = divisors;
  return {};
}

Matrix ViewOf(const ParameterLayout& layout, std::string_view name,
              std::span<const float> parameters) {
  const ParameterView* view = layout.Find(name);
  TXVM_ASSERT(view != nullptr && view->shape.size() == 2);
  return {Element::kF32,
          view->shape[0],
          view->shape[1],
          reinterpret_cast<const std::uint8_t*>(parameters.data() + view->offset),
          view->shape[1] * sizeof(float),
          nullptr,
          {}};
}

}  // namespace

Result<std::shared_ptr<const Model>> BuildModel(const Checkpoint& checkpoint,
                                                const LoadOptions& options) {
  if (options.storage && !CanEncode(*options.storage)) {
    return Fail(ErrorCode::kUsage,
                fmt::format("weights cannot be converted to {}", Info(*options.storage).name));
  }
  const Config& config = checkpoint.config;
  TXVM_CHECK_OK(CheckConfig(config));
  Taker taker(checkpoint, options);
  auto model = std::make_shared<Model>();
  model->config = config;
  TXVM_TRY(model->embedding, taker.TakeMatrix(kEmbedding, config.vocab, config.hidden));
  TXVM_TRY(model->final_norm, taker.TakeVector(kFinalNorm, config.hidden));
  model->head = model->embedding;
  if (!config.tied) {
    TXVM_TRY(model->head, taker.TakeMatrix(kHead, config.vocab, config.hidden));
  }
  for (std::size_t i = 0; i < config.layers; ++i) {
    TXVM_TRY(Layer layer, TakeLayer(taker, config, i));
    model->layers.push_back(std::move(layer));
  }
  TXVM_CHECK_OK(taker.CheckAllTaken());
  model->frequencies = RopeFrequencies(config);
  TXVM_CHECK_OK(ApplyDivisors(checkpoint.rope_divisors, *model));
  return model;
}

const ParameterView* ParameterLayout::Find(std::string_view name) const {
  const auto view = std::ranges::find(views, name, &ParameterView::name);
  return view == views.end() ? nullptr : &*view;
}

ParameterLayout LayoutOf(const Config& config) {
  ParameterLayout layout;
  const auto add = [&](std::string name, std::vector<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t dimension : shape) size *= dimension;
    layout.views.push_back({std::move(name), std::move(shape), layout.size, size});
    layout.size += (size + kParameterAlignment - 1) / kParameterAlignment * kParameterAlignment;
  };
  const std::size_t h = config.hidden, f = config.feed_forward;
  add(std::string(kEmbedding), {config.vocab, h});
  for (std::size_t i = 0; i < config.layers; ++i) {
    add(LayerName(i, "input_layernorm"), {h});
    add(LayerName(i, "self_attn.q_proj"), {config.q_rows(), h});
    add(LayerName(i, "self_attn.k_proj"), {config.kv_rows(), h});
    add(LayerName(i, "self_attn.v_proj"), {config.kv_rows(), h});
    add(LayerName(i, "self_attn.o_proj"), {h, config.q_rows()});
    add(LayerName(i, "post_attention_layernorm"), {h});
    add(LayerName(i, "mlp.gate_proj"), {f, h});
    add(LayerName(i, "mlp.up_proj"), {f, h});
    add(LayerName(i, "mlp.down_proj"), {h, f});
  }
  add(std::string(kFinalNorm), {h});
  if (!config.tied) add(std::string(kHead), {config.vocab, h});
  return layout;
}

void RefreshNorms(Model& model, std::span<const float> parameters) {
  const ParameterLayout layout = LayoutOf(model.config);
  const auto copy = [&](std::string_view name, std::vector<float>& to) {
    const ParameterView* view = layout.Find(name);
    const float* from = parameters.data() + view->offset;
    to.assign(from, from + view->size);
  };
  copy(kFinalNorm, model.final_norm);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    copy(LayerName(i, "input_layernorm"), model.layers[i].attention_norm);
    copy(LayerName(i, "post_attention_layernorm"), model.layers[i].mlp_norm);
  }
}

std::shared_ptr<Model> ModelOnParameters(const Config& config, std::span<const float> parameters) {
  const ParameterLayout layout = LayoutOf(config);
  TXVM_ASSERT(parameters.size() == layout.size);
  TXVM_ASSERT(config.rope_layout == RopeLayout::kHalves);
  auto model = std::make_shared<Model>();
  model->config = config;
  model->frequencies = RopeFrequencies(config);
  model->embedding = ViewOf(layout, kEmbedding, parameters);
  model->head = config.tied ? model->embedding : ViewOf(layout, kHead, parameters);
  for (std::size_t i = 0; i < config.layers; ++i) {
    const auto view = [&](std::string_view part) {
      return ViewOf(layout, LayerName(i, part), parameters);
    };
    model->layers.push_back({{},
                             {},
                             view("self_attn.q_proj"),
                             view("self_attn.k_proj"),
                             view("self_attn.v_proj"),
                             view("self_attn.o_proj"),
                             view("mlp.gate_proj"),
                             view("mlp.up_proj"),
                             view("mlp.down_proj")});
  }
  RefreshNorms(*model, parameters);
  return model;
}

Result<std::vector<float>> ReadParameters(const Checkpoint& checkpoint) {
  TXVM_TRY(const auto model, BuildModel(checkpoint));  // checks presence and shapes
  const ParameterLayout layout = LayoutOf(checkpoint.config);
  std::vector<float> parameters(layout.size);
  const Config& config = checkpoint.config;
  for (const ParameterView& view : layout.views) {
    const StoredTensor& tensor = checkpoint.tensors.find(view.name)->second;
    const std::size_t cols = view.shape.back(), rows = view.size / cols;
    const bool permuted =
        config.rope_layout == RopeLayout::kPairs &&
        (view.name.ends_with("q_proj.weight") || view.name.ends_with("k_proj.weight"));
    const std::size_t row_bytes = tensor.bytes.size() / rows;
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t from = permuted ? PairsRow(r, config.head_dim) : r;
      DecodeRow(tensor.type, tensor.bytes.data() + from * row_bytes, cols,
                parameters.data() + view.offset + r * cols);
    }
  }
  return parameters;
}

std::size_t ParameterCount(const Config& config) {
  std::size_t count = 0;
  for (const ParameterView& view : LayoutOf(config).views) count += view.size;
  return count;
}

std::size_t PairsRow(std::size_t row, std::size_t head_dim) {
  const std::size_t head = row / head_dim, i = row % head_dim, half = head_dim / 2;
  return head * head_dim + (i < half ? 2 * i : 2 * (i - half) + 1);
}

}  // namespace txvm::neural::llm
