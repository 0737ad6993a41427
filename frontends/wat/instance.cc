#include "frontends/wat/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <expected>
#include <span>
#include <utility>

#include "frontends/wat/float.h"
#include "frontends/wat/legalize.h"
#include "frontends/wat/lower.h"
#include "frontends/wat/wide.h"
#include "isa/opcode.h"
#include "isa/verify.h"

namespace txvm::frontends::wat {
namespace {

using FaultKind = InstanceFault::Kind;
using Checked = std::expected<void, InstanceFault>;

constexpr std::string_view kSpectest = "spectest";

std::unexpected<InstanceFault> Fault(FaultKind kind, std::string text) {
  return std::unexpected(InstanceFault{kind, std::move(text)});
}

ConstantExpr ConstantOf(ValueType type, std::uint64_t bits) {
  constexpr int kWordBits = 32;
  return {IsWide(type) ? ConstantExpr::Kind::kPair : ConstantExpr::Kind::kWord,
          static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> kWordBits)};
}

/// The host module as an instance would export it: signatures, globals and sizes, no code.
Module SpectestModule() {
  Module out;
  const auto add_export = [&out](const char* name, ExportKind kind, std::size_t index) {
    out.exports.push_back({name, kind, static_cast<std::uint32_t>(index)});
  };
  using enum ValueType;
#define SPECTEST_FUNCTION(name, ...)                                                          \
  add_export(name, ExportKind::kFunction, out.functions.size());                              \
  out.functions.emplace_back().signature = static_cast<std::uint32_t>(out.signatures.size()); \
  out.signatures.push_back({{__VA_ARGS__}, {}});
#define SPECTEST_GLOBAL(name, type, value)                   \
  add_export(name, ExportKind::kGlobal, out.globals.size()); \
  out.globals.push_back({type, false, std::nullopt, ConstantOf(type, value)});
#define SPECTEST_TABLE(name, initial, maximum)             \
  add_export(name, ExportKind::kTable, out.tables.size()); \
  out.tables.push_back({kFuncRef, {initial, maximum}, std::nullopt});
#define SPECTEST_MEMORY(name, initial, maximum)               \
  add_export(name, ExportKind::kMemory, out.memories.size()); \
  out.memories.push_back({{initial, maximum}, std::nullopt});
#include "frontends/wat/spectest.def"
#undef SPECTEST_MEMORY
#undef SPECTEST_TABLE
#undef SPECTEST_GLOBAL
#undef SPECTEST_FUNCTION
  return out;
}

bool Fits(const Extent& offered, const Extent& wanted) {
  if (offered.initial < wanted.initial) return false;
  if (!wanted.maximum) return true;
  return offered.maximum && *offered.maximum <= *wanted.maximum;
}

/// Runs a function of another instance on behalf of a caller's CALL.
vm::HostStatus CallInstance(Instance& callee, std::uint32_t start, std::uint64_t fuel,
                            std::span<const vm::Word> args, std::span<vm::Word> results) {
  vm::RunResult run = callee.machine->CallStub(start, args, {.fuel = fuel, .trace = {}});
  switch (run.outcome) {
    case vm::Outcome::kHalted:
      if (run.results.size() != results.size()) {
        return vm::HostStatus::Failed("another module's function left an unexpected stack");
      }
      std::ranges::copy(run.results, results.begin());
      return vm::HostStatus::Continue();
    case vm::Outcome::kTrapped: {
      std::string detail = run.trap->detail;
      if (detail.empty()) detail = callee.program->NoteAt(run.trap->ip);
      return vm::HostStatus::Trap(std::move(detail), run.trap->cause);
    }
    case vm::Outcome::kExited:
    case vm::Outcome::kOutOfFuel:
    case vm::Outcome::kInterrupted:
    case vm::Outcome::kHostError:
      break;
  }
  return vm::HostStatus::Failed(
      fmt::format("another module's function ended as {}", vm::OutcomeWords(run.outcome)));
}

/// Resolves the imports of one module.
class ModuleLinker {
 public:
  ModuleLinker(Instance& instance, const Registry& registry, std::uint64_t fuel)
      : instance_(instance), registry_(registry), fuel_(fuel) {}

