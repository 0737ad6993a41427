// What the per-target attention loops work on: plain pointers into the engine's keys, queries and
// rows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "vm/engine.h"
#include "vm/engines/threaded.h"

namespace txvm::vm {

inline constexpr std::size_t kMaxTileKeys = 16;

/// Query rows of every digit, as W_Q makes them, spread over the lanes of a tile, and the maximum
/// each can reach.
struct alignas(64) QueryTable {
  std::int16_t query[kMaxTileKeys][kMaxTileKeys];  // row q: q in every lane
  std::int16_t maximum[kMaxTileKeys]
                      [kMaxTileKeys];  // row q: the score of key q, q^2, in every lane
};

/// One call of a loop. Pointers outlive it; `exit`, `cause` and the state are its results.
struct LoopContext {
  const EngineContext* engine;
  const FrameRoom* room;
  const Threaded* threaded;
  const QueryTable* queries;
  const std::int16_t* code_keys;
  const std::int16_t* stack_keys;
  const std::int16_t* local_keys;
  const std::int16_t* call_keys;
  const std::int16_t* const* memory_keys;  // one pointer a key page
  std::uint32_t ready_depth;               // a CALL below this depth finds all its keys written
  bool (*prepare_call)(LoopContext*, std::uint32_t target, std::uint32_t sp,
                       std::uint64_t callee_base, std::uint32_t depth);
  void* owner;
  State* state;
  std::uint64_t fuel;  // in: at least the code size; out: what is left
  Observer* observer;
  Exit exit;
  isa::Trap cause;
};

/// The loops of one Highway target.
struct AttentionTarget {
  std::size_t tile_keys;
  const void* const* (*labels)(bool observe);  // (kHandlerCount,)
  void (*run)(LoopContext*);                   // no observer
  void (*run_observed)(LoopContext*);          // records every step, counts every head
  /// The winning lane of a tile, negative when the address is absent.
  std::intptr_t (*winning_key)(const std::int16_t* tile, const std::int16_t* query,
                               const std::int16_t* maximum);
};

/// The loops of the best target of this machine (or the one a test selected).
AttentionTarget ChooseAttentionTarget();

}  // namespace txvm::vm
