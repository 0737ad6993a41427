// Text helpers of the isa: names from files, made safe to print, and what is said in several
// places.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

/// `text` with `by` for every `what`, from the left; what is put in is not looked at again.
/// REQUIRES: `what` is not empty. Cost O(text + result) but for the search.
std::string Replaced(std::string_view text, std::string_view what, std::string_view by);

/// Whether two texts are equal but for the case of ASCII letters. Cost O(the shorter one).
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

/// "function 'f' takes 2 arguments, but 1 was given": `verb` is takes or returns, `what` a noun in
/// the singular.
std::string CountMismatch(std::string_view subject, std::string_view verb, std::string_view what,
                          std::size_t expected, std::size_t given);

}  // namespace txvm::isa
