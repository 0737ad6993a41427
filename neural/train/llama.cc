#include "neural/train/llama.h"

#include <algorithm>
#include <cmath>

#include "neural/train/row_ops.h"
#include "vm/tensor/sgemm.h"

namespace txvm::neural::train {
namespace {

using vm::Plain;
using vm::Sgemm;
using vm::Transposed;

// y (rows, out) = x (rows, in) * w^T, w: (out, in).
void Project(const std::vector<float>& x, const float* w, std::size_t rows, std::size_t in,
             std::size_t out, std::vector<float>& y) {
  y.resize(rows * out);
  Sgemm(Plain(x.data(), in), Transposed(w, in), y.data(), out, rows, out, in, false);
}

}  // namespace

LlamaGradient::LlamaGradient(const llm::Config& config, const Layout& layout)
    : config_(config),
      layout_(layout),
      angles_(llm::RopeFrequencies(config)),
      blocks_(config.layers) {}

void LlamaGradient::KnowRotations(std::size_t positions) {
  for (std::size_t p = cos_.size() / angles_.size(); p < positions; ++p) {
    for (const double angle : angles_) {
      cos_.push_back(static_cast<float>(std::cos(angle * static_cast<double>(p))));
      sin_.push_back(static_cast<float>(std::sin(angle * static_cast<double>(p))));
    }
  }
}

void LlamaGradient::ProjectBack(const float* weights, std::size_t at, const std::vector<float>& dy,
                                const std::vector<float>& x, std::size_t rows, std::size_t in,
                                std::size_t out, bool add, float* dx, const Sink& sink) {
  Sgemm(Plain(dy.data(), out), Plain(weights + at, in), dx, in, rows, in, out, add);
  if (sink.weights != nullptr) {
    Sgemm(Transposed(dy.data(), out), Plain(x.data(), in), sink.weights + at, in, out, in, rows,
          true);
    return;
  }
  const LoraPair* pair = sink.lora->Find(at);
  if (pair == nullptr) return;
  // dW = dy^T x: dB = dW A^T = dy^T (x A^T), dA = B^T dW = (dy B)^T x.
  const std::size_t rank = sink.lora->rank;
  narrow_.resize(rows * rank);
  const auto scale = [&] {
    for (float& value : narrow_) value *= sink.lora->scale;
  };
  Sgemm(Plain(x.data(), in), Transposed(sink.factors + pair->a, in), narrow_.data(), rank, rows,
        rank, in, false);
  scale();
  Sgemm(Transposed(dy.data(), out), Plain(narrow_.data(), rank), sink.factor_gradient + pair->b,
        rank, out, rank, rows, true);
  Sgemm(Plain(dy.data(), out), Plain(sink.factors + pair->b, rank), narrow_.data(), rank, rows,
        rank, out, false);
  scale();
  Sgemm(Transposed(narrow_.data(), rank), Plain(x.data(), in), sink.factor_gradient + pair->a, in,
        rank, in, rows, true);
}

float* LlamaGradient::NormSink(std::size_t at, const Sink& sink) {
  if (sink.weights != nullptr) return sink.weights + at;
  unused_.assign(config_.hidden, 0);
  return unused_.data();
}

void LlamaGradient::Rows::Clear() {
  starts.assign(1, 0);
  position.clear();
}

void LlamaGradient::Rows::Add(std::size_t first, std::size_t length) {
  for (std::size_t i = first; i < length; ++i) position.push_back(static_cast<std::uint32_t>(i));
  starts.push_back(position.size());
}

void LlamaGradient::Pack(std::span<const Sequence> shard, bool with_prompts) {
  weights_at_.assign(1, 0);
  tokens_.clear();
  all_.Clear();
  counted_.Clear();
  for (const Sequence& sequence : shard) {
    // The last token is only predicted, never read.
    const std::size_t length = sequence.tokens.size() - 1;
    KnowRotations(length);
    tokens_.insert(tokens_.end(), sequence.tokens.begin(), sequence.tokens.end() - 1);
    all_.Add(0, length);
    counted_.Add(with_prompts ? 0 : sequence.prompt - 1, length);
    weights_at_.push_back(weights_at_.back() + config_.heads * length * length);
  }
}

void LlamaGradient::PickCounted(const std::vector<float>& from, std::vector<float>& to) const {
  const std::size_t d = config_.hidden;
  to.resize(counted_.count() * d);
  for (std::size_t s = 0; s + 1 < counted_.starts.size(); ++s) {
    const std::size_t first = counted_.starts[s], n = counted_.starts[s + 1] - first;
    std::copy_n(&from[(all_.starts[s + 1] - n) * d], n * d, &to[first * d]);
  }
}

void LlamaGradient::AddCounted(const std::vector<float>& from, std::vector<float>& to) const {
  const std::size_t d = config_.hidden;
  for (std::size_t s = 0; s + 1 < counted_.starts.size(); ++s) {
    const std::size_t first = counted_.starts[s], n = counted_.starts[s + 1] - first;
    float* row = &to[(all_.starts[s + 1] - n) * d];
    for (std::size_t i = 0; i < n * d; ++i) row[i] += from[first * d + i];
  }
}

void LlamaGradient::Rotate(std::vector<float>& values, const Rows& rows, std::size_t heads,
                           float direction) const {
  const std::size_t half = config_.head_dim / 2;
  for (std::size_t t = 0; t < rows.count(); ++t) {
    const float* cosine = &cos_[rows.position[t] * half];
    const float* sine = &sin_[rows.position[t] * half];
    for (std::size_t h = 0; h < heads; ++h) {
      float* low = &values[(t * heads + h) * config_.head_dim];
      float* high = low + half;
      for (std::size_t i = 0; i < half; ++i) {
        const float a = low[i], b = high[i], s = direction * sine[i];
        low[i] = a * cosine[i] - b * s;
        high[i] = b * cosine[i] + a * s;
      }
    }
  }
}

void LlamaGradient::Attend(Block& block) {
  const std::size_t hd = config_.head_dim, group = config_.heads / config_.kv_heads;
  const float scale = 1 / std::sqrt(static_cast<float>(hd));
  const Rows& queries = Queries(block);
  block.attention.assign(weights_at_.back(), 0);
  block.mixed.resize(queries.count() * config_.q_rows());
  for (std::size_t s = 0; s + 1 < all_.starts.size(); ++s) {
    const std::size_t first = all_.starts[s], n = all_.starts[s + 1] - first;
    const std::size_t asked = queries.starts[s], m = queries.starts[s + 1] - asked;
    for (std::size_t h = 0; h < config_.heads; ++h) {
      const float* q = &block.q[asked * config_.q_rows() + h * hd];
      const float* k = &block.k[first * config_.kv_rows() + h / group * hd];
      const float* v = &block.v[first * config_.kv_rows() + h / group * hd];
      float* weights = &block.attention[weights_at_[s] + h * n * n];
      Sgemm({q, config_.q_rows(), 1}, {k, 1, config_.kv_rows()}, weights, n, m, n, hd, false);
      for (std::size_t i = 0; i < m; ++i) CausalSoftmax(weights + i * n, n - m + i + 1, n, scale);
      Sgemm(Plain(weights, n), {v, config_.kv_rows(), 1},
            &block.mixed[asked * config_.q_rows() + h * hd], config_.q_rows(), m, hd, n, false);
    }
  }
}

void LlamaGradient::ForwardBlock(const float* weights, const BlockLayout& at, Block& block) {
  const std::size_t d = config_.hidden, ff = config_.feed_forward;
  const Rows& queries = Queries(block);
  const std::size_t rows = queries.count();
  block.in = x_;
  NormRows(x_, weights + at.attention_norm, config_.epsilon, d, block.normed, block.in_scale);
  if (IsLast(block)) {
    PickCounted(block.normed, block.asking);
    PickCounted(block.in, x_);
  }
  Project(Asking(block), weights + at.q, rows, d, config_.q_rows(), block.q);
  Project(block.normed, weights + at.k, all_.count(), d, config_.kv_rows(), block.k);
  Project(block.normed, weights + at.v, all_.count(), d, config_.kv_rows(), block.v);
  Rotate(block.q, queries, config_.heads, 1);
  Rotate(block.k, all_, config_.kv_heads, 1);
  Attend(block);
  Sgemm(Plain(block.mixed.data(), config_.q_rows()), Transposed(weights + at.o, config_.q_rows()),
        x_.data(), d, rows, d, config_.q_rows(), true);
  block.middle = x_;
  NormRows(x_, weights + at.mlp_norm, config_.epsilon, d, block.middle_normed, block.middle_scale);
  Project(block.middle_normed, weights + at.gate, rows, d, ff, block.gate);
  Project(block.middle_normed, weights + at.up, rows, d, ff, block.up);
  GateRows(block.gate, block.up, block.sigmoid, block.product);
  Sgemm(Plain(block.product.data(), ff), Transposed(weights + at.down, ff), x_.data(), d, rows, d,
        ff, true);
}

void LlamaGradient::Forward(const float* weights) {
  const std::size_t d = config_.hidden;
  x_.resize(tokens_.size() * d);
  for (std::size_t t = 0; t < tokens_.size(); ++t) {
    const float* row = weights + layout_.embedding + static_cast<std::size_t>(tokens_[t]) * d;
    std::copy(row, row + d, &x_[t * d]);
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    ForwardBlock(weights, layout_.blocks[i], blocks_[i]);
  }
  NormRows(x_, weights + layout_.final_norm, config_.epsilon, d, final_, x_scale_);
}

Loss LlamaGradient::Score(const float* weights, std::span<const Sequence> shard,
                          const LossScales& scales, const Sink& sink) {
  const std::size_t d = config_.hidden, vocab = config_.vocab;
  const std::size_t rows = counted_.count();
  Project(final_, weights + layout_.embedding, rows, d, vocab, logits_);
  Loss loss;
  std::size_t i = 0;
  for (const Sequence& sequence : shard) {
    for (std::size_t at = scales.prompt != 0 ? 1 : sequence.prompt; at < sequence.tokens.size();
         ++at, ++i) {
      float* row = &logits_[i * vocab];
      const auto target = static_cast<std::size_t>(sequence.tokens[at]);
      if (at < sequence.prompt) {
        loss.prompt_nats += CrossEntropy(row, vocab, target, static_cast<float>(scales.prompt));
        continue;
      }
      loss.right += static_cast<std::size_t>(std::max_element(row, row + vocab) - row) == target;
      loss.nats += CrossEntropy(row, vocab, target, static_cast<float>(scales.output));
      ++loss.tokens;
    }
  }
  if (!sink.wanted()) return loss;
  d_normed_.resize(rows * d);
  ProjectBack(weights, layout_.embedding, logits_, final_, rows, d, vocab, false, d_normed_.data(),
              sink);
  return loss;
}

void LlamaGradient::ScoreLens(const float* weights, std::span<const Sequence> shard,
                              const LensTerm& lens, const Sink& sink, Loss& loss) {
  const std::size_t d = config_.hidden, vocab = config_.vocab;
  const float* norm = weights + layout_.final_norm;
  const float* embedding = weights + layout_.embedding;
  // What a block leaves is what the next one reads. The last leaves the counted rows alone, among
  // which the prompt's last is the first whose prediction is a program's token.
  const bool is_last = lens.layer + 1 == blocks_.size();
  const std::vector<float>& left = is_last ? x_ : blocks_[lens.layer + 1].in;
  std::vector<float> rows, normed, scale, logits;
  std::vector<std::size_t> targets;
  for (std::size_t s = 0; s < shard.size(); ++s) {
    if (!shard[s].lens) continue;
    const std::size_t behind = shard[s].tokens.size() - shard[s].prompt;
    lens_rows_.push_back((is_last ? counted_ : all_).starts[s + 1] - behind);
    targets.push_back(static_cast<std::size_t>(*shard[s].lens));
    const auto row = left.begin() + static_cast<std::ptrdiff_t>(lens_rows_.back() * d);
    rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(d));
  }
  if (targets.empty()) return;
  NormRows(rows, norm, config_.epsilon, d, normed, scale);
  Project(normed, embedding, targets.size(), d, vocab, logits);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    float* row = &logits[i * vocab];
    loss.lens_right +=
        static_cast<std::size_t>(std::max_element(row, row + vocab) - row) == targets[i];
    loss.lens_nats += CrossEntropy(row, vocab, targets[i], static_cast<float>(lens.scale));
    ++loss.lens_items;
  }
  if (!sink.wanted()) return;
  std::vector<float> d_normed(rows.size());
  ProjectBack(weights, layout_.embedding, logits, normed, targets.size(), d, vocab, false,
              d_normed.data(), sink);
  d_lens_.assign(rows.size(), 0);
  NormRowsBack(d_normed, rows, norm, scale, d, d_lens_, NormSink(layout_.final_norm, sink));
}

