#include "neural/triton/guide/learner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "neural/train/adamw.h"
#include "neural/train/random.h"
#include "neural/triton/guide/network.h"

namespace txvm::triton::guide {
namespace {

using Floats = std::vector<float>;

constexpr float kUnit = 1.0F / kOne;
constexpr float kLeastDeviation = 1.0F / 256;

// y (rows, outputs) += x (rows, inputs) W
void AddProduct(const float* x, std::size_t rows, const float* weights, std::size_t inputs,
                std::size_t outputs, float* y) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < inputs; ++i) {
      const float factor = x[r * inputs + i];
      if (factor == 0) continue;
      const float* row = weights + i * outputs;
      for (std::size_t o = 0; o < outputs; ++o) y[r * outputs + o] += factor * row[o];
    }
  }
}

// The gradients of that product; dx may be null.
void AddGradients(const float* x, std::size_t rows, const float* weights, std::size_t inputs,
                  std::size_t outputs, const float* dy, float* dweights, float* dx) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* from = dy + r * outputs;
    for (std::size_t i = 0; i < inputs; ++i) {
      const float factor = x[r * inputs + i];
      const float* row = weights + i * outputs;
      float* drow = dweights + i * outputs;
      float sum = 0;
      for (std::size_t o = 0; o < outputs; ++o) {
        drow[o] += factor * from[o];
        sum += from[o] * row[o];
      }
      if (dx != nullptr) dx[r * inputs + i] += sum;
    }
  }
}

// The values of an encoder layer that backpropagation needs again; all (nodes, ..) row by row.
struct LayerTrace {
  Floats x, qkv, weights, mixed, middle, hidden, sum, deviation;
};

class Pass {
 public:
  Pass(std::span<const float> weights, const RunLessons& run)
      : w_(weights.data()), run_(run), n_(run.nodes.count) {}

  Score Run(float* gradient) {
    const Floats x = Encode();
    Floats dx(n_ * kWidth);
    Score score;
    for (const Lesson& lesson : run_.lessons) Decide(lesson, x, gradient, dx, score);
    if (gradient != nullptr) EncodeBack(std::move(dx), gradient);
    return score;
  }

