// Threaded code: what the fast loops of the native and the attention engine execute. One 16-byte
// row per instruction, the value row a fetch returns: the opcode as the address of its handler, the
// immediates beside it.
//
// FUEL    budget = fuel left + ip is unchanged by a step that goes to the next instruction, and
// changes by target - ip - 1 on
//         a jump, so exact fuel costs one add per jump taken. A forward jump never lowers it; so
//         while budget >= code size at every backward jump, call and return, fuel cannot end before
//         the next such point. Below it, the careful loop executes the remaining steps (at most the
//         code size) one by one.
// STOP    the same comparison notices an interrupt: the requester raises the floor. Straight-line
// code has a poll every
//         kPollDistance instructions, and a forward jump over such a row compares, too.
// LIMITS  Verify gives each function's tallest stack, so slots are checked at CALL, and only near a
// limit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/program.h"
#include "vm/memory/reservation.h"

namespace txvm::vm {

// Instructions between polls; two polls fit into the 1,024 steps that machine.h promises.
inline constexpr std::uint32_t kPollDistance = 512;
// Steps run checked before the fast loop is tried again.
inline constexpr std::uint64_t kCarefulSlice = 4'096;
// Keeps fuel + ip inside a signed word.
inline constexpr std::uint64_t kFuelSlice = std::uint64_t{1} << 62;

/// Handlers of a fast loop: the first 56 are the rows of opcodes.def, then these.
enum Handler : std::uint32_t {
  kFirstExtra = isa::kOpcodeCount + 1,
  kJzChecked = kFirstExtra,  // JZ back, or ahead over a poll: checks the budget
  kJnzChecked,
  kGlobalGet,  // LOCAL.* with aux 1
  kGlobalSet,
  kGlobalTee,
  kHostCall,      // CALL of an import
  kPoll,          // reads the interrupt flag, then goes on to the instruction's own handler
  kAbsent,        // no key reached the maximum: next tile, or no instruction
  kLocalGetCopy,  // LOCAL.GET and LOCAL.SET of the frame, kHandlerCopies of each
  kLocalSetCopy = kLocalGetCopy + 8,
  kHandlerCount = kLocalSetCopy + 8,
};

inline constexpr std::uint32_t kHandlerCopies = 8;
// Expands X(0) .. X(kHandlerCopies - 1).
#define TXVM_HANDLER_COPIES(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
static_assert(kHandlerCount == kLocalGetCopy + 2 * kHandlerCopies);

struct Row {
  const void* handler = nullptr;
  std::uint32_t arg = 0;
  std::uint32_t aux = 0;  // jumps: target - ip - 1; others: as in the instruction
};

struct Threaded {
  Reservation<Row> rows;                     // (code,)
  std::vector<const void*> polled_handlers;  // (code / kPollDistance + 1,) where a poll row goes on
};

/// Translates verified code. labels: (kHandlerCount,). kLimit when the system refuses the memory.
isa::Result<Threaded> Thread(const isa::Program& program, std::span<const void* const> labels);

/// How a fast loop ended. For kPolled, kHostCall and kCareful the instruction at ip is not executed
/// yet.
enum class Exit : std::uint8_t { kHalted, kTrapped, kHostCall, kPolled, kCareful };

}  // namespace txvm::vm
