#include "neural/triton/guide/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "vm/tensor/fixed_product.h"

namespace txvm::triton::guide {
namespace {

constexpr int kBits = 16;

// Half to even, as Fixed rounds.
std::int64_t Rounded(std::int64_t sum) {
  const std::int64_t floor = sum >> kBits;
  const std::int64_t rest = sum & (kOne - 1);
  return floor + (rest > kOne / 2 || (rest == kOne / 2 && (floor & 1) != 0) ? 1 : 0);
}

std::int32_t Clamped(std::int64_t x) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(x, -kMostActivation, kMostActivation));
}

template <std::size_t kOutputs>
std::array<std::int32_t, kOutputs> ProductOf(std::span<const std::int32_t> x, const double* weights,
                                             const double* bias = nullptr) {
  std::array<std::int32_t, kOutputs> result;
  vm::FixedProduct(x, weights, bias, {kOne, kMostActivation}, result);
  return result;
}

void Relu(std::span<std::int32_t> x) {
  for (std::int32_t& value : x) value = std::max(value, 0);
}

using Row = std::array<std::int32_t, kWidth>;

void AddTo(Row& x, const Row& y) {
  for (std::size_t i = 0; i < kWidth; ++i) x[i] = Clamped(std::int64_t{x[i]} + y[i]);
}

std::int64_t RootOf(std::int64_t square) {
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(square)));
  while (root * root > square) --root;
  while ((root + 1) * (root + 1) <= square) ++root;
  return root;
}

// (x - mean) / deviation, scaled and shifted.
void Normalize(Row& x, const double* scale, const double* shift) {
  std::int64_t sum = 0;
  for (const std::int32_t value : x) sum += value;
  const std::int64_t mean = sum / static_cast<std::int64_t>(kWidth);
  std::int64_t squares = 0;
  for (const std::int32_t value : x) squares += (value - mean) * (value - mean);
  const std::int64_t deviation =
      std::max<std::int64_t>(RootOf(squares / static_cast<std::int64_t>(kWidth)), kOne / 256);
  for (std::size_t i = 0; i < kWidth; ++i) {
    const std::int64_t normal = (x[i] - mean) * kOne / deviation;
    x[i] = Clamped(Rounded(normal * static_cast<std::int64_t>(scale[i])) +
                   static_cast<std::int64_t>(shift[i]));
  }
}

constexpr std::size_t kExpSteps = 256;  // of the table, per power of 2

std::array<std::int32_t, kExpSteps + 1> PowersOfTwo() {
  std::array<std::int32_t, kExpSteps + 1> table{};
  for (std::size_t i = 0; i <= kExpSteps; ++i) {
    table[i] = static_cast<std::int32_t>(
        std::lround(std::exp2(-static_cast<double>(i) / kExpSteps) * kOne));
  }
  return table;
}

// One head: for each node the weighted sum of the values of all nodes.
void Attend(std::span<const std::array<std::int32_t, 3 * kWidth>> qkv, std::size_t head,
            std::span<Row> out) {
  const std::size_t at = head * kHeadWidth;
  const std::size_t n = qkv.size();
  std::array<std::int64_t, kNodes> scores{};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      std::int64_t sum = 0;
      for (std::size_t d = 0; d < kHeadWidth; ++d) {
        sum += std::int64_t{qkv[i][at + d]} * qkv[j][kWidth + at + d];
      }
      scores[j] = Rounded(sum / 4);  // sqrt(kHeadWidth)
    }
    const std::int64_t most = *std::max_element(scores.begin(), scores.begin() + n);
    std::int64_t total = 0;
    std::array<std::int64_t, kHeadWidth> sums{};
    for (std::size_t j = 0; j < n; ++j) {
      const std::int64_t weight = ExpOfMinus(most - scores[j]);
      total += weight;
      for (std::size_t d = 0; d < kHeadWidth; ++d) {
        sums[d] += weight * qkv[j][2 * kWidth + at + d];
      }
    }
    for (std::size_t d = 0; d < kHeadWidth; ++d) out[i][at + d] = Clamped(sums[d] / total);
  }
}

}  // namespace

std::int32_t ExpOfMinus(std::int64_t x) {
  static const std::array table = PowersOfTwo();
  if (x >= 12 * kOne) return 0;
  constexpr std::int64_t kLog2E = 94'548;  // log2(e) in units of 2^-16
  const std::int64_t power = x * kLog2E >> kBits;
  const std::int64_t fraction = power & (kOne - 1);
  const auto step = static_cast<std::size_t>(fraction / (kOne / kExpSteps));
  const std::int64_t rest = fraction % (kOne / kExpSteps);
  const std::int64_t here = table[step], next = table[step + 1];
  const std::int64_t value = here + (next - here) * rest / (kOne / static_cast<int>(kExpSteps));
  return static_cast<std::int32_t>(value >> (power >> kBits));
}

isa::Result<Network> Network::Make(std::vector<std::int32_t> weights) {
  if (weights.size() != kParameters) {
    return isa::Fail(isa::ErrorCode::kInvalid, fmt::format("the network has {} parameters, not {}",
                                                           kParameters, weights.size()));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] >= -kMostWeight && weights[i] <= kMostWeight) continue;
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("parameter {} is {}/65536, beyond 64", i, weights[i]));
  }
  return Network(std::move(weights));
}

Encoding Network::Encode(const RunNodes& nodes) const {
  const double* w = factors_.data();
  const std::size_t n = nodes.count;
  std::vector<Row> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = ProductOf<kWidth>(nodes.scalars[i], w + kInput.offset);
    AddTo(x[i], nodes.codes[i]);
  }
  std::vector<std::array<std::int32_t, 3 * kWidth>> qkv(n);
  std::vector<Row> mixed(n);
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    const LayerParts parts = LayerAt(layer);
    for (std::size_t i = 0; i < n; ++i) qkv[i] = ProductOf<3 * kWidth>(x[i], w + parts.qkv.offset);
    for (std::size_t head = 0; head < kHeads; ++head) Attend(qkv, head, mixed);
    for (std::size_t i = 0; i < n; ++i) {
      AddTo(x[i], ProductOf<kWidth>(mixed[i], w + parts.out.offset));
      auto hidden = ProductOf<kHidden>(x[i], w + parts.up.offset);
      Relu(hidden);
      AddTo(x[i], ProductOf<kWidth>(hidden, w + parts.down.offset));
      Normalize(x[i], w + parts.scale.offset, w + parts.shift.offset);
    }
  }
  Encoding encoding{};
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(x[i].begin(), kLearntLanes, encoding[i].begin());
  }
  return encoding;
}

Logits Network::Decode(const Encoding& encoding, const StateInput& state) const {
  const double* w = factors_.data();
  std::array<std::int32_t, kState> input = state.lanes;
  for (std::size_t i = 0; i < kWords; ++i) {
    if (state.nodes[i] == kNoNode) continue;
    std::copy_n(encoding[state.nodes[i]].begin(), kLearntLanes, &input[i * kLanes]);
  }
  auto hidden = ProductOf<kHidden>(input, w + kFirst.offset, w + kFirstBias.offset);
  Relu(hidden);
  return ProductOf<kLogits>(hidden, w + kSecond.offset, w + kSecondBias.offset);
}

}  // namespace txvm::triton::guide
