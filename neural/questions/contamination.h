// Which questions are too close to a test sentence. Numbers and names are masked; two sentences
// collide when they are then equal or differ in at most two words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "neural/questions/lexicon.h"

namespace txvm::neural::questions {

inline constexpr std::size_t kMostWordEdits = 2;

/// Lower-case words and signs with "#" for numbers and "@" for names. A name is a word of the
/// generator's lists, or a word with a capital that does not begin a sentence.
std::vector<std::string> MaskedWords(const Lexicon& lexicon, std::string_view question);

/// Whether at most `most` words inserted, left out or replaced make them equal. Cost O(n * most).
bool WithinEdits(const std::vector<std::string>& a, const std::vector<std::string>& b,
                 std::size_t most = kMostWordEdits);

/// Test sentences, to be looked up by generated ones. INVARIANT: the parts of every sentence of at
/// least three words are in by_part_: of three parts, two edits leave one whole.
class ContaminationIndex {
 public:
  explicit ContaminationIndex(const Lexicon& lexicon) : lexicon_(lexicon) {}
  /// Adds a test sentence; its number is size() - 1 afterwards.
  void Add(std::string_view question);
  /// The numbers of the test sentences that collide with a question, ascending. Exact. Cost about
  /// a hundred look-ups.
  std::vector<std::size_t> Colliding(std::string_view question) const;
  std::size_t size() const { return sentences_.size(); }

 private:
  const Lexicon& lexicon_;
  std::vector<std::vector<std::string>> sentences_;  // masked
  std::vector<std::uint32_t> short_;                 // of fewer than three words
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_part_;
};

}  // namespace txvm::neural::questions
