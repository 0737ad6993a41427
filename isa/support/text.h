// Text helpers: names from files made safe to print, places in texts, wording that several messages
// share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/support/result.h"

namespace txvm::isa {

/// `text` between double quotes, every byte outside printable ASCII as \hh, quote and backslash as
/// \" and \\. The .txa string literal, which Unquoted text equals byte for byte. Cost O(text).
std::string Quoted(std::string_view text);

/// Quoted for an error message: at most kShownBytes bytes of text, then "...".
std::string QuotedShort(std::string_view text);

inline constexpr std::size_t kShownBytes =
    64;  // enough for a mangled name, short enough for a line

/// `text` for a person to read, as it is but for what a terminal might take for a command: every
/// byte outside printable ASCII as \hh. At most `most` bytes of it, then "...".
std::string Printable(std::string_view text, std::size_t most = kShownBytes);

/// "'f', 'g' and 12 more": the first kShownNames names, Printable, and how many there are besides.
/// Empty for none.
std::string NameList(std::span<const std::string_view> names);

inline constexpr std::size_t kShownNames = 10;  // enough to see what is there, few enough to read

/// `text` with every `what` replaced by `by`, from the left; replacements are not searched again.
/// REQUIRES: `what` is not empty. Cost O(text + result) but for the search.
std::string Replaced(std::string_view text, std::string_view what, std::string_view by);

/// Whether two texts are equal but for the case of ASCII letters. Cost O(the shorter one).
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

/// "step" for one, "steps" for any other count: `what` is a noun in the singular, whose plural ends
/// in s or, after an s, in es.
std::string PluralText(std::uint64_t count, std::string_view what);

/// "1 step", "2 steps", "0 passes".
std::string CountText(std::uint64_t count, std::string_view what);

/// "1 argument exceeds", "2 arguments exceed".
std::string ExceedText(std::uint64_t count, std::string_view what);

/// "function 'f' takes 2 arguments, but 1 was given": `verb` is takes or returns, `what` a noun in
/// the singular.
std::string CountMismatch(std::string_view subject, std::string_view verb, std::string_view what,
                          std::size_t expected, std::size_t given);

/// A longer line of a text is not shown with an error: it would fill the screen.
inline constexpr std::size_t kShownLineBytes = 200;

/// Line `line` of a text, from 1, without its end ("\n" or "\r\n"), for Error::source_line: empty
/// where there is no such line or it is longer than kShownLineBytes. Cost O(text).
std::string ShownLine(std::string_view text, std::uint32_t line);

/// The error about the byte `at` of a text, which may be its end: line and column (in bytes) in
/// `file`, and the line as ShownLine gives it. REQUIRES: at <= text.size(). Cost O(text).
Error ErrorAt(std::string_view text, std::size_t at, std::string_view file, ErrorCode code,
              std::string message);

}  // namespace txvm::isa
