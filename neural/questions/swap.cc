#include "neural/questions/swap.h"

#include <algorithm>
#include <array>
#include <utility>

#include "isa/support/result.h"
#include "neural/questions/expander.h"
#include "neural/questions/letters.h"

namespace txvm::neural::questions {
namespace {

bool IsWord(char c) { return IsLetter(c) || c == '\'' || c == '-'; }
bool IsVowel(char c) {
  return std::string_view("aeiou").find(ToLower(c)) != std::string_view::npos;
}

/// Where a sentence of the text so far would begin: a capital there says nothing of names.
bool BeginsSentence(std::string_view before) {
  while (before.ends_with(' ') || before.ends_with('"')) before.remove_suffix(1);
  return before.empty() || before.ends_with('.') || before.ends_with('?') || before.ends_with('!');
}

/// "a" or "an" at the end of `out`, as the word after it wants. Only a change of the first sound
/// is acted on: "a unit" stays.
void FixArticle(std::string& out, char old_first, char new_first) {
  if (IsVowel(old_first) == IsVowel(new_first)) return;
  const auto ends_with_word = [&](std::string_view word) {
    if (!out.ends_with(word)) return false;
    const std::size_t at = out.size() - word.size();
    return at == 0 || !IsWord(out[at - 1]);
  };
  if (ends_with_word("a ") || ends_with_word("A ")) {
    out.insert(out.size() - 1, "n");
  } else if (ends_with_word("an ") || ends_with_word("An ")) {
    out.erase(out.size() - 2, 1);
  }
}

/// Whether a story tells two things apart by words that otherwise mean the same: boxes and crates.
bool HasAny(std::string_view text, const std::vector<std::string_view>& phrases) {
  return std::ranges::any_of(phrases, [&](std::string_view phrase) {
    return text.find(phrase) != std::string_view::npos;
  });
}

}  // namespace

Swaps::Swaps(std::span<const std::string_view> rules) {
  constexpr std::string_view kTo = " > ";
  for (const std::string_view rule : rules) {
    const std::size_t to = rule.find(kTo);
    if (to != std::string_view::npos) {
      rows_.push_back({rule.substr(0, to), Alternatives(rule.substr(to + kTo.size()))});
      continue;
    }
    const std::vector<std::string_view> phrases = Alternatives(rule);
    for (const std::string_view from : phrases) {
      Swap swap{from, phrases};
      std::erase(swap.to, from);
      rows_.push_back(std::move(swap));
    }
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::string_view from = rows_[i].from;
    by_first_word_[from.substr(0, from.find(' '))].push_back(i);
  }
}

const Swap* Swaps::LongestAt(std::string_view text, std::size_t begin,
                             std::size_t first_end) const {
  std::string first(text.substr(begin, first_end - begin));
  first[0] = ToLower(first[0]);
  const auto found = by_first_word_.find(first);
  if (found == by_first_word_.end()) return nullptr;
  const Swap* longest = nullptr;
  const std::string_view behind_first = text.substr(first_end);
  for (const std::size_t i : found->second) {
    const Swap& row = rows_[i];
    const std::string_view rest = row.from.substr(first.size());
    const bool fits = behind_first.starts_with(rest) &&
                      (rest.size() == behind_first.size() || !IsWord(behind_first[rest.size()]));
    if (fits && (longest == nullptr || row.from.size() > longest->from.size())) longest = &row;
  }
  return longest;
}

std::string Swaps::Apply(std::string_view marked, unsigned percent, Random& random) const {
  std::string out;
  for (std::size_t at = 0; at < marked.size();) {
    if (marked[at] == kPluralMark) {
      const std::size_t end = std::min(marked.find(kPluralEnd, at), marked.size() - 1) + 1;
      out += marked.substr(at, end - at);
      at = end;
      continue;
    }
    if (!IsWord(marked[at])) {
      out += marked[at++];
      continue;
    }
    std::size_t end = at;
    while (end < marked.size() && IsWord(marked[end])) ++end;
    const bool is_name = IsUpper(marked[at]) && !BeginsSentence(out);
    const Swap* row = is_name ? nullptr : LongestAt(marked, at, end);
    if (row == nullptr || !random.Chance(percent) || HasAny(marked, row->to)) {
      const std::size_t taken = row == nullptr ? end : at + row->from.size();
      out += marked.substr(at, taken - at);
      at = taken;
      continue;
    }
    std::string by(random.Pick(std::span<const std::string_view>(row->to)));
    FixArticle(out, marked[at], by[0]);
    if (IsUpper(marked[at])) by[0] = ToUpper(by[0]);
    out += by;
    at += row->from.size();
  }
  return out;
}

}  // namespace txvm::neural::questions
