// The Poseidon2 variant of the corpus: t = 8, rate 4, 4 + 4 full rounds, 22 partial rounds, x^7.
// External matrix I + J, internal matrix J + diag(d - 1 ...), no initial linear layer. These are
// NOT the published Poseidon2 matrices and have had no cryptanalysis: programs of the corpus use
// it, nothing here relies on its security. Sums of field elements carry no length padding: [1, 2,
// 3] and [1, 2, 3, 0] have the same hash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace txvm::triton {

/// Elements of the state, elements of it that are absorbed, rounds, and round constants.
inline constexpr std::size_t kPoseidon2Width = 8;
inline constexpr std::size_t kPoseidon2Rate = 4;
inline constexpr std::size_t kPoseidon2FullRounds = 8;
inline constexpr std::size_t kPoseidon2PartialRounds = 22;
inline constexpr std::size_t kPoseidon2Constants =
    kPoseidon2FullRounds * kPoseidon2Width + kPoseidon2PartialRounds;

/// Canonical elements.
using Poseidon2State = std::array<std::uint64_t, kPoseidon2Width>;

/// The 86 round constants in the order they are used: 8 per full round, 1 per partial round.
const std::array<std::uint64_t, kPoseidon2Constants>& Poseidon2RoundConstants();

/// d of the internal layer s_i = d_i * s_i + sum.
inline constexpr std::array<std::uint64_t, kPoseidon2Width> kPoseidon2Diagonal = {2,  3,  5,  9,
                                                                                  17, 33, 65, 129};

/// The permutation of eight canonical elements.
Poseidon2State Poseidon2Permute(Poseidon2State state);

/// Absorbs by addition, permuting when an element comes to a full rate, then squeezes (which
/// permutes first) four elements.
std::array<std::uint64_t, kPoseidon2Rate> Poseidon2HashFields(
    std::span<const std::uint64_t> values);

/// The hash of bytes: 7-byte little-endian chunks, then the length as an element; four elements of
/// 8 little-endian bytes.
std::array<std::uint8_t, 8 * kPoseidon2Rate> Poseidon2HashBytes(
    std::span<const std::uint8_t> bytes);

}  // namespace txvm::triton