  /// Puts globals and sizes into the module and calls into the linker; type errors come before
  /// sharing is judged.
  Checked Run();
  const vm::Linker& linker() const { return linker_; }

 private:
  /// What an import name stands for.
  struct Source {
    const Module* module = nullptr;
    std::shared_ptr<Instance> instance;  // nullptr: the host module
    std::uint32_t index = 0;
  };

  std::expected<Source, InstanceFault> Find(const ImportName& name, ExportKind kind) const;
  Checked LinkFunction(const Function& function);
  Checked LinkGlobal(Global& global);
  Checked LinkTable(Table& table);
  Checked LinkMemory(Memory& memory);
  std::unexpected<InstanceFault> Incompatible(const ImportName& name) const {
    return Fault(FaultKind::kUnlinkable,
                 fmt::format("incompatible import type of \"{}\" \"{}\"", name.module, name.name));
  }
  void Share(const char* what, const ImportName& name, const Source& source);

  Instance& instance_;
  const Registry& registry_;
  std::uint64_t fuel_;
  Module spectest_ = SpectestModule();
  vm::Linker linker_;
  std::string refused_;  // the first reason why the module is unsupported
  std::vector<std::shared_ptr<Instance>> sharers_;
};

void ModuleLinker::Share(const char* what, const ImportName& name, const Source& source) {
  sharers_.push_back(source.instance);
  if (!refused_.empty()) return;
  refused_ =
      fmt::format("shares {} \"{}\" \"{}\" with another module", what, name.module, name.name);
}

std::expected<ModuleLinker::Source, InstanceFault> ModuleLinker::Find(const ImportName& name,
                                                                      ExportKind kind) const {
  Source source;
  if (name.module == kSpectest) {
    source.module = &spectest_;
  } else if (const auto found = registry_.find(name.module); found != registry_.end()) {
    source.instance = found->second;
    source.module = &found->second->module;
    if (!source.instance->machine) {
      return Fault(FaultKind::kUnsupported,
                   fmt::format("imports from a module that {}", source.instance->unusable));
    }
  }
  const Export* item = source.module == nullptr ? nullptr : source.module->FindExport(name.name);
  if (item == nullptr) {
    return Fault(FaultKind::kUnlinkable,
                 fmt::format("unknown import \"{}\" \"{}\"", name.module, name.name));
  }
  if (item->kind != kind) return Incompatible(name);
  source.index = item->index;
  return source;
}

Checked ModuleLinker::LinkFunction(const Function& function) {
  const ImportName& name = *function.import;
  auto source = Find(name, ExportKind::kFunction);
  if (!source) return std::unexpected(std::move(source).error());
  const Signature& wanted = instance_.module.SignatureOf(function);
  const Signature& offered = source->module->SignatureOf(source->module->functions[source->index]);
  if (wanted != offered) return Incompatible(name);
  const std::uint32_t params = CountWords(wanted.params), results = CountWords(wanted.results);
  if (source->instance == nullptr) {
    linker_.Define(name.module, name.name, params, results,
                   [](vm::HostContext&, auto, auto) { return vm::HostStatus::Continue(); });
    return {};
  }
  instance_.providers.push_back(source->instance);
  const std::uint32_t start = source->instance->program->FindExport(name.name)->start;
  linker_.Define(
      name.module, name.name, params, results,
      [callee = source->instance, start, fuel = fuel_](vm::HostContext&, auto args, auto out) {
        return CallInstance(*callee, start, fuel, args, out);
      });
  return {};
}

Checked ModuleLinker::LinkGlobal(Global& global) {
  const ImportName name = *global.import;
  const auto source = Find(name, ExportKind::kGlobal);
  if (!source) return std::unexpected(source.error());
  const Global& offered = source->module->globals[source->index];
  if (offered.type != global.type || offered.is_mutable != global.is_mutable) {
    return Incompatible(name);
  }
  if (global.is_mutable) Share("mutable global", name, *source);
  global.import.reset();
  global.init = offered.init;
  if (source->instance != nullptr) {
    const auto words = source->instance->machine->globals();
    const std::uint32_t slot = source->instance->SlotOfGlobal(source->index);
    const std::uint32_t high = IsWide(global.type) ? words[slot + 1] : 0;
    global.init = {IsWide(global.type) ? ConstantExpr::Kind::kPair : ConstantExpr::Kind::kWord,
                   words[slot], high};
  }
  return {};
}

Checked ModuleLinker::LinkTable(Table& table) {
  const ImportName name = *table.import;
  const auto source = Find(name, ExportKind::kTable);
  if (!source) return std::unexpected(source.error());
  const Table& offered = source->module->tables[source->index];
  if (offered.type != table.type || !Fits(offered.extent, table.extent)) return Incompatible(name);
  if (source->instance != nullptr) Share("table", name, *source);
  table = {offered.type, offered.extent, std::nullopt};
  return {};
}

Checked ModuleLinker::LinkMemory(Memory& memory) {
  const ImportName name = *memory.import;
  const auto source = Find(name, ExportKind::kMemory);
  if (!source) return std::unexpected(source.error());
  Extent offered = source->module->memories[source->index].extent;
  if (source->instance != nullptr) {
    offered.initial = source->instance->machine->memory().pages();  // it may have grown
    Share("memory", name, *source);
  }
  if (!Fits(offered, memory.extent)) return Incompatible(name);
  memory = {offered, std::nullopt};
  return {};
}

Checked ModuleLinker::Run() {
  Module& module = instance_.module;
  const auto link_all = [this](auto& items, auto&& link) -> Checked {
    for (auto& item : items) {
      if (!item.import) continue;
      Checked linked = link(item);
      if (linked) continue;
      if (linked.error().kind != FaultKind::kUnsupported) return linked;
      if (refused_.empty()) refused_ = std::move(linked.error().text);
    }
    return {};
  };
  // Imports of functions stay in the module: the lowering turns them into the program's.
  // A module that is unsupported anyway is linked to the end, to find whom it would have changed.
  Checked linked = link_all(module.functions, [this](auto& item) { return LinkFunction(item); });
  if (linked) linked = link_all(module.globals, [this](auto& item) { return LinkGlobal(item); });
  if (linked) linked = link_all(module.tables, [this](auto& item) { return LinkTable(item); });
  if (linked) linked = link_all(module.memories, [this](auto& item) { return LinkMemory(item); });
  if (!linked) return linked;
  if (refused_.empty()) return {};
  // What the module's segments and start function would have written is missing from now on.
  for (const auto& instance : sharers_)
    instance->MarkStale("a module was refused that " + refused_);
  return Fault(FaultKind::kUnsupported, refused_);
}

bool WritesItself(const Module& module, const Instr& instr) {
  switch (instr.kind) {
    case InstrKind::kGlobalSet:
    case InstrKind::kMemoryGrow:
    case InstrKind::kCallIndirect:
      return true;
    case InstrKind::kAccess:
      return isa::Info(instr.op).memory_writes > 0;
    case InstrKind::kWide:
      return kWideOps[instr.b].form == WideForm::kStore;
    case InstrKind::kFloat:
      return instr.b == static_cast<std::uint32_t>(FloatOp::kF32Store) ||
             instr.b == static_cast<std::uint32_t>(FloatOp::kF64Store);
    case InstrKind::kCall: {
      const Function& callee = module.functions[instr.a];
      return callee.import && callee.import->module != kSpectest;
    }
    case InstrKind::kUnsupported: {
      const std::string_view name = module.unsupported[instr.a];
      constexpr auto kWriters = std::to_array<std::string_view>(
          {"store", "global.set", "grow", "copy", "fill", "init", "table.set", "rmw", "drop"});
      return std::ranges::any_of(
          kWriters, [name](std::string_view word) { return name.find(word) != name.npos; });
    }
    default:
      return false;
  }
}

/// For each function, whether it or one it calls may write.
std::vector<bool> FindWriters(const Module& module) {
  std::vector<bool> writes(module.functions.size());
  std::vector<std::vector<std::uint32_t>> callers(module.functions.size());
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    for (const Instr& instr : module.functions[i].body) {
      if (instr.kind == InstrKind::kCall) callers[instr.a].push_back(i);
      if (!writes[i] && WritesItself(module, instr)) {
        writes[i] = true;
        open.push_back(i);
      }
    }
  }
  while (!open.empty()) {
    const std::uint32_t callee = open.back();
    open.pop_back();
    for (const std::uint32_t caller : callers[callee]) {
      if (writes[caller]) continue;
      writes[caller] = true;
      open.push_back(caller);
    }
  }
  return writes;
}

