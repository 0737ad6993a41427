// Whole files in and out.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "isa/support/result.h"

namespace txvm::isa {

inline constexpr std::size_t kMaxFileBytes = 256u << 20;  // far above any program, far below memory

/// The bytes of a regular file or pipe; "-" is standard input. kIo names the file and the system's
/// reason; kLimit above `most` bytes.
Result<std::string> ReadFile(const std::string& path, std::size_t most = kMaxFileBytes);

/// The text of a program by the name that the program, which is in a file itself, gives: a regular
/// file with a source's ending. A program is not trusted to have any other file opened. kIo:
/// another kind of file, no such, or one that is newer than the program and may say something else
/// by now.
Result<std::string> ReadSource(const std::string& path, const std::string& program_path);

/// Replaces the file's contents; "-" is standard output. kHost names the file and the reason.
Result<void> WriteFile(const std::string& path, std::string_view bytes);

/// The same at once or not at all where the file is a regular one, or none yet: what a link points
/// to is replaced, not the link.
Result<void> ReplaceFile(const std::string& path, std::string_view bytes);

/// Lines at the end of a file; of no file when the path is empty.
class LineLog {
 public:
  /// kHost names the file and the reason.
  static Result<LineLog> Open(const std::string& path);

  /// Adds a line at once. False: it could not, and neither can any further one.
  bool Add(std::string_view line);
  /// kHost when a line could not be added.
  Result<void> Check() const;

 private:
  std::string path_;
  std::ofstream file_;
};

/// The name a program is known by: the path, or "<stdin>".
std::string DisplayName(const std::string& path);

/// "cannot read: No such file or directory", about `path`: `what` is the verb, `reason` an errno.
std::unexpected<Error> FailIo(ErrorCode code, const char* what, const std::string& path,
                              int reason);

/// The error, told with the file it is about where it names none.
std::unexpected<Error> InFile(Error error, const std::string& path);

}  // namespace txvm::isa
