// The generator's words and their forms. A fifth of them, those of every day aside, is held out of
// training.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/questions/random.h"

namespace txvm::neural::questions {

struct Word {
  std::string singular;  // a verb's base form
  std::string plural;
  bool is_held_out = false;
};

/// Whether a text belongs to the fifth that training never sees.
bool IsHeldOut(std::string_view text);

enum class Form : std::uint8_t { kBase, kThird, kPast, kParticiple, kGerund };

/// What a lexicon is made of (sentences/words.txt, sentences/verbs.txt).
struct LexiconText {
  struct Verb {
    std::string_view base, past, participle;
  };
  struct List {
    std::string_view name;
    std::vector<std::string_view> words;  // "singular" or "singular/plural"
  };
  std::vector<std::string_view> everyday;  // words that are never held out
  std::vector<List> lists;
  std::vector<List> unions;  // of lists, whose names are the words
  std::vector<Verb> irregular;
  std::vector<std::string_view> doubled;  // verbs whose last letter is doubled before -ing
};

/// INVARIANT: every list has a word that is not held out.
class Lexicon {
 public:
  /// kInvalid: a list of a union that does not exist, or one of which training would have no word.
  static isa::Result<Lexicon> Make(const LexiconText& text);
  /// The words of a list. REQUIRES: it exists; a missing one aborts with its name.
  std::span<const Word> Words(std::string_view list) const;
  bool Has(std::string_view list) const { return lists_.contains(list); }
  /// Every name of a person, lower-case; the list "invented_name" holds some that nobody has.
  bool IsName(std::string_view lower) const;
  /// A verb phrase conjugated in its first word: ("give away", kPast) is "gave away".
  std::string Conjugate(std::string_view phrase, Form form) const;

 private:
  struct Verb {
    std::string past, participle;
  };
  Lexicon() = default;
  void Add(std::string_view list, std::span<const std::string_view> words);
  std::string ConjugateWord(std::string_view base, Form form) const;

  std::map<std::string, std::vector<Word>, std::less<>> lists_;
  std::set<std::string, std::less<>> everyday_;  // never held out
  std::map<std::string, Verb, std::less<>> irregular_;
  std::set<std::string, std::less<>> doubled_;
  std::vector<std::string> names_;  // sorted
};

/// The plural of a regular noun.
std::string PluralOf(std::string_view singular);

/// A word of two or three syllables that most likely does not exist: what a thing is called must
/// not matter to a reader.
std::string InventWord(Random& random);

}  // namespace txvm::neural::questions
