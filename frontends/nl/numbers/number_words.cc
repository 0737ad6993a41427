#include "frontends/nl/numbers/number_words.h"

#include <algorithm>
#include <array>

#include "frontends/nl/numbers/characters.h"

namespace txvm::frontends::nl {
namespace {

struct Row {
  std::string_view word;
  NumberWord meaning;
};

constexpr std::array kRows = {
#define TXVM_NUMBER_WORD(word, kind, value) Row{word, {WordKind::k##kind, value}},
#include "frontends/nl/numbers/number_words.def"
#undef TXVM_NUMBER_WORD
};

constexpr std::uint64_t kNoScale = 1'000'000'000'000'000'000;  // above every scale

/// A word and what it means.
struct Found {
  NumberWord meaning;
  std::size_t end = 0;
};

std::optional<Found> WordAt(std::string_view text, std::size_t at) {
  const std::size_t end = EndOfWord(text, at);
  if (end == at) return std::nullopt;
  // "one2" is another word.
  if (end < text.size() && text[end] >= '0' && text[end] <= '9') return std::nullopt;
  const std::optional<NumberWord> meaning = FindNumberWord(text.substr(at, end - at));
  if (!meaning) return std::nullopt;
  return Found{*meaning, end};
}

/// The next word after `end`, if it is a number word of this kind.
std::optional<Found> Following(std::string_view text, std::size_t end, WordKind kind) {
  const std::size_t next = NextWord(text, end);
  if (next == end) return std::nullopt;
  const std::optional<Found> found = WordAt(text, next);
  if (!found || found->meaning.kind != kind) return std::nullopt;
  return found;
}

/// Where a word begins after "and", which begins at or after blanks at `end`; `end` if there is
/// no "and".
std::size_t AfterAnd(std::string_view text, std::size_t end) {
  const std::size_t at = NextWord(text, end);
  const std::size_t stop = EndOfWord(text, at);
  if (at == end || !IsWord(text.substr(at, stop - at), "and")) return end;
  return NextWord(text, stop);
}

// below_hundred := unit | teen | ten [unit]
std::optional<WordNumber> ReadBelowHundred(std::string_view text, std::size_t at) {
  const std::optional<Found> first = WordAt(text, at);
  if (!first) return std::nullopt;
  const auto& [kind, value] = first->meaning;
  if (kind == WordKind::kUnit || kind == WordKind::kTeen) return WordNumber{value, first->end};
  if (kind != WordKind::kTen) return std::nullopt;
  if (const auto unit = Following(text, first->end, WordKind::kUnit)) {
    return WordNumber{value + unit->meaning.value, unit->end};
  }
  const auto ordinal = Following(text, first->end, WordKind::kOrdinal);
  if (ordinal) return WordNumber{value, ordinal->end, true};
  return WordNumber{value, first->end};
}

// group := [below_hundred] "hundred" [["and"] below_hundred] | below_hundred
std::optional<WordNumber> ReadGroup(std::string_view text, std::size_t at) {
  std::optional<WordNumber> head = ReadBelowHundred(text, at);
  if (head && head->is_ordinal) return head;
  std::optional<Found> hundred;
  if (head) {
    hundred = Following(text, head->end, WordKind::kHundred);
    if (!hundred) return head;
  } else {
    hundred = WordAt(text, at);
    if (!hundred || hundred->meaning.kind != WordKind::kHundred) return std::nullopt;
    head = WordNumber{1, at};
  }
  WordNumber out{head->value * hundred->meaning.value, hundred->end};
  const std::size_t after_and = AfterAnd(text, out.end);
  const std::size_t next = after_and == out.end ? NextWord(text, out.end) : after_and;
  const std::optional<WordNumber> tail = ReadBelowHundred(text, next);
  if (const auto ordinal = WordAt(text, next);
      ordinal && ordinal->meaning.kind == WordKind::kOrdinal) {
    return WordNumber{0, ordinal->end, true};  // "one hundred first"
  }
  // "one hundred and two hundred" are two numbers.
  if (!tail || Following(text, tail->end, WordKind::kHundred)) return out;
  if (tail->is_ordinal) return WordNumber{0, tail->end, true};
  out.value += tail->value;
  out.end = tail->end;
  return out;
}

/// A group with its scale: "two thousand", "thousand", "five".
struct ScaledGroup {
  WordNumber group;
  std::uint64_t scale = 1;
};

std::optional<ScaledGroup> ReadScaledGroup(std::string_view text, std::size_t at) {
  const std::optional<WordNumber> group = ReadGroup(text, at);
  if (group && group->is_ordinal) return ScaledGroup{*group, 1};
  if (!group) {
    const std::optional<Found> scale = WordAt(text, at);
    if (!scale || scale->meaning.kind != WordKind::kScale) return std::nullopt;
    return ScaledGroup{{1, scale->end}, scale->meaning.value};
  }
  const auto scale = Following(text, group->end, WordKind::kScale);
  if (!scale) return ScaledGroup{*group, 1};
  return ScaledGroup{{group->value, scale->end}, scale->meaning.value};
}

}  // namespace

std::optional<NumberWord> FindNumberWord(std::string_view word) {
  const auto found =
      std::ranges::find_if(kRows, [word](const Row& row) { return IsWord(word, row.word); });
  if (found == kRows.end()) return std::nullopt;
  return found->meaning;
}

std::size_t EndOfWord(std::string_view text, std::size_t at) {
  while (at < text.size() && IsLetter(text[at])) ++at;
  return at;
}

std::size_t NextWord(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == '-') return at + 1;
  return AfterBlanks(text, at);
}

// number := "zero" | scaled_group {["and"] scaled_group}, with falling scales; only "and" stands
// before a group without a number
std::optional<WordNumber> ReadWordNumber(std::string_view text, std::size_t at) {
  if (const auto zero = WordAt(text, at); zero && zero->meaning.kind == WordKind::kZero) {
    return WordNumber{0, zero->end};
  }
  WordNumber out{0, at};
  std::uint64_t last_scale = kNoScale;
  for (std::size_t next = at; last_scale > 1;) {
    const std::optional<ScaledGroup> group = ReadScaledGroup(text, next);
    if (!group || group->scale >= last_scale) break;
    if (group->group.is_ordinal) return group->group;
    out.value += group->group.value * group->scale;
    out.end = group->group.end;
    last_scale = group->scale;
    const std::size_t after_and = AfterAnd(text, out.end);
    next = after_and == out.end ? NextWord(text, out.end) : after_and;
    const std::optional<Found> word = WordAt(text, next);
    const bool is_scale = word && (word->meaning.kind == WordKind::kScale ||
                                   word->meaning.kind == WordKind::kHundred);
    if (is_scale && after_and == out.end) break;
  }
  if (last_scale == kNoScale) return std::nullopt;
  return out;
}

}  // namespace txvm::frontends::nl
