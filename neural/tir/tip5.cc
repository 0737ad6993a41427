#include "neural/tir/tip5.h"

#include <algorithm>
#include <string_view>

#include "isa/result.h"
#include "neural/tir/tip5_blake3.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::neural {
namespace {

namespace gl = vm::goldilocks;
using Lanes = std::array<std::uint64_t, kTip5Width>;

constexpr std::size_t kConstants = kTip5Width * kTip5Rounds;

// Raw constants: the first 128 bits of BLAKE3("Tip5" || byte i), little endian, mod p.
constexpr std::array<std::uint64_t, kConstants> MakeConstants() {
  std::array<std::uint64_t, kConstants> constants{};
  for (std::size_t i = 0; i < kConstants; ++i) {
    const std::array<char, 5> message = {'T', 'i', 'p', '5', static_cast<char>(i)};
    const auto hash = Blake3SmallHash(std::string_view(message.data(), message.size()));
    const std::uint64_t lo = hash[0] | static_cast<std::uint64_t>(hash[1]) << 32;
    const std::uint64_t hi = hash[2] | static_cast<std::uint64_t>(hash[3]) << 32;
    constants[i] = gl::Reduce128(hi, lo);
  }
  return constants;
}

// The byte table x -> (x+1)^3 - 1 mod 257, a permutation of the bytes (x = 255 gives 255).
constexpr std::array<std::uint8_t, 256> MakeTable() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned x = 0; x < table.size(); ++x) {
    table[x] = static_cast<std::uint8_t>(((x + 1) * (x + 1) % 257 * (x + 1) + 256) % 257);
  }
  return table;
}

constexpr std::array<std::uint64_t, kConstants> kRoundConstants = MakeConstants();
constexpr std::array<std::uint8_t, 256> kByteTable = MakeTable();
constexpr std::array<std::uint32_t, kTip5Width> kFirstColumn = {
    61402, 1108,  28750, 33823, 7454,  43244, 53865, 12034,
    56951, 27521, 41351, 40901, 12021, 59689, 26798, 17845};

std::uint64_t LookUpBytes(std::uint64_t raw) {
  std::uint64_t result = 0;
  for (int shift = 0; shift < 64; shift += 8) {
    result |= static_cast<std::uint64_t>(kByteTable[(raw >> shift) & 0xFF]) << shift;
  }
  return result;
}

std::uint64_t SeventhPower(std::uint64_t raw) {
  const std::uint64_t square = gl::MontgomeryMul(raw, raw);
  const std::uint64_t fourth = gl::MontgomeryMul(square, square);
  return gl::MontgomeryMul(gl::MontgomeryMul(fourth, square), raw);
}

// The circulant product. Both 32-bit halves of a lane are summed apart: 16 products below 2^48 stay
// below 2^52, so nothing wraps and one reduction per lane suffices.
Lanes MultiplyByMatrix(const Lanes& lanes) {
  // Twice the column, so that row r reads entries (16 + r - c) mod 16 without a modulo.
  static constexpr auto kTwice = [] {
    std::array<std::uint64_t, 2 * kTip5Width> twice{};
    for (std::size_t i = 0; i < twice.size(); ++i) twice[i] = kFirstColumn[i % kTip5Width];
    return twice;
  }();
  Lanes low{};
  Lanes high{};
  for (std::size_t c = 0; c < kTip5Width; ++c) {
    const std::uint64_t lo = lanes[c] & gl::kEpsilon;
    const std::uint64_t hi = lanes[c] >> 32;
    for (std::size_t r = 0; r < kTip5Width; ++r) {
      low[r] += kTwice[kTip5Width + r - c] * lo;
      high[r] += kTwice[kTip5Width + r - c] * hi;
    }
  }
  Lanes result{};
  for (std::size_t r = 0; r < kTip5Width; ++r) {
    result[r] = gl::Reduce128((static_cast<gl::Uint128>(high[r]) << 32) + low[r]);
  }
  return result;
}

}  // namespace

Tip5 Tip5::FixedLength() {
  Tip5 state;
  std::fill(state.raw_.begin() + kTip5Rate, state.raw_.end(), gl::ToMontgomery(1));
  return state;
}

std::uint64_t Tip5::Lane(std::size_t i) const { return gl::FromMontgomery(raw_[i]); }

void Tip5::SetRate(std::span<const std::uint64_t, kTip5Rate> values) {
  for (std::size_t i = 0; i < kTip5Rate; ++i) raw_[i] = gl::ToMontgomery(values[i]);
}

Digest Tip5::TakeDigest() const {
  Digest digest{};
  for (std::size_t i = 0; i < kDigestWords; ++i) digest[i] = Lane(i);
  return digest;
}

void Tip5::Round(std::size_t round) {
  for (std::size_t i = 0; i < kTip5TableLanes; ++i) raw_[i] = LookUpBytes(raw_[i]);
  for (std::size_t i = kTip5TableLanes; i < kTip5Width; ++i) raw_[i] = SeventhPower(raw_[i]);
  raw_ = MultiplyByMatrix(raw_);
  for (std::size_t i = 0; i < kTip5Width; ++i) {
    raw_[i] = gl::Add(raw_[i], kRoundConstants[kTip5Width * round + i]);
  }
}

void Tip5::Permute(CascadeSet* cascade) {
  for (std::size_t round = 0; round < kTip5Rounds; ++round) {
    if (cascade != nullptr) {
      for (std::size_t i = 0; i < kTip5TableLanes; ++i) cascade->Add(raw_[i]);
    }
    Round(round);
  }
}

Digest Tip5Hash10(std::span<const std::uint64_t, kTip5Rate> values, CascadeSet* cascade) {
  Tip5 state = Tip5::FixedLength();
  state.SetRate(values);
  state.Permute(cascade);
  return state.TakeDigest();
}

Digest Tip5HashPair(const Digest& left, const Digest& right, CascadeSet* cascade) {
  std::array<std::uint64_t, kTip5Rate> both{};
  std::ranges::copy(left, both.begin());
  std::ranges::copy(right, both.begin() + kDigestWords);
  return Tip5Hash10(both, cascade);
}

Digest Tip5HashVarlen(std::span<const std::uint64_t> values, CascadeSet* cascade) {
  Tip5 state = Tip5::VariableLength();
  for (std::size_t begin = 0; begin <= values.size(); begin += kTip5Rate) {
    std::array<std::uint64_t, kTip5Rate> chunk{};
    const std::size_t count = std::min(kTip5Rate, values.size() - begin);
    std::ranges::copy(values.subspan(begin, count), chunk.begin());
    if (count < kTip5Rate) chunk[count] = 1;
    state.SetRate(chunk);
    state.Permute(cascade);
  }
  return state.TakeDigest();
}

std::uint64_t Tip5RoundConstant(std::size_t index) {
  TXVM_ASSERT(index < kConstants);
  return gl::FromMontgomery(kRoundConstants[index]);
}

}  // namespace txvm::neural
