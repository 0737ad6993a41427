#include "bench/nl/asked_words.h"

#include "neural/questions/contamination.h"

namespace txvm::bench::nl {

AskedWords::AskedWords(const neural::questions::Lexicon& lexicon,
                       const std::vector<std::string>& questions)
    : lexicon_(lexicon) {
  for (const std::string& question : questions) {
    WordIds& words = questions_.emplace_back();
    for (const std::string& word : neural::questions::MaskedWords(lexicon_, question)) {
      const auto next = static_cast<WordId>(ids_.size() + 1);
      words.push_back(ids_.try_emplace(word, next).first->second);
    }
  }
}

WordIds AskedWords::Of(const std::string& example) const {
  WordIds words;
  for (const std::string& word : neural::questions::MaskedWords(lexicon_, example)) {
    const auto found = ids_.find(word);
    words.push_back(found == ids_.end() ? kNotAsked : found->second);
  }
  return words;
}

}  // namespace txvm::bench::nl
