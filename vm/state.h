// Everything a step reads or changes, as plain data. Engines run on it; snapshots are made of it.
#pragma once

#include <cstdint>

#include "isa/trace.h"
#include "isa/word_ops.h"
#include "vm/memory/linear_memory.h"
#include "vm/memory/reservation.h"

namespace txvm::vm {

using isa::Word;

/// What CALL saves and RETURN restores.
struct Frame {
  std::uint32_t return_ip = 0;
  std::uint32_t locals_base = 0;
};

/// The machine between two steps. The value rows of the stack, locals and call spaces are the
/// arrays below; slot 0 and frame 0 are never written and read 0, so the top of an empty stack is
/// slot 0.
struct State {
  std::uint32_t ip = 0;
  std::uint32_t sp = 0;           // operand stack: slots 1..sp
  std::uint32_t locals_base = 0;  // slot of the current frame's local 0
  std::uint32_t depth = 0;        // call frames: 1..depth
  std::uint64_t steps = 0;
  std::uint64_t digest = isa::kDigestSeed;
  Reservation<Word> slots;    // (max_slots + 1 + padding,)
  Reservation<Word> locals;   // (max_locals + padding,)
  Reservation<Frame> frames;  // (max_depth + 1 + padding,)
  LinearMemory memory;

  Word top() const { return slots[sp]; }
};

/// Elements kept free after each array: a tile is read whole, whatever part of it is in use.
inline constexpr std::size_t kTilePadding = 64;

}  // namespace txvm::vm
