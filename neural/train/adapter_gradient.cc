#include "neural/train/adapter_gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/support/result.h"
#include "neural/train/row_ops.h"
#include "vm/tensor/gemm_bf16.h"
#include "vm/tensor/nn.h"
#include "vm/tensor/sgemm.h"

namespace txvm::neural::train {
namespace {

using vm::Plain;
using vm::Sgemm;
using vm::Transposed;

constexpr std::size_t kRowBlock = 64;      // rows of a batch are a multiple of it
constexpr std::size_t kHeadRows = 32;      // so are those that the head reads
constexpr std::size_t kVocabChunk = 2048;  // tokens of the head at a time
constexpr std::size_t kLanes = 16;         // partial sums of a row

std::size_t RoundedUp(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

/// The sum over j < n of term(j), in kLanes partial sums.
template <class Term>
float SumOfRow(std::size_t n, const Term& term) {
  float lanes[kLanes] = {};
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(j + lane);
  }
  float sum = 0;
  for (; j < n; ++j) sum += term(j);
  for (const float lane : lanes) sum += lane;
  return sum;
}

const LoraPair* PairOf(const LoraLayout& lora, std::size_t layer, std::string_view part) {
  const std::string name = fmt::format("model.layers.{}.{}.weight", layer, part);
  const auto found = std::ranges::find(lora.pairs, name, &LoraPair::weight);
  return found == lora.pairs.end() ? nullptr : &*found;
}

}  // namespace

AdapterGradient::AdapterGradient(const llm::Model& model, const LoraLayout& lora,
                                 Precision precision, llm::Workers& workers, std::size_t memory)
    : model_(model), lora_(lora), precision_(precision), workers_(workers), memory_(memory) {
  const llm::Config& config = model.config;
  const std::size_t pairs =
      config.rope_layout == llm::RopeLayout::kPairs ? config.head_dim : std::size_t{0};
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const llm::Layer& layer = model.layers[i];
    const auto one = [&](const llm::Matrix& matrix, std::string_view part, std::size_t head = 0) {
      return Projection{&matrix, head, PairOf(lora, i, part)};
    };
    const auto add = [&](std::vector<Projection> projections) {
      groups_.emplace_back(std::move(projections), lora, precision, workers);
    };
    add({one(layer.q, "self_attn.q_proj", pairs), one(layer.k, "self_attn.k_proj", pairs),
         one(layer.v, "self_attn.v_proj")});
    add({one(layer.o, "self_attn.o_proj")});
    add({one(layer.gate, "mlp.gate_proj"), one(layer.up, "mlp.up_proj")});
    add({one(layer.down, "mlp.down_proj")});
  }
  blocks_.resize(model.layers.size());
}

template <class Work>
void AdapterGradient::ForRows(const Work& work) {
  workers_.Run(rows_ / kRowBlock, [&](std::size_t chunk) {
    for (std::size_t row = chunk * kRowBlock; row < (chunk + 1) * kRowBlock; ++row) work(row);
  });
}

void AdapterGradient::Pack(std::span<const Sequence> batch, const LossScales& scales) {
  starts_.assign(1, 0);
  weights_at_.assign(1, 0);
  position_.clear();
  tokens_.clear();
  output_ = {};
  lens_ = {};
  std::size_t longest = 0;
  for (const Sequence& sequence : batch) {
    // The last token is only predicted, never read.
    const std::size_t length = sequence.tokens.size() - 1, first = starts_.back();
    longest = std::max(longest, length);
    for (std::size_t i = 0; i < length; ++i) {
      tokens_.push_back(sequence.tokens[i]);
      position_.push_back(static_cast<std::uint32_t>(i));
    }
    for (std::size_t at = sequence.prompt; at < sequence.tokens.size(); ++at) {
      output_.rows.push_back(first + at - 1);
      output_.tokens.push_back(static_cast<std::size_t>(sequence.tokens[at]));
    }
    if (scales.lens && sequence.lens) {
      lens_.rows.push_back(first + sequence.prompt - 1);
      lens_.tokens.push_back(static_cast<std::size_t>(*sequence.lens));
    }
    starts_.push_back(first + length);
    weights_at_.push_back(weights_at_.back() + model_.config.heads * length * length);
  }
  rows_ = RoundedUp(starts_.back(), kRowBlock);
  position_.resize(rows_, 0);
  for (std::size_t p = cos_.size() / model_.frequencies.size(); p < longest; ++p) {
    for (const double angle : model_.frequencies) {
      cos_.push_back(static_cast<float>(std::cos(angle * static_cast<double>(p))));
      sin_.push_back(static_cast<float>(std::sin(angle * static_cast<double>(p))));
    }
  }
}

