#include "neural/triton/field/field_text.h"

#include <fmt/format.h>

#include <charconv>

#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
namespace {

namespace gl = vm::goldilocks;

// Takes an optional sign off the front; true for '-'.
bool TakeSign(std::string_view& text) {
  if (text.empty() || (text.front() != '-' && text.front() != '+')) return false;
  const bool is_minus = text.front() == '-';
  text.remove_prefix(1);
  return is_minus;
}

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::optional<std::uint64_t> ParseElement(std::string_view text) {
  const bool is_negative = TakeSign(text);
  if (!IsDigits(text)) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value >= gl::kPrime) return std::nullopt;
  return is_negative ? gl::Neg(value) : value;
}

bool IsInt128(std::string_view text) {
  const bool is_negative = TakeSign(text);
  if (!IsDigits(text)) return false;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  // 2^127 = 170141183460469231731687303715884105728; equal lengths compare as texts.
  constexpr std::string_view kTwoTo127 = "170141183460469231731687303715884105728";
  if (text.size() != kTwoTo127.size()) return text.size() < kTwoTo127.size();
  return is_negative ? text <= kTwoTo127 : text < kTwoTo127;
}

std::string ElementText(std::uint64_t element) {
  return element > gl::kHalf ? fmt::format("-{}", gl::Neg(element)) : fmt::format("{}", element);
}

}  // namespace txvm::triton
