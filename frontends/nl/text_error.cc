#include "frontends/nl/text_error.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace txvm::frontends::nl {

isa::Error ErrorAt(std::string_view text, std::size_t at, std::string_view file,
                   isa::ErrorCode code, std::string message) {
  constexpr std::size_t kMostLine = 200;  // bytes; a longer line is not shown
  const std::string_view before = text.substr(0, at);
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  std::string_view line = text.substr(begin, text.find('\n', at) - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  isa::Error error{code, std::move(message), {}, {}};
  error.place = {std::string(file),
                 static_cast<std::uint32_t>(1 + std::ranges::count(before, '\n')),
                 static_cast<std::uint32_t>(at - begin + 1)};
  if (line.size() <= kMostLine) error.source_line = line;
  return error;
}

}  // namespace txvm::frontends::nl
