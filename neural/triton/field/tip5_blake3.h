// BLAKE3 of a message of at most 64 bytes: one compression. The round constants of Tip5 and of the
// Poseidon2 variant are defined by it; nothing else uses it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace txvm::triton {

/// Words 0..7 of the default BLAKE3 hash of `message`. REQUIRES at most 64 bytes.
/// Source: the BLAKE3 specification, section 2.
constexpr std::array<std::uint32_t, 8> Blake3SmallHash(std::string_view message) {
  constexpr std::array<std::uint32_t, 8> kIv = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                                0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
  constexpr std::array<std::uint8_t, 16> kSchedule = {2, 6,  3,  10, 7, 0,  4,  13,
                                                      1, 11, 12, 5,  9, 14, 15, 8};
  constexpr std::uint32_t kChunkStartEndRoot = 1 | 2 | 8;  // a lone chunk of one block is the root
  constexpr int kRounds = 7;
  std::array<std::uint32_t, 16> block{};
  for (std::size_t i = 0; i < message.size(); ++i) {
    block[i / 4] |= static_cast<std::uint32_t>(static_cast<unsigned char>(message[i])) << i % 4 * 8;
  }
  std::array<std::uint32_t, 16> v = {kIv[0],
                                     kIv[1],
                                     kIv[2],
                                     kIv[3],
                                     kIv[4],
                                     kIv[5],
                                     kIv[6],
                                     kIv[7],
                                     kIv[0],
                                     kIv[1],
                                     kIv[2],
                                     kIv[3],
                                     0,
                                     0,
                                     static_cast<std::uint32_t>(message.size()),
                                     kChunkStartEndRoot};
  auto mix = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d, std::uint32_t x,
                 std::uint32_t y) {
    v[a] += v[b] + x;
    v[d] = std::rotr(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = std::rotr(v[b] ^ v[c], 12);
    v[a] += v[b] + y;
    v[d] = std::rotr(v[d] ^ v[a], 8);
    v[c] += v[d];
    v[b] = std::rotr(v[b] ^ v[c], 7);
  };
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < 4; ++i) {  // columns
      mix(i, 4 + i, 8 + i, 12 + i, block[2 * i], block[2 * i + 1]);
    }
    for (std::size_t i = 0; i < 4; ++i) {  // diagonals
      mix(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, block[8 + 2 * i],
          block[9 + 2 * i]);
    }
    std::array<std::uint32_t, 16> next{};
    for (std::size_t i = 0; i < 16; ++i) next[i] = block[kSchedule[i]];
    block = next;
  }
  std::array<std::uint32_t, 8> hash{};
  for (std::size_t i = 0; i < 8; ++i) hash[i] = v[i] ^ v[i + 8];
  return hash;
}

}  // namespace txvm::triton