std::string TrapDescription(const isa::Program& program, const vm::RunResult& run) {
  if (!run.trap) return std::string(vm::OutcomeWords(run.outcome));
  const std::string_view note = program.NoteAt(run.trap->ip);
  return fmt::format("{}{}{}", isa::TrapText(run.trap->cause), note.empty() ? "" : ": ", note);
}

FaultKind KindOfError(isa::ErrorCode code) {
  if (code == isa::ErrorCode::kUnsupported || code == isa::ErrorCode::kLimit ||
      code == isa::ErrorCode::kMemory) {
    return FaultKind::kUnsupported;
  }
  return code == isa::ErrorCode::kInvalid ? FaultKind::kTrap : FaultKind::kInternal;
}

}  // namespace

bool Instance::MayWrite(std::string_view name) {
  const Export* item = module.FindExport(name);
  if (item == nullptr || item->kind != ExportKind::kFunction) return false;
  if (writes_.empty()) writes_ = FindWriters(module);
  return module.functions[item->index].import.has_value() || writes_[item->index];
}

std::uint32_t Instance::SlotOfGlobal(std::uint32_t index) const {
  std::uint32_t slot = index;
  for (std::uint32_t i = 0; i < index; ++i) slot += IsWide(module.globals[i].type);
  return slot;
}

