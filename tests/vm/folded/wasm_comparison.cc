#include "tests/vm/folded/wasm_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "frontends/wat/load.h"
#include "isa/support/random.h"
#include "isa/verify.h"
#include "tests/support/random.h"
#include "tests/support/random_wasm.h"
#include "tests/support/wasm_numbers.h"
#include "vm/folded/flow.h"
#include "vm/machine.h"
#include "vm/snapshot.h"

namespace txvm::vm {
namespace {

constexpr int kCallsPerModule = 4;
constexpr std::uint64_t kWithoutNumbers = 4;  // one module of these has words alone
constexpr std::uint64_t kMostSteps = 2'000'000;

Linker Hosts() {
  Linker linker;
  linker.Define("env", "mix", 2, 1, [](HostContext&, auto args, auto results) {
    results[0] = 31 * args[0] + args[1];
    return HostStatus::Continue();
  });
  linker.Define("env", "pair", 1, 2, [](HostContext&, auto args, auto results) {
    results[0] = args[0] + 1;
    results[1] = args[0] ^ 5;
    return HostStatus::Continue();
  });
  // (f64 f32 i64) -> (i64 f32 f64)
  linker.Define("env", "turn", 5, 5, [](HostContext&, auto args, auto results) {
    constexpr std::size_t kFrom[] = {3, 4, 2, 0, 1};
    for (std::size_t i = 0; i < std::size(kFrom); ++i) results[i] = args[kFrom[i]];
    return HostStatus::Continue();
  });
  return linker;
}

}  // namespace

std::string StatesDiffer(const Machine& folded, const Machine& native) {
  const State& a = folded.state();
  const State& b = native.state();
  if (a.steps != b.steps) return fmt::format("{} steps, native {}", a.steps, b.steps);
  if (a.ip != b.ip) return fmt::format("ip {}, native {}", a.ip, b.ip);
  if (!std::ranges::equal(folded.stack(), native.stack())) {
    return fmt::format("stack {}, native {}", folded.stack(), native.stack());
  }
  if (folded.Backtrace(1'000) != native.Backtrace(1'000)) return "backtraces differ";
  const std::size_t globals = folded.program().globals.size();
  if (!std::equal(a.locals.data(), a.locals.data() + globals, b.locals.data())) {
    return "globals differ";
  }
  if (a.memory.size_bytes() != b.memory.size_bytes()) return "memory sizes differ";
  if (std::memcmp(a.memory.data(), b.memory.data(), a.memory.size_bytes()) != 0) {
    return "memory differs";
  }
  return {};
}

std::string ResultsDiffer(const RunResult& a, const RunResult& b) {
  if (a.outcome != b.outcome) {
    return fmt::format("{}, native {}", OutcomeText(a.outcome), OutcomeText(b.outcome));
  }
  if (a.results != b.results) return fmt::format("{}, native {}", a.results, b.results);
  if (a.trap && (a.trap->cause != b.trap->cause || a.trap->ip != b.trap->ip ||
                 a.trap->detail != b.trap->detail)) {
    return "traps differ";
  }
  return {};
}

namespace {

bool DataFits(const isa::Program& program) {
  constexpr std::uint64_t kPageBytes = 65'536;
  const std::uint64_t size = program.memory ? program.memory->initial * kPageBytes : 0;
  return std::ranges::all_of(program.data, [size](const isa::DataSegment& segment) {
    return segment.offset + segment.bytes.size() <= size;
  });
}

class Comparison {
 public:
  Comparison(std::shared_ptr<const isa::Program> program, std::uint64_t seed, WasmCounts& counts)
      : program_(std::move(program)),
        random_(seed),
        counts_(counts),
        at_first_call_(seed % 5 != 0),
        folded_(Load(EngineKind::kFolded)),
        native_(Load(EngineKind::kNative)) {}

  std::string Start() {
    const RunResult a = folded_.RunInit(), b = native_.RunInit();
    const std::string difference = ResultsDiffer(a, b);
    return difference.empty() ? StatesDiffer(folded_, native_) : "init: " + difference;
  }

