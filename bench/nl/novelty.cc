#include "bench/nl/novelty.h"

#include <algorithm>
#include <span>

#include "isa/support/result.h"

namespace txvm::bench::nl {
namespace {

constexpr unsigned kBits = 20;                     // of a word's id in a key
constexpr WordId kEnd = (WordId{1} << kBits) - 1;  // before the first word and after the last

WordIds WithEnds(const WordIds& words) {
  WordIds ids = {kEnd};
  ids.insert(ids.end(), words.begin(), words.end());
  ids.push_back(kEnd);
  return ids;
}

/// REQUIRES: no kNotAsked, so that parts of different lengths differ.
std::uint64_t Key(std::span<const WordId> part) {
  std::uint64_t key = 0;
  for (const WordId id : part) key = key << kBits | id;
  return key;
}

}  // namespace

NoveltySearch::NoveltySearch(const AskedWords& asked, std::size_t threads) {
  TXVM_ASSERT(asked.vocabulary() < kEnd);
  for (const WordIds& words : asked.questions()) {
    const WordIds ids = WithEnds(words);
    auto& parts = of_question_.emplace_back();
    for (std::size_t length = 1; length <= kMostWords; ++length) {
      for (std::size_t at = 0; at + length <= ids.size(); ++at) {
        const std::uint64_t key = Key(std::span(ids).subspan(at, length));
        parts[length - 1].push_back(parts_.try_emplace(key, parts_.size()).first->second);
      }
    }
  }
  seen_.assign(threads, std::vector<bool>(parts_.size()));
}

void NoveltySearch::See(std::size_t worker, const WordIds& example) {
  const WordIds ids = WithEnds(example);
  for (std::size_t at = 0; at < ids.size(); ++at) {
    for (std::size_t length = 1; length <= kMostWords && at + length <= ids.size(); ++length) {
      if (ids[at + length - 1] == kNotAsked) break;
      const auto found = parts_.find(Key(std::span(ids).subspan(at, length)));
      if (found == parts_.end()) break;  // nor has a question what begins with it
      seen_[worker][found->second] = true;
    }
  }
}

std::vector<Novelty> NoveltySearch::Found() const {
  const auto is_new = [this](std::size_t part) {
    return std::ranges::none_of(seen_, [part](const auto& own) { return own[part]; });
  };
  std::vector<Novelty> novelty;
  for (const auto& parts : of_question_) {
    std::size_t length = 0;
    while (length < kMostWords && std::ranges::none_of(parts[length], is_new)) ++length;
    novelty.push_back(static_cast<Novelty>(length));
  }
  return novelty;
}

}  // namespace txvm::bench::nl