void AdapterGradient::Embed() {
  const std::size_t d = model_.config.hidden;
  x_.assign(rows_ * d, 0);
  ForRows([&](std::size_t row) {
    if (row >= tokens_.size()) return;
    llm::ReadRow(model_.embedding, static_cast<std::size_t>(tokens_[row]), &x_[row * d]);
  });
}

void AdapterGradient::Project(std::size_t layer, Group group, const std::vector<float>& x,
                              Block& block, std::vector<float>& y) {
  const ProjectionGroup& projections = At(layer, group);
  projections.Load(factors_, false, rooms_[group]);
  y.resize(rows_ * projections.out());
  projections.Forward(x.data(), rows_, factors_, rooms_[group], y.data(), block.t[group]);
}

void AdapterGradient::ProjectBack(std::size_t layer, Group group, const std::vector<float>& dy,
                                  const std::vector<float>& x, const Block& block,
                                  std::vector<float>& dx, std::span<float> factor_gradient) {
  const ProjectionGroup& projections = At(layer, group);
  projections.Load(factors_, true, rooms_[group]);
  dx.resize(rows_ * projections.in());
  projections.Backward(dy.data(), x.data(), block.t[group], rows_, factors_, rooms_[group],
                       dx.data(), factor_gradient);
}

void AdapterGradient::Norm(const std::vector<float>& x, const std::vector<float>& weight,
                           std::vector<float>& normed, std::vector<float>& scale) {
  const std::size_t d = model_.config.hidden;
  normed.resize(x.size());
  scale.resize(rows_);
  ForRows([&](std::size_t row) {
    const float* from = &x[row * d];
    const float squares = SumOfRow(d, [from](std::size_t j) { return from[j] * from[j]; });
    const float by = 1 / std::sqrt(squares / static_cast<float>(d) + model_.config.epsilon);
    scale[row] = by;
    for (std::size_t j = 0; j < d; ++j) normed[row * d + j] = from[j] * by * weight[j];
  });
}

void AdapterGradient::NormBack(const std::vector<float>& d_normed, const std::vector<float>& x,
                               const std::vector<float>& weight, const std::vector<float>& scale) {
  const std::size_t d = model_.config.hidden;
  ForRows([&](std::size_t row) {
    const float* from = &x[row * d];
    const float* up = &d_normed[row * d];
    const float by = scale[row];
    const float along = SumOfRow(d, [&](std::size_t j) { return up[j] * weight[j] * from[j]; });
    const float pull = along * by * by * by / static_cast<float>(d);
    for (std::size_t j = 0; j < d; ++j) {
      dx_[row * d + j] += up[j] * weight[j] * by - from[j] * pull;
    }
  });
}

void AdapterGradient::Rotate(std::vector<float>& qkv, float direction) {
  const llm::Config& config = model_.config;
  const std::size_t half = config.head_dim / 2, heads = config.heads + config.kv_heads;
  const std::size_t stride = config.q_rows() + 2 * config.kv_rows();
  ForRows([&](std::size_t row) {
    if (row >= tokens_.size()) return;
    const float* cosine = &cos_[position_[row] * half];
    const float* sine = &sin_[position_[row] * half];
    for (std::size_t h = 0; h < heads; ++h) {
      float* low = &qkv[row * stride + h * config.head_dim];
      float* high = low + half;
      for (std::size_t i = 0; i < half; ++i) {
        const float a = low[i], b = high[i], s = direction * sine[i];
        low[i] = a * cosine[i] - b * s;
        high[i] = b * cosine[i] + a * s;
      }
    }
  });
}

