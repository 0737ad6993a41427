#include "vm/tensor/fixed_product.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <random>
#include <vector>

#include "vm/tensor/simd_target.h"

namespace txvm::vm {
namespace {

constexpr FixedRange kRange = {1 << 16, 64 << 16};

// The same in integers, rounded half to even by hand.
std::vector<std::int32_t> IntegerProduct(const std::vector<std::int32_t>& x,
                                         const std::vector<double>& weights,
                                         const std::vector<double>& bias, std::size_t outputs) {
  std::vector<std::int32_t> result;
  for (std::size_t o = 0; o < outputs; ++o) {
    std::int64_t sum = bias.empty() ? 0 : static_cast<std::int64_t>(bias[o]) * kRange.one;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += x[i] * static_cast<std::int64_t>(weights[i * outputs + o]);
    }
    std::int64_t rest = sum % kRange.one;
    if (rest < 0) rest += kRange.one;
    std::int64_t whole = (sum - rest) / kRange.one;
    if (2 * rest > kRange.one || (2 * rest == kRange.one && whole % 2 != 0)) ++whole;
    result.push_back(
        static_cast<std::int32_t>(std::clamp<std::int64_t>(whole, -kRange.most, kRange.most)));
  }
  return result;
}

class FixedProductTargets : public testing::TestWithParam<std::int64_t> {
 protected:
  FixedProductTargets() { SelectSimdTarget(GetParam()); }
  ~FixedProductTargets() override { SelectSimdTarget(0); }
};
INSTANTIATE_TEST_SUITE_P(FixedProduct, FixedProductTargets, testing::ValuesIn(SimdTargets()));

// From numbers whose sums end in halves of a unit to the largest there are.
TEST_P(FixedProductTargets, RoundOnceAndClampAsIntegersDo) {
  SCOPED_TRACE(hwy::TargetName(GetParam()));
  std::mt19937_64 random(7);
  std::size_t halves = 0, clamped = 0;
  for (const std::int64_t unit : {256, 1}) {
    for (const std::int64_t most : {2, 300, 1 << 14, 64 << 16}) {
      const std::int64_t steps = std::min<std::int64_t>(most, kRange.most / unit);
      std::uniform_int_distribution<std::int64_t> draw(-steps, steps);
      for (const std::size_t outputs : {64, 128, 192}) {
        for (const std::size_t inputs : {0, 1, 7, 128}) {
          std::vector<std::int32_t> x(inputs);
          for (auto& value : x) {
            value = random() % 3 == 0 ? 0 : static_cast<std::int32_t>(draw(random) * unit / 2);
          }
          std::vector<double> weights(inputs * outputs), bias(outputs);
          for (double& weight : weights) weight = static_cast<double>(draw(random) * unit);
          for (double& value : bias) value = static_cast<double>(draw(random) * unit);
          for (const std::vector<double>& added : {bias, std::vector<double>{}}) {
            std::vector<std::int32_t> out(outputs, -1);
            FixedProduct(x, weights.data(), added.empty() ? nullptr : added.data(), kRange, out);
            ASSERT_EQ(out, IntegerProduct(x, weights, added, outputs)) << inputs << " " << most;
            for (std::size_t o = 0; o < outputs; ++o) {
              std::int64_t sum = 0;
              for (std::size_t i = 0; i < inputs; ++i) {
                sum += x[i] * static_cast<std::int64_t>(weights[i * outputs + o]);
              }
              halves += (sum & (kRange.one - 1)) == kRange.one / 2 ? 1 : 0;
              clamped += std::abs(out[o]) == kRange.most ? 1 : 0;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(halves, 20U);
  EXPECT_GT(clamped, 20U);
}

}  // namespace
}  // namespace txvm::vm
