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

#include "neural/questions/random.h"

namespace txvm::neural::questions {

struct Word {
  std::string singular;  // a verb's base form
  std::string plural;
  bool is_held_out = false;
};

/// Whether a text belongs to the fifth that training never sees.
bool IsHeldOut(std::string_view text);

/// INVARIANT: every list has a word that is not held out.
class Lexicon {
 public:
  Lexicon();
  /// The words of a list. REQUIRES: it exists; a missing one aborts with its name.
  std::span<const Word> Words(std::string_view list) const;
  bool Has(std::string_view list) const { return lists_.contains(list); }
  /// Every name of a person, lower-case; the list "invented_name" holds some that nobody has.
  bool IsName(std::string_view lower) const;

 private:
  void Add(std::string_view list, std::string_view words);
  void Unite(std::string_view list, std::string_view parts);

  std::map<std::string, std::vector<Word>, std::less<>> lists_;
  std::set<std::string, std::less<>> everyday_;  // never held out
  std::vector<std::string> names_;               // sorted
};

std::string PluralOf(std::string_view singular);

/// A word of two or three syllables that most likely does not exist: what a thing is called must
/// not matter to a reader.
std::string InventWord(Random& random);

enum class Form : std::uint8_t { kBase, kThird, kPast, kParticiple, kGerund };
/// A verb phrase conjugated in its first word: ("give away", kPast) is "gave away".
std::string Conjugate(std::string_view phrase, Form form);

}  // namespace txvm::neural::questions
