// "Did you mean": the known word nearest to an unknown one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace txvm::assembler {

/// " (did you mean X?)" for the candidate nearest to `word`, the first among equals; empty when
/// none is within a third of its length, or `word` is longer than kMaxSuggestedBytes.
std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& candidates);

inline constexpr std::size_t kMaxSuggestedBytes = 40;  // longer words are not typing slips

}  // namespace txvm::assembler
