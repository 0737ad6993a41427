#include "frontends/wat/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <expected>
#include <span>
#include <utility>

#include "frontends/wasm/addresses.h"
#include "frontends/wasm/atomics.h"
#include "frontends/wasm/exceptions.h"
#include "frontends/wasm/float.h"
#include "frontends/wasm/legalize.h"
#include "frontends/wasm/lower.h"
#include "frontends/wasm/reference_types.h"
#include "frontends/wasm/references.h"
#include "frontends/wasm/tail_calls.h"
#include "frontends/wasm/vector_code.h"
#include "frontends/wasm/wide.h"
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
  ConstantExpr expr;
  expr.kind = IsWide(type) ? ConstantExpr::Kind::kPair : ConstantExpr::Kind::kWord;
  expr.value = static_cast<std::uint32_t>(bits);
  expr.high = static_cast<std::uint32_t>(bits >> kWordBits);
  return expr;
}

/// The constant that the words of a value are, the low one first.
ConstantExpr ConstantOf(ValueType type, std::span<const vm::Word> words) {
  ConstantExpr expr;
  expr.value = words[0];
  const std::uint32_t count = WordsIn(type);
  expr.kind = count == 1   ? ConstantExpr::Kind::kWord
              : count == 2 ? ConstantExpr::Kind::kPair
                           : ConstantExpr::Kind::kVector;
  if (count > 1) expr.high = words[1];
  if (count > 2) expr.upper = {words[2], words[3]};
  return expr;
}

bool Fits(const Extent& offered, const Extent& wanted) {
  if (offered.is_64 != wanted.is_64) return false;
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
  /// `may_share`: whether those it shares with have its machine.
  ModuleLinker(Instance& instance, const Registry& registry, const WastOptions& options,
               bool may_share)
      : instance_(instance), registry_(registry), options_(options), may_share_(may_share) {}

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
  Checked LinkHost(const Function& function);
  Checked LinkGlobal(Global& global);
  Checked LinkTable(Table& table);
  Checked LinkMemory(Memory& memory);
  Checked LinkTag(Tag& tag);
  std::unexpected<InstanceFault> Incompatible(const ImportName& name) const {
    return Fault(FaultKind::kUnlinkable,
                 fmt::format("incompatible import type of \"{}\" \"{}\"", name.module, name.name));
  }
  void Share(const char* what, const ImportName& name, const Source& source);

  Instance& instance_;
  const Registry& registry_;
  const WastOptions& options_;
  bool may_share_;
  Module spectest_ = SpectestModule();
  vm::Linker linker_;
  std::optional<vm::Linker> host_;  // of options_.host, once a function of it is imported
  std::string refused_;             // the first reason why the module is unsupported
  std::vector<std::shared_ptr<Instance>> sharers_;
};

void ModuleLinker::Share(const char* what, const ImportName& name, const Source& source) {
  if (may_share_ || source.instance == nullptr) return;
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
  if (options_.host && name.module != kSpectest && !registry_.contains(name.module)) {
    return LinkHost(function);
  }
  auto source = Find(name, ExportKind::kFunction);
  if (!source) return std::unexpected(std::move(source).error());
  const Signature& wanted = instance_.module.SignatureOf(function);
  const std::uint32_t offered = source->module->functions[source->index].signature;
  if (!IsSubsignatureAcross(*source->module, offered, instance_.module, function.signature)) {
    return Incompatible(name);
  }
  const std::uint32_t params = CountWords(wanted.params), results = CountWords(wanted.results);
  if (source->instance == nullptr) {
    linker_.Define(name.module, name.name, params, results,
                   [](vm::HostContext&, auto, auto) { return vm::HostStatus::Continue(); });
    return {};
  }
  instance_.providers.push_back(source->instance);
  const std::uint32_t start = source->instance->FindFunction(name.name)->start;
  linker_.Define(name.module, name.name, params, results,
                 [callee = source->instance, start, fuel = options_.fuel](vm::HostContext&,
                                                                          auto args, auto out) {
                   return CallInstance(*callee, start, fuel, args, out);
                 });
  return {};
}

