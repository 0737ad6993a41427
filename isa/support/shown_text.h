// Numbers and texts as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace txvm::isa {

/// "1,234,567".
std::string Grouped(std::uint64_t count);
/// "1 step", "1,234 steps": `what` as CountText takes it.
std::string Grouped(std::uint64_t count, std::string_view what);
/// Steps per second as "812.3 M steps/s"; "-" for no time.
std::string SpeedText(std::uint64_t steps, double seconds);
/// "12.3 us", "4.56 ms", "1.23 s".
std::string TimeText(double seconds);

/// A path or a note as it is, in any script. Where a terminal might obey some of it, or where it is
/// longer than people write, Printable changes it.
std::string ShownText(const std::string& text);

}  // namespace txvm::isa