void LlamaGradient::BackwardFeedForward(const float* weights, const BlockLayout& at, Block& block,
                                        const Sink& sink) {
  const std::size_t d = config_.hidden, ff = config_.feed_forward;
  const std::size_t rows = Queries(block).count();
  d_wide_.resize(rows * ff);
  ProjectBack(weights, at.down, dx_, block.product, rows, ff, d, false, d_wide_.data(), sink);
  GateRowsBack(d_wide_, block.gate, block.up, block.sigmoid, d_gate_, d_up_);
  d_normed_.resize(rows * d);
  ProjectBack(weights, at.gate, d_gate_, block.middle_normed, rows, d, ff, false, d_normed_.data(),
              sink);
  ProjectBack(weights, at.up, d_up_, block.middle_normed, rows, d, ff, true, d_normed_.data(),
              sink);
  NormRowsBack(d_normed_, block.middle, weights + at.mlp_norm, block.middle_scale, d, dx_,
               NormSink(at.mlp_norm, sink));
}

void LlamaGradient::BackwardHeads(Block& block) {
  const std::size_t hd = config_.head_dim, group = config_.heads / config_.kv_heads;
  const std::size_t q_rows = config_.q_rows(), kv_rows = config_.kv_rows();
  const float scale = 1 / std::sqrt(static_cast<float>(hd));
  const Rows& queries = Queries(block);
  dq_.assign(queries.count() * q_rows, 0);
  dk_.assign(all_.count() * kv_rows, 0);
  dv_.assign(all_.count() * kv_rows, 0);
  for (std::size_t s = 0; s + 1 < all_.starts.size(); ++s) {
    const std::size_t first = all_.starts[s], n = all_.starts[s + 1] - first;
    const std::size_t asked = queries.starts[s], m = queries.starts[s + 1] - asked;
    scores_.resize(m * n);
    for (std::size_t h = 0; h < config_.heads; ++h) {
      const std::size_t at_q = asked * q_rows + h * hd;
      const std::size_t at_kv = first * kv_rows + h / group * hd;
      const float* p = &block.attention[weights_at_[s] + h * n * n];
      Sgemm({&d_mixed_[at_q], q_rows, 1}, {&block.v[at_kv], 1, kv_rows}, scores_.data(), n, m, n,
            hd, false);
      Sgemm(Transposed(p, n), {&d_mixed_[at_q], q_rows, 1}, &dv_[at_kv], kv_rows, n, hd, m, true);
      for (std::size_t i = 0; i < m; ++i) {
        SoftmaxBack(p + i * n, n - m + i + 1, n, scale, &scores_[i * n]);
      }
      Sgemm(Plain(scores_.data(), n), {&block.k[at_kv], kv_rows, 1}, &dq_[at_q], q_rows, m, hd, n,
            true);
      Sgemm(Transposed(scores_.data(), n), {&block.q[at_q], q_rows, 1}, &dk_[at_kv], kv_rows, n, hd,
            m, true);
    }
  }
}