  std::string Call(const tests::RandomExport& entry) {
    std::vector<Word> args;
    isa::SplitMix64 values(random_.Next());
    for (const char type : entry.params) {
      const std::uint64_t bits = type == 'i'   ? tests::RandomWord(values)
                                 : type == 'F' ? 0  // null; code has references of its own
                                 : type == 'E' ? tests::RandomWord(values) % 4
                                               : tests::RandomNumber(type, values);
      const std::vector<std::uint32_t> words = tests::WordsOfNumber(type, bits);
      args.insert(args.end(), words.begin(), words.end());
    }
    const isa::Export& exported = *program_->FindExport(entry.name);
    const bool cuts = random_.OneIn(2);
    RunOptions options;
    options.fuel = cuts ? CutFuel(2'000) : kMostSteps;
    RunResult a = !cuts && random_.OneIn(8) ? CallInterrupted(exported, args)
                                            : *folded_.Call(exported, args, options);
    RunResult b = *native_.Call(exported, args, options);
    for (;;) {
      std::string difference = ResultsDiffer(a, b);
      if (difference.empty()) difference = StatesDiffer(folded_, native_);
      if (!difference.empty()) return fmt::format("{} {}: {}", entry.name, args, difference);
      if (a.outcome != Outcome::kOutOfFuel || a.steps >= kMostSteps) break;
      ++counts_.cuts;
      if (random_.OneIn(2)) {
        ++counts_.snapshots;
        const Snapshot of_folded = folded_.TakeSnapshot().value();
        const Snapshot of_native = native_.TakeSnapshot().value();
        if (!folded_.Restore(of_native) || !native_.Restore(of_folded)) return "not restored";
      }
      options.fuel = 1 + CutFuel(5'000);
      a = folded_.Resume(options);
      b = native_.Resume(options);
    }
    counts_.steps += a.steps;
    if (a.outcome == Outcome::kHalted) ++counts_.halted;
    if (a.outcome == Outcome::kTrapped) ++counts_.trapped;
    return {};
  }

  support::Random& random() { return random_; }

 private:
  // Code that computes routines wants more fuel before it runs.
  std::uint64_t CutFuel(std::uint32_t most) {
    constexpr std::uint32_t kForRoutines = 20;
    return random_.Below(random_.OneIn(2) ? most : kForRoutines * most);
  }

  /// While another thread asks it to stop again and again.
  RunResult CallInterrupted(const isa::Export& exported, const std::vector<Word>& args) {
    std::atomic<bool> done = false;
    std::jthread other([&] {
      while (!done) {
        folded_.Interrupt(InterruptReason::kTimeout);
        std::this_thread::yield();
      }
    });
    RunOptions options;
    options.fuel = kMostSteps;
    RunResult result = *folded_.Call(exported, args, options);
    while (result.outcome == Outcome::kInterrupted) {
      ++counts_.interrupts;
      options.fuel = kMostSteps - result.steps;
      result = folded_.Resume(options);
    }
    done = true;
    return result;
  }

  Machine Load(EngineKind engine) {
    MachineOptions options;
    options.engine = engine;
    options.fold_at_first_call = at_first_call_;
    return Machine::Load(program_, Hosts(), options).value();
  }

  std::shared_ptr<const isa::Program> program_;
  support::Random random_;
  WasmCounts& counts_;
  bool at_first_call_;  // else large functions change over when they have earned it
  Machine folded_, native_;
};

}  // namespace

std::string WasmDifference(std::uint64_t seed, WasmCounts& counts) {
  const tests::RandomModule module =
      tests::MakeRandomWasm(seed, {.bulk = seed % 2 == 0,
                                   .numbers = seed % kWithoutNumbers != 0,
                                   .references = seed % 4 == 3,
                                   .vectors = seed % 4 == 1 && seed % kWithoutNumbers != 0});
  auto program = frontends::wat::LoadWat(module.text, "random.wat",
                                         {.optimize = seed % 3 != 0, .lower_i64 = true});
  if (!program) {
    if (!program.error().message.starts_with("out of bounds table access")) {
      return program.error().ToString();
    }
    ++counts.unfit;
    return {};
  }
  if (!DataFits(*program)) {
    ++counts.unfit;
    return {};
  }
  const isa::PathFacts paths = isa::AnalyzePaths(*program).value();
  if (folded::ReadsOldLocals(*program, paths)) ++counts.keeping;
  Comparison comparison(std::make_shared<const isa::Program>(*std::move(program)), seed, counts);
  if (std::string difference = comparison.Start(); !difference.empty()) return difference;
  for (int i = 0; i < kCallsPerModule && !module.exports.empty(); ++i) {
    const auto& entry =
        module
            .exports[comparison.random().Below(static_cast<std::uint32_t>(module.exports.size()))];
    if (std::string difference = comparison.Call(entry); !difference.empty()) return difference;
  }
  return {};
}

}  // namespace txvm::vm
