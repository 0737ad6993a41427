// Lines and columns of a text, and errors that show them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontends/wat/token_reader.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// Where the lines of a text begin.
class LineTable {
 public:
  /// Cost O(text).
  explicit LineTable(std::string_view text);

  /// The line of a byte, from 1. Cost O(log lines), O(1) for a byte of the line asked for last or of
  /// the one after it.
  std::uint32_t LineOf(std::uint32_t at) const;

 private:
  std::vector<std::uint32_t> starts_;
  mutable std::size_t last_ = 0;
};

/// The errors of a text, each with its line and caret.
std::vector<isa::Error> ErrorsOf(const std::vector<TextFault>& faults, std::string_view text,
                                 std::string_view file);

}  // namespace txvm::frontends::wat
