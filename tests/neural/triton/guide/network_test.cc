#include "neural/triton/guide/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "neural/train/random.h"
#include "neural/triton/guide/learner.h"
#include "tests/neural/triton/guide/samples.h"
#include "tests/neural/triton/support/fixed_point.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton::guide {
namespace {

using vm::goldilocks::FromSigned;

// x W + b over the field, by the library's fixed point.
std::vector<Fixed> FieldProduct(const std::vector<Fixed>& x, const Network& network,
                                const Part& matrix, const Part& bias) {
  std::vector<Fixed> result;
  for (std::size_t o = 0; o < matrix.outputs; ++o) {
    std::vector<std::uint64_t> left, right;
    for (std::size_t i = 0; i < matrix.inputs; ++i) {
      left.push_back(x[i].element());
      right.push_back(FromSigned(network.weights()[matrix.offset + i * matrix.outputs + o]));
    }
    left.push_back(Fixed::One().element());
    right.push_back(FromSigned(network.weights()[bias.offset + o]));
    result.push_back(*DotRounded(left, right));
  }
  return result;
}

// The theorem of network.h, for the part that runs once a state.
TEST(Network, DecodesAsTheFieldDoes) {
  neural::train::Random random(5);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Network network = RandomNetwork(seed);
    Encoding encoding{};
    for (auto& node : encoding) {
      for (auto& value : node) value = static_cast<std::int32_t>(random.Normal() * kOne);
    }
    StateInput state;
    for (std::size_t i = 0; i < kWords; ++i) {
      state.nodes[i] =
          random.Chance(70) ? static_cast<std::uint8_t>(random.Below(kNodes)) : kNoNode;
    }
    for (auto& lane : state.lanes) {
      lane = static_cast<std::int32_t>(random.Between(-2 * kOne, 2 * kOne));
    }
    std::vector<Fixed> x;
    for (std::size_t i = 0; i < kState; ++i) {
      const std::uint8_t node = state.nodes[i / kLanes];
      const bool learnt = i % kLanes < kLearntLanes && node != kNoNode;
      x.push_back(*Fixed::FromNumerator(learnt ? encoding[node][i % kLanes] : state.lanes[i]));
    }
    std::vector<Fixed> hidden = FieldProduct(x, network, kFirst, kFirstBias);
    for (Fixed& value : hidden) value = Relu(value);
    const std::vector<Fixed> logits = FieldProduct(hidden, network, kSecond, kSecondBias);
    const Logits decoded = network.Decode(encoding, state);
    for (std::size_t i = 0; i < kLogits; ++i) {
      ASSERT_EQ(FromSigned(decoded[i]), logits[i].element()) << seed << " logit " << i;
    }
  }
}

// The largest sums that weights and activations allow, bias included: exact in doubles, and less
// than half of p.
static_assert((std::int64_t{kMostWeight} * kMostActivation) * (kState + 1) < std::int64_t{1} << 53);
static_assert(std::int64_t{1} << 53 < static_cast<std::int64_t>(vm::goldilocks::kHalf));

TEST(Network, ExponentialsAreClose) {
  for (std::int64_t x = 0; x < 13 * kOne; x += 7) {
    const double exact = std::exp(-static_cast<double>(x) / kOne);
    ASSERT_NEAR(static_cast<double>(ExpOfMinus(x)) / kOne, exact, 0x1p-14) << x;
  }
  EXPECT_EQ(ExpOfMinus(0), kOne);
  EXPECT_EQ(ExpOfMinus(std::int64_t{1} << 60), 0);
}

// Fixed point and floats, from nodes to the choice: the same network.
TEST(Network, AgreesWithTheFloatsItWasLearntIn) {
  const std::vector<float> weights = InitialWeights(3);
  const Network network = *Network::Make(Numerators(weights));
  std::size_t lessons = 0;
  for (const RunLessons& run : LessonsOf(TaughtWindows(30, 2))) {
    const Encoding encoding = network.Encode(run.nodes);
    for (const Lesson& lesson : run.lessons) {
      const Logits logits = network.Decode(encoding, lesson.state);
      std::vector<double> chances;
      for (const MoveCode& move : lesson.moves) {
        chances.push_back(RatingOf(logits, move) / static_cast<double>(kOne));
      }
      double total = 0;
      for (const double chance : chances) total += std::exp(chance);
      RunLessons alone{run.nodes, {lesson}};
      EXPECT_NEAR(std::log(total) - chances[lesson.taken], LossOf(weights, alone, {}).loss, 0.01);
      ++lessons;
    }
  }
  EXPECT_GT(lessons, 100U);
}

TEST(Network, RefusesWeightsItCannotTake) {
  EXPECT_EQ(Network::Make(std::vector<std::int32_t>(17)).error().code, isa::ErrorCode::kInvalid);
  std::vector<std::int32_t> weights(kParameters);
  weights[90'000] = kMostWeight + 1;
  const auto made = Network::Make(weights);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, isa::ErrorCode::kLimit);
  EXPECT_NE(made.error().message.find("90000"), std::string::npos) << made.error().message;
}

TEST(Network, TakesExtremeWeightsWithoutOverflow) {
  // Of one sign, which saturates every lane, and of both, which spreads them; what overflows is for
  // the sanitizer to see.
  neural::train::Random random(3);
  for (int kind = 0; kind < 6; ++kind) {
    std::vector<std::int32_t> weights(kParameters, kind == 0 ? -kMostWeight : kMostWeight);
    for (std::int32_t& weight : weights) {
      if (kind > 1 && random.Chance(50)) weight = -weight;
    }
    const Network network = *Network::Make(std::move(weights));
    const auto model = ModelRun(CodeOfText("push 5 mul add dup 3 lt"), 0);
    const Encoding encoding = network.Encode(NodesOf(*model));
    StateInput state;
    state.nodes.fill(0);
    state.lanes.fill(2 * kOne);
    for (const std::int32_t logit : network.Decode(encoding, state)) {
      EXPECT_LE(std::abs(logit), kMostActivation);
    }
  }
}

}  // namespace
}  // namespace txvm::triton::guide
