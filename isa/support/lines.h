// The lines of a text file, the same for everything that reads questions.
#pragma once

#include <string_view>
#include <vector>

namespace txvm::isa {

/// The text without the byte order mark that some editors put before it; a view of `text`.
std::string_view WithoutByteOrderMark(std::string_view text);

/// The lines of a file without their ends, "\n" or "\r\n", and without the byte order mark
/// before the first; views of `text`. Cost O(text).
std::vector<std::string_view> LinesOf(std::string_view text);

/// Whether a line holds blanks and tabs alone, or nothing; the '\r' of its end may be in it.
bool IsBlankLine(std::string_view line);

}  // namespace txvm::isa
