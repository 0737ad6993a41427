#include "neural/triton/field/tip5.h"

#include <algorithm>
#include <string_view>

#include "isa/support/result.h"
#include "neural/triton/field/tip5_blake3.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
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
constexpr std::array<std::int64_t, kTip5Width> kFirstColumn = {
    61402, 1108,  28750, 33823, 7454,  43244, 53865, 12034,
    56951, 27521, 41351, 40901, 12021, 59689, 26798, 17845};

template <std::size_t kSize>
using Polynomial = std::array<std::int64_t, kSize>;

// The polynomial modulo X^half - 1 (kSign = +1) or X^half + 1 (kSign = -1).
template <int kSign, std::size_t kSize>
constexpr Polynomial<kSize / 2> Fold(const Polynomial<kSize>& a) {
  Polynomial<kSize / 2> folded{};
  for (std::size_t i = 0; i < kSize / 2; ++i) folded[i] = a[i] + kSign * a[i + kSize / 2];
  return folded;
}

// a * b modulo X^kSize - kSign, the schoolbook way.
template <int kSign, std::size_t kSize>
Polynomial<kSize> Convolve(const Polynomial<kSize>& a, const Polynomial<kSize>& b) {
  Polynomial<kSize> product{};
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j) {
      const std::int64_t term = a[j] * b[i >= j ? i - j : kSize + i - j];
      product[i] += i >= j ? term : kSign * term;
    }
  }
  return product;
}

// The polynomial modulo X^(2 half) - 1 from its residues. Both sums are even.
template <std::size_t kHalf>
Polynomial<2 * kHalf> Unfold(const Polynomial<kHalf>& plus, const Polynomial<kHalf>& minus) {
  Polynomial<2 * kHalf> whole{};
  for (std::size_t i = 0; i < kHalf; ++i) {
    whole[i] = (plus[i] + minus[i]) / 2;
    whole[i + kHalf] = (plus[i] - minus[i]) / 2;
  }
  return whole;
}

// The circulant product is multiplication by the first column modulo X^16 - 1, which splits into
// X^4 - 1, X^4 + 1 and X^8 + 1: 96 multiplications for 256. Inputs below 2^32 grow to 2^34, the
// column's entries to 2^18, sums of 8 products to 2^55.
Polynomial<16> MultiplyByColumn(const Polynomial<16>& a) {
  static constexpr auto kMinus8 = Fold<-1>(kFirstColumn);
  static constexpr auto kPlus8 = Fold<1>(kFirstColumn);
  static constexpr auto kMinus4 = Fold<-1>(kPlus8);
  static constexpr auto kPlus4 = Fold<1>(kPlus8);
  const Polynomial<8> plus8 = Fold<1>(a);
  const Polynomial<4> plus4 = Convolve<1>(Fold<1>(plus8), kPlus4);
  const Polynomial<4> minus4 = Convolve<-1>(Fold<-1>(plus8), kMinus4);
  const Polynomial<8> minus8 = Convolve<-1>(Fold<-1>(a), kMinus8);
  return Unfold(Unfold(plus4, minus4), minus8);
}

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

// Both 32-bit halves of the lanes apart: their sums of 16 products stay below 2^52, so that one
// reduction per lane suffices.
Lanes MultiplyByMatrix(const Lanes& lanes) {
  Polynomial<16> low{};
  Polynomial<16> high{};
  for (std::size_t i = 0; i < kTip5Width; ++i) {
    low[i] = static_cast<std::int64_t>(lanes[i] & gl::kEpsilon);
    high[i] = static_cast<std::int64_t>(lanes[i] >> 32);
  }
  low = MultiplyByColumn(low);
  high = MultiplyByColumn(high);
  Lanes result{};
  for (std::size_t i = 0; i < kTip5Width; ++i) {
    result[i] = gl::Reduce128((static_cast<gl::Uint128>(high[i]) << 32) +
                              static_cast<std::uint64_t>(low[i]));
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

}  // namespace txvm::triton
