// Instances of the modules of a script, linked to each other by calls.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wasm/module.h"
#include "frontends/wat/script_groups.h"
#include "frontends/wat/wast.h"
#include "vm/machine.h"

namespace txvm::frontends::wat {

/// A module of a script. Those that share a table, a memory or a global have one machine. A
/// function that is imported from an instance with another machine runs there, as a host call.
/// INVARIANT: machine is empty iff `unusable` says why, in words.
struct Instance {
  Module module;  // as it was written; the program has pairs of words for i64
  std::shared_ptr<const isa::Program> program;
  std::shared_ptr<vm::Machine> machine;  // of those it shares with, too
  std::string prefix;                    // of the names of its exports in the program
  std::string unusable;
  std::vector<std::shared_ptr<Instance>> providers;  // of its imports
  // (globals,) the word of machine->globals() where each begins.
  std::vector<std::uint32_t> global_slots;
  // (tables,) the word of machine->globals() with its current size, where that changes.
  std::vector<std::optional<std::uint32_t>> table_sizes;
  // (memories,) the same of their sizes in bytes; none: it is the machine's.
  std::vector<std::optional<std::uint32_t>> memory_sizes;

  /// An exported function. Null when there is none.
  const isa::Export* FindFunction(std::string_view name) const {
    return program->FindExport(prefix + std::string(name));
  }
  /// Whether a call of export `name` may write memory, globals or a table, here or elsewhere.
  /// O(code) the first time.
  bool MayWrite(std::string_view name);
  /// Marks this instance and those it calls: the script's expectations assume a call or a module
  /// that was refused.
  void MarkStale(const std::string& why);
  /// Why the state of this instance, or of one it calls, is not what the script assumes; empty when
  /// it is.
  std::string_view StaleReason() const;

 private:
  std::string stale_;         // what was refused and would have changed the state
  std::vector<bool> writes_;  // (functions,) once known
};

/// Why a module has no instance.
struct InstanceFault {
  enum class Kind : std::uint8_t {
    kUnlinkable,   // an import is missing or of another type
    kUnsupported,  // txvm cannot hold it, or what it shares
    kTrap,         // a segment does not fit, or the start function trapped
    kInternal,     // a bug
  };
  Kind kind = Kind::kInternal;
  std::string text;
};

using Registry = std::map<std::string, std::shared_ptr<Instance>, std::less<>>;

/// The host module as an instance would export it: signatures, globals and sizes, no code.
Module SpectestModule();

/// Makes the instances of one script.
class Instances {
 public:
  /// `groups`: of the script.
  Instances(ScriptGroups groups, const WastOptions& options);

  /// Links a module against `spectest` and the registered instances, loads it, writes its segments
  /// and runs its start function. `command`: its place in the script. Never null.
  std::expected<std::shared_ptr<Instance>, InstanceFault> Make(std::size_t command, Module module,
                                                               const Registry& registry);

 private:
  /// What the members of a group have in common, once the first is made.
  struct GroupState {
    std::shared_ptr<const isa::Program> program;
    std::shared_ptr<vm::Machine> machine;
    std::vector<MergeMap> maps;
    Module words;  // as it was lowered
  };
  using ById = std::map<std::size_t, std::weak_ptr<Instance>>;

  std::expected<void, InstanceFault> LoadAlone(Instance& instance, const vm::Linker& linker);
  std::expected<void, InstanceFault> LoadInGroup(Instance& instance, const GroupSeat& seat);
  std::expected<GroupState, InstanceFault> LoadGroup(const ModuleGroup& group);

  ScriptGroups groups_;
  WastOptions options_;
  std::map<const ModuleGroup*, GroupState> states_;
  std::shared_ptr<ById> by_id_ = std::make_shared<ById>();
};

}  // namespace txvm::frontends::wat
