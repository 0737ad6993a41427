#include "frontends/wat/script_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "frontends/wasm/reference_types.h"

namespace txvm::frontends::wat {
namespace {

constexpr std::string_view kHostName = "spectest";
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Whether exceptions are thrown in a module, or one that it has tags of.
bool UsesTags(const Module& module) {
  return !module.tags.empty() || std::ranges::any_of(module.functions, [](const Function& item) {
    return std::ranges::any_of(item.body,
                               [](const Instr& i) { return i.kind == InstrKind::kThrowRef; });
  });
}

/// A module of the script.
struct Item {
  const Module* module = nullptr;
  std::map<std::string, std::size_t, std::less<>> registered;  // ids, when it is instantiated
  Module resolved;  // with the constants of what it imports
};

class GroupFinder {
 public:
  GroupFinder(const std::vector<ScriptCommand>& commands, const Module& spectest)
      : commands_(commands), spectest_(spectest) {}

  ScriptGroups Run() &&;

 private:
  struct Source {
    std::size_t id = kNone;  // kNone: the host module
    const Module* module = nullptr;
    std::uint32_t index = 0;
  };

  void List();
  std::optional<Source> Find(const Item& item, const ImportName& name, ExportKind kind) const;
  bool Resolve(std::size_t id);
  std::size_t RootOf(std::size_t id) const {
    while (parent_[id] != id) id = parent_[id];
    return id;
  }
  void Join(std::size_t id, const std::vector<std::size_t>& others);
  void Seat();

  const std::vector<ScriptCommand>& commands_;
  const Module& spectest_;
  ScriptGroups out_;
  std::vector<Item> items_;
  std::vector<std::size_t> parent_;  // (items,)
};

/// Follows names through the script.
void GroupFinder::List() {
  std::map<std::string, std::size_t, std::less<>> named, registered;
  std::size_t current = kNone;
  for (const ScriptCommand& command : commands_) {
    out_.ids.emplace_back();
    if (command.is_register) {
      const auto found = named.find(command.name);
      const std::size_t id = command.name.empty()   ? current
                             : found == named.end() ? kNone
                                                    : found->second;
      if (id != kNone) registered.insert_or_assign(command.text, id);
      continue;
    }
    if (!command.module) continue;
    const bool is_instance = command.kind == WastKind::kModule;
    if (!command.module->has_value()) {
      if (is_instance) current = kNone;
      continue;
    }
    const std::size_t id = items_.size();
    out_.ids.back() = id;
    items_.push_back({&command.module->value(), registered, {}});
    if (!is_instance) continue;
    current = id;
    if (!command.name.empty()) named.insert_or_assign(command.name, id);
  }
}

std::optional<GroupFinder::Source> GroupFinder::Find(const Item& item, const ImportName& name,
                                                     ExportKind kind) const {
  Source source;
  if (name.module == kHostName) {
    source.module = &spectest_;
  } else if (const auto found = item.registered.find(name.module); found != item.registered.end()) {
    source.id = found->second;
    source.module = &items_[found->second].resolved;
  } else {
    return std::nullopt;
  }
  const Export* exported = source.module->FindExport(name.name);
  if (exported == nullptr || exported->kind != kind) return std::nullopt;
  source.index = exported->index;
  return source;
}

/// Resolves what a module imports, and joins it with those it shares with. False when an import
/// does not fit.
bool GroupFinder::Resolve(std::size_t id) {
  Item& item = items_[id];
  Module& module = item.resolved = *item.module;
  std::vector<std::size_t> shares;
  const auto has_reference = [](const Signature& signature) {
    return std::ranges::any_of(signature.params, IsReference) ||
           std::ranges::any_of(signature.results, IsReference);
  };
  for (Function& function : module.functions) {
    if (!function.import) continue;
    const auto source = Find(item, *function.import, ExportKind::kFunction);
    if (!source) return false;
    const Signature& wanted = module.SignatureOf(function);
    if (wanted != source->module->SignatureOf(source->module->functions[source->index])) {
      return false;
    }
    // An exception may come out of it, which only one machine can carry.
    const bool may_throw = source->id != kNone && UsesTags(*source->module);
    if (source->id != kNone && (has_reference(wanted) || may_throw)) shares.push_back(source->id);
  }
  for (Global& global : module.globals) {
    if (!global.import) continue;
    const auto source = Find(item, *global.import, ExportKind::kGlobal);
    if (!source) return false;
    const Global& offered = source->module->globals[source->index];
    if (offered.is_mutable != global.is_mutable ||
        !IsSubtypeAcross(*source->module, offered.type, *item.module, global.type)) {
      return false;
    }
    if (global.is_mutable || IsReference(global.type)) {
      if (source->id != kNone) shares.push_back(source->id);
    } else {
      global.init = offered.init;
      global.import.reset();
    }
  }
  for (Table& table : module.tables) {
    if (!table.import) continue;
    const auto source = Find(item, *table.import, ExportKind::kTable);
    if (!source) return false;
    const Table& offered = source->module->tables[source->index];
    if (!IsSubtypeAcross(*source->module, offered.type, *item.module, table.type)) return false;
    table.extent = offered.extent;
    if (source->id != kNone) shares.push_back(source->id);
  }
  for (Memory& memory : module.memories) {
    if (!memory.import) continue;
    const auto source = Find(item, *memory.import, ExportKind::kMemory);
    if (!source) return false;
    memory.extent = source->module->memories[source->index].extent;
    if (source->id != kNone) shares.push_back(source->id);
  }
  for (const Tag& tag : module.tags) {
    if (!tag.import) continue;
    const auto source = Find(item, *tag.import, ExportKind::kTag);
    if (!source) return false;
    if (!AreEqualAcross(*source->module, source->module->tags[source->index].signature, module,
                        tag.signature)) {
      return false;
    }
    if (source->id != kNone) shares.push_back(source->id);
  }
  ComputeConstants(module);
  Join(id, shares);
  return true;
}

void GroupFinder::Join(std::size_t id, const std::vector<std::size_t>& others) {
  for (const std::size_t other : others) parent_[RootOf(other)] = RootOf(id);
}

void GroupFinder::Seat() {
  std::map<std::size_t, std::shared_ptr<ModuleGroup>> groups;
  std::vector<std::size_t> sizes(items_.size());
  for (std::size_t i = 0; i < items_.size(); ++i) ++sizes[RootOf(i)];
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (sizes[RootOf(i)] < 2) continue;
    std::shared_ptr<ModuleGroup>& group = groups[RootOf(i)];
    if (group == nullptr) group = std::make_shared<ModuleGroup>();
    out_.seats[i] = {group, group->ids.size()};
    group->ids.push_back(i);
  }
  for (auto& [id, seat] : out_.seats) {
    Module module = std::move(items_[id].resolved);
    for (Function& function : module.functions) {
      if (!function.import || function.import->module == kHostName) continue;
      const std::size_t source = items_[id].registered.at(function.import->module);
      const auto found = out_.seats.find(source);
      if (found != out_.seats.end() && found->second.group == seat.group) continue;
      function.import->module = fmt::format("#{}", source);
    }
    auto& names = seat.group->names.emplace_back();
    for (const auto& [name, source] : items_[id].registered) {
      const auto found = out_.seats.find(source);
      if (found != out_.seats.end() && found->second.group == seat.group) {
        names.emplace(name, found->second.member);
      }
    }
    seat.group->modules.push_back(std::move(module));
  }
}

ScriptGroups GroupFinder::Run() && {
  List();
  parent_.resize(items_.size());
  std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!Resolve(i)) items_[i].resolved = *items_[i].module;
  }
  Seat();
  return std::move(out_);
}

}  // namespace

