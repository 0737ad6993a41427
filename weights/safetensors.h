// The safetensors file format: an 8-byte little-endian header length, a JSON header, the tensors.
//
// Goals: float32 tensors in, float32 tensors out; a damaged or hostile file ends in an Error that
// names the tensor. Non-goals: other element types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/result.h"

namespace txvm::weights {

/// A named float32 tensor, row-major.
struct Tensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<float> values;  // as many as the shape says
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

inline constexpr std::size_t kMaxSafetensorsHeader = 1u << 20;  // bytes; ours takes 10 KB
inline constexpr std::size_t kMaxTensorRank = 4;

/// The file's bytes, tensors in the given order. Deterministic.
std::vector<std::uint8_t> WriteSafetensors(std::span<const Tensor> tensors);

/// The tensors, in file order. kCorrupt: truncated, header too long or not JSON, a tensor whose
/// offsets do not follow the one before, do not fit its shape or the file, or whose name repeats;
/// bytes after the last tensor. kUnsupported: a dtype other than F32, rank above kMaxTensorRank.
/// Allocates no more than the file's size.
isa::Result<std::vector<Tensor>> ReadSafetensors(std::span<const std::uint8_t> file);

}  // namespace txvm::weights
