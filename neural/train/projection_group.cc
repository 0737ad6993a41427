#include "neural/train/projection_group.h"

#include <algorithm>

#include "isa/support/result.h"
#include "neural/llm/model.h"
#include "vm/tensor/gemm_bf16.h"
#include "vm/tensor/sgemm.h"

namespace txvm::neural::train {
namespace {

using vm::MatrixView;
using vm::Plain;
using vm::Sgemm;
using vm::Transposed;

// Sizes of chunks depend on shapes alone: a chunk's bits must not depend on the number of threads.
constexpr std::size_t kRowChunk = 64;      // rows of x
constexpr std::size_t kWeightChunk = 256;  // rows of M or of its transpose
constexpr std::size_t kDecodeChunk = 32;   // rows of M
constexpr std::size_t kFactorChunk = 192;  // rows of B, columns of A
constexpr std::size_t kTile = 32;          // elements of k that AMX takes at a time

std::size_t Chunks(std::size_t size, std::size_t chunk) { return (size + chunk - 1) / chunk; }

std::size_t Padded(std::size_t size) { return Chunks(size, kTile) * kTile; }

/// c (m, n) = a (m, k) * b^T, b (n, k), chunks of b shared among the workers.
void MultiplyBits(const std::uint16_t* a, const std::uint16_t* b, float* c, std::size_t m,
                  std::size_t n, std::size_t k, llm::Workers& workers) {
  workers.Run(Chunks(n, kWeightChunk), [&](std::size_t chunk) {
    const std::size_t first = chunk * kWeightChunk, count = std::min(kWeightChunk, n - first);
    vm::MultiplyTransposedBf16(a, b + first * k, c + first, m, count, k, n);
  });
}

}  // namespace

Precision BestPrecision() { return vm::HasBf16Gemm() ? Precision::kBf16 : Precision::kFloat; }

std::string_view PrecisionName(Precision precision) {
  return precision == Precision::kBf16 ? "bfloat16" : "float32";
}

void ReadProjectionRow(const Projection& projection, std::size_t row, float* to) {
  const std::size_t head = projection.pairs_head;
  llm::ReadRow(*projection.matrix, head == 0 ? row : llm::PairsRow(row, head), to);
}

ProjectionGroup::ProjectionGroup(std::vector<Projection> projections, const LoraLayout& lora,
                                 Precision precision, llm::Workers& workers)
    : lora_(lora), precision_(precision), workers_(workers) {
  TXVM_ASSERT(!projections.empty());
  in_ = projections.front().matrix->cols;
  for (const Projection& projection : projections) {
    TXVM_ASSERT(projection.matrix->cols == in_);
    parts_.push_back({projection, out_, ranks_});
    out_ += projection.matrix->rows;
    if (projection.pair != nullptr) ranks_ += lora.rank;
  }
  width_ = Padded(in_ + ranks_);
}

void ProjectionGroup::LoadRow(std::size_t row, std::span<const float> factors, Room& room) const {
  const auto part = std::ranges::find_if(
      parts_, [row](const Part& one) { return row < one.row + one.projection.matrix->rows; });
  const std::size_t own = row - part->row;
  thread_local std::vector<float> scratch;
  scratch.resize(width_);
  float* to = precision_ == Precision::kFloat ? &room.floats[row * width_] : scratch.data();
  ReadProjectionRow(part->projection, own, to);
  std::fill(to + in_, to + width_, 0.0f);
  if (const LoraPair* pair = part->projection.pair) {
    for (std::size_t r = 0; r < lora_.rank; ++r) {
      to[in_ + part->column + r] = lora_.scale * factors[pair->b + own * lora_.rank + r];
    }
  }
  if (precision_ == Precision::kBf16) vm::RoundToBf16({to, width_}, &room.bits[row * width_]);
}

void ProjectionGroup::Transpose(Room& room) const {
  room.transposed.resize(width_ * out_);
  workers_.Run(Chunks(width_, kTile), [&](std::size_t chunk) {
    const std::size_t first = chunk * kTile;
    for (std::size_t row = 0; row < out_; row += kTile) {
      const std::size_t count = std::min(kTile, out_ - row);
      for (std::size_t j = first; j < first + kTile; ++j) {
        for (std::size_t i = row; i < row + count; ++i) {
          room.transposed[j * out_ + i] = room.bits[i * width_ + j];
        }
      }
    }
  });
}

void ProjectionGroup::Load(std::span<const float> factors, bool for_backward, Room& room) const {
  if (room.holds != this) {
    if (precision_ == Precision::kFloat) {
      room.floats.resize(out_ * width_);
    } else {
      room.bits.resize(out_ * width_);
      room.a.assign(ranks_ * width_, 0);
      for (const Part& part : parts_) {
        if (part.projection.pair == nullptr) continue;
        for (std::size_t r = 0; r < lora_.rank; ++r) {
          vm::RoundToBf16(factors.subspan(part.projection.pair->a + r * in_, in_),
                          &room.a[(part.column + r) * width_]);
        }
      }
    }
    workers_.Run(Chunks(out_, kDecodeChunk), [&](std::size_t chunk) {
      const std::size_t last = std::min(out_, (chunk + 1) * kDecodeChunk);
      for (std::size_t row = chunk * kDecodeChunk; row < last; ++row) LoadRow(row, factors, room);
    });
    room.holds = this;
    room.has_transpose = false;
  }
  if (!for_backward || room.has_transpose || precision_ == Precision::kFloat) return;
  Transpose(room);
  room.has_transpose = true;
}

void ProjectionGroup::Forward(const float* x, std::size_t rows, std::span<const float> factors,
                              Room& room, float* y, std::vector<float>& t) const {
  TXVM_ASSERT(room.holds == this);
  t.resize(rows * ranks_);
  const auto for_rows = [&](const auto& work) {
    workers_.Run(Chunks(rows, kRowChunk), [&](std::size_t chunk) {
      work(chunk * kRowChunk, std::min(rows, (chunk + 1) * kRowChunk));
    });
  };
  if (precision_ == Precision::kBf16) {
    room.x_bits.resize(rows * width_);
    for_rows([&](std::size_t first, std::size_t last) {
      for (std::size_t row = first; row < last; ++row) {
        std::uint16_t* to = &room.x_bits[row * width_];
        vm::RoundToBf16({x + row * in_, in_}, to);
        std::fill(to + in_, to + width_, std::uint16_t{0});
      }
    });
    if (ranks_ > 0) {
      vm::MultiplyTransposedBf16(room.x_bits.data(), room.a.data(), t.data(), rows, ranks_, width_,
                                 ranks_);
      for (std::size_t row = 0; row < rows; ++row) {
        vm::RoundToBf16({&t[row * ranks_], ranks_}, &room.x_bits[row * width_ + in_]);
      }
    }
    MultiplyBits(room.x_bits.data(), room.bits.data(), y, rows, out_, width_, workers_);
    return;
  }
  room.x_floats.resize(rows * width_);
  for_rows([&](std::size_t first, std::size_t last) {
    const std::size_t count = last - first;
    for (std::size_t row = first; row < last; ++row) {
      float* to = &room.x_floats[row * width_];
      std::copy_n(x + row * in_, in_, to);
      std::fill(to + in_, to + width_, 0.0f);
    }
    const MatrixView input = Plain(&room.x_floats[first * width_], width_);
    for (const Part& part : parts_) {
      if (part.projection.pair == nullptr) continue;
      Sgemm(input, Transposed(&factors[part.projection.pair->a], in_),
            &t[first * ranks_ + part.column], ranks_, count, lora_.rank, in_, false);
    }
    for (std::size_t row = first; row < last && ranks_ > 0; ++row) {
      std::copy_n(&t[row * ranks_], ranks_, &room.x_floats[row * width_ + in_]);
    }
    Sgemm(input, Transposed(room.floats.data(), width_), y + first * out_, out_, count, out_,
          width_, false);
  });
}

void ProjectionGroup::Backward(const float* dy, const float* x, const std::vector<float>& t,
                               std::size_t rows, std::span<const float> factors, Room& room,
                               float* dx, std::span<float> factor_gradient) const {
  TXVM_ASSERT(room.holds == this);
  room.back.resize(rows * width_);
  if (precision_ == Precision::kBf16) {
    TXVM_ASSERT(room.has_transpose);
    room.x_bits.resize(rows * out_);
    workers_.Run(Chunks(rows, kRowChunk), [&](std::size_t chunk) {
      const std::size_t first = chunk * kRowChunk, count = std::min(kRowChunk, rows - first);
      vm::RoundToBf16({dy + first * out_, count * out_}, &room.x_bits[first * out_]);
    });
    MultiplyBits(room.x_bits.data(), room.transposed.data(), room.back.data(), rows, width_, out_,
                 workers_);
  }
  workers_.Run(Chunks(rows, kRowChunk), [&](std::size_t chunk) {
    const std::size_t first = chunk * kRowChunk, count = std::min(kRowChunk, rows - first);
    if (precision_ == Precision::kFloat) {
      Sgemm(Plain(dy + first * out_, out_), Plain(room.floats.data(), width_),
            &room.back[first * width_], width_, count, width_, out_, false);
    }
    for (std::size_t row = first; row < first + count; ++row) {
      std::copy_n(&room.back[row * width_], in_, dx + row * in_);
    }
    for (const Part& part : parts_) {
      if (part.projection.pair == nullptr) continue;
      Sgemm(Plain(&room.back[first * width_ + in_ + part.column], width_),
            Plain(&factors[part.projection.pair->a], in_), dx + first * in_, in_, count, in_,
            lora_.rank, true);
    }
  });
  if (ranks_ > 0) AddFactorGradients(dy, x, t, rows, room, factor_gradient);
}

void ProjectionGroup::AddFactorGradients(const float* dy, const float* x,
                                         const std::vector<float>& t, std::size_t rows, Room& room,
                                         std::span<float> factor_gradient) const {
  room.scaled = t;
  for (float& value : room.scaled) value *= lora_.scale;
  // Columns of an A, or rows of a B.
  struct Piece {
    const Part* part;
    bool is_a;
    std::size_t first, count;
  };
  std::vector<Piece> pieces;
  for (const Part& part : parts_) {
    if (part.projection.pair == nullptr) continue;
    for (const bool is_a : {true, false}) {
      const std::size_t size = is_a ? in_ : part.projection.matrix->rows;
      for (std::size_t first = 0; first < size; first += kFactorChunk) {
        pieces.push_back({&part, is_a, first, std::min(kFactorChunk, size - first)});
      }
    }
  }
  workers_.Run(pieces.size(), [&](std::size_t i) {
    const auto& [part, is_a, first, count] = pieces[i];
    const LoraPair& pair = *part->projection.pair;
    if (is_a) {
      Sgemm({&room.back[in_ + part->column], 1, width_}, Plain(x + first, in_),
            &factor_gradient[pair.a + first], in_, lora_.rank, count, rows, true);
    } else {
      Sgemm({dy + part->row + first, 1, out_}, Plain(&room.scaled[part->column], ranks_),
            &factor_gradient[pair.b + first * lora_.rank], lora_.rank, count, lora_.rank, rows,
            true);
    }
  });
}

}  // namespace txvm::neural::train
