// Files written from front to back.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "isa/support/result.h"

namespace txvm::isa {

/// A file that takes its name when it is whole and on the disk; destroyed before that, it leaves
/// nothing. What a link points to is replaced, not the link; devices and pipes are written to as
/// they are.
class OutputFile {
 public:
  explicit OutputFile(std::string path) : path_(std::move(path)) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::file_status status = fs::status(path_, error);
    const bool is_there = fs::exists(status);
    if (is_there && !fs::is_regular_file(status)) {
      file_ = std::fopen(path_.c_str(), "wb");
    } else {
      target_ = is_there ? fs::canonical(path_, error).string() : path_;
      OpenTemporary();
    }
    if (file_ == nullptr) {
      error_ = errno;
      temporary_.clear();
    }
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() {
    if (file_ != nullptr) std::fclose(file_);
    RemoveTemporary();
  }

  /// Appends; a failure is reported by Finish.
  void Write(const void* bytes, std::size_t size) {
    if (error_ == 0 && std::fwrite(bytes, 1, size, file_) != size) error_ = errno;
    size_ += size;
  }
  void Write(std::string_view text) { Write(text.data(), text.size()); }
  /// Zeros up to a multiple of `alignment`.
  void PadTo(std::size_t alignment) {
    const std::string zeros((alignment - size_ % alignment) % alignment, '\0');
    Write(zeros);
  }
  /// Brings all that was written to the disk, under no name of its own yet; 0, or the system's
  /// reason.
  int Close() {
    if (file_ != nullptr) {
      // Before the name: a file system may keep names in order and contents not.
      if (error_ == 0 && (std::fflush(file_) != 0 || !Flush(fileno(file_)))) error_ = errno;
      const int closed = std::fclose(file_);
      if (closed != 0 && error_ == 0) error_ = errno;
      file_ = nullptr;
    }
    return error_;
  }
  /// Puts the file in its place; 0, or the system's reason.
  int Place() {
    if (Close() != 0 || temporary_.empty()) return error_;
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
      error_ = errno;
    } else {
      temporary_.clear();
      FlushFolder();
    }
    return error_;
  }
  /// The same. kHost names the file and the reason.
  Result<void> Finish() {
    if (Place() == 0) return {};
    return Fail(ErrorCode::kHost,
                fmt::format("cannot write '{}': {}", path_, std::strerror(error_)));
  }

 private:
  /// Opens a file under a name that no file has. A killed process leaves its file under a name
  /// with its number, and numbers repeat in containers. We leave such a file alone: its writer may
  /// still run in another container.
  void OpenTemporary() {
    for (unsigned taken = 0; file_ == nullptr && (taken == 0 || errno == EEXIST); ++taken) {
      const std::string number = taken == 0 ? "" : fmt::format(".{}", taken);
      temporary_ = fmt::format("{}.{}{}.part", target_, ::getpid(), number);
      file_ = std::fopen(temporary_.c_str(), "wbx");  // nobody else's file, nor a link
    }
  }
  void RemoveTemporary() const {
    if (!temporary_.empty()) std::remove(temporary_.c_str());
  }
  /// Pipes and devices have nothing to flush (EINVAL).
  static bool Flush(int file) { return ::fsync(file) == 0 || errno == EINVAL; }
  /// A failure here means that the new name may not survive a power cut; the contents do.
  void FlushFolder() const {
    const std::size_t slash = target_.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : target_.substr(0, slash + 1);
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
  }

  std::string path_, target_, temporary_;  // the last two are empty for a device
  std::FILE* file_ = nullptr;
  int error_ = 0;
  std::size_t size_ = 0;
};

/// Finishes files that belong together: none takes its name before all are whole and on the disk.
/// kHost names the first that is not.
inline Result<void> FinishAll(std::deque<OutputFile>& files) {
  const auto broken =
      std::ranges::find_if(files, [](OutputFile& file) { return file.Close() != 0; });
  if (broken != files.end()) return broken->Finish();
  for (OutputFile& file : files) TXVM_CHECK_OK(file.Finish());
  return {};
}

}  // namespace txvm::isa
