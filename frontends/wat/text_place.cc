#include "frontends/wat/text_place.h"

#include <algorithm>
#include <utility>

namespace txvm::frontends::wat {
namespace {

constexpr std::size_t kMaxShownLine = 160;  // longer source lines are not shown

std::string LineOf(std::string_view text, int line) {
  for (int at = 1; at < line; ++at) {
    const std::size_t newline = text.find('\n');
    if (newline == std::string_view::npos) return {};
    text.remove_prefix(newline + 1);
  }
  text = text.substr(0, std::min(text.find('\n'), text.size()));
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  if (text.size() > kMaxShownLine) return {};
  return std::string(text);
}

}  // namespace

isa::Error TextError(isa::ErrorCode code, std::string message, std::string_view text,
                     std::string_view file, int line, int column) {
  isa::Error error{code, std::move(message), {std::string(file), 0, 0}, {}};
  if (line < 1) return error;
  error.place.line = static_cast<std::uint32_t>(line);
  error.place.column = column < 1 ? 0 : static_cast<std::uint32_t>(column);
  error.source_line = LineOf(text, line);
  return error;
}

}  // namespace txvm::frontends::wat
