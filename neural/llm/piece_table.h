// Sets of strings looked up whole or as the beginnings of a text.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "neural/llm/config.h"

namespace txvm::neural::llm {

/// A sorted list of strings, viewed, with an id each. The first of equal strings counts.
class PieceTable {
 public:
  struct Entry {
    std::string_view text;
    Token id = 0;
  };
  /// A string that begins a text.
  struct Match {
    std::size_t size = 0;
    Token id = 0;
  };

  PieceTable() = default;
  explicit PieceTable(std::vector<Entry> entries);

  std::optional<Token> Find(std::string_view text) const;
  /// The longest entry that begins `text`; empty entries never match.
  std::optional<Match> Longest(std::string_view text) const;

  /// Calls `found` with every entry that begins `text`, shortest first. O(log n) a byte.
  template <typename Function>
  void ForPrefixes(std::string_view text, const Function& found) const {
    std::size_t low = 0, high = entries_.size();
    for (std::size_t depth = 0; depth < text.size() && low < high; ++depth) {
      const auto byte = [&](std::size_t i) { return ByteAt(i, depth); };
      const int wanted = static_cast<unsigned char>(text[depth]);
      low = Bound(low, high, [&](std::size_t i) { return byte(i) < wanted; });
      high = Bound(low, high, [&](std::size_t i) { return byte(i) <= wanted; });
      if (low < high && entries_[low].text.size() == depth + 1) {
        found(Match{depth + 1, entries_[low].id});
      }
    }
  }

 private:
  /// The byte at `depth`, or -1 past the end.
  int ByteAt(std::size_t i, std::size_t depth) const {
    const std::string_view text = entries_[i].text;
    return depth < text.size() ? static_cast<unsigned char>(text[depth]) : -1;
  }
  template <typename Predicate>
  static std::size_t Bound(std::size_t low, std::size_t high, const Predicate& before) {
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (before(middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  std::vector<Entry> entries_;
};

}  // namespace txvm::neural::llm
