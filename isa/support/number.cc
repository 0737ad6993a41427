// Numbers as people write them on a command line.
#include "isa/support/number.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string>
#include <system_error>

namespace txvm::isa {
namespace {

constexpr double kLongestSeconds = 1e6;  // 11 days; a longer timeout is no timeout
constexpr int kDecimal = 10;
constexpr int kHex = 16;

std::uint64_t SuffixFactor(char suffix) {
  switch (suffix) {
    case 'k':
    case 'K':
      return 1'000;
    case 'M':
      return 1'000'000;
    case 'G':
      return 1'000'000'000;
    default:
      return 0;
  }
}

/// Reads a number that is all of `digits`: invalid_argument when it is none, result_out_of_range
/// when 64 bits do not hold it.
std::errc ParseAll(std::string_view digits, std::uint64_t& value, int base) {
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  return stop == end && !digits.empty() ? error : std::errc::invalid_argument;
}

}  // namespace

Result<std::uint64_t> ParseCount(std::string_view what, std::string_view text,
                                 std::uint64_t limit) {
  std::string digits;
  for (const char c : text) {
    if (c != '_') digits.push_back(c);
  }
  std::uint64_t factor = 1;
  if (!digits.empty() && SuffixFactor(digits.back()) != 0) {
    factor = SuffixFactor(digits.back());
    digits.pop_back();
  }
  std::uint64_t value = 0;
  const std::errc error = ParseAll(digits, value, kDecimal);
  if (error == std::errc::invalid_argument) {
    return Fail(ErrorCode::kUsage,
                fmt::format("{} wants a count such as 250, 10k, 10M or 2G, not '{}'", what, text));
  }
  if (error == std::errc::result_out_of_range || value > limit / factor) {
    return Fail(ErrorCode::kUsage,
                fmt::format("{} {} is above the limit of {}", what, text, limit));
  }
  return value * factor;
}

Result<double> ParseSeconds(std::string_view what, std::string_view text) {
  std::string_view digits = text;
  double factor = 1;
  if (digits.ends_with("ms")) {
    factor = 1e-3;
    digits.remove_suffix(2);
  } else if (digits.ends_with("s")) {
    digits.remove_suffix(1);
  } else if (digits.ends_with("m")) {
    factor = 60;
    digits.remove_suffix(1);
  }
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || stop != end || !(value * factor > 0)) {
    return Fail(
        ErrorCode::kUsage,
        fmt::format("{} wants a duration above 0, such as 500ms, 2s or 5m, not '{}'", what, text));
  }
  if (value * factor > kLongestSeconds) {
    return Fail(ErrorCode::kUsage, fmt::format("{} {} is above the limit of {} seconds", what, text,
                                               static_cast<std::int64_t>(kLongestSeconds)));
  }
  return value * factor;
}

Result<std::uint32_t> ParseWord(std::size_t position, std::string_view text) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (hex) digits.remove_prefix(2);
  std::uint64_t magnitude = 0;
  constexpr std::uint64_t kMostBelowZero = std::uint64_t{1} << 31;
  const std::uint64_t limit = negative ? kMostBelowZero : std::numeric_limits<std::uint32_t>::max();
  if (digits.starts_with('-') ||
      ParseAll(digits, magnitude, hex ? kHex : kDecimal) != std::errc() || magnitude > limit) {
    return Fail(ErrorCode::kUsage,
                fmt::format("argument {} '{}' is not an i32 (-2147483648..4294967295, or hex "
                            "0x0..0xffffffff)",
                            position, text));
  }
  const auto word = static_cast<std::uint32_t>(magnitude);
  return negative ? 0u - word : word;
}

}  // namespace txvm::isa