 private:
  Floats Encode() {
    Floats x(n_ * kWidth);
    scalars_.resize(n_ * kScalars);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t d = 0; d < kWidth; ++d) {
        x[i * kWidth + d] = static_cast<float>(run_.nodes.codes[i][d]) * kUnit;
      }
      for (std::size_t d = 0; d < kScalars; ++d) {
        scalars_[i * kScalars + d] = static_cast<float>(run_.nodes.scalars[i][d]) * kUnit;
      }
    }
    AddProduct(scalars_.data(), n_, w_ + kInput.offset, kScalars, kWidth, x.data());
    for (std::size_t l = 0; l < kLayers; ++l) Forward(LayerAt(l), traces_[l], x);
    return x;
  }

  void Forward(const LayerParts& parts, LayerTrace& t, Floats& x) {
    t.x = x;
    t.qkv.assign(n_ * 3 * kWidth, 0);
    AddProduct(x.data(), n_, w_ + parts.qkv.offset, kWidth, 3 * kWidth, t.qkv.data());
    t.weights.assign(kHeads * n_ * n_, 0);
    t.mixed.assign(n_ * kWidth, 0);
    for (std::size_t head = 0; head < kHeads; ++head) Attend(t, head);
    AddProduct(t.mixed.data(), n_, w_ + parts.out.offset, kWidth, kWidth, x.data());
    t.middle = x;
    t.hidden.assign(n_ * kHidden, 0);
    AddProduct(x.data(), n_, w_ + parts.up.offset, kWidth, kHidden, t.hidden.data());
    for (float& h : t.hidden) h = std::max(h, 0.0F);
    AddProduct(t.hidden.data(), n_, w_ + parts.down.offset, kHidden, kWidth, x.data());
    t.sum.assign(n_ * kWidth, 0);
    t.deviation.assign(n_, 0);
    for (std::size_t i = 0; i < n_; ++i) Normalize(parts, t, i, &x[i * kWidth]);
  }

  void Attend(LayerTrace& t, std::size_t head) {
    const std::size_t at = head * kHeadWidth;
    for (std::size_t i = 0; i < n_; ++i) {
      const float* q = &t.qkv[i * 3 * kWidth + at];
      float* weights = &t.weights[(head * n_ + i) * n_];
      float most = -1e30F, total = 0;
      for (std::size_t j = 0; j < n_; ++j) {
        const float* k = &t.qkv[j * 3 * kWidth + kWidth + at];
        weights[j] = std::inner_product(q, q + kHeadWidth, k, 0.0F) / 4;
        most = std::max(most, weights[j]);
      }
      for (std::size_t j = 0; j < n_; ++j) total += weights[j] = std::exp(weights[j] - most);
      for (std::size_t j = 0; j < n_; ++j) {
        weights[j] /= total;
        const float* v = &t.qkv[j * 3 * kWidth + 2 * kWidth + at];
        for (std::size_t d = 0; d < kHeadWidth; ++d) {
          t.mixed[i * kWidth + at + d] += weights[j] * v[d];
        }
      }
    }
  }

  // t.sum keeps the normalized row.
  void Normalize(const LayerParts& parts, LayerTrace& t, std::size_t i, float* x) {
    const float mean = std::accumulate(x, x + kWidth, 0.0F) / kWidth;
    float squares = 0;
    for (std::size_t d = 0; d < kWidth; ++d) squares += (x[d] - mean) * (x[d] - mean);
    const float deviation = std::max(std::sqrt(squares / kWidth), kLeastDeviation);
    t.deviation[i] = deviation;
    for (std::size_t d = 0; d < kWidth; ++d) {
      const float normal = (x[d] - mean) / deviation;
      t.sum[i * kWidth + d] = normal;
      x[d] = normal * w_[parts.scale.offset + d] + w_[parts.shift.offset + d];
    }
  }

  void Decide(const Lesson& lesson, const Floats& x, float* gradient, Floats& dx, Score& score) {
    std::array<float, kState> input;
    for (std::size_t i = 0; i < kState; ++i) {
      input[i] = static_cast<float>(lesson.state.lanes[i]) * kUnit;
    }
    for (std::size_t i = 0; i < kWords; ++i) {
      if (lesson.state.nodes[i] == kNoNode) continue;
      std::copy_n(&x[lesson.state.nodes[i] * kWidth], kLearntLanes, &input[i * kLanes]);
    }
    std::array<float, kHidden> hidden;
    std::copy_n(w_ + kFirstBias.offset, kHidden, hidden.begin());
    AddProduct(input.data(), 1, w_ + kFirst.offset, kState, kHidden, hidden.data());
    for (float& h : hidden) h = std::max(h, 0.0F);
    std::array<float, kLogits> logits;
    std::copy_n(w_ + kSecondBias.offset, kLogits, logits.begin());
    AddProduct(hidden.data(), 1, w_ + kSecond.offset, kHidden, kLogits, logits.data());
    const std::array<float, kLogits> dlogits = Judge(lesson, logits, score);
    if (gradient == nullptr) return;
    std::array<float, kHidden> dhidden{};
    AddGradients(hidden.data(), 1, w_ + kSecond.offset, kHidden, kLogits, dlogits.data(),
                 gradient + kSecond.offset, dhidden.data());
    for (std::size_t i = 0; i < kLogits; ++i) gradient[kSecondBias.offset + i] += dlogits[i];
    for (std::size_t i = 0; i < kHidden; ++i) {
      if (hidden[i] == 0) dhidden[i] = 0;
      gradient[kFirstBias.offset + i] += dhidden[i];
    }
    std::array<float, kState> dinput{};
    AddGradients(input.data(), 1, w_ + kFirst.offset, kState, kHidden, dhidden.data(),
                 gradient + kFirst.offset, dinput.data());
    for (std::size_t i = 0; i < kWords; ++i) {
      if (lesson.state.nodes[i] == kNoNode) continue;
      for (std::size_t d = 0; d < kLearntLanes; ++d) {
        dx[lesson.state.nodes[i] * kWidth + d] += dinput[i * kLanes + d];
      }
    }
  }

  // Cross entropy over the possible moves; returns the gradient by the logits.
  static std::array<float, kLogits> Judge(const Lesson& lesson,
                                          const std::array<float, kLogits>& logits, Score& score) {
    Floats chances;
    for (const MoveCode& move : lesson.moves) {
      chances.push_back(RatingOf(logits, move));
    }
    const auto best = std::max_element(chances.begin(), chances.end());
    const float most = *best;
    score.right += best - chances.begin() == static_cast<std::ptrdiff_t>(lesson.taken) ? 1 : 0;
    score.loss -= chances[lesson.taken] - most;
    float total = 0;
    for (float& chance : chances) total += chance = std::exp(chance - most);
    score.loss += std::log(total);
    ++score.lessons;
    std::array<float, kLogits> gradient{};
    for (std::size_t i = 0; i < chances.size(); ++i) {
      const float d = chances[i] / total - (i == lesson.taken ? 1.0F : 0.0F);
      gradient[lesson.moves[i].op] += d;
      if (lesson.moves[i].has_arg) gradient[kOps + lesson.moves[i].arg] += d;
    }
    return gradient;
  }

  void EncodeBack(Floats dx, float* gradient) {
    for (std::size_t l = kLayers; l-- > 0;) Backward(LayerAt(l), traces_[l], dx, gradient);
    AddGradients(scalars_.data(), n_, w_ + kInput.offset, kScalars, kWidth, dx.data(),
                 gradient + kInput.offset, nullptr);
  }

  void Backward(const LayerParts& parts, const LayerTrace& t, Floats& dx, float* gradient) {
    for (std::size_t i = 0; i < n_; ++i) NormalizeBack(parts, t, i, &dx[i * kWidth], gradient);
    Floats dhidden(n_ * kHidden);
    AddGradients(t.hidden.data(), n_, w_ + parts.down.offset, kHidden, kWidth, dx.data(),
                 gradient + parts.down.offset, dhidden.data());
    for (std::size_t i = 0; i < dhidden.size(); ++i) {
      if (t.hidden[i] == 0) dhidden[i] = 0;
    }
    AddGradients(t.middle.data(), n_, w_ + parts.up.offset, kWidth, kHidden, dhidden.data(),
                 gradient + parts.up.offset, dx.data());
    Floats dmixed(n_ * kWidth);
    AddGradients(t.mixed.data(), n_, w_ + parts.out.offset, kWidth, kWidth, dx.data(),
                 gradient + parts.out.offset, dmixed.data());
    Floats dqkv(n_ * 3 * kWidth);
    for (std::size_t head = 0; head < kHeads; ++head) AttendBack(t, head, dmixed, dqkv);
    AddGradients(t.x.data(), n_, w_ + parts.qkv.offset, kWidth, 3 * kWidth, dqkv.data(),
                 gradient + parts.qkv.offset, dx.data());
  }

  void NormalizeBack(const LayerParts& parts, const LayerTrace& t, std::size_t i, float* dx,
                     float* gradient) {
    const float* normal = &t.sum[i * kWidth];
    float mean = 0, product = 0;
    for (std::size_t d = 0; d < kWidth; ++d) {
      gradient[parts.scale.offset + d] += dx[d] * normal[d];
      gradient[parts.shift.offset + d] += dx[d];
      dx[d] *= w_[parts.scale.offset + d];
      mean += dx[d] / kWidth;
      product += dx[d] * normal[d] / kWidth;
    }
    for (std::size_t d = 0; d < kWidth; ++d) {
      dx[d] = (dx[d] - mean - normal[d] * product) / t.deviation[i];
    }
  }

  void AttendBack(const LayerTrace& t, std::size_t head, const Floats& dmixed, Floats& dqkv) {
    const std::size_t at = head * kHeadWidth;
    Floats dweights(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const float* weights = &t.weights[(head * n_ + i) * n_];
      const float* dout = &dmixed[i * kWidth + at];
      float sum = 0;
      for (std::size_t j = 0; j < n_; ++j) {
        const std::size_t v = j * 3 * kWidth + 2 * kWidth + at;
        dweights[j] = std::inner_product(dout, dout + kHeadWidth, &t.qkv[v], 0.0F);
        sum += dweights[j] * weights[j];
        for (std::size_t d = 0; d < kHeadWidth; ++d) dqkv[v + d] += weights[j] * dout[d];
      }
      for (std::size_t j = 0; j < n_; ++j) {
        const float dscore = weights[j] * (dweights[j] - sum) / 4;
        const std::size_t q = i * 3 * kWidth + at, k = j * 3 * kWidth + kWidth + at;
        for (std::size_t d = 0; d < kHeadWidth; ++d) {
          dqkv[q + d] += dscore * t.qkv[k + d];
          dqkv[k + d] += dscore * t.qkv[q + d];
        }
      }
    }
  }

  const float* w_;
  const RunLessons& run_;
  std::size_t n_;
  Floats scalars_;
  std::array<LayerTrace, kLayers> traces_;
};

