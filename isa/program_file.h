// Program files (.txp): a Program as bytes. docs/PROGRAM-FILE.md describes the layout.
// Goals: one encoding per program, so that equal programs are equal files; no input can make the
// reader crash or allocate more than a small multiple of the file's size.
// Non-goals: checking the code (Verify does), compression, reading newer versions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/program.h"

namespace txvm::isa {

inline constexpr std::uint32_t kProgramFileVersion = 3;  // the newest; the oldest is 1

/// Whether the bytes begin like a program file of any version.
bool IsProgramFile(std::span<const std::uint8_t> bytes);

/// The file of any Program, verified or not, of the oldest version that can hold it. Errors: kLimit
/// when a table or a text has more than 2^32-1 entries. Deterministic. O(size of the program).
Result<std::vector<std::uint8_t>> WriteProgram(const Program& program);

/// The program of a file that WriteProgram wrote; whether its code may run is Verify's to say.
/// Errors: kUnsupported for a newer version, kCorrupt for everything else, naming what is wrong and
/// where. Allocates at most 8 bytes per byte of the file. O(bytes).
Result<Program> ReadProgram(std::span<const std::uint8_t> bytes);

/// The checksum that the bytes of a program file must carry: of every byte but the checksum itself.
/// It differs for any two files of the same length that differ in one aligned 8-byte word.
/// REQUIRES: at least a header's kProgramHeaderBytes.
std::uint64_t ProgramChecksum(std::span<const std::uint8_t> bytes);

inline constexpr std::size_t kProgramHeaderBytes = 32;
inline constexpr std::size_t kProgramChecksumAt = 24;  // offset of the checksum, 8 bytes

}  // namespace txvm::isa
