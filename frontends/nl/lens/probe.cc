#include "frontends/nl/lens/probe.h"

#include <algorithm>
#include <cmath>

#include "isa/support/result.h"
#include "neural/train/adamw.h"
#include "neural/train/row_ops.h"
#include "vm/tensor/sgemm.h"

namespace txvm::frontends::nl {
namespace {

namespace train = neural::train;

train::AdamWOptions Schedule() {
  train::AdamWOptions adam;
  adam.rate = 3e-2;
  adam.steps = kProbeSteps;
  adam.warmup = 10;
  adam.decay = 1e-3;
  return adam;
}

}  // namespace

LinearProbe::LinearProbe(const ProbeData& data, std::size_t classes)
    : width_(data.width),
      classes_(classes),
      mean_(width_, 0),
      scale_(width_, 0),
      weights_(classes * (width_ + 1), 0) {
  TXVM_ASSERT(data.count() > 0);
  const auto n = static_cast<float>(data.count());
  for (std::size_t i = 0; i < data.rows.size(); ++i) mean_[i % width_] += data.rows[i] / n;
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    const float off = data.rows[i] - mean_[i % width_];
    scale_[i % width_] += off * off / n;
  }
  constexpr float kLeastVariance = 1e-12f;
  for (float& scale : scale_) scale = 1 / std::sqrt(std::max(scale, kLeastVariance));
  const std::vector<float> rows = Standardized(data);
  const std::size_t columns = width_ + 1;
  train::Moments moments{std::vector<float>(weights_.size(), 0),
                         std::vector<float>(weights_.size(), 0)};
  const std::vector<std::uint8_t> decays(weights_.size(), 1);
  std::vector<float> gradient(weights_.size());
  const train::AdamWOptions adam = Schedule();
  for (std::size_t step = 0; step < kProbeSteps; ++step) {
    std::vector<float> logits = Logits(rows, data.count());
    for (std::size_t i = 0; i < data.count(); ++i) {
      train::CrossEntropy(&logits[i * classes_], classes_, data.classes[i], 1 / n);
    }
    vm::Sgemm(vm::Transposed(logits.data(), classes_), vm::Plain(rows.data(), columns),
              gradient.data(), columns, classes_, columns, data.count(), false);
    train::AdamWUpdate(adam, step, 1, gradient, decays, 0, weights_.size(), weights_, moments);
  }
}

std::vector<float> LinearProbe::Standardized(const ProbeData& data) const {
  std::vector<float> rows;
  rows.reserve(data.count() * (width_ + 1));
  for (std::size_t i = 0; i < data.count(); ++i) {
    for (std::size_t j = 0; j < width_; ++j) {
      rows.push_back((data.rows[i * width_ + j] - mean_[j]) * scale_[j]);
    }
    rows.push_back(1);
  }
  return rows;
}

std::vector<float> LinearProbe::Logits(std::span<const float> rows, std::size_t count) const {
  std::vector<float> logits(count * classes_);
  const std::size_t columns = width_ + 1;
  vm::Sgemm(vm::Plain(rows.data(), columns), vm::Transposed(weights_.data(), columns),
            logits.data(), classes_, count, classes_, columns, false);
  return logits;
}

std::vector<std::size_t> LinearProbe::Classify(const ProbeData& data) const {
  TXVM_ASSERT(data.width == width_);
  const std::vector<float> logits = Logits(Standardized(data), data.count());
  std::vector<std::size_t> classes;
  for (std::size_t i = 0; i < data.count(); ++i) {
    const float* row = &logits[i * classes_];
    classes.push_back(static_cast<std::size_t>(std::max_element(row, row + classes_) - row));
  }
  return classes;
}

double ShareOfEqual(std::span<const std::size_t> a, std::span<const std::size_t> b) {
  if (a.empty()) return 0;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return static_cast<double>(equal) / static_cast<double>(a.size());
}

}  // namespace txvm::frontends::nl
