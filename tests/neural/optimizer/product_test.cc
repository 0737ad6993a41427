#include "neural/optimizer/product.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <vector>

#include "neural/optimizer/network.h"
#include "neural/train/random.h"
#include "vm/tensor/simd_target.h"

namespace txvm::neural::optimizer {
namespace {

// The same in integers.
std::vector<std::int32_t> Expected(const std::vector<std::int32_t>& x,
                                   const std::vector<double>& weights,
                                   const std::vector<double>& bias, std::size_t outputs) {
  std::vector<std::int32_t> result;
  for (std::size_t o = 0; o < outputs; ++o) {
    std::int64_t sum = bias.empty() ? 0 : static_cast<std::int64_t>(bias[o]) * kOne;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += x[i] * static_cast<std::int64_t>(weights[i * outputs + o]);
    }
    const std::int64_t twice = 2 * (sum % kOne) + (sum % kOne < 0 ? 2 * kOne : 0);
    std::int64_t whole = (sum - twice / 2) / kOne;
    if (twice > kOne || (twice == kOne && whole % 2 != 0)) ++whole;
    result.push_back(static_cast<std::int32_t>(
        std::clamp<std::int64_t>(whole, -kMostActivation, kMostActivation)));
  }
  return result;
}

class EveryTarget : public testing::TestWithParam<std::int64_t> {
 protected:
  EveryTarget() { vm::SelectSimdTarget(GetParam()); }
  ~EveryTarget() override { vm::SelectSimdTarget(0); }
};
INSTANTIATE_TEST_SUITE_P(Product, EveryTarget, testing::ValuesIn(vm::SimdTargets()));

// From numbers whose sums end in halves to the largest there are.
TEST_P(EveryTarget, RoundsOnceAndClampsAsIntegersDo) {
  SCOPED_TRACE(hwy::TargetName(GetParam()));
  train::Random random(7);
  std::size_t ties = 0, clamped = 0;
  for (const std::int64_t most :
       {std::int64_t{2}, std::int64_t{300}, std::int64_t{kOne}, std::int64_t{kMostWeight}}) {
    for (const std::size_t outputs : {64, 128, 192}) {
      for (const std::size_t inputs : {0, 1, 7, 128}) {
        // Multiples of 256: products end in halves of a unit.
        const std::int64_t unit = most <= 300 ? 256 : 1;
        const auto draw = [&] { return unit * random.Between(-most, most); };
        std::vector<std::int32_t> x(inputs);
        for (auto& value : x) {
          value = random.Chance(40) ? 0 : static_cast<std::int32_t>(draw() / (unit == 1 ? 1 : 2));
        }
        std::vector<double> weights(inputs * outputs), bias(outputs);
        for (double& weight : weights) weight = static_cast<double>(draw());
        for (double& value : bias) value = static_cast<double>(draw());
        for (const std::vector<double>& added : {bias, std::vector<double>{}}) {
          std::vector<std::int32_t> out(outputs, -1);
          Product(x, weights.data(), added.empty() ? nullptr : added.data(), out);
          ASSERT_EQ(out, Expected(x, weights, added, outputs)) << inputs << " " << most;
          for (std::size_t o = 0; o < outputs; ++o) {
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < inputs; ++i) {
              sum += x[i] * static_cast<std::int64_t>(weights[i * outputs + o]);
            }
            ties += (sum & (kOne - 1)) == kOne / 2 ? 1 : 0;
            clamped += out[o] == kMostActivation ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(ties, 20U);
  EXPECT_GT(clamped, 20U);
}

}  // namespace
}  // namespace txvm::neural::optimizer
