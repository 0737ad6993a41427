// Snapshot files (.txs): a Snapshot as bytes. docs/SNAPSHOTS.md describes the layout.
// Goals: equal snapshots of equal programs are equal files, whichever engine ran; no input can make
// the reader crash or allocate more than a small multiple of the file's size.
// Non-goals: checking the state against the program (CheckSnapshot does, when it is restored),
// compression, secrecy, proof of origin.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vm/snapshot.h"

namespace txvm::vm {

inline constexpr std::uint32_t kSnapshotFileVersion = 1;

/// SHA-256 of what a program does, 64 lower-case hex digits: of its program file without source
/// name, function names, lines and trap notes. O(size of the program).
std::string ProgramHash(const isa::Program& program);

/// Whether the bytes begin like a snapshot file of any version.
bool IsSnapshotFile(std::span<const std::uint8_t> bytes);

/// The file of a snapshot that TakeState or ReadSnapshot made. Deterministic. O(size of both the
/// snapshot and its program).
std::vector<std::uint8_t> WriteSnapshot(const Snapshot& snapshot);

/// The snapshot of a file. Errors: kUnsupported for a newer version, kCorrupt for everything else,
/// naming what is wrong and where. Allocates at most 16 bytes per byte of the file. O(bytes).
isa::Result<Snapshot> ReadSnapshot(std::span<const std::uint8_t> bytes);

inline constexpr std::size_t kSnapshotHeaderBytes = 128;
inline constexpr std::size_t kSnapshotChecksumAt = 24;  // offset of the checksum, 8 bytes

}  // namespace txvm::vm
