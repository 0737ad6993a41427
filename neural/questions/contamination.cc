#include "neural/questions/contamination.h"

#include <algorithm>
#include <array>

#include "isa/support/edit_distance.h"
#include "neural/questions/letters.h"
#include "neural/questions/random.h"
#include "neural/questions/surface.h"

namespace txvm::neural::questions {
namespace {

constexpr std::size_t kParts = kMostWordEdits + 1;

// Of a name in any script.
bool IsOfWord(char c) { return IsLetter(c) || (c & 0x80) != 0; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Where part `part` of a sentence of `words` words begins.
std::size_t PartBegin(std::size_t words, std::size_t part) { return words * part / kParts; }

std::uint64_t PartHash(const std::vector<std::string>& words, std::size_t begin, std::size_t end,
                       std::size_t length, std::size_t part) {
  std::uint64_t hash = length * kParts + part;
  for (std::size_t i = begin; i < end; ++i) hash = HashText(words[i], hash);
  return hash;
}

}  // namespace

std::vector<std::string> MaskedWords(const Lexicon& lexicon, std::string_view question) {
  std::vector<std::string> words;
  bool begins = true;
  const auto put_number = [&] {
    if (words.empty() || words.back() != "#") words.emplace_back("#");
  };
  for (std::size_t at = 0; at < question.size();) {
    const char c = question[at];
    std::size_t end = at + 1;
    if (IsOfWord(c)) {
      while (end < question.size() && IsOfWord(question[end])) ++end;
      const std::string_view word = question.substr(at, end - at);
      const std::string lower = Lower(word);
      const bool has_capital = IsUpper(c) && !begins && lower != "i";
      if (IsNumberWord(lower)) {
        put_number();
      } else {
        words.push_back(lexicon.IsName(lower) || has_capital ? "@" : lower);
      }
      begins = false;
    } else if (IsDigit(c)) {
      while (end < question.size() && (IsDigit(question[end]) ||
                                       ((question[end] == ',' || question[end] == '.') &&
                                        end + 1 < question.size() && IsDigit(question[end + 1])))) {
        ++end;
      }
      put_number();
      begins = false;
    } else if (c == '.' || c == '?' || c == '!') {
      begins = true;  // not a word: punctuation does not tell sentences apart
    } else if (c == '-' && at > 0 && IsOfWord(question[at - 1])) {
      // joins words: twenty-five, yo-yo
    } else if (c != ' ' && c != ',' && c != '\'' && c != '"' && c != '\n' && c != '\t') {
      words.emplace_back(1, c);
    }
    at = end;
  }
  return words;
}

bool WithinEdits(const std::vector<std::string>& a, const std::vector<std::string>& b,
                 std::size_t most) {
  return isa::EditsUpTo<std::string>(a, b, most) <= most;
}

void ContaminationIndex::Add(std::string_view question) {
  const auto id = static_cast<std::uint32_t>(sentences_.size());
  sentences_.push_back(MaskedWords(lexicon_, question));
  const std::vector<std::string>& words = sentences_.back();
  const std::size_t n = words.size();
  if (n < kParts) {
    short_.push_back(id);
    return;
  }
  for (std::size_t part = 0; part < kParts; ++part) {
    by_part_.emplace(PartHash(words, PartBegin(n, part), PartBegin(n, part + 1), n, part), id);
  }
}

std::vector<std::size_t> ContaminationIndex::Colliding(std::string_view question) const {
  const std::vector<std::string> words = MaskedWords(lexicon_, question);
  std::vector<std::size_t> candidates(short_.begin(), short_.end());
  const std::size_t least = words.size() > kMostWordEdits ? words.size() - kMostWordEdits : 0;
  for (std::size_t n = std::max(kParts, least); n <= words.size() + kMostWordEdits; ++n) {
    for (std::size_t part = 0; part < kParts; ++part) {
      const std::size_t begin = PartBegin(n, part);
      const std::size_t size = PartBegin(n, part + 1) - begin;
      const std::size_t low = begin > kMostWordEdits ? begin - kMostWordEdits : 0;
      for (std::size_t at = low; at <= begin + kMostWordEdits && at + size <= words.size(); ++at) {
        const auto [first, last] = by_part_.equal_range(PartHash(words, at, at + size, n, part));
        for (auto i = first; i != last; ++i) candidates.push_back(i->second);
      }
    }
  }
  std::ranges::sort(candidates);
  const auto repeated = std::ranges::unique(candidates);
  candidates.erase(repeated.begin(), repeated.end());
  std::erase_if(candidates, [&](std::size_t id) { return !WithinEdits(words, sentences_[id]); });
  return candidates;
}

}  // namespace txvm::neural::questions
