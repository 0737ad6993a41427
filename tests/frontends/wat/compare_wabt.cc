#include "tests/frontends/wat/compare_wabt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/wat/load.h"
#include "isa/verify.h"
#include "tests/frontends/wat/wabt_traps.h"
#include "tests/support/random_wasm.h"
#include "tests/support/wabt_interp.h"
#include "tests/support/wasm_numbers.h"
#include "vm/machine.h"

namespace txvm::tests {
namespace {

constexpr int kCallsPerModule = 4;

vm::Linker Hosts() {
  vm::Linker linker;
  linker.Define("env", "mix", 2, 1, [](vm::HostContext&, auto args, auto results) {
    results[0] = 31 * args[0] + args[1];
    return vm::HostStatus::Continue();
  });
  linker.Define("env", "pair", 1, 2, [](vm::HostContext&, auto args, auto results) {
    results[0] = args[0] + 1;
    results[1] = args[0] ^ 5;
    return vm::HostStatus::Continue();
  });
  linker.Define("env", "turn", 5, 5, [](vm::HostContext&, auto args, auto results) {
    const auto [f64_low, f64_high, f32, i64_low, i64_high] =
        std::array{args[0], args[1], args[2], args[3], args[4]};
    std::ranges::copy(std::array{i64_low, i64_high, f32, f64_low, f64_high}, results.begin());
    return vm::HostStatus::Continue();
  });
  return linker;
}

/// One way of running the module.
struct Contender {
  std::string name;
  std::shared_ptr<const isa::Program> program;
  std::optional<vm::Machine> machine;
  vm::RunResult last;
};

class Comparison {
 public:
  Comparison(std::uint64_t seed, WasmCoverage& coverage, bool references, bool vectors)
      : seed_(seed),
        random_(seed),
        coverage_(coverage),
        module_(MakeRandomWasm(seed, {.bulk = seed % 2 == 0,
                                      .numbers = vectors || seed % 3 != 0,
                                      .references = references,
                                      .vectors = vectors})) {}

  std::string Run();

 private:
  std::string Load();
  std::string Refused(const isa::Error& error) const;
  std::string Start();
  std::string CallAny(const RandomExport& entry);
  std::string Call(const std::string& name, const std::vector<std::uint32_t>& args);
  std::string ReadTables();
  std::string Judge(Contender& contender, const WabtOutcome& wanted);
  std::string State(Contender& contender);
  std::string Engines() const;

