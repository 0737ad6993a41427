#include "tests/frontends/wasm/text_error.h"

#include <utility>

#include "isa/support/text.h"

namespace txvm::frontends::wat {

isa::Error TextError(isa::ErrorCode code, std::string message, std::string_view text,
                     std::string_view file, int line, int column) {
  isa::Error error{code, std::move(message), {std::string(file), 0, 0}, {}};
  if (line < 1) return error;
  error.place.line = static_cast<std::uint32_t>(line);
  error.place.column = column < 1 ? 0 : static_cast<std::uint32_t>(column);
  error.source_line = isa::ShownLine(text, error.place.line);
  return error;
}

}  // namespace txvm::frontends::wat
