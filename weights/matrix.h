// A matrix of the model: integers, almost all of them zero, kept as a list of the others.
#pragma once

#include <cstdint>
#include <vector>

namespace txvm::weights {

/// One non-zero weight. Weights are integers small enough to be exact in float32 (|weight| <=
/// kMaxWeight).
struct Entry {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  std::int32_t weight = 0;
  friend bool operator==(const Entry&, const Entry&) = default;
};

inline constexpr std::int32_t kMaxWeight = 1 << 20;  // the largest is the space mask, 2^20

/// (rows, columns); entries ascend by row, then column, each place at most once.
struct SparseMatrix {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::vector<Entry> entries;

  /// Row-major copy with the zeros, (rows * columns,).
  std::vector<float> Dense() const {
    std::vector<float> dense(static_cast<std::size_t>(rows) * columns, 0.0f);
    for (const Entry& e : entries) {
      dense[static_cast<std::size_t>(e.row) * columns + e.column] = static_cast<float>(e.weight);
    }
    return dense;
  }
  friend bool operator==(const SparseMatrix&, const SparseMatrix&) = default;
};

}  // namespace txvm::weights
