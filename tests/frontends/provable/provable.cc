#include "tests/frontends/provable/provable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "frontends/wasm/legalize.h"
#include "frontends/wat/load.h"
#include "frontends/wat/reader.h"
#include "neural/triton/lower/lower.h"
#include "neural/triton/tir/interpreter.h"
#include "tests/support/random.h"
#include "vm/machine.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::tests {
namespace {

using frontends::provable::kFirstCell;
using frontends::provable::kSaveStack;
using frontends::provable::Layout;

constexpr std::uint64_t kFuel = 50'000'000;  // steps; what needs more is no test
constexpr std::uint64_t kMaxCycles = 2'000'000'000;

vm::Linker Hosts(std::vector<std::uint64_t>& printed) {
  vm::Linker linker;
  linker.Define("env", "print_i32", 1, 0, [&printed](vm::HostContext&, auto args, auto) {
    printed.push_back(args[0]);
    return vm::HostStatus::Continue();
  });
  linker.Define("env", "putchar", 1, 1, [&printed](vm::HostContext&, auto args, auto results) {
    printed.push_back(args[0] & 0xFF);
    results[0] = args[0] & 0xFF;
    return vm::HostStatus::Continue();
  });
  return linker;
}

}  // namespace

isa::Result<Provable> Provable::Make(std::string_view wat, const ProvableOptions& options) {
  Provable provable;
  provable.options_ = options;
  TXVM_TRY(frontends::wat::Module module, frontends::wat::ReadText(wat, "test.wat"));
  TXVM_TRY(module, frontends::wat::Legalize(std::move(module)));
  TXVM_TRY(provable.lowered_, frontends::provable::LowerModule(module, options.lower));
  TXVM_TRY(provable.program_, triton::LowerTir(provable.lowered_.module));
  TXVM_TRY(provable.machine_, triton::TasmMachine::Load(provable.program_));
  TXVM_TRY(isa::Program program, frontends::wat::LoadWat(wat, "test.wat", {.lower_i64 = true}));
  provable.isa_ = std::make_shared<const isa::Program>(std::move(program));
  return provable;
}

isa::Result<void> Provable::RunNative(const std::vector<std::uint32_t>& args) {
  native_ = {};
  const vm::Linker linker = Hosts(native_.output);
  TXVM_TRY(vm::Machine machine,
           vm::Machine::Load(isa_, linker, {.engine = vm::EngineKind::kNative, .limits = {}}));
  vm::RunResult result = machine.RunInit({.fuel = kFuel, .trace = {}});
  TXVM_TRY(const isa::Export* entry, vm::ChooseEntry(*isa_, options_.lower.entry));
  const isa::Export* initializer = vm::FindInitializer(*isa_, entry);
  if (result.outcome == vm::Outcome::kHalted && initializer != nullptr) {
    TXVM_TRY(result, machine.Call(*initializer, {}, {.fuel = kFuel, .trace = {}}));
  }
  if (result.outcome == vm::Outcome::kHalted) {
    TXVM_TRY(result, machine.Call(*entry, args, {.fuel = kFuel, .trace = {}}));
  }
  if (result.trap) {
    native_.crashed = true;
    native_.why = isa::TrapText(result.trap->cause);
    exhausted_ = result.trap->cause == isa::Trap::kExhausted;
  } else if (result.outcome != vm::Outcome::kHalted) {
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("native: {}", vm::OutcomeText(result.outcome)));
  }
  native_.output.insert(native_.output.end(), result.results.begin(), result.results.end());
  globals_.assign(machine.globals().begin(), machine.globals().end());
  const auto bytes = std::as_const(machine).memory().bytes();
  memory_.assign(bytes.begin(), bytes.end());
  return {};
}

/// Words a prover might put where the program looks: anything, and what it would take for its own.
std::vector<std::pair<std::uint64_t, std::uint64_t>> Provable::InitialRam() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ram;
  if (!options_.ram_seed) return ram;
  support::Random random(*options_.ram_seed);
  const auto fill = [&](std::uint64_t first, std::uint64_t end) {
    for (; first < end; ++first) {
      const std::uint64_t any = random.Next() % vm::goldilocks::kPrime;
      ram.emplace_back(first, random.OneIn(2) ? random.InterestingWord() : any);
    }
  };
  constexpr std::uint64_t kBeyond = 64;
  fill(0, lowered_.layout.memory_words + kBeyond);
  fill(kFirstCell, lowered_.layout.next_cell + kBeyond);
  fill(kSaveStack, kSaveStack + kBeyond);
  return ram;
}

