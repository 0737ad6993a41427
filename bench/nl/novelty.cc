#include "bench/nl/novelty.h"

#include <algorithm>
#include <unordered_map>

#include "isa/result.h"
#include "neural/data/contamination.h"

namespace txvm::bench::nl {
namespace {

namespace data = neural::data;

using WordId = std::uint64_t;
constexpr WordId kEnd = 1;             // before the first word and behind the last
constexpr unsigned kBits = 20;         // of a word's id; an id is never 0
constexpr std::size_t kMostWords = 3;  // of a part

/// The parts of all questions: runs of up to kMostWords words, each with a number.
class Parts {
 public:
  explicit Parts(const std::vector<std::string>& questions) {
    for (const std::string& question : questions) {
      std::vector<WordId> ids = {kEnd};
      for (const std::string& word : data::MaskedWords(lexicon_, question)) {
        ids.push_back(ids_.try_emplace(word, kEnd + 1 + ids_.size()).first->second);
      }
      ids.push_back(kEnd);
      auto& parts = of_question_.emplace_back();
      for (std::size_t length = 1; length <= kMostWords; ++length) {
        for (std::size_t at = 0; at + length <= ids.size(); ++at) {
          const auto part = parts_.try_emplace(Key(ids, at, length), parts_.size()).first->second;
          parts[length - 1].push_back(part);
        }
      }
    }
    TXVM_ASSERT(ids_.size() + kEnd < WordId{1} << kBits);
  }

  std::size_t count() const { return parts_.size(); }

  void Mark(const std::string& example, std::vector<bool>& seen) const {
    std::vector<WordId> ids = {kEnd};
    for (const std::string& word : data::MaskedWords(lexicon_, example)) {
      const auto found = ids_.find(word);
      ids.push_back(found == ids_.end() ? 0 : found->second);
    }
    ids.push_back(kEnd);
    for (std::size_t at = 0; at < ids.size(); ++at) {
      for (std::size_t length = 1; length <= kMostWords && at + length <= ids.size(); ++length) {
        if (ids[at + length - 1] == 0) break;  // no question has the word
        const auto found = parts_.find(Key(ids, at, length));
        if (found == parts_.end()) break;  // nor what begins with it
        seen[found->second] = true;
      }
    }
  }

  Novelty Of(std::size_t question, const std::vector<bool>& seen) const {
    const auto& parts = of_question_[question];
    for (std::size_t length = 0; length < kMostWords; ++length) {
      const auto is_new = [&seen](std::size_t part) { return !seen[part]; };
      if (std::ranges::any_of(parts[length], is_new)) return static_cast<Novelty>(length);
    }
    return Novelty::kNothing;
  }

 private:
  static std::uint64_t Key(const std::vector<WordId>& ids, std::size_t at, std::size_t length) {
    std::uint64_t key = 0;
    for (std::size_t i = at; i < at + length; ++i) key = key << kBits | ids[i];
    return key;
  }

  data::Lexicon lexicon_;
  std::unordered_map<std::string, WordId> ids_;
  std::unordered_map<std::uint64_t, std::size_t> parts_;
  std::vector<std::array<std::vector<std::size_t>, kMostWords>> of_question_;  // by length - 1
};

}  // namespace

std::vector<Novelty> NoveltyBesideTraining(const std::vector<std::string>& questions,
                                           const TrainingStream& stream) {
  const data::Generator generator(GeneratorOf(stream));
  const Parts parts(questions);
  // A thread each: bits of one vector share their bytes.
  std::vector<std::vector<bool>> seen(stream.threads, std::vector<bool>(parts.count()));
  ForEachExample(
      generator, stream, "wordings of training",
      [&](std::size_t worker, const std::string& text) { parts.Mark(text, seen[worker]); });
  std::vector<bool> by_any(parts.count());
  for (std::size_t part = 0; part < by_any.size(); ++part) {
    by_any[part] = std::ranges::any_of(seen, [part](const auto& one) { return one[part]; });
  }
  std::vector<Novelty> novelty;
  for (std::size_t q = 0; q < questions.size(); ++q) novelty.push_back(parts.Of(q, by_any));
  return novelty;
}

}  // namespace txvm::bench::nl