void LlamaGradient::BackwardAttention(const float* weights, const BlockLayout& at, Block& block,
                                      const Sink& sink) {
  const std::size_t d = config_.hidden;
  const Rows& queries = Queries(block);
  d_mixed_.resize(queries.count() * config_.q_rows());
  ProjectBack(weights, at.o, dx_, block.mixed, queries.count(), config_.q_rows(), d, false,
              d_mixed_.data(), sink);
  BackwardHeads(block);
  Rotate(dq_, queries, config_.heads, -1);
  Rotate(dk_, all_, config_.kv_heads, -1);
  d_normed_.resize(all_.count() * d);
  ProjectBack(weights, at.k, dk_, block.normed, all_.count(), d, config_.kv_rows(), false,
              d_normed_.data(), sink);
  ProjectBack(weights, at.v, dv_, block.normed, all_.count(), d, config_.kv_rows(), true,
              d_normed_.data(), sink);
  if (IsLast(block)) {
    picked_.resize(counted_.count() * d);
    ProjectBack(weights, at.q, dq_, block.asking, counted_.count(), d, config_.q_rows(), false,
                picked_.data(), sink);
    AddCounted(picked_, d_normed_);
    std::swap(dx_, picked_);
    dx_.assign(all_.count() * d, 0);
    AddCounted(picked_, dx_);
  } else {
    ProjectBack(weights, at.q, dq_, block.normed, all_.count(), d, config_.q_rows(), true,
                d_normed_.data(), sink);
  }
  NormRowsBack(d_normed_, block.in, weights + at.attention_norm, block.in_scale, d, dx_,
               NormSink(at.attention_norm, sink));
}

