#include "neural/train/recall_circuit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "isa/support/result.h"
#include "neural/train/random.h"

namespace txvm::neural::train {
namespace {

constexpr double kDeviation = 0.3, kMean = kRecallMean;  // of embeddings
constexpr float kLastNorm = 0.07f;
constexpr double kSlowestAngle = 0.09;  // a position's, of the fast pairs
constexpr double kReach = 5;            // a neighbour's score, by each of the fast pairs
constexpr double kSharpness = 2.0;      // of a match: its scores grow with the square
constexpr double kNearSharpness = 5.0;  // of a match with a shadow, smaller than an embedding
constexpr double kShadow = 0.5;         // a shadow's size, an embedding's being 0.34
constexpr double kAfterShadow = 0.7;
constexpr double kNearShadow = 1.0;  // of a token that shall be found by what stands before it
constexpr float kQuiet = 0.1f;       // what block 0's feed-forward layer writes, of the usual

using Rows = std::vector<std::vector<double>>;
using Subspace = std::span<const std::vector<double>>;

// Orthonormal rows, orthogonal to the common mean.
Rows DrawBasis(std::size_t count, std::size_t width, Random& random) {
  const auto remove = [](const std::vector<double>& from, std::vector<double>& row) {
    const double along = std::inner_product(row.begin(), row.end(), from.begin(), 0.0);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] -= along * from[i];
  };
  Rows rows = {std::vector<double>(width, 1 / std::sqrt(static_cast<double>(width)))};
  while (rows.size() <= count) {
    std::vector<double> row(width);
    for (double& x : row) x = random.Normal();
    for (const auto& before : rows) remove(before, row);
    const double norm = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
    for (double& x : row) x /= norm;
    rows.push_back(std::move(row));
  }
  rows.erase(rows.begin());
  return rows;
}

// Writes the circuit's parts.
class Compiler {
 public:
  Compiler(const llm::Config& config, const Layout& layout, std::uint64_t seed,
           std::span<float> weights)
      : config_(config),
        layout_(layout),
        weights_(weights),
        angles_(llm::RopeFrequencies(config)),
        random_(seed),
        basis_(DrawBasis(3 * config.head_dim, config.hidden, random_)) {}

  void WriteEmbeddings() {
    const std::size_t width = config_.hidden;
    for (std::size_t token = 0; token < config_.vocab; ++token) {
      const std::span<float> row = weights_.subspan(layout_.embedding + token * width, width);
      double mean = 0;
      for (float& x : row) mean += x = static_cast<float>(random_.Normal() * kDeviation);
      mean /= static_cast<double>(width);
      for (float& x : row) x += static_cast<float>(kMean - mean);
    }
    std::ranges::fill(weights_.subspan(layout_.final_norm, width), kLastNorm);
  }

  // Block 0: heads that bring what stands near to each token.
  void WriteNeighbours() {
    const BlockLayout& block = layout_.blocks[0];
    WriteReach(0, 1);
    WriteCopy(block, 0, shadow_, shadow_, kShadow);
    WriteReach(1, 2);
    WriteCopy(block, 1, match_, near_, kNearShadow);
    for (float& x : weights_.subspan(block.down, config_.hidden * config_.feed_forward)) {
      x *= kQuiet;
    }
  }

  // Block 1: an earlier equal token, and what stood before it. Fast pairs disagree where a token
  // meets itself: the earlier one shall win.
  void WriteBefore(std::size_t group) {
    WriteMatch(layout_.blocks[1], group, match_, match_, kSharpness, -1);
    WriteCopy(layout_.blocks[1], group, shadow_, shadow_, kShadow);
  }

  // Block 2: what stands two after an earlier equal token.
  void WriteAfter() {
    WriteMatch(layout_.blocks[2], 0, match_, near_, kNearSharpness, 0);
    WriteCopy(layout_.blocks[2], 0, shadow_, shadow_, kAfterShadow);
  }

 private:
  float& At(std::size_t matrix, std::size_t row, std::size_t column) {
    return weights_[matrix + row * config_.hidden + column];
  }
  void Fill(std::size_t matrix, std::size_t row, double value) {
    std::ranges::fill(weights_.subspan(matrix + row * config_.hidden, config_.hidden),
                      static_cast<float>(value));
  }

  Subspace Part(std::size_t i) const {
    return Subspace(basis_).subspan(i * config_.head_dim, config_.head_dim);
  }
  std::size_t FirstHead(std::size_t group) const {
    return group * (config_.heads / config_.kv_heads);
  }