Checked ModuleLinker::LinkHost(const Function& function) {
  const ImportName& name = *function.import;
  if (!host_) {
    isa::Result<vm::Linker> made = options_.host();
    if (!made) return Fault(FaultKind::kInternal, made.error().message);
    host_ = *std::move(made);
  }
  const vm::HostBinding* found = host_->Find(name.module, name.name);
  if (found == nullptr) {
    return Fault(FaultKind::kUnlinkable,
                 fmt::format("unknown import \"{}\" \"{}\"", name.module, name.name));
  }
  const Signature& wanted = instance_.module.SignatureOf(function);
  const std::uint32_t params = CountWords(wanted.params), results = CountWords(wanted.results);
  if (found->params != params || found->results != results) return Incompatible(name);
  linker_.Define(name.module, name.name, params, results, found->function);
  return {};
}

Checked ModuleLinker::LinkGlobal(Global& global) {
  const ImportName name = *global.import;
  const auto source = Find(name, ExportKind::kGlobal);
  if (!source) return std::unexpected(source.error());
  const Global& offered = source->module->globals[source->index];
  const Module& from = *source->module;
  if (offered.is_mutable != global.is_mutable ||
      !IsSubtypeAcross(from, offered.type, instance_.module, global.type) ||
      (global.is_mutable && !IsSubtypeAcross(instance_.module, global.type, from, offered.type))) {
    return Incompatible(name);
  }
  if (global.is_mutable || IsReference(global.type)) Share("mutable global", name, *source);
  global.import.reset();
  global.init = offered.init;
  if (source->instance != nullptr) {
    const auto words = source->instance->machine->globals();
    const std::uint32_t slot = source->instance->global_slots[source->index];
    global.init = ConstantOf(global.type, words.subspan(slot));
  }
  return {};
}

Checked ModuleLinker::LinkTable(Table& table) {
  const ImportName name = *table.import;
  const auto source = Find(name, ExportKind::kTable);
  if (!source) return std::unexpected(source.error());
  Table offered = source->module->tables[source->index];
  if (source->instance != nullptr && source->instance->table_sizes[source->index]) {
    const std::uint32_t slot = *source->instance->table_sizes[source->index];
    offered.extent.initial = source->instance->machine->globals()[slot];
  }
  const Module& from = *source->module;
  if (!IsSubtypeAcross(from, offered.type, instance_.module, table.type) ||
      !IsSubtypeAcross(instance_.module, table.type, from, offered.type) ||
      !Fits(offered.extent, table.extent)) {
    return Incompatible(name);
  }
  if (source->instance != nullptr) Share("table", name, *source);
  const ValueType type = table.type;  // by the signatures of this module
  table = offered;
  table.type = type;
  table.initial_element = kNullFunction;
  return {};
}

Checked ModuleLinker::LinkMemory(Memory& memory) {
  const ImportName name = *memory.import;
  const auto source = Find(name, ExportKind::kMemory);
  if (!source) return std::unexpected(source.error());
  Extent offered = source->module->memories[source->index].extent;
  if (source->instance != nullptr) {
    const auto& sizes = source->instance->memory_sizes;  // it may have grown
    const auto slot = source->index < sizes.size() ? sizes[source->index] : std::nullopt;
    offered.initial = slot ? source->instance->machine->globals()[*slot] / isa::kPageBytes
                           : source->instance->machine->memory().pages();
    Share("memory", name, *source);
  }
  if (offered.is_shared != memory.extent.is_shared || !Fits(offered, memory.extent))
    return Incompatible(name);
  memory = {offered, std::nullopt};
  return {};
}

