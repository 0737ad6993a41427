// Words, braces and comments of .tir text, with their places.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/support/result.h"

namespace txvm::triton {

/// One token. Text points into the source.
struct TirToken {
  enum class Kind : std::uint8_t { kWord, kOpen, kClose, kComment, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;  // word without spaces, or comment without "//" and outer spaces
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// Splits .tir text. A word is a run of anything but white space, braces and "//".
class TirLexer {
 public:
  TirLexer(std::string_view source, std::string_view file) : source_(source), file_(file) {}

  /// The next token; kEnd for ever at the end.
  TirToken Next();

  /// The next line up to its newline or to a "}" outside comments, for asm bodies, where lines
  /// matter. No more lines before a "}" and at the end of the text.
  struct Line {
    std::string_view text;
    bool more = false;  // false: the next token is "}" or the end
    std::uint32_t line = 1;
    std::uint32_t column = 1;
  };
  Line NextAsmLine();

  /// An error about `token`, with its line of source text.
  isa::Error ErrorAt(const TirToken& token, isa::ErrorCode code, std::string message) const;

 private:
  void SkipSpace();
  void Advance();
  /// Bytes of a line of asm before the "}" that ends the body.
  std::size_t AsmLength(std::string_view line);

  std::string_view source_;
  std::string_view file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
  bool in_asm_comment_ = false;  // the asm lines so far leave a /* open
};

}  // namespace txvm::triton
