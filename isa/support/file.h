// Whole files in and out.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "isa/support/result.h"

namespace txvm::isa {

inline constexpr std::size_t kMaxFileBytes = 256u << 20;  // far above any program, far below memory

/// The bytes of a regular file or pipe; "-" is standard input. kIo names the file and the system's
/// reason; kLimit above `most` bytes.
Result<std::string> ReadFile(const std::string& path, std::size_t most = kMaxFileBytes);

/// The source text that the program in `program_path` names. A program is not trusted, so only a
/// regular file with the ending of a source is opened. kIo: any other file, none of that name, or
/// one that is newer than the program and may have changed since.
Result<std::string> ReadSource(const std::string& path, const std::string& program_path);

/// Replaces the file's contents; "-" is standard output. kHost names the file and the reason.
Result<void> WriteFile(const std::string& path, std::string_view bytes);

/// The same, but a regular file is replaced whole or not at all, and so is a file that does not
/// exist yet. A link stays; the file it points to is replaced.
Result<void> ReplaceFile(const std::string& path, std::string_view bytes);

/// Appends lines to a file; to none when the path is empty.
class LineLog {
 public:
  /// kHost names the file and the reason.
  static Result<LineLog> Open(const std::string& path);

  /// Appends a line and flushes it. False when that failed; every later call then fails too.
  bool Add(std::string_view line);
  /// kHost when a line could not be added.
  Result<void> Check() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;  // null: no path
  bool failed_ = false;
};

/// The name a program is known by: the path, or "<stdin>".
std::string DisplayName(const std::string& path);

/// "cannot read: No such file or directory", about `path`: `what` is the verb, `reason` an errno.
std::unexpected<Error> FailIo(ErrorCode code, const char* what, const std::string& path,
                              int reason);

/// The error with `path` as its file, unless it already names one.
std::unexpected<Error> InFile(Error error, const std::string& path);

}  // namespace txvm::isa