void LlamaGradient::Backward(const float* weights, const std::optional<LensTerm>& lens,
                             const Sink& sink) {
  const std::size_t d = config_.hidden;
  dx_.assign(counted_.count() * d, 0);
  NormRowsBack(d_normed_, x_, weights + layout_.final_norm, x_scale_, d, dx_,
               NormSink(layout_.final_norm, sink));
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    for (std::size_t n = 0; lens && i == lens->layer && n < lens_rows_.size(); ++n) {
      for (std::size_t j = 0; j < d; ++j) dx_[lens_rows_[n] * d + j] += d_lens_[n * d + j];
    }
    BackwardFeedForward(weights, layout_.blocks[i], blocks_[i], sink);
    BackwardAttention(weights, layout_.blocks[i], blocks_[i], sink);
  }
  if (sink.weights == nullptr) return;
  for (std::size_t t = 0; t < tokens_.size(); ++t) {
    float* row = sink.weights + layout_.embedding + static_cast<std::size_t>(tokens_[t]) * d;
    for (std::size_t j = 0; j < d; ++j) row[j] += dx_[t * d + j];
  }
}

Loss LlamaGradient::RunInto(std::span<const float> weights, std::span<const Sequence> shard,
                            const LossScales& scales, const Sink& sink) {
  if (shard.empty()) return {};
  Pack(shard, scales.prompt != 0);
  Forward(weights.data());
  Loss loss = Score(weights.data(), shard, scales, sink);
  lens_rows_.clear();
  if (scales.lens) ScoreLens(weights.data(), shard, *scales.lens, sink, loss);
  if (sink.wanted()) Backward(weights.data(), scales.lens, sink);
  return loss;
}

Loss LlamaGradient::Run(std::span<const float> weights, std::span<const Sequence> shard,
                        const LossScales& scales, std::span<float> gradient) {
  Sink sink;
  if (!gradient.empty()) sink.weights = gradient.data();
  return RunInto(weights, shard, scales, sink);
}

Loss LlamaGradient::RunFactors(std::span<const float> weights, std::span<const Sequence> shard,
                               const LossScales& scales, const LoraLayout& lora,
                               std::span<const float> factors, std::span<float> factor_gradient) {
  return RunInto(weights, shard, scales, {nullptr, &lora, factors.data(), factor_gradient.data()});
}

}  // namespace txvm::neural::train
