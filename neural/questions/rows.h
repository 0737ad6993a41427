// Tables of text without pointers: their rows one behind another, each of their fields ended by a
// 0. Tens of thousands of pointers would be relocated whenever txvm starts, a third of a trivial
// program's time.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

// A table is longer than what the standard asks of compilers.
#ifdef __clang__
#pragma clang diagnostic ignored "-Woverlength-strings"
#endif

namespace txvm::neural::questions {

/// Takes the first field off the rows; REQUIRES: there is one.
inline std::string_view TakeField(std::string_view& rows) {
  const std::string_view field = rows.substr(0, rows.find('\0'));
  rows.remove_prefix(field.size() + 1);
  return field;
}

/// All rows of a table, of so many fields each. REQUIRES: every row has as many.
template <std::size_t kFields, std::size_t kSize>
std::vector<std::array<std::string_view, kFields>> ReadRows(const char (&table)[kSize]) {
  std::vector<std::array<std::string_view, kFields>> read;
  for (std::string_view rows(table, kSize - 1); !rows.empty();) {
    for (std::string_view& field : read.emplace_back()) field = TakeField(rows);
  }
  return read;
}

}  // namespace txvm::neural::questions
