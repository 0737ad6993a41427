// What a token is: a record of small integers. The model reads records and produces records.
//
// A state token carries the machine's registers; a memory token carries one thing that can be read:
// an instruction, a slot, a byte, a call frame. Words are four bytes, lowest first, so that every
// field is 0..255 but the square of a key.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/limits.h"
#include "isa/program.h"
#include "weights/heads.h"

namespace txvm::weights {

inline constexpr std::size_t kWordBytes = 4;

/// First field of each register in a state record. Words take kWordBytes fields.
namespace state_field {
inline constexpr std::size_t kIp = 0;
inline constexpr std::size_t kSp = 4;
inline constexpr std::size_t kDepth = 8;
inline constexpr std::size_t kBase = 12;       // locals_base
inline constexpr std::size_t kTop = 16;        // 0 when sp = 0
inline constexpr std::size_t kPages = 20;      // 3 fields: memory size in pages, 0..65,536
inline constexpr std::size_t kMaxSlots = 23;   // limit
inline constexpr std::size_t kMaxDepth = 27;   // limit
inline constexpr std::size_t kMaxBase = 31;    // limit: max_locals minus the largest frame
inline constexpr std::size_t kMaxLocals = 35;  // limit
inline constexpr std::size_t kGlobals = 39;    // how many the program has
inline constexpr std::size_t kImports = 43;    // how many the program has
inline constexpr std::size_t kMicro = 47;      // 1 field: 0, or the micro-step of a division, 1..33
inline constexpr std::size_t kQuotient = 48;   // division: dividend, then quotient
inline constexpr std::size_t kRemainder = 52;  // division
inline constexpr std::size_t kDivisor = 56;    // division
inline constexpr std::size_t kCarried = 60;    // the fields before are what the next pass reads
inline constexpr std::size_t kOp = 60;         // the executed instruction, to print
inline constexpr std::size_t kAux = 61;        // 3 fields
inline constexpr std::size_t kArg = 64;
inline constexpr std::size_t kStopped = 68;  // 1: halted or trapped
inline constexpr std::size_t kCause = 69;    // trap cause, 0 when halted
inline constexpr std::size_t kHost = 70;     // 1: the import named by arg is to be called
inline constexpr std::size_t kCounted =
    71;  // 1: this pass ended a step; 0: micro-step, or no instruction
inline constexpr std::size_t kCount = 72;
}  // namespace state_field

/// Fields of a memory record.
namespace memory_field {
inline constexpr std::size_t kSpace = 0;   // kSpaceCount flags, one of them 1
inline constexpr std::size_t kKey = 5;     // 4 digits of the address
inline constexpr std::size_t kSquare = 9;  // sum of the squares of the digits, <= 260,100
inline constexpr std::size_t kValue = 10;  // 8 bytes: op aux aux aux arg..., word, byte, or ip base
inline constexpr std::size_t kValues = 8;
inline constexpr std::size_t kCount = 18;
}  // namespace memory_field

inline constexpr std::size_t kWriteTokens = 4;  // at most, per pass

using StateRecord = std::array<std::int32_t, state_field::kCount>;
using MemoryRecord = std::array<std::int32_t, memory_field::kCount>;

/// The word whose lowest byte is fields[0].
std::uint32_t WordAt(std::span<const std::int32_t> fields);
/// Writes the four bytes of `word` to fields[0..3].
void SetWord(std::span<std::int32_t> fields, std::uint32_t word);

/// A memory record of `space` at `address`. values: up to kValues bytes; the rest are 0.
MemoryRecord MakeMemory(Space space, std::uint32_t address, std::span<const std::uint8_t> values);
/// A stack or locals record: the word in a slot.
MemoryRecord MakeCell(Space space, std::uint32_t slot, std::uint32_t value);
MemoryRecord MakeByte(std::uint32_t address, std::uint8_t value);
MemoryRecord MakeCode(std::uint32_t ip, isa::Instruction instruction);

/// True for a record without a space: what a pass emits for a write it does not make.
bool IsEmpty(const MemoryRecord& record);
/// The space of a record that is not empty.
Space SpaceOf(const MemoryRecord& record);

/// A program as the model sees it: the tokens of its code, globals and data. Zero globals and zero
/// bytes get no token: an address never written reads 0.
std::vector<MemoryRecord> Tokenise(const isa::Program& program);

/// How many tokens Tokenise makes at most: every data byte counted. O(segments).
std::size_t PrefixTokens(const isa::Program& program);

/// The first state of a run from the stub `start`. `args` (first deepest) must be appended as stack
/// tokens too: ArgumentTokens. REQUIRES: LargestFrame(program) <= limits.max_locals.
StateRecord InitialState(const isa::Program& program, const isa::Limits& limits,
                         std::uint32_t start, std::span<const std::uint32_t> args,
                         std::uint32_t pages);
std::vector<MemoryRecord> ArgumentTokens(std::span<const std::uint32_t> args);

}  // namespace txvm::weights
