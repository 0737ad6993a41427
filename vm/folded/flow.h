// The control flow of one function of a verified program: basic blocks, and which locals live
// where.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/program.h"
#include "isa/verify.h"
#include "vm/folded/routine_map.h"

namespace txvm::vm::folded {

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

/// A set of the locals of one function.
class LocalSet {
 public:
  LocalSet() = default;
  explicit LocalSet(std::uint32_t locals) : words_((locals + 63) / 64, 0) {}

  bool Has(std::uint32_t local) const { return (words_[local / 64] >> (local % 64) & 1) != 0; }
  void Add(std::uint32_t local) { words_[local / 64] |= std::uint64_t{1} << (local % 64); }
  void Remove(std::uint32_t local) { words_[local / 64] &= ~(std::uint64_t{1} << (local % 64)); }
  bool empty() const;
  /// Adds what is in `other` and not in `except`; whether anything was new.
  bool AddAllBut(const LocalSet& other, const LocalSet& except);
  bool AddAll(const LocalSet& other);
  /// Every local of a function of `locals`.
  static LocalSet All(std::uint32_t locals);

 private:
  std::vector<std::uint64_t> words_;
};

/// Instructions first..last that run one after the other, entered at `first` alone.
struct FlowBlock {
  std::uint32_t first = 0, last = 0;
  std::uint32_t height = 0;               // operand cells of the function before it
  std::uint32_t routine_steps = 0;        // steps of routines that it computes, less their CALLs
  std::vector<std::uint32_t> successors;  // blocks; of a call, the one after it
  bool ends_in_call = false;              // CALL of a function of the program, but for routines
  bool ends_in_host_call = false;
  bool checks = false;     // looks at fuel and interrupts before its first instruction
  bool enters = false;     // can be entered from a state: function start, after a call, loop head
  bool jumped_to = false;  // reached by a jump or from the instruction above it
  LocalSet live;           // before it: may be read before they are written
  LocalSet dirty;          // before it: the locals space may hold an older value
};

struct Flow {
  const isa::Function* function = nullptr;
  std::vector<FlowBlock> blocks;        // in order of `first`; those that a path reaches
  std::vector<std::uint32_t> block_at;  // (instructions,) block that starts there, or kNone
  bool keeps_all = false;               // every local is taken for live everywhere
};

/// Steps of routines in one block, at most: a block that computes some looks at fuel for them.
inline constexpr std::uint32_t kMostRoutineSteps = 16'384;

/// Finds the blocks of function `index`. CALLs of `routines` are like other operations. With
/// `keeps_all` every local is live everywhere, as it has to
/// be where another function may read what a frame before it left. Cost O(code * locals / 64).
Flow FlowOf(const isa::Program& program, const isa::PathFacts& paths, std::size_t index,
            bool keeps_all, const RoutineMap& routines = {});

/// Whether a function may read a local before it writes it, and so what a frame before it left
/// there: then no write of any function may be left out. True, too, where finding out would take
/// too much memory. Cost as FlowOf for every function.
bool ReadsOldLocals(const isa::Program& program, const isa::PathFacts& paths);

/// Whether the jump at `ip` is always or never taken, as Verify sees it: kTaken, kNot, kDepends.
enum class Decision : std::uint8_t { kTaken, kNot, kDepends };
Decision Decided(const isa::Program& program, const isa::PathFacts& paths, std::uint32_t ip);

/// Operand cells that a CALL of the program or of the host takes and gives.
struct CallShape {
  std::uint32_t params = 0, results = 0;
};
CallShape ShapeOf(const isa::Program& program, isa::Instruction call);

}  // namespace txvm::vm::folded