std::vector<std::uint8_t> Decays() {
  std::vector<std::uint8_t> decays(kParameters, 1);
  const auto spare = [&](const Part& part) {
    std::fill_n(decays.begin() + static_cast<std::ptrdiff_t>(part.offset), part.size(), 0);
  };
  for (std::size_t l = 0; l < kLayers; ++l) {
    spare(LayerAt(l).scale);
    spare(LayerAt(l).shift);
  }
  spare(kFirstBias);
  spare(kSecondBias);
  return decays;
}

void Accumulate(Score& sum, const Score& score) {
  sum.loss += score.loss;
  sum.right += score.right;
  sum.lessons += score.lessons;
}

void Average(Score& score) {
  const auto count = static_cast<double>(std::max<std::size_t>(score.lessons, 1));
  score.loss /= count;
  score.right /= count;
}

// Gradients of a batch are summed in kShards parts, in order, whatever the number of threads.
class Learning {
 public:
  Learning(const std::vector<RunLessons>& runs, const LearnOptions& options,
           neural::llm::Workers& workers)
      : runs_(runs),
        options_(options),
        workers_(workers),
        random_(options.seed + 1),
        order_(runs.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    const std::size_t updates = (runs.size() + options.batch - 1) / options.batch;
    adamw_.rate = options.rate;
    adamw_.steps = updates * options.epochs;
    adamw_.warmup = std::min<std::uint64_t>(kWarmup, adamw_.steps / 10);
    for (Floats& gradient : gradients_) gradient.resize(kParameters);
  }

