// Address space that costs nothing until it is touched.
#pragma once

#include <cstddef>
#include <cstdint>

namespace txvm::isa {

/// Who takes all the address space that is left leaves one part in so many: on a machine of 32 bits
/// the next one wants as much.
#ifdef __wasi__
inline constexpr std::uint64_t kSpareShare = 1;
#else
inline constexpr std::uint64_t kSpareShare = 8;
#endif

/// Reserves `bytes` that read zero and are committed when first touched; 64-byte aligned or
/// better. nullptr when the system refuses.
void* ReserveAddressSpace(std::uint64_t bytes);

/// Gives a reservation back. `written`: its bytes from there on are still zero.
/// REQUIRES: `start` and `bytes` are those of one reservation, written <= bytes.
void ReleaseAddressSpace(void* start, std::uint64_t bytes, std::uint64_t written);

}  // namespace txvm::isa
