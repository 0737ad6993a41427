// Words and phrases that mean the same in a question, exchanged now and then: a story is seen in
// more wordings than its template has.
//
// RULES  x|y|z    whichever of them a text has, any other may stand for it
//        x > y|z  x may be replaced, y and z not by x
//        A phrase is whole words in small letters with one blank between, without digits and number
//        words. At a place where several begin, the longest counts. Words inside of marks
//        (expander.h) and names are left alone.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "neural/questions/random.h"

namespace txvm::neural::questions {

/// What may be replaced, and by what.
struct Swap {
  std::string_view from;
  std::vector<std::string_view> to;
};

/// Every phrase has one entry. The rules are owned elsewhere (sentences/swaps.txt).
class Swaps {
 public:
  /// Of rules as above. REQUIRES: none is empty.
  explicit Swaps(std::span<const std::string_view> rules);
  const std::vector<Swap>& rows() const { return rows_; }
  /// The text with each phrase that has an entry replaced in `percent` of 100 cases, unless what
  /// would replace it is in the text too. "a" and "an" before it and a capital at its start are
  /// kept right.
  std::string Apply(std::string_view marked, unsigned percent, Random& random) const;

 private:
  const Swap* LongestAt(std::string_view text, std::size_t begin, std::size_t first_end) const;

  std::vector<Swap> rows_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_first_word_;
};

}  // namespace txvm::neural::questions