  Floats Run() {
    for (std::size_t epoch = 0; epoch < options_.epochs; ++epoch) {
      for (std::size_t i = order_.size(); i > 1; --i) {
        std::swap(order_[i - 1], order_[random_.Below(i)]);
      }
      Score score;
      for (std::size_t at = 0; at < order_.size(); at += options_.batch) {
        Accumulate(score, Update(std::span(order_).subspan(
                              at, std::min(options_.batch, order_.size() - at))));
      }
      Average(score);
      if (options_.progress && !options_.progress(epoch + 1, score)) break;
    }
    return std::move(weights_);
  }

 private:
  static constexpr std::size_t kShards = 4;
  static constexpr std::uint64_t kWarmup = 100;

  Score Update(std::span<const std::size_t> batch) {
    std::array<Score, kShards> scores;
    workers_.Run(kShards, [&](std::size_t shard) {
      std::fill(gradients_[shard].begin(), gradients_[shard].end(), 0.0F);
      for (std::size_t i = shard; i < batch.size(); i += kShards) {
        Accumulate(scores[shard], LossOf(weights_, runs_[batch[i]], gradients_[shard]));
      }
    });
    Score sum;
    for (const Score& score : scores) Accumulate(sum, score);
    const float share = 1.0F / static_cast<float>(std::max<std::size_t>(sum.lessons, 1));
    Floats& gradient = gradients_[0];
    double norm = 0;
    for (std::size_t i = 0; i < kParameters; ++i) {
      for (std::size_t shard = 1; shard < kShards; ++shard) gradient[i] += gradients_[shard][i];
      gradient[i] *= share;
      norm += static_cast<double>(gradient[i]) * gradient[i];
    }
    neural::train::AdamWUpdate(adamw_, step_++, neural::train::ClipScale(adamw_, std::sqrt(norm)),
                               gradient, decays_, 0, kParameters, weights_, moments_);
    return sum;
  }

  const std::vector<RunLessons>& runs_;
  const LearnOptions& options_;
  neural::llm::Workers& workers_;
  neural::train::Random random_;
  std::vector<std::size_t> order_;
  neural::train::AdamWOptions adamw_;
  Floats weights_ = options_.start.empty() ? InitialWeights(options_.seed) : options_.start;
  const std::vector<std::uint8_t> decays_ = Decays();
  neural::train::Moments moments_{Floats(kParameters), Floats(kParameters)};
  std::array<Floats, kShards> gradients_;
  std::uint64_t step_ = 0;
};

}  // namespace

Score LossOf(std::span<const float> weights, const RunLessons& run, std::span<float> gradient) {
  return Pass(weights, run).Run(gradient.empty() ? nullptr : gradient.data());
}

std::vector<float> InitialWeights(std::uint64_t seed) {
  std::vector<float> weights(kParameters);
  neural::train::Random random(seed);
  const auto fill = [&](const Part& part, double scale) {
    for (std::size_t i = part.offset; i < part.end(); ++i) {
      weights[i] =
          static_cast<float>(random.Normal() * scale / std::sqrt(static_cast<double>(part.inputs)));
    }
  };
  fill(kInput, 1);
  for (std::size_t l = 0; l < kLayers; ++l) {
    const LayerParts parts = LayerAt(l);
    fill(parts.qkv, 1);
    fill(parts.out, 0.5);
    fill(parts.up, 1.4);
    fill(parts.down, 0.5);
    std::fill_n(weights.begin() + static_cast<std::ptrdiff_t>(parts.scale.offset), kWidth, 1.0F);
  }
  fill(kFirst, 1.4);
  fill(kSecond, 0.5);
  return weights;
}

std::vector<float> Learn(const std::vector<RunLessons>& runs, const LearnOptions& options,
                         neural::llm::Workers& workers) {
  return Learning(runs, options, workers).Run();
}

Score ScoreOf(std::span<const float> weights, const std::vector<RunLessons>& runs) {
  Score score;
  for (const RunLessons& run : runs) Accumulate(score, LossOf(weights, run, {}));
  Average(score);
  return score;
}

std::vector<std::int32_t> Numerators(std::span<const float> weights) {
  std::vector<std::int32_t> numerators;
  for (const float weight : weights) {
    const double numerator = std::nearbyint(static_cast<double>(weight) * kOne);
    numerators.push_back(
        static_cast<std::int32_t>(std::clamp<double>(numerator, -kMostWeight, kMostWeight)));
  }
  return numerators;
}

}  // namespace txvm::triton::guide
