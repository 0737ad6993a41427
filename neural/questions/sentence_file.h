// Text files of sentences: sections "== head" and, in each, one sentence a line.
//
// FORMAT  "# ..." is a comment; blank lines say nothing. A line of a numbered file is its number,
//         one blank and its text: "12 how many are left?". Numbers say in which order lines are
//         drawn from, so that the order of lines, sections and files decides nothing. A text that
//         begins or ends with a blank, or is empty, stands between double quotes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"

namespace txvm::neural::questions {

/// A line of a section: its number, 0 in a file without numbers, and its text.
struct SentenceLine {
  std::size_t number = 0;
  std::string_view text;
};

/// A section: what follows "== ", and its lines as the file has them.
struct SentenceSection {
  std::string_view head;
  std::vector<SentenceLine> lines;
};

/// Whether the lines of a file have numbers.
enum class Numbering : std::uint8_t { kNumbered, kPlain };

/// The largest number that a line may have.
inline constexpr std::size_t kMostLineNumber = 99'999;

/// The sections of a file; views of `text`. Errors: kSyntax with file and line, of the first line
/// that is not as the format says; a number that a section has twice is one.
isa::Result<std::vector<SentenceSection>> ParseSentences(const std::string& path,
                                                         std::string_view text,
                                                         Numbering numbering);

/// The parts of a head or a line between separators, without the blanks around them. One of an
/// empty text, which is empty.
std::vector<std::string_view> Columns(std::string_view text, char separator);

}  // namespace txvm::neural::questions
