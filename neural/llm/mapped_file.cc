#include "neural/llm/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "isa/support/output_file.h"

namespace txvm::neural::llm {
namespace {

using isa::ErrorCode;
using isa::Fail;

std::unexpected<isa::Error> CannotRead(const std::string& path, int error) {
  return Fail(ErrorCode::kIo, fmt::format("cannot read '{}': {}", path, std::strerror(error)));
}

}  // namespace

isa::Result<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return CannotRead(path, errno);
  struct stat status = {};
  if (fstat(file, &status) != 0) {
    const int error = errno;
    close(file);
    return CannotRead(path, error);
  }
  if (!S_ISREG(status.st_mode)) {
    close(file);
    return Fail(ErrorCode::kIo, fmt::format("cannot read '{}': not a regular file", path));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* at = size == 0 ? nullptr : mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  const int error = errno;
  close(file);
  if (at == MAP_FAILED) return CannotRead(path, error);
  return std::shared_ptr<const MappedFile>(
      new MappedFile({static_cast<const std::uint8_t*>(at), size}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

isa::Result<std::string> ReadText(const std::string& path, std::size_t most) {
  TXVM_TRY(const auto file, MappedFile::Open(path));
  if (file->bytes().size() > most) {
    return Fail(ErrorCode::kLimit, fmt::format("'{}' has {} bytes, at most {} are read", path,
                                               file->bytes().size(), most));
  }
  return std::string(file->bytes().begin(), file->bytes().end());
}

isa::Error In(const std::string& path, isa::Error error) {
  // Also where it names a file of the folder that `path` is.
  const std::string quoted = "'" + path;
  const bool named = error.message.contains(quoted + "'") ||
                     error.message.contains(path.ends_with('/') ? quoted : quoted + "/");
  if (!named) {
    error.message = fmt::format("'{}': {}", path, error.message);
  }
  return error;
}

isa::Result<void> WriteWhole(const std::string& path, std::string_view bytes) {
  isa::OutputFile file(path);
  file.Write(bytes);
  return file.Finish();
}

isa::Result<void> MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && ::access(path.c_str(), W_OK | X_OK) != 0)
    error.assign(errno, std::generic_category());
  if (!error) return {};
  return Fail(ErrorCode::kHost,
              fmt::format("cannot write to the folder '{}': {}", path, error.message()));
}

}  // namespace txvm::neural::llm
