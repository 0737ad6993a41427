#include "asm/suggest.h"

#include <algorithm>

#include "isa/support/text.h"

namespace txvm::assembler {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

// Damerau's distance over three rows of the table: the current one and the two before it.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1), last(b.size() + 1), before_last;
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool is_same = Lower(a[i - 1]) == Lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (is_same ? 0 : 1)});
      const bool is_swap = i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
                           Lower(a[i - 2]) == Lower(b[j - 1]);
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.size() > kMaxSuggestedBytes) return {};
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::size_t nearest = limit + 1;
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    const std::size_t shorter = std::min(candidate.size(), word.size());
    if (std::max(candidate.size(), word.size()) - shorter > limit) continue;
    const std::size_t distance = EditDistance(word, candidate);
    if (distance >= nearest) continue;
    nearest = distance;
    best = candidate;
  }
  if (nearest > limit) return {};
  return " (did you mean " + std::string(best) + "?)";
}

}  // namespace txvm::assembler