void AdapterGradient::Attend(Block& block) {
  const llm::Config& config = model_.config;
  const std::size_t hd = config.head_dim, group = config.heads / config.kv_heads;
  const std::size_t q_rows = config.q_rows(), kv_rows = config.kv_rows();
  const std::size_t stride = q_rows + 2 * kv_rows;
  const float scale = 1 / std::sqrt(static_cast<float>(hd));
  block.attention.resize(weights_at_.back());
  block.mixed.assign(rows_ * q_rows, 0);
  workers_.Run(starts_.size() - 1, [&](std::size_t s) {
    const std::size_t first = starts_[s], n = starts_[s + 1] - first;
    for (std::size_t h = 0; h < config.heads; ++h) {
      const float* q = &block.qkv[first * stride + h * hd];
      const float* k = &block.qkv[first * stride + q_rows + h / group * hd];
      const float* v = k + kv_rows;
      float* weights = &block.attention[weights_at_[s] + h * n * n];
      Sgemm({q, stride, 1}, {k, 1, stride}, weights, n, n, n, hd, false);
      for (std::size_t i = 0; i < n; ++i) CausalSoftmax(weights + i * n, i + 1, n, scale);
      Sgemm(Plain(weights, n), {v, stride, 1}, &block.mixed[first * q_rows + h * hd], q_rows, n, hd,
            n, false);
    }
  });
}

void AdapterGradient::AttendBack(const Block& block) {
  const llm::Config& config = model_.config;
  const std::size_t hd = config.head_dim, group = config.heads / config.kv_heads;
  const std::size_t q_rows = config.q_rows(), kv_rows = config.kv_rows();
  const std::size_t stride = q_rows + 2 * kv_rows;
  const float scale = 1 / std::sqrt(static_cast<float>(hd));
  d_qkv_.assign(rows_ * stride, 0);
  workers_.Run(starts_.size() - 1, [&](std::size_t s) {
    const std::size_t first = starts_[s], n = starts_[s + 1] - first;
    thread_local std::vector<float> scores;
    scores.resize(n * n);
    for (std::size_t h = 0; h < config.heads; ++h) {
      const std::size_t at_q = first * stride + h * hd;
      const std::size_t at_k = first * stride + q_rows + h / group * hd, at_v = at_k + kv_rows;
      const vm::MatrixView d_mixed{&d_mixed_[first * q_rows + h * hd], q_rows, 1};
      const float* p = &block.attention[weights_at_[s] + h * n * n];
      Sgemm(d_mixed, {&block.qkv[at_v], 1, stride}, scores.data(), n, n, n, hd, false);
      Sgemm(Transposed(p, n), d_mixed, &d_qkv_[at_v], stride, n, hd, n, true);
      for (std::size_t i = 0; i < n; ++i) {
        SoftmaxBack(p + i * n, i + 1, n, scale, &scores[i * n]);
      }
      Sgemm(Plain(scores.data(), n), {&block.qkv[at_k], stride, 1}, &d_qkv_[at_q], stride, n, hd, n,
            true);
      Sgemm(Transposed(scores.data(), n), {&block.qkv[at_q], stride, 1}, &d_qkv_[at_k], stride, n,
            hd, n, true);
    }
  });
}

void AdapterGradient::ForwardBlock(std::size_t layer, Block& block) {
  const std::size_t ff = model_.config.feed_forward;
  const llm::Layer& weights = model_.layers[layer];
  const auto add = [this](const std::vector<float>& values) {
    const std::size_t d = model_.config.hidden;
    ForRows([&](std::size_t row) {
      for (std::size_t j = row * d; j < (row + 1) * d; ++j) x_[j] += values[j];
    });
  };
  block.in = x_;
  Norm(x_, weights.attention_norm, block.normed, block.in_scale);
  Project(layer, kAttention, block.normed, block, block.qkv);
  Rotate(block.qkv, 1);
  Attend(block);
  Project(layer, kOutput, block.mixed, block, wide_);
  add(wide_);
  block.middle = x_;
  Norm(x_, weights.mlp_norm, block.middle_normed, block.middle_scale);
  Project(layer, kGateUp, block.middle_normed, block, block.gate_up);
  block.sigmoid.resize(rows_ * ff);
  block.product.resize(rows_ * ff);
  ForRows([&](std::size_t row) {
    const float* gate = &block.gate_up[row * 2 * ff];
    float* sigmoid = &block.sigmoid[row * ff];
    std::copy_n(gate, ff, sigmoid);
    vm::Sigmoid(sigmoid, ff);
    for (std::size_t j = 0; j < ff; ++j) {
      block.product[row * ff + j] = gate[j] * sigmoid[j] * gate[ff + j];
    }
  });
  Project(layer, kDown, block.product, block, wide_);
  add(wide_);
}

