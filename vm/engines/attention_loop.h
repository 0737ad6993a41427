// What the per-target attention loops work on: plain pointers into the engine's keys, rows and
// state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "vm/engine.h"
#include "vm/engines/threaded.h"
#include "vm/memory/tile_keys.h"

namespace txvm::vm {

// A key no query reaches: its score is far below every q^2. Stands where a tile has no address.
inline constexpr std::int16_t kNoKeyScore = -32'768;

/// One call of a loop. Pointers outlive it; `exit`, `cause`, `fuel` and the state are its results.
struct LoopContext {
  const EngineContext* engine;
  const Threaded* threaded;
  const std::byte* code;  // code tiles of the loop's target and variant
  const std::int16_t* stack_keys;
  const std::int16_t* local_keys;
  const std::int16_t* call_keys;
  SharedKeys::View memory_keys;
  // 1, 2 and the digit mask: read, not written in the code, so that the loop keeps their vectors in
  // registers.
  std::int16_t constants[3];
  std::uint32_t ready_depth;  // a CALL below this depth finds all its keys written
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
  std::size_t code_tile_bytes;
  const void* const* (*labels)(bool observe);  // (kHandlerCount,)
  /// Lays `size` threaded instructions out as code tiles, size / tile_keys + 2 of them. keys: those
  /// of the code space.
  void (*build_code)(const Threaded& threaded, std::size_t size, const std::int16_t* keys,
                     const void* absent, std::byte* tiles);
  void (*run)(LoopContext*);           // no observer
  void (*run_observed)(LoopContext*);  // records every step, counts every head
  /// The winning lane of the tile of an address, tile_keys or more when the address is absent.
  std::uint32_t (*winning_key)(const std::int16_t* tile, std::uint32_t address);
};

/// The loops of the best target of this machine (or the one a test selected).
AttentionTarget ChooseAttentionTarget();

}  // namespace txvm::vm
