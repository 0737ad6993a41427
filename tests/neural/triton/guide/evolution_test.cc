#include "neural/triton/guide/evolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "neural/triton/guide/guide.h"
#include "tests/neural/triton/guide/samples.h"

namespace txvm::triton::guide {
namespace {

EvolveOptions Quick() {
  EvolveOptions options;
  options.generations = 6;
  options.population = 6;
  options.parents = 2;
  options.beam = 1;
  return options;
}

std::size_t LeftBy(const Network& network, const std::vector<Window>& windows) {
  const NetworkGuide guide(network);
  neural::llm::Workers workers(1);
  return Try(windows, 1, &guide, workers).after;
}

TEST(Evolution, ImprovesANetworkThatKnowsNothing) {
  const std::vector<Window> windows = TaughtWindows(25, 21);
  const Network start = RandomNetwork(2);
  neural::llm::Workers one(1), two(2);
  std::vector<std::size_t> best;
  EvolveOptions options = Quick();
  options.progress = [&](std::size_t, std::size_t left) { return best.push_back(left), true; };
  const Network end = Evolve(start, windows, options, one);
  ASSERT_EQ(best.size(), 6U);
  EXPECT_TRUE(std::is_sorted(best.rbegin(), best.rend()));  // the best one lives on
  EXPECT_LT(best.back(), LeftBy(start, windows));
  EXPECT_EQ(LeftBy(end, windows), best.back());
  const Network again = Evolve(start, windows, Quick(), two);
  EXPECT_TRUE(std::ranges::equal(end.weights(), again.weights()));
}

TEST(Evolution, WithoutGenerationsTheStartStays) {
  const Network start = RandomNetwork(3);
  neural::llm::Workers workers(1);
  EvolveOptions options = Quick();
  options.generations = 0;
  const Network end = Evolve(start, TaughtWindows(5, 22), options, workers);
  EXPECT_TRUE(std::ranges::equal(end.weights(), start.weights()));
}

}  // namespace
}  // namespace txvm::triton::guide
