#include "neural/llm/piece_table.h"

#include <algorithm>
#include <utility>

namespace txvm::neural::llm {

PieceTable::PieceTable(std::vector<Entry> entries) : entries_(std::move(entries)) {
  std::erase_if(entries_, [](const Entry& entry) { return entry.text.empty(); });
  std::ranges::stable_sort(entries_, {}, &Entry::text);
  const auto same = std::ranges::unique(entries_, {}, &Entry::text);
  entries_.erase(same.begin(), same.end());
}

std::optional<Token> PieceTable::Find(std::string_view text) const {
  const auto found = std::ranges::lower_bound(entries_, text, {}, &Entry::text);
  if (found == entries_.end() || found->text != text) return std::nullopt;
  return found->id;
}

std::optional<PieceTable::Match> PieceTable::Longest(std::string_view text) const {
  std::optional<Match> longest;
  ForPrefixes(text, [&](const Match& match) { longest = match; });
  return longest;
}

}  // namespace txvm::neural::llm
