// A running instance, set aside: everything that decides how it goes on, and nothing else.
//
// Goals: one form for every engine, so that an instance moves between engines; live cells only, so
// that its size is that of what the program uses; checked against the program before it is used, so
// that an altered one cannot lead a fast loop outside its buffers.
// Non-goals: what host functions keep outside the instance (Snapshot::host carries bytes for them),
// time limits, and the histories of the weights-only engines, which start anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/limits.h"
#include "isa/program.h"
#include "isa/support/result.h"
#include "isa/trace.h"
#include "isa/verify.h"
#include "vm/state.h"

namespace txvm::vm {

inline constexpr std::size_t kSnapshotBlockBytes = 4'096;  // a system page: what is saved is used

/// Bytes index * kSnapshotBlockBytes and following of a space, without the zeros after the last
/// byte that is not 0. Blocks do not change: snapshots of one run share those that are equal.
struct SnapshotBlock {
  std::uint32_t index = 0;
  std::shared_ptr<const std::vector<std::uint8_t>> bytes;  // never null; 1..kSnapshotBlockBytes
};

/// An instance between two steps, or at rest between two invocations. Plain data; what it says is
/// checked when it is restored. Blocks that are all zero are absent; indices ascend.
struct Snapshot {
  std::shared_ptr<const isa::Program>
      program;                       // nullptr: read from a file, program_hash says which
  std::string program_hash;          // ProgramHash of its program; empty while `program` is set
  std::vector<std::uint32_t> grown;  // Program::grown of its program
  isa::Limits limits;                // it was taken under
  bool running =
      false;  // an invocation is under way; if not: ip, steps, stack and frames are empty
  bool has_digest = false;  // digest covers all its steps
  std::uint32_t ip = 0;     // of the next instruction
  std::uint64_t steps = 0;  // of the invocation so far: the fuel it has used
  std::uint64_t digest = isa::kDigestSeed;
  std::vector<Word> stack;            // (sp,) first deepest
  std::vector<std::uint32_t> frames;  // (depth,) return addresses, outermost first
  std::uint32_t pages = 0;            // memory size
  std::vector<SnapshotBlock> locals;  // the locals space: globals, frames, and what frames left
  std::vector<SnapshotBlock> memory;
  std::vector<std::uint8_t> host;  // bytes of the embedding, kept as they are
};

/// What a snapshot is to fit.
struct SnapshotTarget {
  const std::shared_ptr<const isa::Program>& program;
  const isa::PathFacts* facts;  // nullptr: Verify did not accept the program
  const isa::Limits& limits;
  std::uint32_t max_pages;  // of its memory
};

/// The call frames of a checked snapshot, with what follows from their return addresses.
struct SnapshotFrames {
  std::vector<Frame> frames;      // (depth,)
  std::uint32_t locals_base = 0;  // of the innermost
};

/// The blocks of the array at `start` that are not all zero, in order; those that equal the block
/// of `previous` with the same index are shared with it. Cost O(bytes in use).
std::vector<SnapshotBlock> TakeBlocks(const void* start, std::size_t size,
                                      std::span<const SnapshotBlock> previous);

/// The live cells of a state. Blocks that equal those of `previous` (may be null), an earlier
/// snapshot of the same instance, are shared with it. program, limits, running, has_digest and host
/// are the caller's to fill in. Cost O(cells in use); memory that was never written is not looked
/// at.
Snapshot TakeState(const State& state, const isa::Limits& limits, const Snapshot* previous);

/// Whether `snapshot` is a state that a run of the target's program could be in. Errors: kInvalid
/// when it is of another program, kLimit when it exceeds the target's limits, else kCorrupt; each
/// names the thing, the value and what was expected. Cost O(frames * log functions + blocks), and a
/// ProgramHash when it came from a file.
isa::Result<SnapshotFrames> CheckSnapshot(const Snapshot& snapshot, const SnapshotTarget& target);

/// Makes `state` what the snapshot says. REQUIRES: CheckSnapshot gave `frames` for a target with
/// the limits of `state`.
void StoreSnapshot(const Snapshot& snapshot, const SnapshotFrames& frames, State& state);

/// Copies every live cell of `from` to `to`, which ReserveState made for the same program and
/// limits. Cost as TakeState.
void CopyState(const State& from, const isa::Limits& limits, State& to);

/// Tokens a weights-only engine makes of the snapshot and its program before its first pass.
std::uint64_t SnapshotTokens(const Snapshot& snapshot, const isa::Program& program);

}  // namespace txvm::vm
