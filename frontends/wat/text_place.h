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

  /// The line of a byte, from 1. Cost O(log lines), O(1) for a byte of the line asked for last or
  /// of the one after it.
  std::uint32_t LineOf(std::uint32_t at) const {
    if (!Holds(last_, at)) last_ = Holds(last_ + 1, at) ? last_ + 1 : Find(at);
    return static_cast<std::uint32_t>(last_) + 1;
  }

 private:
  bool Holds(std::size_t line, std::uint32_t at) const {
    return line + 1 < starts_.size() && starts_[line] <= at && at < starts_[line + 1];
  }
  std::size_t Find(std::uint32_t at) const;

  // Of each line, and one that no text reaches.
  std::vector<std::uint32_t> starts_;
  mutable std::size_t last_ = 0;
};

/// The errors of a text, each with its line and caret.
std::vector<isa::Error> ErrorsOf(const std::vector<TextFault>& faults, std::string_view text,
                                 std::string_view file);

}  // namespace txvm::frontends::wat
