#include "asm/suggest.h"

#include <algorithm>

#include "isa/support/edit_distance.h"

namespace txvm::assembler {

std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.size() > kMaxSuggestedBytes) return {};
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::size_t nearest = limit + 1;
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = isa::TypingSlips(word, candidate, limit);
    if (distance >= nearest) continue;
    nearest = distance;
    best = candidate;
  }
  if (nearest > limit) return {};
  return " (did you mean " + std::string(best) + "?)";
}

}  // namespace txvm::assembler
