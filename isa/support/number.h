// Numbers as people write them on a command line.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/support/result.h"

namespace txvm::isa {

/// A count with an optional decimal suffix: "250", "10k", "10M", "2G" (k = 1,000), digits may be
/// grouped with '_'. `what` names it in the error. kUsage when malformed or above `limit`.
Result<std::uint64_t> ParseCount(std::string_view what, std::string_view text, std::uint64_t limit);

/// A duration in seconds: "2", "0.5", "500ms", "2s", "5m". kUsage when malformed, not positive or
/// above 10^6 seconds.
Result<double> ParseSeconds(std::string_view what, std::string_view text);

/// An i32 argument: decimal -2147483648..4294967295 or hex 0x0..0xffffffff with an optional sign.
/// kUsage otherwise, naming the argument's position (from 1).
Result<std::uint32_t> ParseWord(std::size_t position, std::string_view text);

}  // namespace txvm::isa
