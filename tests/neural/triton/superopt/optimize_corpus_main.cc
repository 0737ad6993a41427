// txvm_optimize_corpus [--beam N] [--window N] [--exact N] [--guide none|network|FILE] [--only
// FAMILY,..]: the superoptimizer over neural/triton/corpus, or some of its families. With --cliff 1
// cliff mode instead: which programs need a lower power of two by it, and their tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "neural/triton/guide/default_network.h"
#include "neural/triton/guide/guide.h"
#include "neural/triton/guide/network_file.h"
#include "neural/triton/lower/lower.h"
#include "neural/triton/superopt/cliff.h"
#include "neural/triton/superopt/program.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/parser.h"
#include "tests/neural/triton/support/corpus_files.h"

namespace txvm::triton {
namespace {

struct Total {
  std::size_t before = 0, after = 0, runs = 0, optimal = 0, improved = 0, refused = 0;
  std::uint64_t states = 0;
  void Add(const OptimizeReport& report, std::size_t start) {
    before += start;
    after += report.instructions_after;
    runs += report.runs;
    optimal += report.optimal;
    improved += report.improved;
    refused += report.refused;
    states += report.states;
  }
  void Print(std::string_view name) const {
    fmt::print(
        "{:14} {:6} -> {:6}  {:5.1f} %  runs {} improved {} optimal {} refused {} states {}\n",
        name, before, after,
        before == 0 ? 0.0
                    : 100.0 * (1.0 - static_cast<double>(after) / static_cast<double>(before)),
        runs, improved, optimal, refused, states);
  }
};

std::unique_ptr<ScheduleGuide> OpenGuide(const std::string& name) {
  if (name == "none") return nullptr;
  if (name == "network") return std::make_unique<guide::NetworkGuide>(guide::DefaultNetwork());
  std::ifstream file(name, std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  auto network = guide::ReadNetwork(bytes);
  if (!network) {
    fmt::print("{}: {}\n", name, network.error().ToString());
    std::exit(1);
  }
  return std::make_unique<guide::NetworkGuide>(*std::move(network));
}

bool IsWanted(const std::string& family, const std::string& only) {
  return only.empty() || ("," + only + ",").contains("," + family + ",");
}

void PrintTables(const char* title, const InputCost& cost) {
  fmt::print("  {:9}", title);
  for (std::size_t i = 0; i < kTasmTables; ++i) {
    fmt::print(" {} {}", kTasmTableNames[i], cost.heights.rows[i]);
  }
  fmt::print(", padded {}, {} words\n", cost.cost.padded, cost.cost.words);
}

// Cliff mode: every program whose padded height falls below that of its straight runs alone.
int AttackAll(const OptimizeOptions& options, const std::string& only) {
  std::size_t programs = 0, crossed = 0, cheaper = 0;
  std::uint64_t unproved = 0;
  const auto padded = [](const std::vector<InputCost>& costs) {
    std::uint64_t sum = 0;
    for (const InputCost& cost : costs) sum += cost.cost.padded;
    return sum;
  };
  const auto start = std::chrono::steady_clock::now();
  for (const CorpusFunction& function : ReadCorpus()) {
    if (!IsWanted(function.family, only)) continue;
    const auto inputs = DeclaredInputs(function.tir);
    const auto report = AttackCliff(*AssembleTasm(function.tasm), *inputs, options);
    if (!report) {
      fmt::print("{}: {}\n", function.name, report.error().ToString());
      return 1;
    }
    ++programs;
    unproved += report->unproved;
    cheaper += report->moves.empty() ? 0 : 1;
    if (padded(report->after) >= padded(report->straight.after)) continue;
    ++crossed;
    fmt::print("{}: {} -> {} over {} inputs by {}\n", function.name, padded(report->straight.after),
               padded(report->after), report->after.size(), fmt::join(report->moves, "; "));
    PrintTables("before", report->straight.before[0]);
    PrintTables("straight", report->straight.after[0]);
    PrintTables("cliff", report->after[0]);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print(
      "{} of {} programs by hand cross a power of two, {} get cheaper, {} moves unproved, "
      "{:.0f} s\n",
      crossed, programs, cheaper, unproved, took.count());
  return 0;
}

int Main(const OptimizeOptions& options, const std::string& only) {
  Total naive, hand;
  std::map<std::string, std::pair<Total, Total>> families;
  double seconds[2] = {0, 0};
  for (const CorpusFunction& function : ReadCorpus()) {
    if (!IsWanted(function.family, only)) continue;
    const auto inputs = DeclaredInputs(function.tir);
    const TasmProgram plain = *LowerTir(*ParseTir(function.tir), {.peepholes = false});
    const TasmProgram written = *AssembleTasm(function.tasm);
    auto& family = families[function.family];
    for (const bool by_hand : {false, true}) {
      const auto start = std::chrono::steady_clock::now();
      const TasmProgram& program = by_hand ? written : plain;
      const auto report = OptimizeProgram(program, *inputs, options);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      seconds[by_hand ? 1 : 0] += took.count();
      if (!report) {
        fmt::print("{}: {}\n", function.name, report.error().ToString());
        return 1;
      }
      (by_hand ? hand : naive).Add(*report, program.code.size());
      (by_hand ? family.second : family.first).Add(*report, program.code.size());
    }
  }
  for (const auto& [name, totals] : families) {
    totals.first.Print(name);
    totals.second.Print("  by hand");
  }
  naive.Print("all naive");
  hand.Print("all by hand");
  fmt::print("{:.1f} s naive, {:.1f} s by hand\n", seconds[0], seconds[1]);
  return 0;
}

}  // namespace
}  // namespace txvm::triton

int main(int argc, char** argv) {
  txvm::triton::OptimizeOptions options;
  std::string guide = "none", only;
  bool cliff = false;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::size_t value = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--beam") options.beam = value;
    if (name == "--window") options.window = value;
    if (name == "--exact") options.exact_beam = value;
    if (name == "--time") options.milliseconds = value;
    if (name == "--guide") guide = argv[i + 1];
    if (name == "--alone") options.guide_alone = value != 0;
    if (name == "--cliff") cliff = value != 0;
    if (name == "--only") only = argv[i + 1];
  }
  const auto opened = txvm::triton::OpenGuide(guide);
  options.guide = opened.get();
  return cliff ? txvm::triton::AttackAll(options, only) : txvm::triton::Main(options, only);
}