Checked ModuleLinker::LinkTag(Tag& tag) {
  const ImportName name = *tag.import;
  const auto source = Find(name, ExportKind::kTag);
  if (!source) return std::unexpected(source.error());
  if (!AreEqualAcross(*source->module, source->module->tags[source->index].signature,
                      instance_.module, tag.signature)) {
    return Incompatible(name);
  }
  Share("tag", name, *source);
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
  if (linked) linked = link_all(module.tags, [this](auto& item) { return LinkTag(item); });
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
    case InstrKind::kTableSet:
    case InstrKind::kTableGrow:
    case InstrKind::kTableFill:
    case InstrKind::kTableCopy:
    case InstrKind::kTableInit:
    case InstrKind::kElemDrop:
    case InstrKind::kAtomic:
    case InstrKind::kMemoryInit:
    case InstrKind::kMemoryFill:
    case InstrKind::kMemoryCopy:
    case InstrKind::kDataDrop:
    case InstrKind::kCallRef:
    case InstrKind::kReturnCallRef:
    case InstrKind::kReturnCall:
    case InstrKind::kReturnCallIndirect:
      return true;
    case InstrKind::kAccess:
      return isa::Info(instr.op).memory_writes > 0;
    case InstrKind::kWide:
      return kWideOps[instr.b].form == WideForm::kStore;
    case InstrKind::kVector: {
      const wasm::OpInfo& info = wasm::InfoOf(VectorOpOf(instr));
      return !info.result;
    }
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

/// A module on a machine of its own.
struct Loaded {
  std::shared_ptr<const isa::Program> program;
  std::shared_ptr<vm::Machine> machine;
  Module words;  // without references
};

std::expected<Loaded, InstanceFault> Load(const Module& module, const vm::Linker& linker,
                                          const WastOptions& options) {
  Loaded out;
  auto no_exceptions = LowerExceptions(module);
  if (!no_exceptions) {
    return Fault(KindOfError(no_exceptions.error().code), no_exceptions.error().message);
  }
  auto one_memory = LowerAddresses(*std::move(no_exceptions));
  if (!one_memory) return Fault(KindOfError(one_memory.error().code), one_memory.error().message);
  auto no_references = LowerReferences(LowerAtomics(*std::move(one_memory)));
  if (!no_references) {
    return Fault(KindOfError(no_references.error().code), no_references.error().message);
  }
  out.words = *no_references;
  auto words = Legalize(*std::move(no_references));
  if (!words) return Fault(KindOfError(words.error().code), words.error().message);
  auto program = Lower(LowerTailCalls(*std::move(words), /*merge=*/true), options.optimize);
  if (!program) return Fault(KindOfError(program.error().code), program.error().message);
  out.program = std::make_shared<const isa::Program>(*std::move(program));
  if (const auto verified = isa::Verify(*out.program); !verified) {
    return Fault(FaultKind::kInternal, verified.error().message);
  }
  auto machine =
      vm::Machine::Load(out.program, linker, {.engine = options.engine, .limits = options.limits});
  if (!machine) return Fault(KindOfError(machine.error().code), machine.error().message);
  out.machine = std::make_shared<vm::Machine>(std::move(*machine));
  return out;
}

/// The word where each global begins.
std::vector<std::uint32_t> SlotsOf(const std::vector<Global>& globals) {
  std::vector<std::uint32_t> slots;
  std::uint32_t next = 0;
  for (const Global& global : globals) {
    slots.push_back(next);
    next += WordsIn(global.type);
  }
  return slots;
}

Checked CheckStart(const isa::Program& program, const vm::RunResult& start) {
  if (start.outcome == vm::Outcome::kHalted) return {};
  const bool is_missing = start.trap && start.trap->cause == isa::Trap::kUnsupported;
  return Fault(is_missing ? FaultKind::kUnsupported : FaultKind::kTrap,
               "start function: " + TrapDescription(program, start));
}

}  // namespace

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
#define SPECTEST_TABLE(name, initial, maximum, is_64)      \
  add_export(name, ExportKind::kTable, out.tables.size()); \
  out.tables.push_back(                                    \
      {kFuncRef, {initial, maximum, false, is_64}, std::nullopt, false, std::nullopt});
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

