// Type hints exactly as the released versions of Triton VM read them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace txvm::triton {

/// The place after a hint, or the place and text of its first error.
struct HintEnd {
  std::size_t at = 0;
  std::string error;  // empty when the hint is well formed
};

/// Reads what follows the word `hint` and its blank, from `at` on, as Triton VM 2.0.0 to 9.0.1 do:
///   hint := name blank* [ ":" gap type ] "=" gap "stack[" gap index [ ".." gap index ] "]" gap
///   type := {"*"} word [ gap "<" ( type-list | gap1 ) ">" ]
/// blank is white space, gap also comments. Types nest at most 200 deep here.
HintEnd ReadReleasedHint(std::string_view text, std::size_t at);

/// The place after white space and comments, none of which is an empty `//`. A comment that is not
/// closed, or is empty, ends the gap before it.
std::size_t SkipReleasedGap(std::string_view text, std::size_t at);

}  // namespace txvm::triton
