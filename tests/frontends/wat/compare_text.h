// One text as the own reader and as WABT read it.
#pragma once

#include <string>
#include <string_view>

namespace txvm::tests {

/// What the two readers say of a text.
struct TextComparison {
  std::string own;   // "accepted", or the message
  std::string wabt;  // the same; where both accept, how the modules differ, empty when they do not
  bool is_same_bytes = false;  // both accept, and both encode it the same
  bool is_newer = false;       // the own reader alone accepts, and not by the rules of 2.0
  bool agrees() const { return own == "accepted" ? wabt.empty() : wabt != "accepted"; }
};

/// Compares verdicts, and of what both accept the binary modules: the bytes, else what the binary
/// reader makes of them, without its places. WABT may end the process.
TextComparison CompareText(std::string_view text);

/// Whether a difference is one that known_text_differences.def explains.
bool IsKnownTextDifference(const TextComparison& comparison, std::string_view text);

}  // namespace txvm::tests
