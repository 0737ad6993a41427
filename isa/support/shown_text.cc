// Numbers and texts as people read them.
#include "isa/support/shown_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/text.h"

namespace txvm::isa {
namespace {

constexpr double kMillion = 1e6;

}  // namespace

std::string Grouped(std::uint64_t count) {
  constexpr std::size_t kGroup = 3;
  const std::string digits = fmt::format("{}", count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % kGroup == 0) text.push_back(',');
    text.push_back(digits[i]);
  }
  return text;
}

std::string Grouped(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}", Grouped(count), PluralText(count, what));
}

std::string SpeedText(std::uint64_t steps, double seconds) {
  if (seconds <= 0) return "-";
  return fmt::format("{:.1f} M steps/s", static_cast<double>(steps) / seconds / kMillion);
}

std::string TimeText(double seconds) {
  constexpr double kMillisecond = 1e-3;
  if (seconds < kMillisecond) return fmt::format("{:.1f} us", seconds * kMillion);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds / kMillisecond);
  return fmt::format("{:.3f} s", seconds);
}

std::string ShownText(const std::string& text) {
  constexpr std::size_t kMostBytes = 1'000;
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  const bool is_plain = text.size() <= kMostBytes && std::ranges::none_of(text, is_control);
  return is_plain ? text : Printable(text, kMostBytes);
}

}  // namespace txvm::isa
