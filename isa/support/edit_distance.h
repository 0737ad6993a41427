// How many edits tell two sequences apart: words of a sentence, or letters of a mistyped word.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace txvm::isa {

/// Which edits count as one: to insert, leave out or replace an item; kWithSwaps also to exchange
/// two neighbours (the restricted distance of Damerau).
enum class EditKind : std::uint8_t { kPlain, kWithSwaps };

/// The fewest edits that make `a` and `b` equal if they are at most `most`, else most + 1.
/// `same(x, y)` says whether two items are equal.
/// Cost O(a.size() * b.size()), nothing where the sizes alone differ by more than `most`.
template <typename Item, EditKind kKind = EditKind::kPlain, typename Same = std::equal_to<>>
std::size_t EditsUpTo(std::span<const Item> a, std::span<const Item> b, std::size_t most,
                      const Same& same = {}) {
  constexpr bool kSwaps = kKind == EditKind::kWithSwaps;
  const std::size_t longer = std::max(a.size(), b.size());
  if (longer - std::min(a.size(), b.size()) > most) return most + 1;
  // Three rows of the table: the one being filled and the two before it.
  std::vector<std::size_t> before_last(kSwaps ? b.size() + 1 : 0), last(b.size() + 1),
      row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  std::size_t best_of_last = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t best = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if constexpr (kSwaps) {
        if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
          row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
      }
      best = std::min(best, row[j]);
    }
    // A swap reaches over one row, so that two rows in a row have to be too far.
    if (best > most && (!kSwaps || best_of_last > most)) return most + 1;
    best_of_last = best;
    if constexpr (kSwaps) std::swap(before_last, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], most + 1);
}

/// Edits of one byte, swaps among them, that turn a into b if they are at most `most`, else
/// most + 1; ASCII letters are equal whatever their case. Cost as above.
std::size_t TypingSlips(std::string_view a, std::string_view b, std::size_t most);

}  // namespace txvm::isa
