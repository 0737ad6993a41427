// What a run may use. All are options of every engine; equality between engines is claimed under
// equal limits.
#pragma once

#include <cstdint>
#include <limits>

namespace txvm::isa {

inline constexpr std::uint32_t kPageBytes = 65'536;            // a WebAssembly page
inline constexpr std::uint32_t kMaxPages = 65'536;             // 4 GiB, the whole 32-bit space
inline constexpr std::uint32_t kMaxInstructions = 0x7FFFFFFF;  // bit 31 of a CALL marks an import
inline constexpr std::uint32_t kHostCallBit = 0x80000000;
inline constexpr std::uint32_t kMaxAux = (1u << 24) - 1;  // aux is a 24-bit field
inline constexpr std::uint64_t kUnlimitedFuel = std::numeric_limits<std::uint64_t>::max();

/// Sizes a run may reach. Stacks are reserved, not committed, so large values cost address space
/// only.
struct Limits {
  std::uint32_t max_slots = 1'048'576;   // operand stack slots
  std::uint32_t max_depth = 200'000;     // call frames
  std::uint32_t max_locals = 4'194'304;  // slots of the locals space, globals included
  std::uint32_t max_pages = kMaxPages;   // memory pages, whatever the program declares
};

}  // namespace txvm::isa
