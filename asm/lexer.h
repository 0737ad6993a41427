// One line of .txa text as tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "isa/value_type.h"

namespace txvm::assembler {

enum class TokenKind : std::uint8_t {
  kLabel,
  kWord,
  kDirective,
  kNumber,
  kString,
  kKey,
  kTypesKey
};

/// text is part of the source, which must outlive the token: the word (without a label's colon or
/// a key's "=..."), the number as written, or the string with its quotes.
struct Token {
  TokenKind kind = TokenKind::kWord;
  std::uint32_t line = 0, column = 0;  // from 1
  std::uint32_t value = 0;             // kNumber, kKey; kTypesKey: the words of its types
  std::string_view text;
};

/// The text being assembled, to make errors with their place.
struct SourceText {
  std::string_view text;
  std::string_view file;

  /// An error at a place, with the text of its line when that is short enough to print.
  isa::Error ErrorAt(isa::ErrorCode code, std::uint32_t line, std::uint32_t column,
                     std::string message) const;
  std::unexpected<isa::Error> Fail(std::uint32_t line, std::uint32_t column,
                                   std::string message) const {
    return std::unexpected(ErrorAt(isa::ErrorCode::kSyntax, line, column, std::move(message)));
  }
  std::unexpected<isa::Error> Fail(const Token& token, std::string message) const {
    return Fail(token.line, token.column, std::move(message));
  }
};

/// Appends the tokens of one line, which holds no newline, at most `max_tokens`. Errors: kSyntax;
/// kLimit for more.
isa::Result<void> Tokenize(const SourceText& source, std::string_view line_text, std::uint32_t line,
                           std::size_t max_tokens, std::vector<Token>& tokens);

/// The number of a key as written. REQUIRES: a kKey that Tokenize made of `source`.
std::string_view KeyNumber(const SourceText& source, const Token& key);

/// The types of a key. REQUIRES: a kTypesKey that Tokenize made of `source`.
std::vector<isa::ValueType> KeyTypes(const SourceText& source, const Token& key);

/// The bytes a string token stands for. REQUIRES: a kString that Tokenize made.
std::string StringBytes(const Token& token);

/// A token for messages: in single quotes, printable, shortened.
std::string Shown(std::string_view text);

// Labels, instructions and operands of a text; its statements and tokens then fit in 200 MB.
inline constexpr std::size_t kMaxTokens = 1u << 22;

}  // namespace txvm::assembler
