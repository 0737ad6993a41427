// The attention engine: every fetch and every read is a parabolic attention head, evaluated with
// Highway; the feed-forward part is collapsed to a dispatch on the fetched opcode.
//
// What a step does    fetch = head over the code space at ip, whose value row names the handler;
// operands below the top, locals,
//                     memory bytes and call frames = one head each, as the columns of opcodes.def
//                     say; writes go to the value rows in place (eviction theorem).
// What it leaves out  scoring the tiles that cannot win (tiling theorem) and the arithmetic
// circuits of the feed-forward layers,
//                     which the transformer engines evaluate.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "vm/engine.h"
#include "weights/heads.h"

namespace txvm::vm {

/// An attention engine whose keys can be looked at and altered, for tests and explanations.
class AttentionEngine : public Engine {
 public:
  /// The keys of the tile that holds `address`: k0 of each of its addresses, then k1 of each. (2 *
  /// tile,) Altering them alters what heads read from then on. REQUIRES: the address's keys exist
  /// (it was in reach of a run, or of the load).
  virtual std::span<std::int16_t> KeyTile(Space space, std::uint64_t address) = 0;
  /// Keys scored per head: 16, or 8 where vectors are narrow.
  virtual std::size_t tile_keys() const = 0;
};

/// Builds the engine from head matrices. kInvalid, naming head and weight, when they are not a plan
/// the tiles can serve. For verified programs the loop checks nothing per instruction; others run
/// its checked variant.
isa::Result<std::unique_ptr<AttentionEngine>> MakeAttentionEngine(
    const EngineContext& context, const weights::HeadMatrices& matrices);

}  // namespace txvm::vm