void Instance::MarkStale(const std::string& why) {
  if (!stale_.empty()) return;
  stale_ = why;
  for (const auto& provider : providers) provider->MarkStale(why);
}

std::string_view Instance::StaleReason() const {
  if (!stale_.empty()) return stale_;
  for (const auto& provider : providers) {  // providers come earlier in the script: no cycles
    if (const std::string_view reason = provider->StaleReason(); !reason.empty()) return reason;
  }
  return {};
}

std::expected<std::shared_ptr<Instance>, InstanceFault> Instantiate(Module module,
                                                                    const Registry& registry,
                                                                    const WastOptions& options) {
  auto instance = std::make_shared<Instance>();
  instance->module = std::move(module);
  ModuleLinker linker(*instance, registry, options.fuel);
  if (Checked linked = linker.Run(); !linked) return std::unexpected(std::move(linked).error());
  auto words = Legalize(instance->module);
  if (!words) return Fault(KindOfError(words.error().code), words.error().message);
  auto program = Lower(*words, options.optimize);
  if (!program) return Fault(KindOfError(program.error().code), program.error().message);
  instance->program = std::make_shared<const isa::Program>(*std::move(program));
  if (const auto verified = isa::Verify(*instance->program); !verified) {
    return Fault(FaultKind::kInternal, verified.error().message);
  }
  auto machine = vm::Machine::Load(instance->program, linker.linker(),
                                   {.engine = options.engine, .limits = options.limits});
  if (!machine) return Fault(KindOfError(machine.error().code), machine.error().message);
  instance->machine = std::move(*machine);
  const vm::RunResult start = instance->machine->RunInit({.fuel = options.fuel, .trace = {}});
  if (start.outcome == vm::Outcome::kHalted) return instance;
  const bool is_missing = start.trap && start.trap->cause == isa::Trap::kUnsupported;
  return Fault(is_missing ? FaultKind::kUnsupported : FaultKind::kTrap,
               "start function: " + TrapDescription(*instance->program, start));
}

}  // namespace txvm::frontends::wat
