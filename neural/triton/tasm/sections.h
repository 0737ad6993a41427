// Several programs in one file, TIR or TASM, each after a header line `=== name`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"

namespace txvm::triton {

/// One program of a file. Name and text point into the text of the file.
struct ProgramSection {
  std::string_view name;   // empty where the file has no header: it is one program
  std::string_view text;   // from the line after the header to the next header or the end
  std::uint32_t line = 1;  // of the file, where `text` starts
};

/// Splits a file at its header lines, in the order of the file. Each line that starts with `=== `
/// is a header. A file without one is one section without a name. Blank lines and `//` comments may
/// stand before the first header; they belong to no section. Cost O(text).
/// Errors: kSyntax for a name that is empty or not of letters, digits and _; for a name that occurs
/// twice; and for code before the first header.
isa::Result<std::vector<ProgramSection>> SplitSections(std::string_view text,
                                                       std::string_view file = {});

/// The text of a section after as many line ends as the file has before it, so that a parser
/// reports the lines of the file.
std::string AtItsLine(const ProgramSection& section);

}  // namespace txvm::triton
