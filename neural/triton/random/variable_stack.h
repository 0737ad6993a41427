// Named variables on a stack of 16 words: emits the TIR that loads, binds, spills and reloads them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "neural/triton/tir/op.h"

namespace txvm::triton {

/// Which variable leaves the stack when it is full.
enum class Eviction : std::uint8_t {
  kLeastRecent,  // the one not used for longest
  kNextUse,      // the one whose next use, as told by SetNextUse, is farthest away
};

/// Builds straight-line TIR over variables of 1 to 4 words. Asserts its invariants after every
/// step: the managed words are the top of the stack, at most 16, variables below temporaries. A
/// variable that is not on the stack lies in RAM at its home, which never changes.
///
/// Spilling writes RAM from `spill_base` up; the program must not use those addresses otherwise.
class VariableStack {
 public:
  static constexpr std::size_t kRegisters = 16;
  static constexpr std::size_t kMostWidth = 4;
  static constexpr std::uint64_t kSpillBase = std::uint64_t{1} << 30;
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  explicit VariableStack(Eviction eviction, std::uint64_t spill_base = kSpillBase)
      : eviction_(eviction), next_home_(spill_base) {}

  /// Makes the top `width` temporaries the variable `name`, replacing its old value. Word 0 is the
  /// top. REQUIRES no temporary below them; width 1..4, always the same for a name.
  void Bind(std::string_view name, std::size_t width);

  /// Copies a variable on top as temporaries, word 0 on top. REQUIRES a bound variable, and that
  /// temporaries leave it room: at most 16 - 2 * width words of them.
  void Load(std::string_view name);

  /// Emits an operation that takes and leaves temporaries. REQUIRES a straight operation whose
  /// operands are temporaries.
  void Apply(const TirOp& op);

  /// Forgets a variable. Its words leave the stack when room is needed.
  void Forget(std::string_view name);

  /// Puts every variable into RAM and leaves the stack to the caller, empty of managed words.
  /// Before and after a branch or a loop, so that all ways to a point agree. REQUIRES no
  /// temporaries.
  void SpillAll();

  /// The caller's own operation, a branch or a call, took the top `n` temporaries.
  void Taken(std::size_t n);

  /// Position of the next use, in any unit that grows with time; kNever when there is none.
  void SetNextUse(std::string_view name, std::uint64_t position);

  /// Words of temporaries on top.
  std::size_t temporaries() const;
  /// All managed words.
  std::size_t depth() const;
  /// Times a variable was written to RAM.
  std::size_t spills() const { return spills_; }

  /// The operations emitted since the last call.
  std::vector<TirOp> TakeCode();

 private:
  // One run of words on the stack. An empty name is a temporary of one word.
  struct Entry {
    std::string name;
    std::size_t width = 1;
    bool dead = false;  // a forgotten or replaced variable
  };
  struct Variable {
    std::size_t width = 1;
    bool on_stack = false;
    bool clean = false;      // RAM holds the same value
    std::uint64_t home = 0;  // 0: none yet
    std::uint64_t last_use = 0;
    std::uint64_t next_use = kNever;
  };

  void Emit(TirCode code, std::uint64_t value);
  void MakeRoom(std::size_t words);
  std::size_t Victim() const;
  void Evict(std::size_t index);
  std::size_t DepthOf(std::size_t index) const;
  void Raise(std::size_t depth, std::size_t width);
  void MarkDead(std::string_view name);
  void Check() const;

  Eviction eviction_;
  std::uint64_t next_home_;
  std::uint64_t clock_ = 0;
  std::size_t spills_ = 0;
  std::vector<Entry> entries_;  // bottom first
  std::map<std::string, Variable, std::less<>> variables_;
  std::vector<TirOp> code_;
};

}  // namespace txvm::triton
