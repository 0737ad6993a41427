#include "neural/llm/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vm/tensor/nn.h"

namespace txvm::neural::llm {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;

constexpr std::size_t kMostBatch = 128;               // tokens
constexpr std::size_t kMostBatchFloats = 1u << 22;    // of the widest intermediate: 16 MB
constexpr std::size_t kParallelAttention = 1u << 18;  // multiply-adds worth a thread's wake-up

/// Tokens that go through the layers together.
std::size_t BatchSize(const Config& config) {
  const std::size_t widest = std::max({config.feed_forward, config.hidden, config.q_rows()});
  return std::clamp<std::size_t>(kMostBatchFloats / widest, 1, kMostBatch);
}

void Add(const std::vector<float>& from, std::vector<float>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

// A row of heads from the kPairs to the kHalves order, so that all that follows is the same.
void PairsToHalves(float* row, std::size_t size, std::size_t head_dim) {
  thread_local std::vector<float> copy;
  copy.assign(row, row + size);
  for (std::size_t r = 0; r < size; ++r) row[r] = copy[PairsRow(r, head_dim)];
}

}  // namespace

struct Context::Batch {
  std::size_t first = 0, count = 0;   // positions
  std::vector<float> cosines, sines;  // (count, head_dim / 2)
  std::vector<float> normed, delta;   // (count, hidden)
  std::vector<float> q, attended;     // (count, q_rows)
  std::vector<float> k, v;            // (count, kv_rows)
  std::vector<float> gate, up;        // (count, feed_forward)
};

Context::Context(std::shared_ptr<const Model> model, Workers& workers, Gemm gemm)
    : model_(std::move(model)), workers_(&workers), gemm_(gemm), cache_(model_->config) {}

Result<void> Context::Check(std::span<const Token> tokens) const {
  const Config& config = model_->config;
  if (tokens.empty()) return Fail(ErrorCode::kInvalid, "no token to read: the prompt is empty");
  for (const Token token : tokens) {
    if (token < 0 || static_cast<std::size_t>(token) >= config.vocab) {
      return Fail(ErrorCode::kInvalid,
                  fmt::format("token {} is not one of the model's {}", token, config.vocab));
    }
  }
  if (tokens.size() > config.positions - tokens_.size()) {
    return Fail(ErrorCode::kLimit, fmt::format("{} tokens exceed the model's {} positions",
                                               tokens_.size() + tokens.size(), config.positions));
  }
  return {};
}

Result<void> Context::Feed(std::span<const Token> tokens) {
  TXVM_CHECK_OK(Check(tokens));
  const std::size_t batch = BatchSize(model_->config);
  for (std::size_t at = 0; at < tokens.size(); at += batch) {
    RunBatch(tokens.subspan(at, std::min(batch, tokens.size() - at)));
  }
  logits_ = Lens(std::span(hidden_).last(model_->config.hidden));
  return {};
}

Result<std::vector<float>> Context::FeedForAll(std::span<const Token> tokens) {
  TXVM_CHECK_OK(Check(tokens));
  const Config& config = model_->config;
  const std::size_t batch = BatchSize(config);
  std::vector<float> logits(tokens.size() * config.vocab);
  for (std::size_t at = 0; at < tokens.size(); at += batch) {
    const auto part = tokens.subspan(at, std::min(batch, tokens.size() - at));
    RunBatch(part);
    std::vector<float> normed(hidden_.size());
    for (std::size_t t = 0; t < part.size(); ++t) {
      vm::RmsNorm(hidden_.data() + t * config.hidden, model_->final_norm.data(), config.epsilon,
                  config.hidden, normed.data() + t * config.hidden);
    }
    Multiply(model_->head, normed.data(), part.size(), logits.data() + at * config.vocab, *workers_,
             gemm_);
  }
  logits_.assign(logits.end() - static_cast<std::ptrdiff_t>(config.vocab), logits.end());
  return logits;
}

void Context::Truncate(std::size_t size) {
  cache_.Truncate(size);
  tokens_.resize(size);
  logits_.clear();
}

Context Context::Fork(Workers& workers) const {
  Context context = *this;
  context.workers_ = &workers;
  return context;
}

std::vector<float> Context::Lens(std::span<const float> hidden) const {
  const Config& config = model_->config;
  TXVM_ASSERT(hidden.size() == config.hidden);
  std::vector<float> normed(config.hidden), logits(config.vocab);
  vm::RmsNorm(hidden.data(), model_->final_norm.data(), config.epsilon, config.hidden,
              normed.data());
  Multiply(model_->head, normed.data(), 1, logits.data(), *workers_, gemm_);
  return logits;
}

void Context::RunBatch(std::span<const Token> tokens) {
  const Config& config = model_->config;
  Batch batch;
  batch.first = tokens_.size();
  batch.count = tokens.size();
  const std::size_t n = batch.count, half = config.head_dim / 2;
  batch.cosines.resize(n * half);
  batch.sines.resize(n * half);
  for (std::size_t t = 0; t < n; ++t) {
    for (std::size_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(batch.first + t) * model_->frequencies[i];
      batch.cosines[t * half + i] = static_cast<float>(std::cos(angle));
      batch.sines[t * half + i] = static_cast<float>(std::sin(angle));
    }
  }
  batch.normed.resize(n * config.hidden);
  batch.delta.resize(n * config.hidden);
  batch.q.resize(n * config.q_rows());
  batch.attended.resize(n * config.q_rows());
  batch.k.resize(n * config.kv_rows());
  batch.v.resize(n * config.kv_rows());
  batch.gate.resize(n * config.feed_forward);
  batch.up.resize(n * config.feed_forward);
  hidden_.resize(n * config.hidden);
  for (std::size_t t = 0; t < n; ++t) {
    ReadRow(model_->embedding, static_cast<std::size_t>(tokens[t]),
            hidden_.data() + t * config.hidden);
  }
  cache_.Grow(n);
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  for (std::size_t i = 0; i < config.layers; ++i) {
    RunLayer(i, batch);
    if (observer_) observer_(i, batch.first, hidden_);
  }
}

void Context::RunLayer(std::size_t index, Batch& batch) {
  const Config& config = model_->config;
  const Layer& layer = model_->layers[index];
  const std::size_t n = batch.count, h = config.hidden;
  const auto norm = [&](const std::vector<float>& weight) {
    for (std::size_t t = 0; t < n; ++t) {
      vm::RmsNorm(hidden_.data() + t * h, weight.data(), config.epsilon, h,
                  batch.normed.data() + t * h);
    }
  };
  const auto multiply = [&](const Matrix& w, const std::vector<float>& x, std::vector<float>& y) {
    Multiply(w, x.data(), n, y.data(), *workers_, gemm_);
  };
  norm(layer.attention_norm);
  multiply(layer.q, batch.normed, batch.q);
  multiply(layer.k, batch.normed, batch.k);
  multiply(layer.v, batch.normed, batch.v);
  Rotate(batch.q.data(), config.heads, batch);
  Rotate(batch.k.data(), config.kv_heads, batch);
  for (std::size_t t = 0; t < n; ++t) {
    const std::size_t kv = config.kv_rows(), position = batch.first + t;
    std::copy_n(batch.k.data() + t * kv, kv, cache_.MutableKey(index, position));
    std::copy_n(batch.v.data() + t * kv, kv, cache_.MutableValue(index, position));
  }
  Attend(index, batch);
  multiply(layer.o, batch.attended, batch.delta);
  Add(batch.delta, hidden_);
  norm(layer.mlp_norm);
  multiply(layer.gate, batch.normed, batch.gate);
  multiply(layer.up, batch.normed, batch.up);
  vm::SiluMultiply(batch.gate.data(), batch.up.data(), batch.gate.size());
  multiply(layer.down, batch.gate, batch.delta);
  Add(batch.delta, hidden_);
}

void Context::Rotate(float* rows, std::size_t heads, const Batch& batch) const {
  const std::size_t dim = model_->config.head_dim, half = dim / 2;
  for (std::size_t t = 0; t < batch.count; ++t) {
    const float* cosines = batch.cosines.data() + t * half;
    const float* sines = batch.sines.data() + t * half;
    float* row = rows + t * heads * dim;
    if (model_->config.rope_layout == RopeLayout::kPairs) PairsToHalves(row, heads * dim, dim);
    for (std::size_t head = 0; head < heads; ++head) {
      float* x = row + head * dim;
      for (std::size_t i = 0; i < half; ++i) {
        const float a = x[i], b = x[i + half];
        x[i] = a * cosines[i] - b * sines[i];
        x[i + half] = b * cosines[i] + a * sines[i];
      }
    }
  }
}

void Context::Attend(std::size_t index, Batch& batch) {
  const Config& config = model_->config;
  const std::size_t dim = config.head_dim, width = config.kv_rows();
  const std::size_t group = config.heads / config.kv_heads;
  const float scale = static_cast<float>(1 / std::sqrt(static_cast<double>(dim)));
  const auto attend = [&](std::size_t chunk) {
    const std::size_t t = chunk / config.heads, head = chunk % config.heads;
    const std::size_t seen = batch.first + t + 1, lane = head / group * dim;
    thread_local std::vector<float> scores;
    scores.resize(seen);
    const float* q = batch.q.data() + (t * config.heads + head) * dim;
    for (std::size_t p = 0; p < seen; p += kKvBlock) {
      vm::DotRows(q, dim, cache_.Key(index, p) + lane, width, std::min(kKvBlock, seen - p), scale,
                  scores.data() + p);
    }
    vm::Softmax(scores.data(), seen);
    float* out = batch.attended.data() + (t * config.heads + head) * dim;
    std::fill_n(out, dim, 0.0f);
    for (std::size_t p = 0; p < seen; p += kKvBlock) {
      vm::AddScaledRows(cache_.Value(index, p) + lane, width, std::min(kKvBlock, seen - p),
                        scores.data() + p, dim, out);
    }
  };
  const std::size_t chunks = batch.count * config.heads;
  if (chunks * dim * (batch.first + batch.count) >= kParallelAttention) {
    return workers_->Run(chunks, attend);
  }
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) attend(chunk);
}

Context PrefixCache::Start(std::shared_ptr<const Model> model, Workers& workers,
                           std::span<const Token> tokens, Gemm gemm) {
  std::size_t best = 0, best_size = 0;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (&known_[i].model() != model.get() || known_[i].gemm() != gemm) continue;
    const auto& seen = known_[i].tokens();
    const std::size_t most = std::min(seen.size(), tokens.empty() ? 0 : tokens.size() - 1);
    const auto end = std::mismatch(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(most),
                                   tokens.begin());
    const auto size = static_cast<std::size_t>(end.first - seen.begin());
    if (size > best_size) {
      best = i;
      best_size = size;
    }
  }
  if (best_size == 0) return Context(std::move(model), workers, gemm);
  std::rotate(known_.begin(), known_.begin() + static_cast<std::ptrdiff_t>(best),
              known_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  Context context = known_.front().Fork(workers);
  context.Truncate(best_size);
  return context;
}

void PrefixCache::Remember(const Context& context) {
  if (most_ == 0) return;
  if (known_.size() == most_) known_.pop_back();
  known_.insert(known_.begin(), context.Fork());
  known_.front().Observe({});
}

}  // namespace txvm::neural::llm
