// A guide may be as bad as it likes: what comes out is proved, and no dearer.
#include "neural/triton/guide/guide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "isa/support/random.h"
#include "neural/triton/guide/default_network.h"
#include "neural/triton/guide/network_file.h"
#include "neural/triton/lower/lower.h"
#include "neural/triton/prove/equivalence.h"
#include "neural/triton/superopt/program.h"
#include "neural/triton/superopt/search.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/parser.h"
#include "tests/neural/triton/guide/samples.h"
#include "tests/neural/triton/support/corpus_files.h"

namespace txvm::triton::guide {
namespace {

// Costs by a rule: nothing, everything, or noise.
class Adversary final : public ScheduleGuide {
 public:
  enum class Kind : std::uint8_t { kNone, kMost, kNoise, kBackwards };
  explicit Adversary(Kind kind) : kind_(kind) {}

  std::unique_ptr<BlockGuide> Begin(const BlockModel&) const override {
    return std::make_unique<Block>(kind_);
  }

 private:
  class Block final : public BlockGuide {
   public:
    explicit Block(Kind kind) : kind_(kind) {}
    void Rate(const GuidedState& state, std::span<const TasmInstruction> moves,
              std::span<std::uint32_t> costs) override {
      ASSERT_EQ(moves.size(), costs.size());
      ASSERT_FALSE(moves.empty());
      ASSERT_EQ(state.uses.size(), state.copies.size());
      for (std::size_t i = 0; i < costs.size(); ++i) {
        switch (kind_) {
          case Kind::kNone:
            costs[i] = 0;
            break;
          case Kind::kMost:
            costs[i] = std::numeric_limits<std::uint32_t>::max();
            break;
          case Kind::kNoise:
            costs[i] = static_cast<std::uint32_t>(random_.Below(4'000));
            break;
          case Kind::kBackwards:
            costs[i] = static_cast<std::uint32_t>(costs.size() - i) * 999;
            break;
        }
      }
    }

   private:
    Kind kind_;
    isa::Random random_{7};
  };
  Kind kind_;
};

TEST(Guide, NoAdversaryGetsAWrongOrADearerProgramThrough) {
  std::size_t shorter = 0;
  using Kind = Adversary::Kind;
  for (const CorpusFunction& function : ReadCorpus()) {
    if (function.family != "bits" && function.family != "merkle") continue;
    const TasmProgram program = *LowerTir(*ParseTir(function.tir), {.peepholes = false});
    const auto inputs = DeclaredInputs(function.tir);
    OptimizeOptions options;
    options.beam = 3;
    options.exact_beam = 3;
    const std::size_t unguided = OptimizeProgram(program, *inputs, options)->instructions_after;
    for (const Kind kind : {Kind::kNone, Kind::kMost, Kind::kNoise, Kind::kBackwards}) {
      const Adversary guide(kind);
      options.guide = &guide;
      for (const bool alone : {false, true}) {
        options.guide_alone = alone;
        const auto report = OptimizeProgram(program, *inputs, options);
        ASSERT_TRUE(report) << report.error().ToString();
        EXPECT_LE(report->instructions_after, alone ? report->instructions_before : unguided);
        shorter += report->instructions_after < report->instructions_before ? 1 : 0;
        const TasmMachine before = *TasmMachine::Load(program);
        const TasmMachine after = *TasmMachine::Load(report->program);
        for (std::size_t i = 0; i < inputs->size(); ++i) {
          EXPECT_LE(report->after[i].cost, report->before[i].cost) << function.name;
          const TasmInput input = ToTasmInput((*inputs)[i]);
          EXPECT_EQ(after.Run(input)->output, before.Run(input)->output) << function.name;
        }
      }
    }
  }
  EXPECT_GT(shorter, 80U);
}

// One word of the digest's height decides: what the guide finds is dearer than the program, what is
// found without it is not.
TEST(Guide, WhatIsTooDearGivesWayToWhatIsFoundAlone) {
  const auto functions = ReadCorpus();
  const auto dot = std::ranges::find_if(
      functions, [](const CorpusFunction& f) { return f.family == "vector" && f.name == "dot_4"; });
  ASSERT_NE(dot, functions.end());
  const NetworkGuide guide(DefaultNetwork());
  const auto inputs = DeclaredInputs(dot->tasm);
  for (int i = 0; i < 8; ++i) {
    const std::string prefix = "push " + std::to_string(i) + "\nwrite_io 1\nnop\n";
    const TasmProgram program = *AssembleTasm(prefix + dot->tasm);
    OptimizeOptions options;
    options.beam = options.exact_beam = 4;
    const auto alone = OptimizeProgram(program, *inputs, options);
    options.guide = &guide;
    const auto guided = OptimizeProgram(program, *inputs, options);
    EXPECT_LE(guided->instructions_after, alone->instructions_after) << i;
  }
}

TEST(Guide, AZeroGuideFindsAsMuchAsNone) {
  const Adversary guide(Adversary::Kind::kNone);
  for (const Window& window : TaughtWindows(30, 11)) {
    const Schedule with = FindSchedule(window.code, {.beam = 60, .guide = &guide});
    const Schedule without = FindSchedule(window.code, {.beam = 60});
    EXPECT_EQ(with.code.size(), without.code.size());
  }
}

// A search that drops no state is exact, whoever guides it.
TEST(Guide, WhatIsProvedShortestIsNotShortenedByAGuide) {
  const NetworkGuide guide(RandomNetwork(4));
  std::size_t proved = 0;
  for (const Window& window : TaughtWindows(20, 12)) {
    const Schedule exact = FindSchedule(window.code, {.beam = 1'500});
    if (!exact.optimal) continue;
    ++proved;
    const Schedule guided = FindSchedule(window.code, {.beam = 30, .guide = &guide});
    EXPECT_GE(guided.code.size(), exact.code.size());
  }
  EXPECT_GT(proved, 2U);
}

TEST(Guide, GuidedSearchIsDeterministic) {
  const NetworkGuide guide(RandomNetwork(5));
  for (const Window& window : TaughtWindows(20, 13)) {
    const Schedule one = FindSchedule(window.code, {.beam = 6, .guide = &guide});
    const Schedule two = FindSchedule(window.code, {.beam = 6, .guide = &guide});
    EXPECT_EQ(one.code, two.code);
    EXPECT_EQ(one.states, two.states);
    EXPECT_TRUE(ProveStraight(window.code, one.code, 0));
  }
}

// The promise of the network that comes with txvm, on windows made for this test.
TEST(Guide, TheBuiltInNetworkHelpsAtAnEqualBeam) {
  const NetworkGuide guide(DefaultNetwork());
  neural::llm::Workers workers(2);
  const std::vector<Window> windows = RandomWindows(300, 987'654'321);
  const Trial without = Try(windows, 4, nullptr, workers);
  const Trial with = Try(windows, 4, &guide, workers);
  EXPECT_EQ(with.before, without.before);
  EXPECT_LT(with.after, without.after);
}

}  // namespace
}  // namespace txvm::triton::guide
