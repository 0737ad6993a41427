#include "bench/nl/nearest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "isa/support/edit_distance.h"
#include "neural/questions/letters.h"

namespace txvm::bench::nl {
namespace {

namespace questions = neural::questions;

constexpr std::size_t kSignatureWords = 4;  // of 64 bits

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

}  // namespace

/// What a thread knows.
struct NearestSearch::Worker {
  std::vector<std::size_t> edits;  // of each question, the fewest so far
  BitRows bits;
};

struct NearestSearch::State {
  const std::vector<WordIds>& questions;
  std::vector<Signature> signatures;
  std::vector<Worker> workers;
};

NearestSearch::NearestSearch(const AskedWords& asked, std::size_t threads)
    : state_(new State{asked.questions(), {}, {}}) {
  std::vector<std::size_t> most;
  for (const WordIds& ids : state_->questions) {
    state_->signatures.push_back(SignatureOf(ids));
    most.push_back(ids.size());
  }
  state_->workers.assign(threads, Worker{most, BitRows(asked.vocabulary())});
}
NearestSearch::~NearestSearch() = default;

void NearestSearch::See(std::size_t worker, const WordIds& example) {
  Worker& own = state_->workers[worker];
  const Signature signature = SignatureOf(example);
  const std::size_t m = example.size();
  const bool fits = m >= 1 && m <= kMostBits;
  if (fits) own.bits.Set(example);
  for (std::size_t q = 0; q < state_->questions.size(); ++q) {
    const WordIds& question = state_->questions[q];
    const std::size_t n = question.size(), limit = own.edits[q];
    if (std::max(n, m) - std::min(n, m) >= limit) continue;
    if (Missing(state_->signatures[q], signature) >= limit) continue;
    if (Missing(signature, state_->signatures[q]) >= limit) continue;
    own.edits[q] = fits ? std::min(limit, own.bits.Edits(question))
                        : isa::EditsUpTo<WordId>(question, example, limit - 1);
  }
  if (fits) own.bits.Clear(example);
}

std::vector<Nearest> NearestSearch::Found() const {
  std::vector<Nearest> nearest;
  for (std::size_t q = 0; q < state_->questions.size(); ++q) {
    const std::size_t words = state_->questions[q].size();
    std::size_t edits = words;
    for (const Worker& worker : state_->workers) edits = std::min(edits, worker.edits[q]);
    nearest.push_back({words, edits});
  }
  return nearest;
}

}  // namespace txvm::bench::nl
