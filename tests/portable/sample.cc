#include "tests/portable/sample.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "isa/support/file.h"
#include "isa/trace.h"
#include "tests/support/random_program.h"
#include "tests/support/test_hosts.h"
#include "vm/machine.h"
#include "vm/snapshot_file.h"

namespace txvm::support {
namespace {

constexpr std::uint64_t kDamagedEvery = 4;
constexpr std::uint64_t kHullSteps = 2'000;  // longer runs are left to the direct engines

bool IsDamaged(std::uint64_t seed) { return seed % kDamagedEvery == 0; }

RandomCase CaseOf(std::uint64_t seed) {
  return IsDamaged(seed) ? MakeDamagedCase(seed) : MakeRandomCase(seed);
}

vm::MachineOptions OptionsOf(const RandomCase& random_case, vm::EngineKind engine) {
  vm::MachineOptions options;
  options.engine = engine;
  options.limits = random_case.limits;
  options.allow_unverified = true;
  return options;
}

std::string ResultText(const vm::RunResult& result) {
  std::string text(vm::OutcomeText(result.outcome));
  if (result.trap) {
    text += fmt::format(" trap {} at {}", static_cast<int>(result.trap->cause), result.trap->ip);
  }
  if (result.outcome == vm::Outcome::kExited) text += fmt::format(" with {}", result.exit_code);
  return text + fmt::format(" results [{}] steps {} digest {}", fmt::join(result.results, " "),
                            result.steps, isa::DigestText(result.digest.value_or(0)));
}

/// How a machine gets to the end of its case.
using Ending = isa::Result<vm::RunResult> (*)(const RandomCase& random_case,
                                              const std::shared_ptr<const isa::Program>& program,
                                              vm::EngineKind engine, const std::string& path);

isa::Result<vm::RunResult> FromTheStart(const RandomCase& random_case,
                                        const std::shared_ptr<const isa::Program>& program,
                                        vm::EngineKind engine, const std::string&) {
  TXVM_TRY(vm::Machine machine,
           vm::Machine::Load(program, TestLinker(), OptionsOf(random_case, engine)));
  vm::RunOptions run;
  run.fuel = random_case.fuel;
  run.digest = true;
  return machine.CallStub(random_case.start, random_case.args, run);
}

isa::Result<vm::RunResult> FromTheSnapshot(const RandomCase& random_case,
                                           const std::shared_ptr<const isa::Program>& program,
                                           vm::EngineKind engine, const std::string& path) {
  TXVM_TRY(const std::string bytes, isa::ReadFile(path));
  TXVM_TRY(const vm::Snapshot snapshot,
           vm::ReadSnapshot({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
  TXVM_TRY(
      vm::Machine machine,
      vm::Machine::FromSnapshot(program, TestLinker(), OptionsOf(random_case, engine), snapshot));
  vm::RunOptions run;
  run.fuel = random_case.fuel - snapshot.steps;
  run.digest = true;
  return machine.Resume(run);
}

std::string LineOf(std::uint64_t seed, const std::string& path, Ending ending) {
  const RandomCase random_case = CaseOf(seed);
  const auto program = std::make_shared<const isa::Program>(random_case.program);
  std::optional<std::string> first;
  std::string line = fmt::format("{}{} ", seed, IsDamaged(seed) ? " damaged" : "");
  std::uint64_t steps = 0;
  std::vector<vm::EngineKind> engines = vm::DirectEngines();
  engines.push_back(vm::EngineKind::kHull);
  for (const vm::EngineKind engine : engines) {
    if (engine == vm::EngineKind::kHull && (IsDamaged(seed) || steps > kHullSteps)) continue;
    const isa::Result<vm::RunResult> result = ending(random_case, program, engine, path);
    const std::string text = result ? ResultText(*result) : result.error().message;
    steps = result ? result->steps : 0;
    if (!first) {
      line += text;
      first = text;
    } else if (text != *first) {
      line += fmt::format(" BUT {}: {}", vm::EngineName(engine), text);
    }
  }
  return line;
}

// Half of the run, then its state.
isa::Result<void> WriteHalf(std::uint64_t seed, const std::string& path) {
  const RandomCase random_case = CaseOf(seed);
  const auto program = std::make_shared<const isa::Program>(random_case.program);
  TXVM_TRY(const vm::RunResult whole,
           FromTheStart(random_case, program, vm::EngineKind::kNative, path));
  TXVM_TRY(
      vm::Machine machine,
      vm::Machine::Load(program, TestLinker(), OptionsOf(random_case, vm::EngineKind::kAttention)));
  vm::RunOptions run;
  run.fuel = whole.steps / 2;
  run.digest = true;
  machine.CallStub(random_case.start, random_case.args, run);
  if (!machine.resumable()) return {};
  TXVM_TRY(const vm::Snapshot snapshot, machine.TakeSnapshot());
  const std::vector<std::uint8_t> bytes = vm::WriteSnapshot(snapshot);
  return isa::WriteFile(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string PathOf(std::uint64_t seed, const std::string& folder) {
  return fmt::format("{}/{}.txs", folder, seed);
}

}  // namespace

std::string SampleLine(std::uint64_t seed, const std::string& folder) {
  std::string line = LineOf(seed, {}, FromTheStart);
  if (folder.empty() || IsDamaged(seed)) return line;
  if (const auto written = WriteHalf(seed, PathOf(seed, folder)); !written) {
    // A program that no machine loads has no state.
    if (line.find(written.error().message) == std::string::npos) {
      line += " BUT no snapshot: " + written.error().message;
    }
  }
  return line;
}

std::string ResumedLine(std::uint64_t seed, const std::string& folder) {
  const std::string path = PathOf(seed, folder);
  return LineOf(seed, path, std::filesystem::exists(path) ? FromTheSnapshot : FromTheStart);
}

}  // namespace txvm::support
