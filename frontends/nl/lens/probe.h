// A linear probe: softmax regression from a residual row to its class. It says what a row holds,
// whether or not the model's own head can read it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace txvm::frontends::nl {

/// Rows of equal width and their classes.
struct ProbeData {
  std::size_t width = 0;
  std::vector<float> rows;           // (count, width)
  std::vector<std::size_t> classes;  // (count,)

  std::size_t count() const { return classes.size(); }
};

/// Weights for rows that are brought to mean 0 and deviation 1 as the training rows were.
class LinearProbe {
 public:
  /// Full-batch AdamW, kProbeSteps updates, from zero: deterministic. REQUIRES: at least one row,
  /// classes below `classes`. Cost 4 flops a row, column, class and step.
  LinearProbe(const ProbeData& data, std::size_t classes);

  /// The likeliest class of each row.
  std::vector<std::size_t> Classify(const ProbeData& data) const;

 private:
  std::vector<float> Standardized(const ProbeData& data) const;
  std::vector<float> Logits(std::span<const float> rows, std::size_t count) const;

  std::size_t width_, classes_;
  std::vector<float> mean_, scale_;  // (width,)
  std::vector<float> weights_;       // (classes, width + 1), the last column for the 1 of a row
};

inline constexpr std::size_t kProbeSteps = 300;

/// The share of equal entries; 0 for none.
double ShareOfEqual(std::span<const std::size_t> a, std::span<const std::size_t> b);

}  // namespace txvm::frontends::nl
