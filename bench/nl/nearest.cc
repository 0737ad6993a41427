#include "bench/nl/nearest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "neural/data/contamination.h"
#include "neural/data/word_edits.h"

namespace txvm::bench::nl {
namespace {

namespace data = neural::data;

constexpr std::size_t kSignatureWords = 4;  // of 64 bits

using WordId = std::uint32_t;
constexpr WordId kNowhere = 0;  // a word of an example that no question has

/// The bits of a sentence's words, each word's taken from its id. A bit of a that b lacks stands
/// for at least one word of a that b lacks, so Missing is at most the edits between the two.
using Signature = std::array<std::uint64_t, kSignatureWords>;

Signature SignatureOf(std::span<const WordId> ids) {
  Signature bits = {};
  for (const WordId id : ids) bits[id / 64 % kSignatureWords] |= std::uint64_t{1} << (id % 64);
  return bits;
}

std::size_t Missing(const Signature& a, const Signature& b) {
  int count = 0;
  for (std::size_t i = 0; i < kSignatureWords; ++i) count += std::popcount(a[i] & ~b[i]);
  return static_cast<std::size_t>(count);
}

struct Sentence {
  std::vector<WordId> ids;
  Signature signature = {};
};

constexpr std::size_t kMostBits = 64;

/// An example of up to kMostBits words, to be compared with many questions.
/// INVARIANT: between two examples every mask is 0.
class BitRows {
 public:
  explicit BitRows(std::size_t words) : masks_(words + 1) {}

  /// REQUIRES: 1 <= ids.size() <= kMostBits, ids below the count given.
  void Set(std::span<const WordId> ids) {
    length_ = ids.size();
    for (std::size_t i = 0; i < length_; ++i) masks_[ids[i]] |= std::uint64_t{1} << i;
  }
  void Clear(std::span<const WordId> ids) {
    for (const WordId id : ids) masks_[id] = 0;
  }
  /// The edits between the example and a question: a row of the table of distances is two words,
  /// where it rises and where it falls. Source: Myers, JACM 46, 1999; Hyyro, 2003.
  std::size_t Edits(std::span<const WordId> question) const {
    std::uint64_t rises = ~std::uint64_t{0}, falls = 0;
    std::size_t edits = length_;
    for (const WordId id : question) {
      const std::uint64_t same = masks_[id];
      const std::uint64_t down = same | falls;
      const std::uint64_t across = (((same & rises) + rises) ^ rises) | same;
      std::uint64_t up = falls | ~(across | rises);
      std::uint64_t low = rises & across;
      edits += up >> (length_ - 1) & 1;
      edits -= low >> (length_ - 1) & 1;
      up = up << 1 | 1;
      low <<= 1;
      rises = low | ~(down | up);
      falls = up & down;
    }
    return edits;
  }

 private:
  std::vector<std::uint64_t> masks_;  // by word: where the example has it
  std::size_t length_ = 0;
};

/// The questions, with what the words of examples are looked up in.
class Questions {
 public:
  explicit Questions(const std::vector<std::string>& questions) {
    for (const std::string& question : questions) {
      Sentence& sentence = sentences_.emplace_back();
      for (const std::string& word : data::MaskedWords(lexicon_, question)) {
        const auto next = static_cast<WordId>(ids_.size() + 1);
        sentence.ids.push_back(ids_.try_emplace(word, next).first->second);
      }
      sentence.signature = SignatureOf(sentence.ids);
    }
  }

  const std::vector<Sentence>& sentences() const { return sentences_; }
  /// Distinct words; their ids are 1 to that.
  std::size_t vocabulary() const { return ids_.size(); }

  Sentence Example(const std::string& text) const {
    Sentence sentence;
    for (const std::string& word : data::MaskedWords(lexicon_, text)) {
      const auto found = ids_.find(word);
      sentence.ids.push_back(found == ids_.end() ? kNowhere : found->second);
    }
    sentence.signature = SignatureOf(sentence.ids);
    return sentence;
  }

 private:
  data::Lexicon lexicon_;
  std::unordered_map<std::string, WordId> ids_;
  std::vector<Sentence> sentences_;
};

/// What a thread knows.
struct Worker {
  std::vector<std::size_t> edits;  // of each question, the fewest so far
  BitRows bits;
};

void Compare(const std::vector<Sentence>& questions, const Sentence& example, Worker& worker) {
  const std::size_t m = example.ids.size();
  const bool fits = m >= 1 && m <= kMostBits;
  if (fits) worker.bits.Set(example.ids);
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const std::size_t n = questions[q].ids.size(), limit = worker.edits[q];
    if (std::max(n, m) - std::min(n, m) >= limit) continue;
    if (Missing(questions[q].signature, example.signature) >= limit) continue;
    if (Missing(example.signature, questions[q].signature) >= limit) continue;
    worker.edits[q] = fits ? std::min(limit, worker.bits.Edits(questions[q].ids))
                           : data::EditsUpTo<WordId>(questions[q].ids, example.ids, limit - 1);
  }
  if (fits) worker.bits.Clear(example.ids);
}

}  // namespace

std::vector<Nearest> NearestInTraining(const std::vector<std::string>& questions,
                                       const TrainingStream& stream) {
  const data::Generator generator(GeneratorOf(stream));
  const Questions asked(questions);
  std::vector<Nearest> nearest;
  std::vector<std::size_t> most;
  for (const Sentence& sentence : asked.sentences()) {
    nearest.push_back({sentence.ids.size(), sentence.ids.size()});
    most.push_back(sentence.ids.size());
  }
  std::vector<Worker> workers(stream.threads, Worker{most, BitRows(asked.vocabulary())});
  ForEachExample(generator, stream, "nearest in training",
                 [&](std::size_t worker, const std::string& question) {
                   Compare(asked.sentences(), asked.Example(question), workers[worker]);
                 });
  for (std::size_t q = 0; q < nearest.size(); ++q) {
    for (const Worker& worker : workers) {
      nearest[q].edits = std::min(nearest[q].edits, worker.edits[q]);
    }
  }
  return nearest;
}

}  // namespace txvm::bench::nl
