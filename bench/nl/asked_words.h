// Questions and examples as numbers of words, so that comparing them does not compare text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "neural/questions/lexicon.h"

namespace txvm::bench::nl {

using WordId = std::uint32_t;
using WordIds = std::vector<WordId>;
inline constexpr WordId kNotAsked = 0;  // a word that no question has

/// The words of questions, numbers and names masked (neural/questions/contamination.h).
class AskedWords {
 public:
  /// The lexicon must outlive this.
  AskedWords(const neural::questions::Lexicon& lexicon, const std::vector<std::string>& questions);

  const std::vector<WordIds>& questions() const { return questions_; }
  /// Distinct words; their ids are 1 to that.
  std::size_t vocabulary() const { return ids_.size(); }
  /// An example's words, kNotAsked among them.
  WordIds Of(const std::string& example) const;

 private:
  const neural::questions::Lexicon& lexicon_;
  std::unordered_map<std::string, WordId> ids_;
  std::vector<WordIds> questions_;
};

}  // namespace txvm::bench::nl
