// N1: a block of TIR as a fixed tensor, and back: the form in which the original's network saw
// code. That of neural/optimizer looks at the values of assembly runs instead, see features.h
// there.
//
// A block is at most 31 straight operations without asm; control, deeper bodies and comments are
// cut points, and a longer run of operations becomes several blocks.
//   nodes    32 nodes of 4 words = 128. Node i is operation i; node 31 is never used, because
//   reference
//            31 means "none".
//            word 0  opcode(6) | kind(3) << 6 | left(5) << 9 | right(5) << 14 | external(2) << 19
//            word 1  start of the live interval: the node itself
//            word 2  its end: the last node that uses a result of it, 31 when it leaves the block
//            word 3  the immediate in full: push value, count, slot, width, tag, or 0
//   context  16 words, one per slot of the stack at the start of the block: what is known of its
//   value
// Resolved ambiguities: left and right are the producers of the two topmost operands; an operand
// from before the block has its external bit set and names its context slot modulo 31; operations
// with more operands have kind 7 and name only the two topmost. The fields of an event ride in the
// bits above 32 of word 0, its name in the block itself.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/tir/op.h"

namespace txvm::triton {

inline constexpr std::size_t kBlockNodes = 32;
inline constexpr std::size_t kNodeWords = 4;
inline constexpr std::size_t kBlockOps = 31;  // nodes that hold an operation
inline constexpr std::size_t kContextWords = 16;
inline constexpr std::uint64_t kNoReference = 31;

/// What a node produces.
enum class NodeKind : std::uint8_t {
  kNothing,   // no result: pop, write_io, assert, store
  kMove,      // dup, swap
  kConstant,  // push
  kField,     // any field element
  kWord,      // u32
  kBool,      // 0 or 1
  kInput,     // from a stream or RAM
  kWide,      // more than two operands or results
};

struct EncodedBlock {
  std::array<std::uint64_t, kBlockNodes * kNodeWords> nodes{};
  std::array<std::uint64_t, kContextWords> context{};
  std::vector<std::string> names;  // of events, in order; no part of the tensor
  std::size_t size = 0;            // operations in the block

  bool operator==(const EncodedBlock&) const = default;
};

/// Where a block came from: a path of body indices, then the first operation.
struct BlockPlace {
  std::vector<std::size_t>
      path;  // indices into ops and bodies: op, 0 first arm or 1 second, op, ..
  std::size_t start = 0;
  std::size_t length = 0;
};

struct PlacedBlock {
  BlockPlace place;
  EncodedBlock block;
};

/// All blocks of a module, nested bodies included. The context of a block is carried across the cut
/// when a long run is split, and is unknown (0) at the start of a body.
std::vector<PlacedBlock> EncodeBlocks(const TirModule& module);

/// The operations of a block; EncodeBlocks gives back an equal block from them.
/// Errors: kInvalid for an opcode, a reference or an immediate that no block has.
isa::Result<std::vector<TirOp>> DecodeBlock(const EncodedBlock& block);

}  // namespace txvm::triton
