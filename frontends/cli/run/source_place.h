// Places in a program, as a debugger's user names them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program.h"

namespace txvm::frontends::cli {

/// The lines of the file a program came from, none where ReadSource (file.h) reads none.
class SourceText {
 public:
  /// `path` is where the program is.
  SourceText(const isa::Program& program, const std::string& path);
  /// Line `number`, from 1; empty when there is none.
  std::string_view Line(std::uint32_t number) const;
  std::uint32_t lines() const { return static_cast<std::uint32_t>(lines_.size()); }
  /// The first line that begins with "label:", blanks aside; 0 when there is none.
  std::uint32_t FindLabel(std::string_view label) const;

 private:
  std::vector<std::string> lines_;
};

/// The instructions that a place names:
///   12, 0x0c       instruction 12         fib, fib+3   a function, the third instruction after it
///   :7, file:7     the code of line 7     again        a label of an assembly text
/// Errors: kUsage, which names what does not exist.
isa::Result<std::vector<std::uint32_t>> FindPlace(const isa::Program& program,
                                                  const SourceText& source, std::string_view text);

/// "fib+3", "export fib" (its stub), "instruction 12" (a program of one function). Names are made
/// safe to print.
std::string PlaceText(const isa::Program& program, std::uint32_t ip);
/// "fib.wat:7", "line 7" (a program without a file); empty where code has no line.
std::string SourceLine(const isa::Program& program, std::uint32_t ip);
/// "fib+3 (fib.wat:7)".
std::string PlaceAndLine(const isa::Program& program, std::uint32_t ip);

}  // namespace txvm::frontends::cli
