// A straight run of TASM as a problem for search: the values it needs, how they are made, and the
// order of its events. Internal to superopt.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "neural/triton/prove/world.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// A value of the run, by its number in BlockModel::sources.
using Value = std::uint16_t;
/// No value.
inline constexpr Value kNoValue = 0xFFFF;

/// Where a value comes from.
struct Source {
  enum class Kind : std::uint8_t { kStack, kConstant, kOperation, kInput, kSecret, kLoad, kEvent };
  Kind kind = Kind::kStack;
  std::uint64_t constant = 0;   // of kConstant
  std::uint16_t operation = 0;  // of kOperation: index into operations
};

/// A pure instruction of the run: what it takes (top first) and leaves (top first).
struct Operation {
  TasmInstruction instruction;
  std::vector<Value> takes;
  std::vector<Value> leaves;
  std::uint64_t checks = 0;  // bits of the conditions it imposes
};

/// An instruction that must keep its place in the order of events: classes kAssert and kEvent.
struct Event {
  TasmInstruction instruction;
  std::vector<Value> takes;   // top first
  std::vector<Value> leaves;  // top first
  std::uint16_t stores = 0;   // RAM stores before it
  bool reads_ram = false;
  std::uint64_t checks = 0;
};

/// One word read from RAM or written to it.
struct Access {
  Value address;
  Value value;
};

/// The run, ready for search.
struct BlockModel {
  std::vector<Source> sources;  // by value
  std::vector<Operation> operations;
  std::vector<Event> events;
  std::vector<Access> stores;
  std::vector<std::vector<Access>> loads;  // by number of stores before
  std::vector<Value> outputs;
  std::vector<Value> inputs;  // in reading order
  std::vector<Value> secrets;
  std::vector<Value> start;   // bottom first
  std::vector<Value> target;  // bottom first
  std::size_t lowest = 0;     // least stack length of a schedule
  std::uint64_t checks = 0;   // all condition bits
  /// By value: (constant, sum) for each sum of it and a constant that is a value too.
  std::vector<std::vector<std::pair<std::uint64_t, Value>>> additions;
  /// By value: the values at distance -5..5, at index 0..10. Pointers move by such steps.
  std::vector<std::array<Value, 11>> steps;
};

/// A schedule may also move this many words below those that the run changes.
inline constexpr std::size_t kReachBelow = 4;

/// The model of a run. `known_depth` words are known to lie above the 16 lowest; a schedule may
/// take them from the stack for a while. nullopt when the run always crashes or is too large for
/// search.
std::optional<BlockModel> ModelRun(const std::vector<TasmInstruction>& code,
                                   std::size_t known_depth);

/// Whether some operation only makes words that there are without it, as x * 0 does. The search
/// leaves such an operation out, though it may be the shortest way to drop its operands.
bool MakesNothingNew(const BlockModel& model);

}  // namespace txvm::triton
