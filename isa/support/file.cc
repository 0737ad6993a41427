// Whole files in and out.
#include "isa/support/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace txvm::isa {
namespace {

constexpr std::size_t kChunkBytes = 1u << 16;

struct CloseUnlessStandard {
  void operator()(std::FILE* file) const {
    if (file != stdin && file != stdout) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseUnlessStandard>;

}  // namespace

std::unexpected<Error> FailIo(ErrorCode code, const char* what, const std::string& path,
                              int reason) {
  return std::unexpected<Error>(Error{code,
                                      fmt::format("cannot {}: {}", what, std::strerror(reason)),
                                      {DisplayName(path), 0, 0},
                                      {}});
}

std::string DisplayName(const std::string& path) { return path == "-" ? "<stdin>" : path; }

std::unexpected<Error> InFile(Error error, const std::string& path) {
  if (error.place.file.empty()) error.place.file = DisplayName(path);
  return std::unexpected(std::move(error));
}

Result<std::string> ReadFile(const std::string& path, std::size_t most) {
  const File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return FailIo(ErrorCode::kIo, "read", path, errno);
  std::string bytes;
  std::size_t count = 0;
  do {
    const std::size_t used = bytes.size();
    bytes.resize(used + kChunkBytes);
    errno = 0;
    count = std::fread(bytes.data() + used, 1, kChunkBytes, file.get());
    bytes.resize(used + count);
    if (bytes.size() > most) {
      return std::unexpected<Error>(
          Error{ErrorCode::kLimit,
                fmt::format("file is larger than the limit of {} bytes", most),
                {DisplayName(path), 0, 0},
                {}});
    }
  } while (count == kChunkBytes);  // a terminal's end is asked for once
  if (std::ferror(file.get()) != 0) return FailIo(ErrorCode::kIo, "read", path, errno);
  return bytes;
}

Result<LineLog> LineLog::Open(const std::string& path) {
  LineLog log;
  log.path_ = path;
  if (path.empty()) return log;
  log.file_.reset(std::fopen(path.c_str(), "a"));
  if (log.file_ == nullptr) return FailIo(ErrorCode::kHost, "write", path, errno);
  return log;
}

bool LineLog::Add(std::string_view line) {
  if (file_ == nullptr) return true;
  failed_ = failed_ || std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() ||
            std::fputc('\n', file_.get()) == EOF || std::fflush(file_.get()) != 0;
  return !failed_;
}

Result<void> LineLog::Check() const {
  if (!failed_) return {};
  return Fail(ErrorCode::kHost, fmt::format("cannot write {}: it takes no more", path_));
}

Result<void> WriteFile(const std::string& path, std::string_view bytes) {
  if (path == "-") {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) {
      return FailIo(ErrorCode::kHost, "write", "<stdout>", errno);
    }
    return {};
  }
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return FailIo(ErrorCode::kHost, "write", path, errno);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  const int reason = errno;
  if (std::fclose(file.release()) != 0 || !written) {
    return FailIo(ErrorCode::kHost, "write", path, written ? errno : reason);
  }
  return {};
}

}  // namespace txvm::isa
