// The trace: one record per step, and a 64-bit digest of all of them.
#pragma once

#include <cstdint>
#include <string>

#include "isa/program.h"

namespace txvm::isa {

/// What one step did. step counts from 1; ip is the executed instruction; sp and top are those
/// after it (top = 0 when sp = 0). A trapping instruction's record shows sp and top before it.
struct TraceRecord {
  std::uint64_t step = 0;
  std::uint32_t ip = 0;
  Instruction instruction;
  std::uint32_t sp = 0;
  std::uint32_t top = 0;
  friend bool operator==(const TraceRecord&, const TraceRecord&) = default;
};

inline constexpr std::uint64_t kDigestSeed = 0x6A09E667F3BCC908;

/// Digest after one more record: d' = f(d, op, aux, ip, arg, sp, top), as ISA.md defines it. The
/// step number is implied by the order, so any cut of a run continues the digest of the whole.
constexpr std::uint64_t ExtendDigest(std::uint64_t digest, std::uint32_t ip,
                                     Instruction instruction, std::uint32_t sp, std::uint32_t top) {
  const std::uint64_t w0 = instruction.head | static_cast<std::uint64_t>(ip) << 32;
  const std::uint64_t w1 = instruction.arg | static_cast<std::uint64_t>(sp) << 32;
  const std::uint64_t x =
      digest + w0 * 0x9E3779B97F4A7C15u + w1 * 0xC2B2AE3D27D4EB4Fu + top * 0x165667B19E3779F9u;
  return (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
}

/// The digest as 16 lower-case hex digits.
std::string DigestText(std::uint64_t digest);

}  // namespace txvm::isa
