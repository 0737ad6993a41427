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

#include "frontends/wat/module.h"
#include "frontends/wat/wast.h"
#include "vm/machine.h"

namespace txvm::frontends::wat {

/// A module of a script. A function it imports from another instance runs on that instance's own
/// machine, as a host call.
/// INVARIANT: machine is empty iff `unusable` says why, in words.
struct Instance {
  Module module;  // as it was written; the program has pairs of words for i64
  std::shared_ptr<const isa::Program> program;
  std::optional<vm::Machine> machine;
  std::string unusable;
  std::vector<std::shared_ptr<Instance>> providers;  // of its imports

  /// The word of machine->globals() where global `index` begins. Cost O(index).
  std::uint32_t SlotOfGlobal(std::uint32_t index) const;
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
    kUnsupported,  // it shares a memory, a table or a mutable global, or txvm cannot hold it
    kTrap,         // a segment does not fit, or the start function trapped
    kInternal,     // a bug
  };
  Kind kind = Kind::kInternal;
  std::string text;
};

using Registry = std::map<std::string, std::shared_ptr<Instance>, std::less<>>;

/// Links a module against `spectest` and the registered instances, loads it and runs its start
/// function. Never null.
std::expected<std::shared_ptr<Instance>, InstanceFault> Instantiate(Module module,
                                                                    const Registry& registry,
                                                                    const WastOptions& options);

}  // namespace txvm::frontends::wat
