// A straight run of TASM as a problem for search: which values it needs, how they are made, and
// what must happen in which order. Internal to superopt.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "neural/triton/prove/world.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// A needed value, by a small number.
using Value = std::uint16_t;
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

/// An instruction whose place in the order of its kind is fixed: asserts, sponge, Merkle, dot
/// steps.
struct Event {
  TasmInstruction instruction;
  std::vector<Value> takes;   // top first
  std::vector<Value> leaves;  // top first
  std::uint16_t stores = 0;   // RAM stores before it
  bool reads_ram = false;
  std::uint64_t checks = 0;
};

/// One word of RAM access.
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
  /// Value + constant, where both it and the sum are values: from -> (constant, sum).
  std::vector<std::vector<std::pair<std::uint64_t, Value>>> additions;
  /// Value - 1, -2, .. after read_mem and + after write_mem, for pointers: by value, step -5..5 at
  /// +5.
  std::vector<std::array<Value, 11>> steps;
};

/// Words below those that a run changes which a schedule of it may move.
inline constexpr std::size_t kReachBelow = 4;

/// The model of a run with `known_depth` words known above the 16 lowest: a schedule may take them
/// from the stack for a while. nullopt when the run always crashes or is too large for search.
std::optional<BlockModel> ModelRun(const std::vector<TasmInstruction>& code,
                                   std::size_t known_depth);

/// Whether some operation makes nothing but words that there are without it, as x * 0 does. The
/// search leaves it out, though it may be the shortest way to use up what it takes.
bool MakesNothingNew(const BlockModel& model);

}  // namespace txvm::triton
