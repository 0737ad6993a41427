// txvm_random_outcomes CASES SEED [ENGINE...]: how random programs end on each engine, a line a
// case. The lines of two machines (x86-64, arm64, wasm32) are to be the same.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "isa/support/number.h"
#include "isa/trace.h"
#include "tests/support/random_program.h"
#include "tests/support/test_hosts.h"
#include "vm/machine.h"

namespace {

using namespace txvm;

/// Outcome, place, results, steps and digest of one run.
std::string RunText(const support::RandomCase& random_case, vm::EngineKind engine) {
  vm::MachineOptions options;
  options.engine = engine;
  options.limits = random_case.limits;
  options.allow_unverified = true;
  const auto program = std::make_shared<const isa::Program>(random_case.program);
  isa::Result<vm::Machine> machine = vm::Machine::Load(program, support::TestLinker(), options);
  if (!machine) return fmt::format("refused: {}", machine.error().message);
  vm::RunOptions run;
  run.fuel = random_case.fuel;
  run.digest = true;
  const vm::RunResult result = machine->CallStub(random_case.start, random_case.args, run);
  return fmt::format("{} {} {} [{}] {} {}", vm::OutcomeText(result.outcome),
                     result.trap ? isa::TrapText(result.trap->cause) : "-", machine->ip(),
                     fmt::join(result.results, " "), result.steps,
                     isa::DigestText(result.digest.value_or(0)));
}

isa::Result<void> Run(const std::vector<std::string>& words) {
  if (words.size() < 2) {
    return isa::Fail(isa::ErrorCode::kUsage, "usage: txvm_random_outcomes CASES SEED [ENGINE...]");
  }
  TXVM_TRY(const std::uint64_t cases, isa::ParseCount("CASES", words[0], isa::kUnlimitedFuel));
  TXVM_TRY(const std::uint64_t seed, isa::ParseCount("SEED", words[1], isa::kUnlimitedFuel));
  std::vector<vm::EngineKind> engines;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto engine = vm::FindEngine(words[i]);
    if (!engine) return isa::Fail(isa::ErrorCode::kUsage, words[i] + " is no engine");
    engines.push_back(*engine);
  }
  if (engines.empty()) engines = {vm::EngineKind::kAttention, vm::EngineKind::kNative};
  for (std::uint64_t i = 0; i < cases; ++i) {
    const support::RandomCase random_case = support::MakeRandomCase(seed + i);
    std::string line = fmt::format("{}", seed + i);
    std::string first;
    for (const vm::EngineKind engine : engines) {
      const std::string text = RunText(random_case, engine);
      if (first.empty()) line += " " + (first = text);
      if (text != first) line += fmt::format(" but on {}: {}", vm::EngineName(engine), text);
    }
    fmt::print("{}\n", line);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const isa::Result<void> done = Run({argv + 1, argv + argc});
  if (done) return 0;
  fmt::print(stderr, "{}\n", done.error().ToString());
  return 1;
}
