// Whole files in and out.
#include "isa/support/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "isa/support/output_file.h"

namespace txvm::isa {
namespace {

namespace fs = std::filesystem;

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

Result<std::string> ReadSource(const std::string& path, const std::string& program_path) {
  constexpr std::string_view kEndings[] = {".wat", ".txa", ".c",   ".cc",  ".cpp",
                                           ".cxx", ".h",   ".tir", ".tasm"};
  constexpr std::size_t kMost = std::size_t{64} << 20;
  const bool is_source = std::ranges::any_of(
      kEndings, [&](std::string_view ending) { return path.ends_with(ending); });
  std::error_code error;
  if (!is_source || !fs::is_regular_file(path, error)) {
    return Fail(ErrorCode::kIo, fmt::format("'{}' is no source text", path));
  }
  std::error_code no_program;
  const auto made = fs::last_write_time(program_path, no_program);
  if (no_program || fs::last_write_time(path, error) > made || error) {
    return Fail(ErrorCode::kIo, fmt::format("'{}' is newer than its program", path));
  }
  return ReadFile(path, kMost);
}

Result<LineLog> LineLog::Open(const std::string& path) {
  LineLog log;
  log.path_ = path;
  if (path.empty()) return log;
  log.file_.open(path, std::ios::app);
  if (!log.file_) return FailIo(ErrorCode::kHost, "write", path, errno);
  return log;
}

bool LineLog::Add(std::string_view line) {
  return path_.empty() || (file_ << line << '\n' << std::flush);
}

Result<void> LineLog::Check() const {
  if (file_) return {};
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

Result<void> ReplaceFile(const std::string& path, std::string_view bytes) {
  if (path == "-") return WriteFile(path, bytes);
  OutputFile file(path);
  file.Write(bytes);
  if (const int reason = file.Place(); reason != 0) {
    return FailIo(ErrorCode::kHost, "write", path, reason);
  }
  return {};
}

}  // namespace txvm::isa
