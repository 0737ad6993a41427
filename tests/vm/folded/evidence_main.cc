// By hand: txvm_folded_evidence cuts|snapshots|mutants|c [COUNT [SEED]]. What docs/FOLDED.md says
// was tried, at full size.
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/vm/folded/compiled_c.h"
#include "tests/vm/folded/cuts.h"
#include "tests/vm/folded/mutants.h"

namespace {

using namespace txvm::vm;

constexpr std::uint64_t kRandomWorks = 300;
constexpr std::uint64_t kTexts = 500, kTextsAtOnce = 50;
constexpr std::uint64_t kCuts = 10'000, kPoints = 1'000, kMutants = 600;

int Finish(const std::string& difference, const std::string& report) {
  fmt::print("{}", report);
  if (difference.empty()) return 0;
  fmt::print("{}\n", difference);
  return 1;
}

int Mutants(std::uint64_t count, std::uint64_t seed) {
  std::vector<Work> works = Workloads(true);
  for (std::uint64_t i = 1; i <= kRandomWorks; ++i) works.push_back(RandomWork(i));
  MutantsReport report;
  TryMutants(works, count, seed, report);
  constexpr std::uint64_t kPercent = 100;
  const bool enough = kPercent * report.lost.size() <= report.mutants - report.equivalent;
  return Finish(enough ? "" : "more than 1 % were lost", report.Text());
}

// Random programs in C text, compiled some at a time.
int Texts(std::uint64_t count, std::uint64_t seed) {
  if (const std::string why = WhyNoCompiler(); !why.empty()) return Finish(why, "");
  for (std::uint64_t done = 0; done < count; done += kTextsAtOnce) {
    std::vector<Work> works;
    for (std::uint64_t i = 0; i < kTextsAtOnce; ++i) works.push_back(RandomWork(seed + done + i));
    const std::string difference = CompiledDiffers(works, "-O2");
    if (!difference.empty()) return Finish(difference, "");
  }
  return Finish("", fmt::format("{} programs in C text as on the native engine\n", count));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const auto number = [&](int at, std::uint64_t otherwise) {
    return argc > at ? std::strtoull(argv[at], nullptr, 10) : otherwise;
  };
  const std::uint64_t seed = number(3, 1);
  CutsReport report;
  if (what == "cuts") {
    const std::string difference = CutAndGoOn(Workloads(false), number(2, kCuts), seed, report);
    return Finish(difference, report.Text());
  }
  if (what == "snapshots") {
    const std::string difference = ChangeEngines(Workloads(true), number(2, kPoints), seed, report);
    return Finish(difference, report.Text());
  }
  if (what == "c") return Texts(number(2, kTexts), seed);
  if (what == "mutants") return Mutants(number(2, kMutants), seed);
  fmt::print(stderr, "usage: {} cuts|snapshots|mutants|c [COUNT [SEED]]\n", argv[0]);
  return 2;
}
