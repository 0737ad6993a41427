// Host functions: what a program can ask of its surroundings. To this machine they are what tool
// calls are to a language model: the run stops at a CALL, the host answers with values, the run
// goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/limits.h"
#include "isa/support/result.h"
#include "isa/trap.h"
#include "isa/value_type.h"
#include "isa/word_ops.h"
#include "vm/memory/linear_memory.h"

namespace txvm::vm {

using isa::Word;

/// What a host function may touch during its call. Valid only inside the call.
struct HostContext {
  LinearMemory& memory;
  void* embedder = nullptr;  // MachineOptions::embedder of the calling instance
  // Steps of the run's fuel that the function may take, beside that of its own call.
  std::uint64_t fuel = isa::kUnlimitedFuel;
  // Steps that it has taken: it sets them, of a run elsewhere. They count as steps of the run.
  std::uint64_t steps = 0;
};

/// How a host call ends.
struct HostStatus {
  // kOutOfFuel, kInterrupted: the run ends so, and cannot be resumed.
  // kThrow: the exception that UncaughtException finds is thrown in the program; where that does
  // not look for exceptions after this call, it is a trap with kUncaughtException.
  enum class Kind : std::uint8_t {
    kContinue,
    kTrap,
    kExit,
    kError,
    kOutOfFuel,
    kInterrupted,
    kThrow
  };
  Kind kind = Kind::kContinue;
  isa::Trap trap =
      isa::Trap::kHost;  // kTrap: the cause; a trap of another instance passes its own through
  std::int32_t exit_code = 0;  // kExit
  std::string message;         // kTrap: detail; kError: what failed

  static HostStatus Continue() { return {}; }
  static HostStatus Trap(std::string detail, isa::Trap cause = isa::Trap::kHost) {
    return {Kind::kTrap, cause, 0, std::move(detail)};
  }
  static HostStatus Throw() { return {Kind::kThrow, isa::Trap::kUncaughtException, 0, {}}; }
  static HostStatus Exit(std::int32_t code) { return {Kind::kExit, isa::Trap::kHost, code, {}}; }
  static HostStatus OutOfFuel() { return {Kind::kOutOfFuel, isa::Trap::kHost, 0, {}}; }
  static HostStatus Interrupted() { return {Kind::kInterrupted, isa::Trap::kHost, 0, {}}; }
  static HostStatus Failed(std::string message) {
    return {Kind::kError, isa::Trap::kHost, 0, std::move(message)};
  }
};

/// args: the parameters, first deepest. results: as many as the import declares, zeroed; to be
/// filled unless the call ends the run. Must not throw.
using HostFunction =
    std::function<HostStatus(HostContext&, std::span<const Word> args, std::span<Word> results)>;

/// A host function and its signature in words. With types (both lists empty: any), it fits only
/// imports of the same types, or without.
struct HostBinding {
  std::uint32_t params = 0, results = 0;
  HostFunction function;
  std::vector<isa::ValueType> param_types = {}, result_types = {};
};

/// Names of host functions. memory.size and memory.grow (module "txvm") are always there and need
/// no definition.
class Linker {
 public:
  /// Defines or replaces module.name.
  void Define(std::string_view module, std::string_view name, std::uint32_t params,
              std::uint32_t results, HostFunction function);
  /// The same of values of these types; `function` still gets words, low first.
  void Define(std::string_view module, std::string_view name,
              std::vector<isa::ValueType> param_types, std::vector<isa::ValueType> result_types,
              HostFunction function);
  /// nullptr when module.name is not defined.
  const HostBinding* Find(std::string_view module, std::string_view name) const;

 private:
  std::map<std::pair<std::string, std::string>, HostBinding> bindings_;
};

inline constexpr std::string_view kBuiltinModule = "txvm";
inline constexpr std::string_view kMemorySize = "memory.size";  // -> pages
inline constexpr std::string_view kMemoryGrow = "memory.grow";  // delta -> old pages, or -1

}  // namespace txvm::vm