std::string Provable::CompareState(
    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ram) const {
  const auto at = [&](std::uint64_t address) -> std::uint64_t {
    const auto found =
        std::ranges::lower_bound(ram, address, {}, &std::pair<std::uint64_t, std::uint64_t>::first);
    return found != ram.end() && found->first == address ? found->second : 0;
  };
  for (std::size_t i = 0; i < globals_.size(); ++i) {
    const std::uint64_t cell = lowered_.layout.globals[i];
    if (cell == 0) continue;  // a constant
    if (at(cell) != globals_[i]) {
      return fmt::format("global {} is {}, native has {}", i, at(cell), globals_[i]);
    }
  }
  const std::uint64_t words =
      std::min<std::uint64_t>(memory_.size() / 4, lowered_.layout.memory_words);
  std::uint64_t next = 0;  // words without an entry are 0
  const auto word = [&](std::uint64_t i) {
    std::uint32_t value = 0;
    std::memcpy(&value, memory_.data() + i * 4, 4);
    return value;
  };
  const Layout& layout = lowered_.layout;
  const std::uint64_t cleared =
      layout.ready_cell == 0 ? words : std::min(words, at(layout.ready_cell) + 1);
  for (std::uint64_t i = cleared; i < words; ++i) {
    if (word(i) != 0) return fmt::format("word {} is not cleared", i);
  }
  for (const auto& [address, value] : ram) {
    if (address >= cleared) break;
    for (; next < address; ++next) {
      if (word(next) != 0) return fmt::format("word {} is unwritten", next);
    }
    if (value != word(address)) {
      return fmt::format("word {} is {}, native has {}", address, value, word(address));
    }
    ++next;
  }
  for (; next < cleared; ++next) {
    if (word(next) != 0) return fmt::format("word {} is unwritten", next);
  }
  return {};
}

std::string Provable::Compare(const std::vector<std::uint32_t>& args) {
  if (const auto native = RunNative(args); !native) return native.error().ToString();
  if (exhausted_) return {};
  triton::TasmInput input;
  input.input.assign(args.begin(), args.end());
  input.ram = InitialRam();
  triton::TasmOptions run_options;
  run_options.max_cycles = kMaxCycles;
  run_options.heights = false;
  run_options.keep_ram = true;
  auto run = machine_->Run(input, run_options);
  if (!run) return run.error().ToString();
  run_ = *std::move(run);
  const auto show = [](bool crashed, std::string_view why, const auto& output) {
    return fmt::format("{} [{}]", crashed ? why : "good end", fmt::join(output, " "));
  };
  const std::string wanted = show(native_.crashed, native_.why, native_.output);
  const std::string_view crash = run_.crash ? triton::TasmCrashText(*run_.crash) : "";
  if (run_.crash.has_value() != native_.crashed || run_.output != native_.output) {
    return fmt::format("TASM: {}; native: {}", show(run_.crash.has_value(), crash, run_.output),
                       wanted);
  }
  if (run_.crash == triton::TasmCrash::kCycleLimit) return "TASM: cycle limit";
  if (options_.tir) {
    triton::TirInputs inputs;
    inputs.input = input.input;
    inputs.ram.insert(input.ram.begin(), input.ram.end());
    const auto tir = triton::RunTir(lowered_.module, inputs, {}, {.steps = kMaxCycles});
    if (!tir) return tir.error().ToString();
    const bool crashed = tir->fault != triton::Fault::kNone;
    if (crashed != native_.crashed || tir->output != native_.output) {
      return fmt::format("TIR: {}; native: {}", show(crashed, "crash", tir->output), wanted);
    }
  }
  return native_.crashed ? std::string() : CompareState(run_.ram);
}

}  // namespace txvm::tests
