// Which locals a function must zero, since CALL does not clear frames.
#pragma once

#include <cstdint>
#include <vector>

#include "asm/structured.h"

namespace txvm::assembler {

/// The locals from `first_local` on that some path from instruction `start` reads before it writes
/// them, ascending. A path that cannot be taken counts too; beyond kMaxFlowWork or kMaxFlowWords
/// the answer is every local that is read at all. Only locals of the frame count, not globals.
std::vector<std::uint32_t> UnwrittenReads(const FunctionCode& function, std::uint32_t start,
                                          std::uint32_t first_local);

/// Inserts `PUSH 0; LOCAL.SET i` after the `params` instructions that pop the arguments, for every
/// local that may be read before it is written.
void ZeroUnwrittenLocals(FunctionCode& function, std::uint32_t params);

inline constexpr std::uint64_t kMaxFlowWork = 1u << 24;   // instructions and words: some 10 ms
inline constexpr std::uint64_t kMaxFlowWords = 1u << 20;  // of bit sets: 8 MiB

}  // namespace txvm::assembler
