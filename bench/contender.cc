// Who is measured.
#include "bench/contender.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>

#include "bench/measure.h"
#include "bench/reference_loop.h"
#include "frontends/foreign/runtimes.h"
#include "isa/support/shown_text.h"
#include "vm/machine.h"

namespace txvm::bench {
namespace {

constexpr double kForeignSeconds = 120;  // limit of one child process

// Steps of the scenario, counted by running it.
isa::Result<std::uint64_t> StepsOf(const LoadedScenario& scenario) {
  vm::MachineOptions options;
  options.engine = vm::EngineKind::kNative;
  TXVM_TRY(vm::Machine machine, vm::Machine::Load(scenario.program, vm::Linker(), options));
  return machine.CallStub(scenario.start, scenario.scenario.args).steps;
}

isa::Result<Contender> MakeEngine(vm::EngineKind engine, const LoadedScenario& scenario) {
  TXVM_TRY(const std::uint64_t steps, StepsOf(scenario));
  if (const std::uint64_t longest = vm::LongestComparedRun(engine); steps > longest) {
    return isa::Fail(
        isa::ErrorCode::kUnsupported,
        fmt::format("{} steps; measured up to {}", isa::Grouped(steps), isa::Grouped(longest)));
  }
  vm::MachineOptions options;
  options.engine = engine;
  TXVM_TRY(vm::Machine loaded, vm::Machine::Load(scenario.program, vm::Linker(), options));
  auto machine = std::make_shared<vm::Machine>(std::move(loaded));
  const auto run = [machine, start = scenario.start,
                    args = scenario.scenario.args]() -> isa::Result<Sample> {
    const double before = ThreadSeconds();
    vm::RunResult result = machine->CallStub(start, args);
    const double seconds = ThreadSeconds() - before;
    TXVM_CHECK_OK(CheckHalted(result, machine->engine()));
    return Sample{std::move(result.results), result.steps, seconds};
  };
  return Contender{std::string(vm::EngineName(engine)), run};
}

isa::Result<Contender> MakeReference(const LoadedScenario& scenario) {
  TXVM_TRY(ReferenceLoop loaded, ReferenceLoop::Load(*scenario.program));
  auto loop = std::make_shared<ReferenceLoop>(std::move(loaded));
  const auto run = [loop, start = scenario.start,
                    args = scenario.scenario.args]() -> isa::Result<Sample> {
    const double before = ThreadSeconds();
    TXVM_TRY(std::vector<isa::Word> results, loop->Run(start, args));
    return Sample{std::move(results), 0, ThreadSeconds() - before};
  };
  return Contender{std::string(kReferenceName), run};
}

constexpr auto kForeign =
    std::to_array<std::string_view>({"wasm-interp", "wasm3", "wasmtime", "node"});

isa::Result<Contender> MakeForeign(std::string_view name, const LoadedScenario& scenario) {
  if (!scenario.scenario.program.ends_with(".wat")) {
    return isa::Fail(isa::ErrorCode::kUnsupported, "not a WebAssembly program");
  }
  auto call = std::make_shared<frontends::foreign::ForeignCall>();
  TXVM_TRY(call->wasm, frontends::foreign::WasmOf(scenario.text, true, kForeignSeconds));
  call->name = scenario.scenario.invoke;
  call->args = scenario.scenario.args;
  const auto run = [call, name]() -> isa::Result<Sample> {
    const auto answer = frontends::foreign::RunForeign(name, *call, kForeignSeconds);
    if (!answer.problem.empty()) {
      return isa::Fail(isa::ErrorCode::kUnsupported, answer.problem);
    }
    const double seconds = answer.includes_startup ? answer.cpu_seconds : answer.seconds;
    return Sample{isa::WordsOfValues(answer.results), 0, seconds};
  };
  return Contender{std::string(name), run};
}

// As the scenarios and every other command write results.
std::string SignedText(const std::vector<isa::Word>& results) {
  std::vector<std::int32_t> numbers;
  for (const isa::Word word : results) numbers.push_back(isa::Signed(word));
  return fmt::format("{}", fmt::join(numbers, " "));
}

// Whether a contender gave other results than are expected: `mismatch` says which.
bool Differs(const Contender& contender, const std::vector<isa::Word>& results,
             const std::vector<isa::Word>& expected, std::string& mismatch) {
  if (results == expected) return false;
  mismatch = fmt::format("{} gives {} where {} is expected", contender.engine, SignedText(results),
                         SignedText(expected));
  return true;
}

}  // namespace

std::vector<std::string_view> ContenderNames() {
  std::vector<std::string_view> names = {vm::EngineName(vm::EngineKind::kNative)};
  for (const vm::EngineKind engine : vm::AllEngines()) {
    if (engine != vm::EngineKind::kNative) names.push_back(vm::EngineName(engine));
  }
  names.push_back(kReferenceName);
  names.insert(names.end(), kForeign.begin(), kForeign.end());
  return names;
}

std::span<const std::string_view> ForeignContenders() { return kForeign; }

isa::Result<Contender> MakeContender(std::string_view name, const LoadedScenario& scenario) {
  if (const std::optional<vm::EngineKind> engine = vm::FindEngine(name)) {
    return MakeEngine(*engine, scenario);
  }
  if (name == kReferenceName) return MakeReference(scenario);
  if (const auto found = std::ranges::find(kForeign, name); found != kForeign.end()) {
    return MakeForeign(*found, scenario);
  }
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("'{}' is no engine: {}", name, fmt::join(ContenderNames(), ", ")));
}

isa::Result<Rounds> RunInTurns(const std::vector<Contender>& contenders,
                               const std::vector<isa::Word>& expected, std::size_t rounds,
                               const std::function<bool()>& each) {
  Rounds all;
  all.seconds.resize(contenders.size());
  for (const Contender& contender : contenders) {
    TXVM_TRY(const Sample sample, contender.run());
    if (Differs(contender, sample.results, expected, all.mismatch)) return all;
    all.steps.push_back(sample.steps);
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::size_t i = (round + turn) % contenders.size();
      TXVM_TRY(const Sample sample, contenders[i].run());
      if (Differs(contenders[i], sample.results, expected, all.mismatch)) return all;
      all.seconds[i].push_back(sample.seconds);
      all.steps[i] =
          sample.steps;  // a first run may have filled memory that later ones find filled
      if (!each()) {
        all.stopped = true;
        return all;
      }
    }
  }
  return all;
}

}  // namespace txvm::bench
