// The lines of an interactive command.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "isa/support/result.h"

namespace txvm::frontends::cli {

/// Far more than a question or a command has; keeps endless input from taking endless memory.
inline constexpr std::size_t kMostLineBytes = 16u << 20;

/// Reads lines from standard input: on a terminal with a prompt, editing and history (libedit, or
/// readline, where the system has one of them), else as they come.
class LineReader {
 public:
  LineReader();
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its end; nullopt at the end of the input. Of a line that is too long,
  /// kMostLineBytes + 1 bytes, and the next call goes on after them.
  std::optional<std::string> Next(const std::string& prompt);
  /// kIo: the input ended because it could not be read.
  isa::Result<void> Check() const;
  /// Whether a person types the lines.
  bool is_terminal() const { return is_terminal_; }

 private:
  struct Editor;
  bool is_terminal_;
  int error_ = 0;                   // errno of what ended the input
  std::unique_ptr<Editor> editor_;  // nullptr: none
};

}  // namespace txvm::frontends::cli
