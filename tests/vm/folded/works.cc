#include "tests/vm/folded/works.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "frontends/wat/load.h"
#include "isa/support/file.h"
#include "tests/support/random.h"
#include "tests/support/random_program.h"
#include "tests/support/test_hosts.h"
#include "tests/vm/folded/wasm_comparison.h"

namespace txvm::vm {
namespace {

struct Row {
  std::string_view name;
  std::vector<Word> small, large;
};

const Row kRows[] = {
    {"sum", {300, 3}, {100'000, 10}},  {"fib", {200, 3}, {100'000, 10}},
    {"fnv1a", {300, 2}, {65'536, 10}}, {"bsort", {20, 2}, {400, 6}},
    {"sieve", {400, 1}, {200'000, 1}}, {"collatz", {20, 2}, {10'000, 2}},
    {"fibrec", {11, 2}, {25, 2}},      {"matmul", {5, 1}, {48, 8}},
    {"nbody", {1, 1}, {200, 1}},       {"spectral_norm", {2, 1}, {20, 1}},
    {"mandelbrot", {2, 1}, {32, 1}},
};
constexpr std::uint64_t kMostSteps = 1'000'000'000;

}  // namespace

std::vector<Work> Workloads(bool small) {
  std::vector<Work> works;
  for (const Row& row : kRows) {
    const std::string path = fmt::format("{}/bench/programs/{}.wat", TXVM_SOURCE_DIR, row.name);
    auto program = frontends::wat::LoadWat(isa::ReadFile(path).value(), path, {});
    Work work;
    work.name = row.name;
    work.program = std::make_shared<const isa::Program>(std::move(program).value());
    work.start = work.program->FindExport("run")->start;
    work.args = small ? row.small : row.large;
    work.most_steps = kMostSteps;
    works.push_back(std::move(work));
  }
  return works;
}

Work RandomWork(std::uint64_t seed) {
  support::RandomCase random = support::MakeRandomCase(seed);
  Work work;
  work.name = fmt::format("random program {}", seed);
  work.program = std::make_shared<const isa::Program>(std::move(random.program));
  work.start = random.start;
  work.args = std::move(random.args);
  work.limits = random.limits;
  work.most_steps = random.fuel;
  return work;
}

Machine LoadWork(const std::shared_ptr<const Prepared>& prepared, const Work& work,
                 EngineKind engine) {
  MachineOptions options;
  options.engine = engine;
  options.limits = work.limits;
  options.fold_at_first_call = true;
  return Machine::Load(prepared, support::TestLinker(), options).value();
}

std::string PiecesDiffer(const std::shared_ptr<const Prepared>& prepared, const Work& work,
                         std::uint64_t seed, int pieces) {
  const auto plain = Prepared::Create(work.program).value();
  support::Random random(seed);
  for (const bool whole : {true, false}) {
    Machine folded = LoadWork(prepared, work, EngineKind::kFolded);
    Machine native = LoadWork(plain, work, EngineKind::kNative);
    folded.RunInit();
    native.RunInit();
    std::uint64_t left = work.most_steps;
    // Pieces of any length, short ones as often as long ones.
    const auto next = [&](bool last) {
      const std::uint64_t most = std::uint64_t{1} << random.Between(1, 14);
      return last ? left : std::min(left, most + random.Below(static_cast<std::uint32_t>(most)));
    };
    RunOptions options;
    options.fuel = next(whole);
    RunResult a = folded.CallStub(work.start, work.args, options);
    RunResult b = native.CallStub(work.start, work.args, options);
    for (int piece = 1;; ++piece) {
      std::string difference = ResultsDiffer(a, b);
      if (difference.empty()) difference = StatesDiffer(folded, native);
      if (!difference.empty()) return fmt::format("{}: {}", work.name, difference);
      left -= std::min(left, options.fuel);
      if (a.outcome != Outcome::kOutOfFuel || left == 0) break;
      options.fuel = next(piece >= pieces);
      a = folded.Resume(options);
      b = native.Resume(options);
    }
  }
  return {};
}

}  // namespace txvm::vm
