// The exactness law and the circuits' exhaustive checks.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdlib>

#include "tests/support/random.h"
#include "vm/engines/hull.h"
#include "vm/engines/hull_proof.h"

namespace txvm::vm {
namespace {

using Exact = boost::multiprecision::cpp_rational;

// TXVM_PROOF_STRIDE=1 takes every input, about 20 s.
TEST(Proof, EveryCircuitAgreesWithItsMeaning) {
  constexpr std::uint32_t kStride = 997;
  const char* stride = std::getenv("TXVM_PROOF_STRIDE");
  const auto checks = ProveCircuits(
      weights::CompileModel(), CompiledHullModel(),
      stride == nullptr ? kStride : static_cast<std::uint32_t>(std::strtoul(stride, nullptr, 10)));
  EXPECT_GE(checks.size(), 30u);
  for (const CircuitCheck& check : checks) {
    EXPECT_EQ(check.failures, 0u) << check.name << " at " << check.first_failure;
    EXPECT_GT(check.cases, 0u) << check.name;
  }
}

TEST(Proof, BrokenCircuitIsFound) {
  weights::Model model = weights::CompileModel();
  // The largest unit of the adder's first carry: 2^16 becomes 2^16 - 1.
  for (weights::ModelLayer& layer : model.layers) {
    for (std::int32_t& bias : layer.ffn.b_gate) {
      if (bias == -65'535) bias = -65'534;
    }
  }
  const auto hull = HullModel::Create(model, true);
  ASSERT_TRUE(hull) << hull.error().message;
  std::uint64_t failures = 0;
  for (const CircuitCheck& check : ProveCircuits(model, *hull, 997)) failures += check.failures;
  EXPECT_GT(failures, 0u);
}

template <typename T>
Exact FloatScore(T q, T k) {
  return Exact(T{2} * q * k - k * k);
}

Exact ExactScore(std::uint64_t q, std::uint64_t k) {
  return Exact(2) * Exact(q) * Exact(k) - Exact(k) * Exact(k);
}

/// Whether scores in T of the keys next to q are what they should be.
template <typename T>
bool FlatKeysAreExact(std::uint64_t q) {
  for (const std::uint64_t k : {q - 1, q, q + 1}) {
    if (FloatScore(static_cast<T>(q), static_cast<T>(k)) != ExactScore(q, k)) return false;
  }
  return true;
}

TEST(Law, FlatKeysAreExactUpToTheSignificandAndNoFurther) {
  for (const std::uint64_t q : {1ull, 1'023ull, 1'024ull, 1'025ull, 4'095ull}) {
    EXPECT_TRUE(FlatKeysAreExact<float>(q)) << q;
  }
  EXPECT_FALSE(FlatKeysAreExact<float>(4'096));  // its neighbour 4,097 has no exact square
  EXPECT_FALSE(FlatKeysAreExact<float>(4'097));
  for (const std::uint64_t q : {4'097ull, 65'536ull, 131'072ull, 16'777'216ull, 94'906'264ull}) {
    EXPECT_TRUE(FlatKeysAreExact<double>(q)) << q;
  }
  EXPECT_FALSE(FlatKeysAreExact<double>(94'906'266));
  EXPECT_FALSE(FlatKeysAreExact<double>(94'906'267));
}

/// The digit score in float32, summed in the given order of components.
float DigitScore(std::uint64_t q, std::uint64_t k, bool reversed, bool same_space) {
  std::array<float, 6> terms{};
  float square = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const float q_digit = static_cast<float>(q >> (8 * i) & 0xFF);
    const float k_digit = static_cast<float>(k >> (8 * i) & 0xFF);
    terms[i] = q_digit * (2 * k_digit);
    square += k_digit * k_digit;
  }
  terms[4] = -square;
  terms[5] = same_space ? 0 : -static_cast<float>(weights::kSpaceMask);
  float score = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    score += terms[reversed ? terms.size() - 1 - i : i];
  }
  return score;
}

TEST(Law, DigitScoresAreExactForEveryAddressInAnyOrder) {
  support::Random random(5);
  std::vector<std::uint64_t> words = {0, 1, 0xFFFFFFFF};
  for (const std::uint64_t edge : {1'024ull, 4'096ull, 65'536ull, 131'072ull, 16'777'216ull,
                                   94'906'266ull, 4'294'967'293ull}) {
    for (std::uint64_t d = 0; d < 3; ++d) words.push_back(edge - 1 + d);
  }
  for (int i = 0; i < 40; ++i) words.push_back(random.Word());
  for (const std::uint64_t q : words) {
    Exact square = 0;
    for (std::size_t i = 0; i < 4; ++i)
      square += Exact((q >> (8 * i) & 0xFF)) * (q >> (8 * i) & 0xFF);
    for (const std::uint64_t k : words) {
      Exact distance = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        const Exact d = Exact(q >> (8 * i) & 0xFF) - Exact(k >> (8 * i) & 0xFF);
        distance += d * d;
      }
      for (const bool reversed : {false, true}) {
        const float score = DigitScore(q, k, reversed, true);
        ASSERT_EQ(Exact(score), square - distance);
        ASSERT_EQ(Exact(score) == square, q == k);
        // A token of another space loses even with the right key.
        ASSERT_LT(DigitScore(q, q, reversed, false), DigitScore(q, k, reversed, true));
      }
    }
  }
}

}  // namespace
}  // namespace txvm::vm
