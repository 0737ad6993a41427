// The safetensors file format: an 8-byte little-endian header length, a JSON header, the tensors.
//
// Goals: a damaged or hostile file ends in an Error that names the tensor; tensors of any element
// type are found where they lie, float32 ones are also read and written. Non-goals: conversion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"

namespace txvm::isa {

/// A named float32 tensor, row-major.
struct Tensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<float> values;  // as many as the shape says
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

inline constexpr std::size_t kMaxSafetensorsHeader = 1u << 20;  // bytes; ours takes 10 KB
inline constexpr std::size_t kMaxTensorRank = 4;
inline constexpr std::size_t kMaxForeignRank = 8;

/// Where a tensor of any element type lies in a file; checked against the file.
struct TensorEntry {
  std::string name;
  std::string dtype;                    // "F32", "BF16" ...
  std::vector<std::size_t> shape;       // outermost first
  std::span<const std::uint8_t> bytes;  // a view of the file, as long as dtype and shape say
};

/// Every tensor of the file, in the order of the data, without __metadata__.
/// kCorrupt: truncated, header above `most_header` bytes or not JSON, tensors that overlap, leave
/// gaps, do not fit their shape or the file, repeat a name; bytes after the last tensor.
/// kUnsupported: an unknown dtype, rank above kMaxForeignRank. Copies no data.
Result<std::vector<TensorEntry>> ReadSafetensorsEntries(
    std::span<const std::uint8_t> file, std::size_t most_header = kMaxSafetensorsHeader);

/// The file's length field and header for entries whose data will follow in this order; `bytes`
/// is read for its size alone. The data begins at a multiple of 8.
std::string SafetensorsHeader(std::span<const TensorEntry> entries);

/// The file's bytes, tensors in the given order. Deterministic.
std::vector<std::uint8_t> WriteSafetensors(std::span<const Tensor> tensors);

/// The tensors, in file order. kCorrupt: truncated, header too long or not JSON, a tensor whose
/// offsets do not follow the one before, do not fit its shape or the file, or whose name repeats;
/// bytes after the last tensor. kUnsupported: a dtype other than F32, rank above kMaxTensorRank.
/// Allocates as much as the tensors take and up to 100 times what the header takes.
Result<std::vector<Tensor>> ReadSafetensors(std::span<const std::uint8_t> file);

}  // namespace txvm::isa
