// Tip5, the hash of Triton VM: a 16-element permutation over the Goldilocks field, 5 rounds.
//
// NOTATION  raw = Montgomery representation (vm/tensor/goldilocks.h). Lanes 0..9 are the rate,
//           10..15 the capacity. Lanes 0..3 pass through a table on the bytes of raw, 4..15 through
//           x^7; then a circulant matrix, then constants.
// Source: "The Tip5 Hash Function for Recursive STARKs", and the constants of Triton VM.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>

namespace txvm::triton {

/// Elements of the state, elements of it that are absorbed, rounds, and elements of a digest.
inline constexpr std::size_t kTip5Width = 16;
inline constexpr std::size_t kTip5Rate = 10;
inline constexpr std::size_t kTip5Rounds = 5;
inline constexpr std::size_t kTip5TableLanes = 4;  // lanes that pass through the byte table
inline constexpr std::size_t kDigestWords = 5;

/// Five canonical field elements.
using Digest = std::array<std::uint64_t, kDigestWords>;

/// The distinct 16-bit limbs that entered the byte table: the rows of Triton's cascade table.
class CascadeSet {
 public:
  static constexpr std::size_t kCapacity = 65'536;
  /// Adds the four limbs of a raw lane.
  void Add(std::uint64_t raw) {
    for (int shift = 0; shift < 64; shift += 16) Insert(static_cast<std::uint16_t>(raw >> shift));
  }
  std::size_t size() const { return size_; }

 private:
  void Insert(std::uint16_t limb) {
    size_ += seen_[limb] ? 0 : 1;
    seen_[limb] = true;
  }
  std::bitset<kCapacity> seen_;
  std::size_t size_ = 0;
};

/// The sponge's state. Absorbing overwrites the rate, then permutes.
class Tip5 {
 public:
  /// Capacity all ones: inputs of exactly ten elements.
  static Tip5 FixedLength();
  /// All zeros: the caller pads.
  static Tip5 VariableLength() { return Tip5(); }

  /// Lane i as a canonical element.
  std::uint64_t Lane(std::size_t i) const;
  /// Replaces lanes 0..9. REQUIRES ten canonical elements.
  void SetRate(std::span<const std::uint64_t, kTip5Rate> values);
  /// Lanes 0..4.
  Digest TakeDigest() const;

  /// Five rounds. `cascade`, when given, receives the raw lanes 0..3 that enter each round.
  void Permute(CascadeSet* cascade = nullptr);

 private:
  void Round(std::size_t round);
  std::array<std::uint64_t, kTip5Width> raw_{};
};

/// The digest of exactly ten elements.
Digest Tip5Hash10(std::span<const std::uint64_t, kTip5Rate> values, CascadeSet* cascade = nullptr);

/// The digest of two digests: a Merkle node.
Digest Tip5HashPair(const Digest& left, const Digest& right, CascadeSet* cascade = nullptr);

/// The digest of any number of elements: padded with a 1, then zeros, to a multiple of ten.
Digest Tip5HashVarlen(std::span<const std::uint64_t> values, CascadeSet* cascade = nullptr);

/// Round constant `index` = 16 * round + lane, 0..79, canonical.
std::uint64_t Tip5RoundConstant(std::size_t index);

}  // namespace txvm::triton
