#include "isa/support/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace txvm::isa {
namespace {

constexpr std::size_t kBlock = 64;  // bytes
constexpr std::size_t kRounds = 64;
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kWords = 8;  // of the state
constexpr std::size_t kMessageWords = 16;

using State = std::array<std::uint32_t, kWords>;

// FIPS 180-4, 4.2.2 and 5.3.3: the first 32 bits of the fractional parts of the cube and square
// roots of the first primes.
struct Constants {
  std::array<std::uint32_t, kRounds> round;
  State initial;
};

std::uint32_t Fraction(long double root) {
  constexpr long double kTwo32 = 4294967296.0L;
  return static_cast<std::uint32_t>((root - std::floor(root)) * kTwo32);
}

Constants MakeConstants() {
  Constants constants{};
  std::size_t found = 0;
  for (unsigned n = 2; found < kRounds; ++n) {
    bool prime = true;
    for (unsigned d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
    if (!prime) continue;
    constants.round[found] = Fraction(std::cbrt(static_cast<long double>(n)));
    if (found < kWords) constants.initial[found] = Fraction(std::sqrt(static_cast<long double>(n)));
    ++found;
  }
  return constants;
}

std::uint32_t BigEndian(const std::uint8_t* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
         static_cast<std::uint32_t>(bytes[2]) << 8 | bytes[3];
}

// FIPS 180-4, 6.2.2.
void Compress(State& state, const Constants& constants, const std::uint8_t* block) {
  using std::rotr;
  std::array<std::uint32_t, kRounds> w;
  for (std::size_t i = 0; i < kMessageWords; ++i) w[i] = BigEndian(block + 4 * i);
  for (std::size_t i = kMessageWords; i < kRounds; ++i) {
    const std::uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < kRounds; ++i) {
    const std::uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                             constants.round[i] + w[i];
    const std::uint32_t t2 =
        (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const State step = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < kWords; ++i) state[i] += step[i];
}

}  // namespace

std::string Sha256(std::span<const std::uint8_t> bytes) {
  const Constants constants = MakeConstants();
  State state = constants.initial;
  const std::size_t whole = bytes.size() / kBlock * kBlock;
  for (std::size_t i = 0; i < whole; i += kBlock) Compress(state, constants, &bytes[i]);
  // The rest, a one bit, zeros, and the length in bits: one block or two.
  std::vector<std::uint8_t> tail(bytes.begin() + static_cast<std::ptrdiff_t>(whole), bytes.end());
  tail.push_back(0x80);
  while (tail.size() % kBlock != kBlock - kLengthBytes) tail.push_back(0);
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    tail.push_back(static_cast<std::uint8_t>(bits >> (8 * (kLengthBytes - 1 - i))));
  }
  for (std::size_t i = 0; i < tail.size(); i += kBlock) Compress(state, constants, &tail[i]);
  std::string digest;
  for (const std::uint32_t word : state) digest += fmt::format("{:08x}", word);
  return digest;
}

}  // namespace txvm::isa
