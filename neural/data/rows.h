// Tables of text without pointers: their rows one behind another, each of their fields ended by a
// 0. Tens of thousands of pointers would be relocated whenever txvm starts, a third of a trivial
// program's time.
#pragma once

#include <string_view>

namespace txvm::neural::data {

/// Takes the first field off the rows; REQUIRES: there is one.
inline std::string_view TakeField(std::string_view& rows) {
  const std::string_view field = rows.substr(0, rows.find('\0'));
  rows.remove_prefix(field.size() + 1);
  return field;
}

}  // namespace txvm::neural::data
