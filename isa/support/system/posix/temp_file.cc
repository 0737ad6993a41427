// Declared in isa/support/system/temp_file.h.
#include "isa/support/system/temp_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "isa/support/file.h"

namespace txvm::isa {

Result<TempFile> TempFile::Create(std::string_view bytes, std::string_view extension) {
  const char* folder = std::getenv("TMPDIR");
  TempFile file;
  std::string path = fmt::format("{}/txvm-XXXXXX{}",
                                 folder == nullptr || *folder == '\0' ? "/tmp" : folder, extension);
  const int descriptor = mkstemps(path.data(), static_cast<int>(extension.size()));
  if (descriptor < 0) {
    return Fail(ErrorCode::kHost,
                fmt::format("cannot create a temporary file: {}", std::strerror(errno)));
  }
  close(descriptor);
  file.path_ = std::move(path);
  TXVM_CHECK_OK(WriteFile(file.path_, bytes));
  return file;
}

TempFile::~TempFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

TempFile::TempFile(TempFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempFile& TempFile::operator=(TempFile&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

}  // namespace txvm::isa
