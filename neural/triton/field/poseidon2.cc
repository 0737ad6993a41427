#include "neural/triton/field/poseidon2.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "neural/triton/field/tip5_blake3.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
namespace {

namespace gl = vm::goldilocks;

constexpr std::size_t kHalfFull = kPoseidon2FullRounds / 2;
constexpr std::size_t kBytesPerElement = 7;  // 2^56 < p: every chunk is canonical

std::array<std::uint64_t, kPoseidon2Constants> MakeConstants() {
  std::array<std::uint64_t, kPoseidon2Constants> constants{};
  std::size_t next = 0;
  for (std::size_t round = 0; round < kPoseidon2FullRounds + kPoseidon2PartialRounds; ++round) {
    const bool full = round < kHalfFull || round >= kHalfFull + kPoseidon2PartialRounds;
    for (std::size_t lane = 0; lane < (full ? kPoseidon2Width : 1); ++lane) {
      const auto hash =
          Blake3SmallHash(fmt::format("Poseidon2-Goldilocks-t8-RF8-RP22-{}-{}", round, lane));
      constants[next++] = gl::Canonical(hash[0] | static_cast<std::uint64_t>(hash[1]) << 32);
    }
  }
  return constants;
}

std::uint64_t SeventhPower(std::uint64_t x) {
  const std::uint64_t square = gl::Square(x);
  return gl::Mul(gl::Mul(gl::Square(square), square), x);
}

std::uint64_t Sum(const Poseidon2State& state) {
  std::uint64_t sum = 0;
  for (const std::uint64_t lane : state) sum = gl::Add(sum, lane);
  return sum;
}

void FullRound(Poseidon2State& state, const std::uint64_t* constants) {
  for (std::size_t i = 0; i < kPoseidon2Width; ++i) {
    state[i] = SeventhPower(gl::Add(state[i], constants[i]));
  }
  const std::uint64_t sum = Sum(state);
  for (std::uint64_t& lane : state) lane = gl::Add(lane, sum);
}

void PartialRound(Poseidon2State& state, std::uint64_t constant) {
  state[0] = SeventhPower(gl::Add(state[0], constant));
  const std::uint64_t sum = Sum(state);
  for (std::size_t i = 0; i < kPoseidon2Width; ++i) {
    state[i] = gl::Add(gl::Mul(state[i], kPoseidon2Diagonal[i]), sum);
  }
}

}  // namespace

const std::array<std::uint64_t, kPoseidon2Constants>& Poseidon2RoundConstants() {
  static const std::array<std::uint64_t, kPoseidon2Constants> constants = MakeConstants();
  return constants;
}

Poseidon2State Poseidon2Permute(Poseidon2State state) {
  const std::uint64_t* constant = Poseidon2RoundConstants().data();
  for (std::size_t r = 0; r < kHalfFull; ++r, constant += kPoseidon2Width) {
    FullRound(state, constant);
  }
  for (std::size_t r = 0; r < kPoseidon2PartialRounds; ++r) PartialRound(state, *constant++);
  for (std::size_t r = 0; r < kHalfFull; ++r, constant += kPoseidon2Width) {
    FullRound(state, constant);
  }
  return state;
}

std::array<std::uint64_t, kPoseidon2Rate> Poseidon2HashFields(
    std::span<const std::uint64_t> values) {
  Poseidon2State state{};
  std::size_t filled = 0;
  for (const std::uint64_t value : values) {
    // A full rate waits for the next element: the last block is permuted once, by the squeeze.
    if (filled == kPoseidon2Rate) {
      state = Poseidon2Permute(state);
      filled = 0;
    }
    state[filled] = gl::Add(state[filled], value);
    ++filled;
  }
  state = Poseidon2Permute(state);
  std::array<std::uint64_t, kPoseidon2Rate> hash{};
  std::copy_n(state.begin(), kPoseidon2Rate, hash.begin());
  return hash;
}

std::array<std::uint8_t, 8 * kPoseidon2Rate> Poseidon2HashBytes(
    std::span<const std::uint8_t> bytes) {
  std::vector<std::uint64_t> values;
  for (std::size_t begin = 0; begin < bytes.size(); begin += kBytesPerElement) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < std::min(kBytesPerElement, bytes.size() - begin); ++i) {
      value |= static_cast<std::uint64_t>(bytes[begin + i]) << 8 * i;
    }
    values.push_back(value);
  }
  values.push_back(bytes.size());
  const auto hash = Poseidon2HashFields(values);
  std::array<std::uint8_t, 8 * kPoseidon2Rate> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::uint8_t>(hash[i / 8] >> i % 8 * 8);
  }
  return out;
}

}  // namespace txvm::triton
