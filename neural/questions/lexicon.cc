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

}  // namespace

bool IsHeldOut(std::string_view text) { return HashText(text, kHoldOutSeed) % kHoldOutOneIn == 0; }

std::string PluralOf(std::string_view singular) {
  if (EndsWithAny(singular, {"ay", "ey", "oy"})) return std::string(singular) + "s";
  return Suffixed(singular, "s");
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

void Lexicon::Add(std::string_view list, std::span<const std::string_view> words) {
  std::vector<Word>& out = lists_[std::string(list)];
  for (const std::string_view entry : words) {
    const std::size_t slash = entry.find('/');
    Word word;
    word.singular = entry.substr(0, slash);
    word.plural =
        slash == std::string_view::npos ? PluralOf(entry) : std::string(entry.substr(slash + 1));
    word.is_held_out = IsHeldOut(word.singular) && !everyday_.contains(word.singular);
    out.push_back(std::move(word));
  }
}

isa::Result<Lexicon> Lexicon::Make(const LexiconText& text) {
  Lexicon lexicon;
  lexicon.everyday_.insert(text.everyday.begin(), text.everyday.end());
  lexicon.doubled_.insert(text.doubled.begin(), text.doubled.end());
  for (const LexiconText::Verb& verb : text.irregular) {
    lexicon.irregular_.emplace(verb.base,
                               Verb{std::string(verb.past), std::string(verb.participle)});
  }
  for (const LexiconText::List& list : text.lists) lexicon.Add(list.name, list.words);
  for (const auto& [name, words] : lexicon.lists_) {
    if (std::ranges::all_of(words, &Word::is_held_out)) {
      return isa::Fail(isa::ErrorCode::kInvalid,
                       "training would have no word of the list " + name + ", whose " +
                           "words are all held out; add one to == everyday");
    }
  }
  for (const LexiconText::List& list : text.unions) {
    std::vector<Word> all;
    for (const std::string_view part : list.words) {
      const auto found = lexicon.lists_.find(part);
      if (found == lexicon.lists_.end()) {
        return isa::Fail(isa::ErrorCode::kInvalid, "the union " + std::string(list.name) +
                                                       " names the list '" + std::string(part) +
                                                       "', which does not exist");
      }
      all.insert(all.end(), found->second.begin(), found->second.end());
    }
    lexicon.lists_[std::string(list.name)] = std::move(all);
  }
  constexpr int kInventedNames = 400;
  constexpr std::uint64_t kSeedOfNames = 20;
  Random random(kSeedOfNames);
  std::vector<std::string> invented;
  for (int i = 0; i < kInventedNames; ++i) {
    std::string& name = invented.emplace_back(InventWord(random));
    name[0] = ToUpper(name[0]);
  }
  const std::vector<std::string_view> names(invented.begin(), invented.end());
  lexicon.Add("invented_name", names);
  for (const std::string_view list : {"woman", "man", "nickname", "invented_name"}) {
    if (!lexicon.Has(list)) {
      return isa::Fail(isa::ErrorCode::kInvalid,
                       "the list " + std::string(list) + " is needed and does not exist");
    }
    for (const Word& word : lexicon.Words(list)) lexicon.names_.push_back(Lower(word.singular));
  }
  std::ranges::sort(lexicon.names_);
  return lexicon;
}

std::string Lexicon::ConjugateWord(std::string_view base, Form form) const {
  const auto verb = irregular_.find(base);
  const bool is_irregular = verb != irregular_.end();
  switch (form) {
    case Form::kBase:
      return std::string(base);
    case Form::kThird:
      if (base == "be") return "is";
      return base == "have" ? "has" : Suffixed(base, "s");
    case Form::kPast:
      return is_irregular ? verb->second.past : Suffixed(base, "ed");
    case Form::kParticiple:
      return is_irregular ? verb->second.participle : Suffixed(base, "ed");
    case Form::kGerund:
      if (doubled_.contains(base)) return std::string(base) + base.back() + "ing";
      return Suffixed(base, "ing");
  }
  return std::string(base);
}

std::string Lexicon::Conjugate(std::string_view phrase, Form form) const {
  const std::size_t end = std::min(phrase.find(' '), phrase.size());
  return ConjugateWord(phrase.substr(0, end), form) + std::string(phrase.substr(end));
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
