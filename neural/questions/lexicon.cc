#include "neural/questions/lexicon.h"

#include <algorithm>
#include <array>

#include "isa/support/result.h"
#include "neural/questions/letters.h"
#include "neural/questions/random.h"

namespace txvm::neural::questions {
namespace {

constexpr std::uint64_t kHoldOutOneIn = 5;
constexpr std::uint64_t kHoldOutSeed = 11;

bool IsVowel(char c) { return std::string_view("aeiouAEIOU").find(c) != std::string_view::npos; }

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.push_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

struct Verb {
  std::string_view base, past, participle;
};

constexpr std::array kVerbs = {
#define TXVM_VERB(base, past, participle) Verb{base, past, participle},
#include "neural/questions/verbs.def"
#undef TXVM_VERB
};

bool EndsWithAny(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::ranges::any_of(ends, [text](std::string_view end) { return text.ends_with(end); });
}

std::string Suffixed(std::string_view base, std::string_view suffix) {
  std::string out(base);
  const bool has_y = base.ends_with('y') && base.size() > 1 && !IsVowel(base[base.size() - 2]);
  if (suffix == "ing") {
    if (base.ends_with('e') && !base.ends_with("ee") && base != "be") out.pop_back();
    return out + "ing";
  }
  if (has_y) {
    out.pop_back();
    return out + "i" + (suffix == "s" ? "es" : "ed");
  }
  if (suffix == "ed") return out + (base.ends_with('e') ? "d" : "ed");
  return out + (EndsWithAny(base, {"s", "x", "z", "ch", "sh"}) || base == "go" || base == "do"
                    ? "es"
                    : "s");
}

std::string ConjugateWord(std::string_view base, Form form) {
  const auto verb = std::ranges::find(kVerbs, base, &Verb::base);
  const bool is_irregular = verb != kVerbs.end();
  switch (form) {
    case Form::kBase:
      return std::string(base);
    case Form::kThird:
      if (base == "be") return "is";
      return base == "have" ? "has" : Suffixed(base, "s");
    case Form::kPast:
      return is_irregular ? std::string(verb->past) : Suffixed(base, "ed");
    case Form::kParticiple:
      return is_irregular ? std::string(verb->participle) : Suffixed(base, "ed");
    case Form::kGerund: {
      constexpr auto kDoubled = std::to_array<std::string_view>(
          {"get",  "run",  "put",  "set",  "split", "swim", "win",  "cut",  "drop", "jog",
           "hop",  "wrap", "stop", "plan", "ship",  "sit",  "swap", "shop", "hit",  "rot",
           "knit", "grab", "dig",  "slip", "step",  "log",  "snap", "let",  "fit"});
      if (std::ranges::find(kDoubled, base) != kDoubled.end()) {
        return std::string(base) + base.back() + "ing";
      }
      return Suffixed(base, "ing");
    }
  }
  return std::string(base);
}

}  // namespace

bool IsHeldOut(std::string_view text) { return HashText(text, kHoldOutSeed) % kHoldOutOneIn == 0; }

std::string PluralOf(std::string_view singular) {
  if (EndsWithAny(singular, {"ay", "ey", "oy"})) return std::string(singular) + "s";
  return Suffixed(singular, "s");
}

std::string Conjugate(std::string_view phrase, Form form) {
  const std::size_t end = std::min(phrase.find(' '), phrase.size());
  return ConjugateWord(phrase.substr(0, end), form) + std::string(phrase.substr(end));
}

std::string InventWord(Random& random) {
  constexpr std::array<std::string_view, 26> kOnsets = {
      "b", "bl", "br", "d", "dr", "f",  "fl", "g",  "gl", "h", "j", "k", "kr",
      "l", "m",  "n",  "p", "pl", "qu", "r",  "sk", "sl", "t", "v", "w", "z"};
  constexpr std::array<std::string_view, 10> kVowels = {"a",  "e",  "i",  "o",  "u",
                                                        "ee", "ai", "oo", "ou", "ie"};
  constexpr std::array<std::string_view, 14> kCodas = {"",  "",  "b", "d",  "ck", "l", "m",
                                                       "n", "p", "r", "nt", "x",  "t", "ng"};
  constexpr unsigned kThirdSyllable = 25;
  std::string word;
  const int syllables = random.Chance(kThirdSyllable) ? 3 : 2;
  for (int i = 0; i < syllables; ++i) {
    word += random.Pick(std::span<const std::string_view>(kOnsets));
    word += random.Pick(std::span<const std::string_view>(kVowels));
  }
  word += random.Pick(std::span<const std::string_view>(kCodas));
  // A final e makes verbs, and two words would be numbers.
  if (word.ends_with('e') || word == "zero" || word == "dozen") word += "sh";
  return word;
}

void Lexicon::Add(std::string_view list, std::string_view words) {
  std::vector<Word>& out = lists_[std::string(list)];
  for (const std::string_view entry : Split(words, ',')) {
    const std::size_t slash = entry.find('/');
    Word word;
    word.singular = entry.substr(0, slash);
    word.plural =
        slash == std::string_view::npos ? PluralOf(entry) : std::string(entry.substr(slash + 1));
    word.is_held_out = IsHeldOut(word.singular) && !everyday_.contains(word.singular);
    out.push_back(std::move(word));
  }
  TXVM_ASSERT(!std::ranges::all_of(out, &Word::is_held_out));
}

void Lexicon::Unite(std::string_view list, std::string_view parts) {
  std::vector<Word> all;
  for (const std::string_view part : Split(parts, ' ')) {
    const std::span<const Word> words = Words(part);
    all.insert(all.end(), words.begin(), words.end());
  }
  lists_[std::string(list)] = std::move(all);
}

Lexicon::Lexicon() {
#define TXVM_EVERYDAY(words) \
  for (const std::string_view word : Split(words, ',')) everyday_.emplace(word);
#define TXVM_WORDS(list, words) Add(#list, words);
#define TXVM_UNION(list, parts) Unite(#list, parts);
#include "neural/questions/words.def"
#undef TXVM_EVERYDAY
#undef TXVM_WORDS
#undef TXVM_UNION
  constexpr int kInventedNames = 400;
  constexpr std::uint64_t kSeedOfNames = 20;
  Random random(kSeedOfNames);
  std::string invented;
  for (int i = 0; i < kInventedNames; ++i) {
    std::string name = InventWord(random);
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    invented += (i == 0 ? "" : ", ") + name;
  }
  Add("invented_name", invented);
  for (const std::string_view list : {"woman", "man", "nickname", "invented_name"}) {
    for (const Word& word : Words(list)) names_.push_back(Lower(word.singular));
  }
  std::ranges::sort(names_);
}

std::span<const Word> Lexicon::Words(std::string_view list) const {
  const auto found = lists_.find(list);
  TXVM_ASSERT(found != lists_.end());
  return found->second;
}

bool Lexicon::IsName(std::string_view lower) const {
  return std::ranges::binary_search(names_, lower);
}

}  // namespace txvm::neural::questions
