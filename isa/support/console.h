// Where txvm writes: results to stdout, everything else to stderr; colour only where a person
// reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/support/result.h"

namespace txvm::isa {

/// stdout and stderr of this process, with what is known about who reads them.
class Console {
 public:
  /// Colour and progress are on where stderr is a terminal, NO_COLOR is unset or empty (progress
  /// does not depend on it) and TERM is not "dumb".
  Console();

  /// Writes to stdout as it is.
  void Out(std::string_view text);
  /// Writes to stderr as it is, after everything that was written to stdout.
  void Err(std::string_view text);
  /// Writes "txvm: error: message", or the error with its place, line and caret, to stderr.
  void Error(const isa::Error& error);
  /// Writes "txvm: text" to stderr.
  void Note(std::string_view text);

  /// `text` in bold red, or as it is without colour. For stderr.
  std::string Alarm(std::string_view text) const;

  /// Rewrites one progress line on stderr: "[####....] 40% text". Nothing when stderr is no
  /// terminal. done <= total, total > 0.
  void Progress(std::uint64_t done, std::uint64_t total, std::string_view text);
  /// Clears the progress line, if there is one.
  void EndProgress();

  /// Tells Finish that output was lost on the descriptor of stdout, which stdout itself cannot
  /// know.
  static void LoseOutput();
  /// Flushes stdout; false when anything written to it was lost. Unless `patient`, it waits one
  /// second for the reader and drops what was not read by then.
  bool Finish(bool patient = true);

 private:
  bool terminal_ = false;
  bool colour_ = false;
  bool progress_shown_ = false;
};

}  // namespace txvm::isa
