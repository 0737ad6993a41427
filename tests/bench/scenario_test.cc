// The shipped scenarios give their results on every direct engine and on the reference loop.
#include "bench/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/contender.h"
#include "bench/embedded.h"
#include "bench/reference_loop.h"
#include "vm/machine.h"

namespace txvm::bench {
namespace {

std::vector<Scenario> Shipped() {
  const auto scenarios = ParseScenarios(EmbeddedFile("scenarios.toml"), "scenarios.toml");
  EXPECT_TRUE(scenarios) << scenarios.error().ToString();
  return scenarios.value_or(std::vector<Scenario>{});
}

class Workload : public ::testing::TestWithParam<Scenario> {};

TEST_P(Workload, GivesItsResultOnEveryEngine) {
  const auto loaded = LoadScenario(GetParam(), "");
  ASSERT_TRUE(loaded) << loaded.error().ToString();
  for (const std::string_view engine : ContenderNames()) {
    const auto foreign = ForeignContenders();  // child processes; txvm compare is tested elsewhere
    if (std::ranges::find(foreign, engine) != foreign.end()) continue;
    const auto contender = MakeContender(engine, *loaded);
    if (!contender && contender.error().code == isa::ErrorCode::kUnsupported) {
      EXPECT_TRUE(engine == "hull" || engine == "transformer") << engine;
      EXPECT_NE(contender.error().message.find(" steps; measured up to"), std::string::npos);
      EXPECT_NE(contender.error().message.find(",000"), std::string::npos) << "grouped";
      continue;
    }
    ASSERT_TRUE(contender) << contender.error().message;
    const auto sample = contender->run();
    ASSERT_TRUE(sample) << sample.error().message;
    EXPECT_EQ(sample->results, GetParam().results) << engine;
  }
}

INSTANTIATE_TEST_SUITE_P(Bench, Workload, ::testing::ValuesIn(Shipped()), [](const auto& test) {
  std::string name = test.param.name;
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
});

// Results of work(n) = run(n, 1), computed with other tools.
struct Known {
  std::string program;
  isa::Word n, result;
};

class KnownResult : public ::testing::TestWithParam<Known> {};

TEST_P(KnownResult, OfASmallCall) {
  Scenario scenario{GetParam().program, "x", GetParam().program + ".wat", "run", {GetParam().n, 1},
                    {GetParam().result}};
  const auto loaded = LoadScenario(scenario, "");
  ASSERT_TRUE(loaded) << loaded.error().ToString();
  const auto native = MakeContender("native", *loaded);
  ASSERT_TRUE(native) << native.error().message;
  const auto sample = native->run();
  ASSERT_TRUE(sample) << sample.error().message;
  EXPECT_EQ(sample->results, std::vector<isa::Word>{GetParam().result});
}

INSTANTIATE_TEST_SUITE_P(
    Bench, KnownResult,
    ::testing::Values(Known{"sum", 1000, 500500}, Known{"sum", 0, 0}, Known{"fib", 47, 2971215073},
                      Known{"fib", 48, 512559680}, Known{"fnv1a", 1, 808256},
                      Known{"fnv1a", 27, 2857676285}, Known{"fnv1a", 1000, 1468748544},
                      Known{"bsort", 10, 201213285}, Known{"bsort", 100, 917191001},
                      Known{"sieve", 10, 4}, Known{"sieve", 1000, 168}, Known{"collatz", 10, 4627},
                      Known{"collatz", 1000, 446130}, Known{"fibrec", 20, 6765},
                      Known{"matmul", 2, 3213601672}, Known{"matmul", 8, 31350065},
                      Known{"countdown", 5, 0}),
    [](const auto& test) { return test.param.program + "_" + std::to_string(test.param.n); });

TEST(Scenario, ThePublishedLoopsTakeTheirPublishedSteps) {
  const auto steps = [](const std::string& file) {
    const auto loaded = LoadScenario({file, "x", file, "", {}, {0}}, "");
    EXPECT_TRUE(loaded) << loaded.error().ToString();
    const auto sample = MakeContender("native", *loaded)->run();
    return sample ? sample->steps : 0;
  };
  EXPECT_EQ(steps("original_sum.txa"), 10u * 120'000 + 6);
  EXPECT_EQ(steps("original_fib.txa"), 12u * 100'001 - 9);
  EXPECT_EQ(steps("original_countdown.txa"), 4u * 300'000 + 2);
}

TEST(Scenario, AFolderGoesBeforeTheEmbeddedPrograms) {
  const auto embedded =
      LoadScenario({"sum", "x", "sum.wat", "run", {1, 1}, {1}}, "/no/such/folder");
  ASSERT_TRUE(embedded) << embedded.error().ToString();
  EXPECT_EQ(embedded->text, EmbeddedFile("programs/sum.wat"));
  EXPECT_EQ(embedded->file, "sum.wat");
  const auto own =
      LoadScenario({"fib", "x", "fib.wat", "fib", {1}, {1}}, TXVM_SOURCE_DIR "/examples");
  ASSERT_TRUE(own) << own.error().ToString();
  EXPECT_NE(own->text, EmbeddedFile("programs/fib.wat"));
  EXPECT_EQ(own->file, TXVM_SOURCE_DIR "/examples/fib.wat");
  const auto missing = LoadScenario({"nope", "x", "nope.wat", "run", {1, 1}, {0}}, "");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "no benchmark program 'nope.wat'");
}

TEST(Scenario, BadFilesAreRefusedWithTheirPlace) {
  const auto message = [](std::string_view text) {
    const auto scenarios = ParseScenarios(text, "f.toml");
    return scenarios ? std::string("accepted") : scenarios.error().ToString();
  };
  EXPECT_EQ(message("x = 1\n"), "f.toml:1:1: error: no [[scenario]] in this file");
  EXPECT_EQ(message("[[scenario]]\nname = \"a\"\n"),
            "f.toml:1:1: error: a scenario needs name, group, program and results");
  EXPECT_TRUE(message("[[scenario]]\nname = = 1\n").starts_with("f.toml:2:8: error: "));
}

}  // namespace
}  // namespace txvm::bench