  // The first head of a group of block 0 attends to the token so far before, by rotation alone.
  void WriteReach(std::size_t group, double distance) {
    const BlockLayout& block = layout_.blocks[0];
    const std::size_t head_dim = config_.head_dim, half = head_dim / 2;
    // A normalized embedding's mean, times the width: what a row of ones reads from every token.
    const double read = static_cast<double>(config_.hidden) * kMean / std::hypot(kDeviation, kMean);
    const double size = std::sqrt(kReach * std::sqrt(static_cast<double>(head_dim))) / read;
    for (std::size_t pair = 0; pair < half; ++pair) {
      const double angle = angles_[pair];
      const double part = angle > kSlowestAngle ? size : 0;
      const std::size_t key = group * head_dim + pair, query = FirstHead(group) * head_dim + pair;
      Fill(block.k, key, part);
      Fill(block.k, key + half, 0);
      // A query turned back: equal to the key of that token.
      Fill(block.q, query, part * std::cos(angle * distance));
      Fill(block.q, query + half, -part * std::sin(angle * distance));
    }
  }

  void WriteMatch(const BlockLayout& block, std::size_t group, Subspace query, Subspace key,
                  double sharpness, double fast_sign) {
    const std::size_t head_dim = config_.head_dim, half = head_dim / 2;
    for (std::size_t i = 0; i < head_dim; ++i) {
      const double sign = angles_[i % half] > kSlowestAngle ? fast_sign : 1;
      for (std::size_t c = 0; c < config_.hidden; ++c) {
        At(block.k, group * head_dim + i, c) = static_cast<float>(key[i][c] * sharpness);
        At(block.q, FirstHead(group) * head_dim + i, c) =
            static_cast<float>(query[i][c] * sharpness * sign);
      }
    }
  }

  // The first head of a group reads one subspace of what it attends to and writes another.
  void WriteCopy(const BlockLayout& block, std::size_t group, Subspace from, Subspace to,
                 double size) {
    const std::size_t head_dim = config_.head_dim;
    for (std::size_t i = 0; i < head_dim; ++i) {
      for (std::size_t c = 0; c < config_.hidden; ++c) {
        At(block.v, group * head_dim + i, c) = static_cast<float>(from[i][c]);
        weights_[block.o + c * config_.q_rows() + FirstHead(group) * head_dim + i] =
            static_cast<float>(to[i][c] * size);
      }
    }
  }

  const llm::Config& config_;
  const Layout& layout_;
  std::span<float> weights_;
  std::vector<double> angles_;  // a position's, by pair
  Random random_;
  Rows basis_;
  Subspace shadow_ = Part(0), match_ = Part(1), near_ = Part(2);
};

}  // namespace

bool HasRoomForRecall(const llm::Config& config) {
  constexpr std::size_t kSmallestHead = 8;
  return config.layers >= 3 && config.kv_heads >= 2 && config.head_dim >= kSmallestHead &&
         config.hidden > 3 * config.head_dim && config.tied;
}

void CompileRecall(const llm::Config& config, const Layout& layout, std::uint64_t seed,
                   std::span<float> weights) {
  TXVM_ASSERT(HasRoomForRecall(config) && weights.size() == layout.size);
  Compiler compiler(config, layout, seed, weights);
  compiler.WriteEmbeddings();
  compiler.WriteNeighbours();
  for (std::size_t group = 0; group < config.kv_heads; ++group) compiler.WriteBefore(group);
  compiler.WriteAfter();
}

std::vector<float> RecallRates(const llm::Config& config, const Layout& layout, float rate) {
  std::vector<float> rates(layout.size, 1);
  const std::size_t width = config.hidden, head_dim = config.head_dim;
  const auto slow = [&](std::size_t first, std::size_t count) {
    std::fill_n(rates.begin() + static_cast<std::ptrdiff_t>(first), count, rate);
  };
  const auto slow_group = [&](const BlockLayout& block, std::size_t group) {
    const std::size_t head = group * (config.heads / config.kv_heads);
    slow(block.q + head * head_dim * width, head_dim * width);
    slow(block.k + group * head_dim * width, head_dim * width);
    slow(block.v + group * head_dim * width, head_dim * width);
    for (std::size_t i = 0; i < width; ++i) {
      slow(block.o + i * config.q_rows() + head * head_dim, head_dim);
    }
  };
  slow_group(layout.blocks[0], 0);
  slow_group(layout.blocks[0], 1);
  for (const std::size_t matrix :
       {layout.blocks[0].gate, layout.blocks[0].up, layout.blocks[0].down}) {
    slow(matrix, width * config.feed_forward);
  }
  for (std::size_t group = 0; group < config.kv_heads; ++group) {
    slow_group(layout.blocks[1], group);
  }
  slow_group(layout.blocks[2], 0);
  return rates;
}

}  // namespace txvm::neural::train
