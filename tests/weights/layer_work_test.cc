#include "weights/layer_work.h"

#include <gtest/gtest.h>

#include "isa/program.h"
#include "tests/support/random_program.h"
#include "weights/fold.h"
#include "weights/model.h"
#include "weights/tokens.h"

namespace txvm::weights {
namespace {

/// The residual vector before the first layer.
std::vector<std::int64_t> Embedding(const Model& model, const StateRecord& state) {
  std::vector<std::int64_t> sum(model.d_model(), 0);
  for (const Entry& e : model.w_embed.entries) {
    if (e.column < state.size()) sum[e.row] += std::int64_t{e.weight} * state[e.column];
  }
  return sum;
}

TEST(LayerWork, TheWritesOfAllLayersAddUpToTheResidual) {
  const Model model = CompileModel();
  std::size_t passes = 0, open = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const support::RandomCase random = support::MakeRandomCase(seed);
    ReferenceModel reference(model);
    for (const auto& token : PrefixOf(model, random.program)) reference.Append(token);
    for (const auto& token : ArgumentTokens(random.args)) reference.Append(token);
    const std::uint32_t pages = random.program.memory ? random.program.memory->initial : 0;
    StateRecord state =
        InitialState(random.program, random.limits, random.start, random.args, pages);
    for (int pass = 0; pass < 12 && state[state_field::kStopped] == 0; ++pass) {
      std::vector<std::int64_t> sum = Embedding(model, state);
      const PassOutput output = reference.Forward(state);
      const std::vector<LayerWork> layers = LayersOfPass(reference);
      ASSERT_EQ(layers.size(), model.layers.size());
      for (const LayerWork& layer : layers) {
        for (const LaneWrite& write : layer.heads) sum[write.lane] += write.value;
        for (const LaneWrite& write : layer.units) sum[write.lane] += write.value;
        open += layer.open.size();
      }
      ASSERT_EQ(sum,
                std::vector<std::int64_t>(reference.residual().begin(), reference.residual().end()))
          << "seed " << seed << " pass " << pass;
      ++passes;
      for (const MemoryRecord& write : output.writes) {
        if (!IsEmpty(write)) reference.Append(write);
      }
      state = output.state;
      if (state[state_field::kHost] != 0) break;
    }
  }
  EXPECT_GT(passes, 20u);
  EXPECT_GT(open / passes, 30u);
}

}  // namespace
}  // namespace txvm::weights
