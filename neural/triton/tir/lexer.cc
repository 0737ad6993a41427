#include "neural/triton/tir/lexer.h"

#include <algorithm>
#include <utility>

#include "isa/support/text.h"

namespace txvm::triton {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

void TirLexer::Advance() {
  if (source_[at_] == '\n') {
    ++line_;
    line_start_ = at_ + 1;
  }
  ++at_;
}

void TirLexer::SkipSpace() {
  while (at_ < source_.size() && IsSpace(source_[at_])) Advance();
}

TirToken TirLexer::Next() {
  SkipSpace();
  TirToken token;
  token.line = line_;
  token.column = static_cast<std::uint32_t>(at_ - line_start_ + 1);
  if (at_ >= source_.size()) return token;
  const char c = source_[at_];
  if (c == '{' || c == '}') {
    token.kind = c == '{' ? TirToken::Kind::kOpen : TirToken::Kind::kClose;
    token.text = source_.substr(at_++, 1);
    return token;
  }
  if (source_.substr(at_, 2) == "//") {
    const std::size_t end = std::min(source_.find('\n', at_), source_.size());
    token.kind = TirToken::Kind::kComment;
    token.text = Trim(source_.substr(at_ + 2, end - at_ - 2));
    at_ = end;
    return token;
  }
  const std::size_t start = at_;
  while (at_ < source_.size() && !IsSpace(source_[at_]) && source_[at_] != '{' &&
         source_[at_] != '}' && source_.substr(at_, 2) != "//") {
    ++at_;
  }
  token.kind = TirToken::Kind::kWord;
  token.text = source_.substr(start, at_ - start);
  return token;
}

// TASM has no braces, so a "}" ends the body even on the line of an instruction; in a comment it is
// text.
std::size_t TirLexer::AsmLength(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string_view pair = line.substr(i, 2);
    if (in_asm_comment_) {
      if (pair != "*/") continue;
      in_asm_comment_ = false;
      ++i;
    } else if (pair == "//") {
      return line.size();
    } else if (pair == "/*") {
      in_asm_comment_ = true;
      ++i;
    } else if (line[i] == '}') {
      return i;
    }
  }
  return line.size();
}

TirLexer::Line TirLexer::NextAsmLine() {
  SkipSpace();
  Line line;
  line.line = line_;
  line.column = static_cast<std::uint32_t>(at_ - line_start_ + 1);
  if (at_ >= source_.size()) return line;
  const std::size_t newline = std::min(source_.find('\n', at_), source_.size());
  const std::size_t length = AsmLength(source_.substr(at_, newline - at_));
  if (length == 0) return line;
  line.text = Trim(source_.substr(at_, length));
  line.more = true;
  at_ += length;
  return line;
}

isa::Error TirLexer::ErrorAt(const TirToken& token, isa::ErrorCode code,
                             std::string message) const {
  return {code,
          std::move(message),
          {std::string(file_), token.line, token.column},
          isa::ShownLine(source_, token.line)};
}

}  // namespace txvm::triton
