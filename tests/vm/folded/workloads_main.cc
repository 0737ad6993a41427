// By hand: txvm_folded_workloads [REPEATS [PROGRAM]]. Processor time of the eight workloads, and of
// four with floats and i64, on attention, native and folded: medians, and how many times as fast as
// attention. With a program, its register form, too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "frontends/wat/load.h"
#include "isa/verify.h"
#include "vm/folded/ir.h"
#include "vm/folded/machine_code.h"
#include "vm/machine.h"

namespace {

using txvm::vm::EngineKind;
using txvm::vm::Machine;
using txvm::vm::Word;

struct Workload {
  const char* name;
  std::vector<Word> args;
  bool has_numbers = false;  // i64 or floats
};

const Workload kWorkloads[] = {
    {"sum", {100'000, 10}},        {"fib", {100'000, 10}},
    {"fnv1a", {65'536, 10}},       {"bsort", {400, 6}},
    {"sieve", {1'000'000, 1}},     {"collatz", {10'000, 2}},
    {"fibrec", {27, 2}},           {"matmul", {48, 8}},
    {"nbody", {200, 5}, true},     {"spectral_norm", {30, 2}, true},
    {"mandelbrot", {40, 2}, true}, {"xorshift64", {20'000, 5}, true},
};

double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string ReadProgram(const std::string& name) {
  std::ifstream in(std::string(TXVM_SOURCE_DIR) + "/bench/programs/" + name + ".wat");
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Timing {
  double seconds = 0;
  std::uint64_t steps = 0;
  std::vector<Word> results;
};

Timing Time(const std::shared_ptr<const txvm::isa::Program>& program, EngineKind engine,
            const std::vector<Word>& args, int repeats) {
  auto machine = Machine::Load(program, txvm::vm::Linker(), {.engine = engine, .limits = {}});
  if (!machine) std::abort();
  std::vector<double> seconds;
  Timing timing;
  for (int i = 0; i < repeats; ++i) {
    const double start = ProcessorSeconds();
    const auto run = machine->Call(*program->FindExport("run"), args);
    seconds.push_back(ProcessorSeconds() - start);
    timing.steps = run->steps;
    timing.results = run->results;
  }
  std::ranges::nth_element(seconds, seconds.begin() + repeats / 2);
  timing.seconds = seconds[static_cast<std::size_t>(repeats / 2)];
  return timing;
}

struct Mean {
  double native_product = 1, folded_product = 1;
  int count = 0;

  void Print(const char* what) const {
    if (count == 0) return;
    fmt::print("geometric mean, {}: native {:.1f}x, folded {:.1f}x\n", what,
               std::pow(native_product, 1.0 / count), std::pow(folded_product, 1.0 / count));
  }
};

void List(const txvm::isa::Program& program) {
  const auto paths = txvm::isa::AnalyzePaths(program);
  const txvm::vm::folded::RoutineMap routines(program, txvm::vm::folded::CanCompute);
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    if (routines.StartsAt(program.functions[f].first)) continue;
    fmt::print("{}", txvm::vm::folded::IrText(
                         txvm::vm::folded::Lift(program, *paths, f, false, &routines)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::string only = argc > 2 ? argv[2] : "";
  Mean words, numbers;
  for (const Workload& workload : kWorkloads) {
    if (!only.empty() && only != workload.name) continue;
    auto program = txvm::frontends::wat::LoadWat(ReadProgram(workload.name), workload.name,
                                                 {.lower_i64 = true});
    if (!program) {
      fmt::print("{}\n", program.error().ToString());
      return 1;
    }
    const auto shared = std::make_shared<const txvm::isa::Program>(*std::move(program));
    if (!only.empty()) List(*shared);
    const Timing attention = Time(shared, EngineKind::kAttention, workload.args, repeats);
    const Timing native = Time(shared, EngineKind::kNative, workload.args, repeats);
    const Timing folded = Time(shared, EngineKind::kFolded, workload.args, repeats);
    const bool equal = folded.steps == native.steps && folded.results == native.results;
    fmt::print(
        "{:13} {:9} steps  attention {:7.2f} ms  native {:5.1f}x  folded {:5.1f}x {:6.2f} ms {}\n",
        workload.name, native.steps, 1e3 * attention.seconds, attention.seconds / native.seconds,
        attention.seconds / folded.seconds, 1e3 * folded.seconds, equal ? "" : "DIFFERENT");
    Mean& mean = workload.has_numbers ? numbers : words;
    mean.native_product *= attention.seconds / native.seconds;
    mean.folded_product *= attention.seconds / folded.seconds;
    ++mean.count;
  }
  words.Print("words");
  numbers.Print("floats and i64");
  return 0;
}