  std::uint64_t seed_;
  isa::SplitMix64 random_;
  WasmCoverage& coverage_;
  RandomModule module_;
  std::unique_ptr<WabtInstance> oracle_;
  std::vector<Contender> contenders_;  // native, attention; then both unoptimised
};

/// A segment that does not fit is an error of loading here, a trap in WABT.
std::string Comparison::Refused(const isa::Error& error) const {
  const auto trap = oracle_->ok() ? std::nullopt : TrapOfWabt(oracle_->error());
  if (trap == isa::Trap::kTableOutOfBounds && error.message.starts_with(isa::TrapText(*trap))) {
    return {};
  }
  if (trap == isa::Trap::kOutOfBounds && error.message.starts_with("data segment")) return {};
  return error.ToString();
}

std::string Comparison::Load() {
  const std::vector<std::uint8_t> binary = WabtBinary(module_.text);
  if (binary.empty()) return "the generator made an invalid module";
  oracle_ = WabtInstance::Load(binary);
  using frontends::wat::LoadWasm, frontends::wat::LoadWat;
  for (const bool optimize : {true, false}) {
    const bool is_other = optimize == (seed_ / 2 % 2 == 0);
    if (!module_.readers.empty() && is_other) continue;  // one lowering is enough for many calls
    auto program = optimize && module_.readers.empty()   // a text with element expressions forks
                       ? LoadWat(module_.text, "random.wat", {.optimize = true, .lower_i64 = true})
                       : LoadWasm(binary, "random.wasm", {.optimize = optimize, .lower_i64 = true});
    if (!program) return Refused(program.error());
    if (const auto verified = isa::Verify(*program); !verified) return verified.error().ToString();
    const auto shared = std::make_shared<const isa::Program>(*std::move(program));
    for (const vm::EngineKind engine : {vm::EngineKind::kNative, vm::EngineKind::kAttention}) {
      auto machine = vm::Machine::Load(shared, Hosts(), {.engine = engine, .limits = {}});
      if (!machine) return Refused(machine.error());
      contenders_.push_back(
          {fmt::format("{}{}", vm::EngineName(engine), optimize ? "" : " (not optimised)"),
           shared,
           std::move(*machine),
           {}});
    }
  }
  return {};
}

std::string Comparison::State(Contender& contender) {
  std::size_t slot = 0;
  for (std::size_t i = 0; i < module_.globals.size(); ++i) {
    const std::vector<std::uint32_t> wanted = oracle_->GlobalWords(fmt::format("g{}", i));
    const auto got = contender.machine->globals().subspan(slot, wanted.size());
    slot += wanted.size();
    if (std::ranges::equal(got, wanted)) continue;
    return fmt::format("global {} is {:#x}, WABT has {:#x}", i, fmt::join(got, " "),
                       fmt::join(wanted, " "));
  }
  if (!module_.has_memory) return {};
  const auto& memory = contender.machine->memory();
  if (memory.size_bytes() != oracle_->MemorySize()) {
    return fmt::format("memory has {} bytes, in WABT {}", memory.size_bytes(),
                       oracle_->MemorySize());
  }
  if (std::memcmp(memory.bytes().data(), oracle_->MemoryData(), oracle_->MemorySize()) != 0) {
    return "memory differs";
  }
  return {};
}

std::string Comparison::Judge(Contender& contender, const WabtOutcome& wanted) {
  const vm::RunResult& got = contender.last;
  if (wanted.trapped) {
    const auto cause = TrapOfWabt(wanted.message);
    if (!cause) return "WABT trapped with an unknown message: " + wanted.message;
    if (!got.trap || got.trap->cause != *cause) {
      return fmt::format("ended as {} {}, WABT trapped: {}", vm::OutcomeText(got.outcome),
                         got.trap ? isa::TrapText(got.trap->cause) : "", wanted.message);
    }
  } else if (got.outcome != vm::Outcome::kHalted || got.results != wanted.results) {
    return fmt::format("ended as {} {} {}, WABT returned {}", vm::OutcomeText(got.outcome),
                       got.trap ? isa::TrapText(got.trap->cause) : "", fmt::join(got.results, " "),
                       fmt::join(wanted.results, " "));
  }
  return State(contender);
}

/// Both engines of one lowering must agree step by step.
std::string Comparison::Engines() const {
  for (std::size_t i = 0; i < contenders_.size(); i += 2) {
    const vm::RunResult &a = contenders_[i].last, &b = contenders_[i + 1].last;
    if (a.steps != b.steps || a.digest != b.digest) {
      return fmt::format("{} took {} steps, {} {}: digests differ", contenders_[i].name, a.steps,
                         contenders_[i + 1].name, b.steps);
    }
  }
  return {};
}

std::string Comparison::Start() {
  for (Contender& contender : contenders_) {
    contender.last = contender.machine->RunInit();
    if (oracle_->ok()) {
      if (contender.last.outcome != vm::Outcome::kHalted) {
        return contender.name + ": start function trapped, not in WABT";
      }
      if (auto text = State(contender); !text.empty()) return contender.name + ": " + text;
      continue;
    }
    if (!contender.last.trap || TrapOfWabt(oracle_->error()) != contender.last.trap->cause) {
      return fmt::format("{}: WABT does not start: {}", contender.name, oracle_->error());
    }
  }
  return {};
}

std::string Comparison::CallAny(const RandomExport& entry) {
  std::vector<std::uint32_t> args;
  for (const char type : entry.params) {
    std::uint64_t bits = 0;
    if (type == 'F') {
      const std::size_t function = RandomWord(random_) % (module_.functions.size() + 1);
      bits = function == 0 ? 0 : module_.hosts + function;
    } else if (type == 'E') {
      bits = RandomWord(random_) % 4;
    } else {
      bits = type == 'i' ? RandomWord(random_) : RandomNumber(type, random_);
    }
    const std::vector<std::uint32_t> words = WordsOfNumber(type, bits);
    args.insert(args.end(), words.begin(), words.end());
  }
  return Call(entry.name, args);
}

std::string Comparison::Call(const std::string& name, const std::vector<std::uint32_t>& args) {
  const WabtOutcome wanted = oracle_->Call(name, args);
  ++coverage_.calls;
  ++(wanted.trapped ? coverage_.trapped : coverage_.halted);
  const std::string call = fmt::format("{}({})", name, fmt::join(args, ", "));
  for (Contender& contender : contenders_) {
    auto run = contender.machine->Call(*contender.program->FindExport(name), args,
                                       {.fuel = 10'000'000, .digest = true, .trace = {}});
    if (!run) return run.error().ToString();
    contender.last = *std::move(run);
    if (auto text = Judge(contender, wanted); !text.empty()) {
      return fmt::format("{}: {}: {}", contender.name, call, text);
    }
  }
  coverage_.steps += contenders_[0].last.steps;
  return Engines();
}

/// Reads and calls elements that there were at first, and two more of each table.
std::string Comparison::ReadTables() {
  const std::uint32_t most = std::ranges::max(module_.table_sizes) + 2;
  std::string text;
  for (const RandomExport& reader : module_.readers) {
    for (std::uint32_t i = 0; text.empty() && i < most; ++i) text = Call(reader.name, {i});
  }
  return text;
}

std::string Comparison::Run() {
  std::string text = Load();
  if (text.empty()) text = Start();
  for (int i = 0; text.empty() && oracle_->ok() && i < kCallsPerModule; ++i) {
    text = CallAny(module_.exports[RandomWord(random_) % module_.exports.size()]);
  }
  if (text.empty() && oracle_->ok()) text = ReadTables();
  return text.empty() ? text : text + "\n" + module_.text;
}

}  // namespace

std::string CompareWithWabt(std::uint64_t seed, WasmCoverage& coverage, bool references) {
  return Comparison(seed, coverage, references, false).Run();
}

std::string CompareVectors(std::uint64_t seed, WasmCoverage& coverage) {
  return Comparison(seed, coverage, false, true).Run();
}

}  // namespace txvm::tests
