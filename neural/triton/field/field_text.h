// Field elements as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace txvm::triton {

/// The element of a decimal integer a, -p < a < p, with an optional sign; nullopt for anything
/// else.
std::optional<std::uint64_t> ParseElement(std::string_view text);

/// True for a decimal integer with an optional sign that fits a signed 128-bit integer.
bool IsInt128(std::string_view text);

/// The shorter of the element's decimal text and that of its negative: p-1 is "-1".
std::string ElementText(std::uint64_t element);

}  // namespace txvm::triton
