#include "tests/frontends/wat/compare_linked.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "frontends/wasm/load.h"
#include "frontends/wasm/merge.h"
#include "frontends/wasm/reader.h"
#include "frontends/wat/wast.h"
#include "tests/frontends/wat/wabt_traps.h"
#include "tests/support/random_wasm.h"
#include "tests/support/wabt_interp.h"
#include "tests/support/wasm_numbers.h"
#include "vm/machine.h"

namespace txvm::tests {
namespace {

using namespace frontends;

constexpr int kCalls = 5;
constexpr int kHighWord = 32;  // where the second word of a value begins
constexpr std::uint64_t kFuel = 20'000'000;

/// A call that WABT made.
struct Step {
  std::size_t module = 0;
  std::string name, results;        // its export, and their types
  std::string params;               // their types
  std::vector<std::uint32_t> args;  // words
  WabtOutcome wanted;
};

/// Values as a script writes them. `is_result`: a function stands for any function.
std::string ScriptValues(std::string_view types, const std::vector<std::uint32_t>& words) {
  std::string text;
  std::size_t at = 0;
  for (const char type : types) {
    std::uint64_t bits = words[at++];
    if (IsWideType(type)) bits |= std::uint64_t{words[at++]} << kHighWord;
    if (type == 'F') {
      text += bits == 0 ? " (ref.null func)" : " (ref.func)";
    } else if (type == 'E') {
      text += bits == 0 ? " (ref.null extern)" : fmt::format(" (ref.extern {})", bits - 1);
    } else {
      text += " (" + ConstText(type, bits) + ")";
    }
  }
  return text;
}

class LinkedComparison {
 public:
  LinkedComparison(std::uint64_t seed, WasmCoverage& coverage)
      : seed_(seed),
        random_(seed),
        coverage_(coverage),
        modules_(MakeLinkedWasm(
            seed, {.imports = false, .bulk = true, .numbers = true, .references = true})) {}

  std::string Run();

 private:
  std::string Instantiate();
  std::string CallAny();
  std::string Call(std::size_t module, const RandomExport& entry, std::vector<std::uint32_t> args);
  std::string ReadStates();
  std::string ReadTables();
  std::string RunScript() const;
  std::string RunLinked() const;
  std::string LinkedStep(vm::Machine& machine, const Step& step) const;

  vm::EngineKind engine() const {
    return seed_ % 3 == 0 ? vm::EngineKind::kNative : vm::EngineKind::kAttention;
  }
  bool is_optimised() const { return seed_ % 2 == 0; }

  std::uint64_t seed_;
  isa::SplitMix64 random_;
  WasmCoverage& coverage_;
  std::vector<RandomModule> modules_;
  std::vector<std::vector<std::uint8_t>> binaries_;
  std::vector<std::unique_ptr<WabtInstance>> instances_;  // those that were instantiated
  std::string trap_;                                      // of the instantiation that failed
  std::vector<Step> steps_;
  std::string script_;
};

std::string LinkedComparison::Instantiate() {
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    const std::string body = modules_[i].text.substr(std::string_view("(module").size());
    binaries_.push_back(WabtBinary(modules_[i].text));
    if (binaries_[i].empty()) {
      script_ += modules_[i].text;
      return "the generator made an invalid module";
    }
    auto instance = WabtInstance::Load(binaries_[i], instances_);
    if (!instance->ok()) {
      trap_ = instance->error();
      const auto trap = TrapOfWabt(trap_);
      script_ += fmt::format("(assert_trap (module{} \"{}\")\n", body,
                             trap ? isa::TrapText(*trap) : trap_);
      if (!trap) return "WABT does not instantiate: " + trap_;
      return ReadStates();
    }
    instances_.push_back(std::move(instance));
    script_ += fmt::format("(module $m{}{}(register \"m{}\" $m{})\n", i, body, i, i);
    if (auto text = ReadStates(); !text.empty()) return text;
  }
  return {};
}

std::string LinkedComparison::Call(std::size_t module, const RandomExport& entry,
                                   std::vector<std::uint32_t> args) {
  Step& step = steps_.emplace_back();
  step = {module, entry.name, entry.results, entry.params, std::move(args), {}};
  step.wanted = instances_[module]->Call(entry.name, step.args);
  ++coverage_.calls;
  ++(step.wanted.trapped ? coverage_.trapped : coverage_.halted);
  const std::string invoke = fmt::format("(invoke $m{} \"{}\"{})", module, entry.name,
                                         ScriptValues(entry.params, step.args));
  if (!step.wanted.trapped) {
    script_ += fmt::format("(assert_return {}{})\n", invoke,
                           ScriptValues(entry.results, step.wanted.results));
    return {};
  }
  const auto trap = TrapOfWabt(step.wanted.message);
  if (!trap) return "WABT trapped with an unknown message: " + step.wanted.message;
  script_ += fmt::format("(assert_trap {} \"{}\")\n", invoke, isa::TrapText(*trap));
  return {};
}

std::string LinkedComparison::CallAny() {
  const bool is_last = seed_ % 2 == 0;
  const std::size_t module = is_last ? modules_.size() - 1 : random_.Next() % modules_.size();
  const auto& entries = modules_[module].exports;
  const RandomExport& entry = entries[random_.Next() % entries.size()];
  std::vector<std::uint32_t> args;
  for (const char type : entry.params) {
    std::uint64_t bits = 0;  // of a funcref: a script can pass no other
    if (type == 'E') bits = RandomWord(random_) % 4;
    if (type == 'i') bits = RandomWord(random_);
    if (std::string_view("lfd").contains(type)) bits = RandomNumber(type, random_);
    args.push_back(static_cast<std::uint32_t>(bits));
    if (IsWideType(type)) args.push_back(static_cast<std::uint32_t>(bits >> kHighWord));
  }
  return Call(module, entry, std::move(args));
}

/// The readers without an argument, of every module.
std::string LinkedComparison::ReadStates() {
  std::string text;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    for (const RandomExport& reader : modules_[i].readers) {
      if (reader.params.empty() && text.empty()) text = Call(i, reader, {});
    }
  }
  return text;
}

