// Projections of a frozen model that read the same input, with low-rank factors beside them: one
// product forward, one back, the weights decoded from their own type each time.
//
// SHAPES  A group has the matrices W_p (out_p, in) one below the other, (out, in) in all, and for
//         each adapted one A_p (rank, in) and B_p (out_p, rank). With x (rows, in) and t = x A^T:
//         y = [x | t] M^T, M = [W | scale B], where each B_p stands beside its own rows.
//         Back: [dx | dt] = dy M, then dx += dt A, dA = dt^T x, dB = scale dy^T t.
// Goals: the same bits on any number of threads; no copy of the weights but of one block's.
// Non-goals: gradients of the weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "neural/llm/matrix.h"
#include "neural/llm/workers.h"
#include "neural/train/low_rank.h"

namespace txvm::neural::train {

/// How products with frozen weights are computed. kBf16: inputs, weights and factors are rounded to
/// bfloat16 and sums are floats, which AMX does several times as fast; kFloat: all in floats.
enum class Precision : std::uint8_t { kFloat, kBf16 };

/// kBf16 where the processor and oneDNN have it.
Precision BestPrecision();
/// "float32", "bfloat16".
std::string_view PrecisionName(Precision precision);

/// One matrix of a group. The pointers outlive the group.
struct Projection {
  const llm::Matrix* matrix = nullptr;
  std::size_t pairs_head = 0;      // head_dim of rows in RopeLayout::kPairs order; 0: as they lie
  const LoraPair* pair = nullptr;  // null: not adapted
};

/// Rows of `matrix` in kHalves order, (cols,) each, as floats.
void ReadProjectionRow(const Projection& projection, std::size_t row, float* to);

/// Not thread-safe; shares its work among the workers.
class ProjectionGroup {
 public:
  /// REQUIRES: at least one projection; matrices of the same width; `lora` and `workers` outlive
  /// this.
  ProjectionGroup(std::vector<Projection> projections, const LoraLayout& lora, Precision precision,
                  llm::Workers& workers);

  std::size_t in() const { return in_; }
  std::size_t out() const { return out_; }
  /// Columns of t: the ranks of all adapted projections.
  std::size_t ranks() const { return ranks_; }

  /// Room that groups of all blocks share: a block's weights in the type of products.
  struct Room {
    const ProjectionGroup* holds = nullptr;
    bool has_transpose = false;
    std::vector<float> floats;                    // M, (out, width)
    std::vector<std::uint16_t> bits, transposed;  // the same; its transpose
    std::vector<std::uint16_t> a;                 // A, (ranks, width)
    std::vector<float> x_floats, back;            // [x | t] and [dx | dt], (rows, width)
    std::vector<std::uint16_t> x_bits;            // [x | t], or dy
    std::vector<float> scaled;                    // scale * t
  };

  /// Decodes the weights and takes the factors (lora.size,) into `room`, unless they are there.
  /// After the factors change, room.holds is to be nullptr.
  void Load(std::span<const float> factors, bool for_backward, Room& room) const;
  /// y (rows, out) and t (rows, ranks) of x (rows, in). REQUIRES: Load.
  void Forward(const float* x, std::size_t rows, std::span<const float> factors, Room& room,
               float* y, std::vector<float>& t) const;
  /// dx (rows, in), set, and the factors' gradients, added to factor_gradient (lora.size,).
  /// REQUIRES: Load for backward; x and t of Forward.
  void Backward(const float* dy, const float* x, const std::vector<float>& t, std::size_t rows,
                std::span<const float> factors, Room& room, float* dx,
                std::span<float> factor_gradient) const;

 private:
  struct Part {
    Projection projection;
    std::size_t row = 0;     // its first in M
    std::size_t column = 0;  // its first in t
  };

  void LoadRow(std::size_t row, std::span<const float> factors, Room& room) const;
  void Transpose(Room& room) const;
  void AddFactorGradients(const float* dy, const float* x, const std::vector<float>& t,
                          std::size_t rows, Room& room, std::span<float> factor_gradient) const;

  std::vector<Part> parts_;
  const LoraLayout& lora_;
  Precision precision_;
  llm::Workers& workers_;
  std::size_t in_ = 0, out_ = 0, ranks_ = 0;
  std::size_t width_ = 0;  // of M: in and ranks, padded with zeros
};

}  // namespace txvm::neural::train