void AdapterGradient::BackwardBlock(std::size_t layer, Block& block,
                                    std::span<float> factor_gradient) {
  const std::size_t ff = model_.config.feed_forward;
  const llm::Layer& weights = model_.layers[layer];
  ProjectBack(layer, kDown, dx_, block.product, block, wide_, factor_gradient);
  d_gate_up_.resize(rows_ * 2 * ff);
  ForRows([&](std::size_t row) {
    const float* gate = &block.gate_up[row * 2 * ff];
    const float* up = gate + ff;
    const float* sigmoid = &block.sigmoid[row * ff];
    const float* d_product = &wide_[row * ff];
    float* d_gate = &d_gate_up_[row * 2 * ff];
    for (std::size_t j = 0; j < ff; ++j) {
      const float s = sigmoid[j];
      d_gate[ff + j] = d_product[j] * gate[j] * s;
      d_gate[j] = d_product[j] * up[j] * s * (1 + gate[j] * (1 - s));
    }
  });
  ProjectBack(layer, kGateUp, d_gate_up_, block.middle_normed, block, d_normed_, factor_gradient);
  NormBack(d_normed_, block.middle, weights.mlp_norm, block.middle_scale);
  ProjectBack(layer, kOutput, dx_, block.mixed, block, d_mixed_, factor_gradient);
  AttendBack(block);
  Rotate(d_qkv_, -1);
  ProjectBack(layer, kAttention, d_qkv_, block.normed, block, d_normed_, factor_gradient);
  NormBack(d_normed_, block.in, weights.attention_norm, block.in_scale);
}

void AdapterGradient::Head(const Targets& targets, float scale, bool backward, double& nats,
                           std::uint64_t& right) {
  const std::size_t d = model_.config.hidden, vocab = model_.config.vocab;
  const std::size_t count = targets.rows.size(), rows = RoundedUp(count, kHeadRows);
  const llm::Matrix& head = model_.config.tied ? model_.embedding : model_.head;
  const std::size_t chunks = (vocab + kVocabChunk - 1) / kVocabChunk;
  std::vector<float> normed(rows * d, 0), scales(count);
  std::vector<std::uint16_t> normed_bits(precision_ == Precision::kBf16 ? rows * d : 0);
  for (std::size_t i = 0; i < count; ++i) {
    const float* x = &x_[targets.rows[i] * d];
    const float squares = SumOfRow(d, [x](std::size_t j) { return x[j] * x[j]; });
    scales[i] = 1 / std::sqrt(squares / static_cast<float>(d) + model_.config.epsilon);
    for (std::size_t j = 0; j < d; ++j) {
      normed[i * d + j] = x[j] * scales[i] * model_.final_norm[j];
    }
  }
  if (precision_ == Precision::kBf16) vm::RoundToBf16(normed, normed_bits.data());
  struct Scratch {
    std::vector<float> floats;
    std::vector<std::uint16_t> bits, turned, d_bits;
  };
  const auto scratch = []() -> Scratch& {
    thread_local Scratch one;
    return one;
  };
  const auto decode = [&](std::size_t first, std::size_t size, Scratch& to) {
    to.floats.resize(size * d);
    for (std::size_t i = 0; i < size; ++i) llm::ReadRow(head, first + i, &to.floats[i * d]);
  };
  logits_.resize(rows * vocab);
  workers_.Run(chunks, [&](std::size_t chunk) {
    const std::size_t first = chunk * kVocabChunk, size = std::min(kVocabChunk, vocab - first);
    Scratch& local = scratch();
    decode(first, size, local);
    if (precision_ == Precision::kFloat) {
      Sgemm(Plain(normed.data(), d), Transposed(local.floats.data(), d), &logits_[first], vocab,
            rows, size, d, false);
      return;
    }
    local.bits.resize(size * d);
    vm::RoundToBf16(local.floats, local.bits.data());
    vm::MultiplyTransposedBf16(normed_bits.data(), local.bits.data(), &logits_[first], rows, size,
                               d, vocab);
  });
  std::vector<double> row_nats(count);
  std::vector<std::uint8_t> row_right(count);
  workers_.Run(rows, [&](std::size_t i) {
    float* row = &logits_[i * vocab];
    if (i >= count) return std::fill_n(row, vocab, 0.0f), void();
    const std::size_t target = targets.tokens[i];
    row_right[i] = static_cast<std::size_t>(std::max_element(row, row + vocab) - row) == target;
    row_nats[i] = CrossEntropy(row, vocab, target, scale);
  });
  for (std::size_t i = 0; i < count; ++i) {
    nats += row_nats[i];
    right += row_right[i];
  }
  if (!backward) return;
  std::vector<float> parts(chunks * rows * d);
  workers_.Run(chunks, [&](std::size_t chunk) {
    const std::size_t first = chunk * kVocabChunk, size = std::min(kVocabChunk, vocab - first);
    Scratch& local = scratch();
    decode(first, size, local);
    float* part = &parts[chunk * rows * d];
    if (precision_ == Precision::kFloat) {
      Sgemm({&logits_[first], vocab, 1}, Plain(local.floats.data(), d), part, d, rows, d, size,
            false);
      return;
    }
    local.bits.resize(size * d);
    local.turned.resize(size * d);
    local.d_bits.resize(rows * size);
    vm::RoundToBf16(local.floats, local.bits.data());
    constexpr std::size_t kTile = 32;
    for (std::size_t j0 = 0; j0 < d; j0 += kTile) {
      for (std::size_t i0 = 0; i0 < size; i0 += kTile) {
        for (std::size_t j = j0; j < std::min(d, j0 + kTile); ++j) {
          for (std::size_t i = i0; i < std::min(size, i0 + kTile); ++i) {
            local.turned[j * size + i] = local.bits[i * d + j];
          }
        }
      }
    }
    for (std::size_t i = 0; i < rows; ++i) {
      vm::RoundToBf16({&logits_[i * vocab + first], size}, &local.d_bits[i * size]);
    }
    vm::MultiplyTransposedBf16(local.d_bits.data(), local.turned.data(), part, rows, d, size, d);
  });
  d_rows_.assign(count * d, 0);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<float> up(d, 0);
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      const float* part = &parts[(chunk * rows + i) * d];
      for (std::size_t j = 0; j < d; ++j) up[j] += part[j];
    }
    const float* x = &x_[targets.rows[i] * d];
    const float along =
        SumOfRow(d, [&](std::size_t j) { return up[j] * model_.final_norm[j] * x[j]; });
    const float pull = along * scales[i] * scales[i] * scales[i] / static_cast<float>(d);
    for (std::size_t j = 0; j < d; ++j) {
      d_rows_[i * d + j] = up[j] * model_.final_norm[j] * scales[i] - x[j] * pull;
    }
  }
}

