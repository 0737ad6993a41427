// Whole programs as provable code: the programs of this folder, and the peer workloads where they
// are. Every one also starts on RAM a prover chose at random and does the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "tests/frontends/provable/provable.h"

namespace txvm::tests {
namespace {

namespace fs = std::filesystem;

/// A program at a small size; `once` is the result for n, `thrice` that of three rounds.
struct Workload {
  const char* name;
  std::uint32_t n, once, thrice;
  std::uint64_t memory_words;

  friend void PrintTo(const Workload& workload, std::ostream* out) { *out << workload.name; }
};

// clang-format off
constexpr auto kWorkloads = std::to_array<Workload>({
    {"sum", 100, 5050, 5014650, 0},
    {"fib", 48, 512559680, 2165621312, 0},
    {"fnv1a", 27, 2857676285, 2994135645, 32'768},
    {"bsort", 10, 201213285, 2236296389, 64},
    {"sieve", 100, 25, 24825, 64},
    {"collatz", 10, 4627, 4594611, 0},
    {"fibrec", 10, 55, 54615, 0},
    {"matmul", 2, 3213601672, 4240726664, 49'152},
});
// clang-format on

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void Check(const std::string& text, const std::vector<std::uint32_t>& args, std::uint32_t wanted,
           std::uint64_t memory_words) {
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {  // 0: on RAM of zeros, trusting it
    ProvableOptions options;
    options.lower.entry = "run";
    options.lower.memory_words = memory_words;
    options.lower.assume_zero_ram = seed == 0;
    if (seed != 0) options.ram_seed = seed;
    auto provable = Provable::Make(text, options);
    ASSERT_TRUE(provable) << provable.error().ToString();
    ASSERT_EQ(provable->Compare(args), "") << "RAM " << seed;
    EXPECT_EQ(provable->native().output, std::vector<std::uint64_t>{wanted});
  }
}

class Workloads : public testing::TestWithParam<Workload> {};

TEST_P(Workloads, OwnProgramsGiveTheNativeResultOnAnyRam) {
  const fs::path folder = fs::path(TXVM_SOURCE_DIR) / "tests/frontends/provable/programs";
  const Workload& workload = GetParam();
  const std::string text = ReadFile(folder / (std::string(workload.name) + ".wat"));
  ASSERT_FALSE(text.empty());
  Check(text, {workload.n}, workload.once, std::min<std::uint64_t>(workload.memory_words, 64));
}

TEST_P(Workloads, PeerProgramsGiveTheNativeResultOnAnyRam) {
  const char* given = std::getenv("TXVM_SHARED");
  const fs::path shared =
      given != nullptr ? fs::path(given) : fs::path(TXVM_SOURCE_DIR).parent_path() / "shared";
  const fs::path folder = shared / "data/workloads/wat";
  if (!fs::is_directory(folder)) {
    GTEST_SKIP() << "the workloads are not at " << folder
                 << " (set TXVM_SHARED to the folder that holds data/workloads)";
  }
  const Workload& workload = GetParam();
  const std::string text = ReadFile(folder / (std::string(workload.name) + ".wat"));
  ASSERT_FALSE(text.empty());
  Check(text, {workload.n, 1}, workload.once, workload.memory_words);
  Check(text, {workload.n, 3}, workload.thrice, workload.memory_words);
}

INSTANTIATE_TEST_SUITE_P(All, Workloads, testing::ValuesIn(kWorkloads),
                         [](const auto& workload) { return std::string(workload.param.name); });

}  // namespace
}  // namespace txvm::tests