bool Instance::MayWrite(std::string_view name) {
  const Export* item = module.FindExport(name);
  if (item == nullptr || item->kind != ExportKind::kFunction) return false;
  if (writes_.empty()) writes_ = FindWriters(module);
  return module.functions[item->index].import.has_value() || writes_[item->index];
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

Instances::Instances(ScriptGroups groups, const WastOptions& options)
    : groups_(std::move(groups)), options_(options) {}

Checked Instances::LoadAlone(Instance& instance, const vm::Linker& linker) {
  auto loaded = Load(instance.module, linker, options_);
  if (!loaded) return std::unexpected(std::move(loaded).error());
  instance.program = std::move(loaded->program);
  instance.machine = std::move(loaded->machine);
  instance.global_slots = SlotsOf(loaded->words.globals);
  instance.table_sizes.resize(instance.module.tables.size());
  const std::vector<std::uint32_t> slots = SlotsOf(loaded->words.globals);
  for (const MemoryRange& range : loaded->words.memory_ranges) {
    instance.memory_sizes.push_back(slots[range.size_global]);
  }
  return CheckStart(*instance.program,
                    instance.machine->RunInit({.fuel = options_.fuel, .trace = {}}));
}

/// Functions of instances outside the group are found when they are called.
std::expected<Instances::GroupState, InstanceFault> Instances::LoadGroup(const ModuleGroup& group) {
  auto merged = MergeGroup(group);
  if (!merged) return Fault(KindOfError(merged.error().code), merged.error().message);
  vm::Linker linker;
  for (const Function& function : merged->module.functions) {
    if (!function.import) continue;
    const Signature& signature = merged->module.SignatureOf(function);
    const std::uint32_t params = CountWords(signature.params);
    const std::uint32_t results = CountWords(signature.results);
    const ImportName& name = *function.import;
    if (name.module == kSpectest) {
      linker.Define(name.module, name.name, params, results,
                    [](vm::HostContext&, auto, auto) { return vm::HostStatus::Continue(); });
      continue;
    }
    const std::size_t id = std::stoul(name.module.substr(1));
    linker.Define(name.module, name.name, params, results,
                  [by_id = by_id_, id, field = name.name, fuel = options_.fuel](
                      vm::HostContext&, auto args, auto out) {
                    const auto callee = (*by_id)[id].lock();
                    if (callee == nullptr) return vm::HostStatus::Failed("a module is gone");
                    return CallInstance(*callee, callee->FindFunction(field)->start, fuel, args,
                                        out);
                  });
  }
  auto loaded = Load(merged->module, linker, options_);
  if (!loaded) return std::unexpected(std::move(loaded).error());
  return GroupState{std::move(loaded->program), std::move(loaded->machine), std::move(merged->maps),
                    std::move(loaded->words)};
}

Checked Instances::LoadInGroup(Instance& instance, const GroupSeat& seat) {
  auto found = states_.find(seat.group.get());
  if (found == states_.end()) {
    auto state = LoadGroup(*seat.group);
    if (!state) return std::unexpected(std::move(state).error());
    found = states_.emplace(seat.group.get(), *std::move(state)).first;
  }
  const GroupState& state = found->second;
  const MergeMap& map = state.maps[seat.member];
  instance.program = state.program;
  instance.machine = state.machine;
  instance.prefix = GroupPrefix(seat.member);
  const std::vector<std::uint32_t> slots = SlotsOf(state.words.globals);
  for (const std::uint32_t global : map.globals) instance.global_slots.push_back(slots[global]);
  for (const std::uint32_t table : map.tables) {
    const auto size = state.words.tables[table].size_global;
    instance.table_sizes.push_back(size ? std::optional(slots[*size]) : std::nullopt);
  }
  for (const std::uint32_t memory : map.memories) {
    const std::vector<MemoryRange>& ranges = state.words.memory_ranges;
    instance.memory_sizes.push_back(
        ranges.empty() ? std::nullopt : std::optional(slots[ranges[memory].size_global]));
  }
  const isa::Export* init = state.program->FindExport(GroupInit(seat.member));
  auto run = state.machine->Call(*init, {}, {.fuel = options_.fuel, .trace = {}});
  if (!run) return Fault(FaultKind::kInternal, run.error().message);
  return CheckStart(*state.program, *run);
}

std::expected<std::shared_ptr<Instance>, InstanceFault> Instances::Make(std::size_t command,
                                                                        Module module,
                                                                        const Registry& registry) {
  auto instance = std::make_shared<Instance>();
  instance->module = std::move(module);
  const std::size_t id = groups_.ids[command].value_or(groups_.ids.size());
  const auto seat = groups_.seats.find(id);
  const bool is_in_group = seat != groups_.seats.end();
  ModuleLinker linker(*instance, registry, options_, is_in_group);
  if (Checked linked = linker.Run(); !linked) return std::unexpected(std::move(linked).error());
  (*by_id_)[id] = instance;
  Checked loaded =
      is_in_group ? LoadInGroup(*instance, seat->second) : LoadAlone(*instance, linker.linker());
  if (!loaded) return std::unexpected(std::move(loaded).error());
  return instance;
}

}  // namespace txvm::frontends::wat