void AdapterGradient::AddRows(const Targets& targets, const std::vector<float>& d_rows) {
  const std::size_t d = model_.config.hidden;
  for (std::size_t i = 0; i < targets.rows.size(); ++i) {
    for (std::size_t j = 0; j < d; ++j) dx_[targets.rows[i] * d + j] += d_rows[i * d + j];
  }
}

Loss AdapterGradient::Run(std::span<const Sequence> batch, const LossScales& scales,
                          std::span<const float> factors, std::span<float> factor_gradient) {
  TXVM_ASSERT(scales.prompt == 0);
  if (batch.empty()) return {};
  factors_ = factors;
  for (ProjectionGroup::Room& room : rooms_) room.holds = nullptr;
  Pack(batch, scales);
  Embed();
  const llm::Config& config = model_.config;
  const bool backward = !factor_gradient.empty();
  const std::size_t a_row =
      4 * config.hidden + 2 * config.q_rows() + 2 * config.kv_rows() + 4 * config.feed_forward;
  const std::size_t kept = (rows_ * a_row + weights_at_.back()) * sizeof(float) * config.layers;
  const bool keeps = backward && kept <= memory_;
  Loss loss;
  for (std::size_t i = 0; i < config.layers; ++i) {
    if (keeps) {
      ForwardBlock(i, blocks_[i]);
    } else {
      if (backward) blocks_[i].in = x_;
      ForwardBlock(i, again_);
    }
    if (!scales.lens || scales.lens->layer != i || lens_.rows.empty()) continue;
    Head(lens_, static_cast<float>(scales.lens->scale), backward, loss.lens_nats, loss.lens_right);
    loss.lens_items = lens_.rows.size();
    d_lens_ = d_rows_;
  }
  Head(output_, static_cast<float>(scales.output), backward, loss.nats, loss.right);
  loss.tokens = output_.rows.size();
  if (!backward) return loss;
  dx_.assign(rows_ * config.hidden, 0);
  AddRows(output_, d_rows_);
  for (std::size_t i = config.layers; i-- > 0;) {
    if (scales.lens && scales.lens->layer == i && !lens_.rows.empty()) AddRows(lens_, d_lens_);
    if (!keeps) {
      x_ = blocks_[i].in;
      ForwardBlock(i, again_);
    }
    BackwardBlock(i, keeps ? blocks_[i] : again_, factor_gradient);
  }
  return loss;
}

}  // namespace txvm::neural::train