std::string LinkedComparison::ReadTables() {
  const std::size_t last = modules_.size() - 1;
  const std::uint32_t most = std::ranges::max(modules_[last].table_sizes) + 2;
  std::string text;
  for (const RandomExport& reader : modules_[last].readers) {
    if (reader.params.empty()) continue;
    for (std::uint32_t i = 0; text.empty() && i < most; ++i) text = Call(last, reader, {i});
  }
  return text.empty() ? ReadStates() : text;
}

std::string LinkedComparison::RunScript() const {
  const auto report =
      wat::RunWast(script_, "linked.wast",
                   {.engine = engine(), .optimize = is_optimised(), .limits = {}, .fuel = kFuel});
  if (!report) return report.error().ToString();
  if (report->notes.empty()) return {};
  return fmt::format("line {}: {}", report->notes[0].line, report->notes[0].text);
}

std::string LinkedComparison::LinkedStep(vm::Machine& machine, const Step& step) const {
  const isa::Export* entry = machine.program().FindExport(step.name);
  if (entry == nullptr) return "the linked program does not export " + step.name;
  const auto run = machine.Call(*entry, step.args, {.fuel = kFuel, .trace = {}});
  if (!run) return run.error().ToString();
  const std::string call = fmt::format("linked: {}({})", step.name, fmt::join(step.args, ", "));
  if (step.wanted.trapped) {
    if (run->trap && run->trap->cause == TrapOfWabt(step.wanted.message)) return {};
    return fmt::format("{}: ended as {} {}, WABT trapped: {}", call, vm::OutcomeText(run->outcome),
                       run->trap ? isa::TrapText(run->trap->cause) : "", step.wanted.message);
  }
  std::vector<vm::Word> got = run->results, wanted = step.wanted.results;
  std::size_t at = 0;
  for (const char type : step.results) {  // functions have other numbers in the linked program
    if (type == 'F' && at < got.size() && got[at] != 0 && wanted[at] != 0) got[at] = wanted[at] = 1;
    at += IsWideType(type) ? std::size_t{2} : std::size_t{1};
  }
  if (run->outcome == vm::Outcome::kHalted && got == wanted) return {};
  return fmt::format("{}: ended as {} {} {}, WABT returned {}", call, vm::OutcomeText(run->outcome),
                     run->trap ? isa::TrapText(run->trap->cause) : "", fmt::join(got, " "),
                     fmt::join(wanted, " "));
}

/// All in one program. The calls must be those of the last module.
std::string LinkedComparison::RunLinked() const {
  std::vector<wat::NamedModule> libraries;
  for (std::size_t i = 0; i < binaries_.size(); ++i) {
    auto module = wasm::ReadModule(binaries_[i], fmt::format("m{}.wasm", i));
    if (!module) return module.error().ToString();
    libraries.push_back({fmt::format("m{}", i), *std::move(module)});
  }
  wat::Module main = std::move(libraries.back().module);
  libraries.pop_back();
  auto linked = wat::LinkModules(std::move(main), std::move(libraries));
  if (!linked) return "linking: " + linked.error().ToString();
  auto program =
      wat::LowerModule(*std::move(linked), {.optimize = is_optimised(), .lower_i64 = true});
  if (!program) return "lowering: " + program.error().ToString();
  auto machine = vm::Machine::Load(std::make_shared<const isa::Program>(*std::move(program)), {},
                                   {.engine = engine(), .limits = {}});
  if (!machine) return machine.error().ToString();
  const vm::RunResult start = machine->RunInit();
  if (!trap_.empty()) {
    if (start.trap && start.trap->cause == TrapOfWabt(trap_)) return {};
    return "linked: starts, WABT trapped: " + trap_;
  }
  if (start.outcome != vm::Outcome::kHalted) return "linked: does not start";
  std::string text;
  for (const Step& step : steps_) {
    // What the last module sees between the instantiations is not compared.
    if (step.module + 1 == modules_.size() && text.empty()) text = LinkedStep(*machine, step);
  }
  return text;
}

std::string LinkedComparison::Run() {
  std::string text = Instantiate();
  const bool is_whole = instances_.size() == modules_.size();
  for (int i = 0; text.empty() && is_whole && i < kCalls; ++i) {
    text = CallAny();
    if (text.empty()) text = ReadStates();
  }
  if (text.empty() && is_whole) text = ReadTables();
  if (text.empty()) text = RunScript();
  const bool is_all = binaries_.size() == modules_.size();
  if (text.empty() && is_all && seed_ % 2 == 0) text = RunLinked();
  return text.empty() ? text : text + "\n" + script_;
}

}  // namespace

std::string CompareLinked(std::uint64_t seed, WasmCoverage& coverage) {
  return LinkedComparison(seed, coverage).Run();
}

}  // namespace txvm::tests