ScriptGroups FindGroups(const std::vector<ScriptCommand>& commands, const Module& spectest) {
  return GroupFinder(commands, spectest).Run();
}

std::string GroupPrefix(std::size_t member) { return fmt::format("{}:", member); }

std::string GroupInit(std::size_t member) { return fmt::format("{} instantiate", member); }

isa::Result<MergedModule> MergeGroup(const ModuleGroup& group) {
  std::vector<MergeMember> members;
  for (std::size_t i = 0; i < group.modules.size(); ++i) {
    members.push_back({&group.modules[i], fmt::format("module {}", group.ids[i]), GroupPrefix(i)});
  }
  const auto find = [&group](std::size_t member, ExportKind,
                             const ImportName& name) -> std::optional<MergeSource> {
    const auto found = group.names[member].find(name.module);
    if (found == group.names[member].end()) return std::nullopt;
    const Export* item = group.modules[found->second].FindExport(name.name);
    if (item == nullptr) return std::nullopt;
    return MergeSource{found->second, item->index};
  };
  TXVM_TRY(MergedModule merged, MergeModules(members, find, MergeSegments::kByInit));
  for (Table& table : merged.module.tables) table.import.reset();  // the host's, as our own
  for (Memory& memory : merged.module.memories) memory.import.reset();
  for (std::size_t i = 0; i < members.size(); ++i) {
    merged.module.exports.push_back({GroupInit(i), ExportKind::kFunction, merged.maps[i].init});
  }
  return merged;
}

}  // namespace txvm::frontends::wat
