// Declared in isa/support/file.h.
// The C++ library of wasm32-wasi has no file system.
#include <fmt/format.h>

#include "isa/support/file.h"

namespace txvm::isa {

Result<std::string> ReadSource(const std::string& path, const std::string&) {
  return Fail(ErrorCode::kIo, fmt::format("'{}' cannot be compared with its program here", path));
}

Result<void> ReplaceFile(const std::string& path, std::string_view bytes) {
  return WriteFile(path, bytes);
}

}  // namespace txvm::isa
