// Turns a template into English. Its language:
//
//   [x|y|z]     one of the alternatives; they nest
//   <rule>      one of the rule's texts (sentences/rules), expanded in place
//   {a}..{h}    the number of a variable; {$a} money, {%a} percent
//   {N} {M} {K} persons; {N's} possessive; {he} {him} {his} of N, {he2} .. of M, {he3} .. of K
//   {one}       the word one, which is a number for whoever reads it, though it means nothing
//   {does} {has} {is} {was}    agreeing with N
//   {list} {list+}   a word of a list (words.txt), its plural; {list2} is another word than {list};
//                    a key keeps its word throughout the text
//   {list:past} {list:ing} {list:pp} {list:s} {list:base}  a verb's forms
//   ~verb ~{list}    the verb in the story's tense with N as its subject; =verb with a plural
//                    subject; ^verb with another singular subject
//   a_          "a" or "an"
//   {I} {I1}    plural and singular of the item; so do the other capitals of kAliases
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "neural/questions/lexicon.h"
#include "neural/questions/random.h"

namespace txvm::neural::questions {

/// For every name of a rule its texts, which are owned elsewhere (sentences/rules).
class Rules {
 public:
  /// Adds a text after those that the rule has.
  void Add(std::string_view name, std::string_view text) { rules_[name].push_back(text); }
  bool Has(std::string_view name) const { return rules_.contains(name); }
  /// REQUIRES: there is a rule of that name.
  const std::vector<std::string_view>& Texts(std::string_view name) const;
  /// All of them, by name.
  const std::map<std::string_view, std::vector<std::string_view>>& all() const { return rules_; }

 private:
  std::map<std::string_view, std::vector<std::string_view>> rules_;
};

/// The parts of "x|y[z|w]" between the bars that no bracket holds: x and y[z|w].
std::vector<std::string_view> Alternatives(std::string_view inner);

/// What is wrong with a text: a bracket left open, a list or a rule that does not exist, a form
/// that no verb has. Nothing where all is well. What a maker is still to fill in (%P) is passed
/// over.
std::optional<std::string> FaultOf(std::string_view text, const Lexicon& lexicon,
                                   const Rules& rules);

/// What may be chosen.
enum class Choice : std::uint8_t {
  kTrain,    // never what is held out
  kHeldOut,  // what is held out, wherever there is some
  kAny,
};

struct ExpanderOptions {
  Choice words = Choice::kTrain;
  Choice texts = Choice::kTrain;
  bool is_past = true;
};

// Marks in an expanded text, resolved by Surface (surface.h), because they need the numbers.
inline constexpr char kNumberMark = '\x01';  // then '0' + variable
inline constexpr char kPluralMark = '\x02';  // singular, kPluralThen, plural, kPluralEnd
inline constexpr char kPluralThen = '\x03';
inline constexpr char kPluralEnd = '\x04';
inline constexpr char kArticleMark = '\x05';
inline constexpr char kMoneyMark = '\x06';    // then '0' + variable
inline constexpr char kPercentMark = '\x07';  // then '0' + variable

class Expander {
 public:
  Expander(const Lexicon& lexicon, const Rules& rules, Random& random,
           const ExpanderOptions& options)
      : lexicon_(lexicon), rules_(rules), random_(random), options_(options) {}

  /// The text with its marks. Variable letters a, b, ... are `first_variable` and up.
  std::string Expand(std::string_view text, std::size_t first_variable = 0);
  /// Whether a text was chosen that training never sees.
  bool used_held_out() const { return used_held_out_; }
  /// Whether a person of that key (N, M or K) is in what was expanded.
  bool HasPerson(char key) const { return persons_.contains(key); }
  /// Whether any word or person of the lists is in what was expanded.
  bool HasWords() const { return !words_.empty() || !persons_.empty(); }
  /// The names of N, if they take other verbs than he and she do; empty otherwise.
  std::vector<std::string> UnusualSubjects() const;
  /// One of the texts of a rule, by the options.
  std::string_view PickText(const std::vector<std::string_view>& texts);
  bool MayUse(std::string_view text) const;

 private:
  struct Person {
    std::string name, later, he, him, his;
    bool is_plural = false;  // also I and you: takes "have", not "has"
    bool is_first = false;   // I
    bool was_named = false;
  };

  void Put(std::string_view text);
  std::size_t PutAt(std::string_view text, std::size_t at);
  std::size_t PutVerb(std::string_view text, std::size_t at);
  void PutPlaceholder(std::string_view key);
  bool PutPerson(std::string_view key);
  bool PutAgreement(std::string_view key);
  void PutWord(std::string_view key);
  const Word& WordOf(std::string_view key);
  const Word& Draw(std::string_view list);
  Person& PersonOf(char key);
  Person DrawPerson(char key);
  Form Tense(char subject);

  const Lexicon& lexicon_;
  const Rules& rules_;
  Random& random_;
  ExpanderOptions options_;
  std::map<std::string, Word, std::less<>> words_;
  std::map<char, Person> persons_;
  std::size_t first_variable_ = 0;
  bool used_held_out_ = false;
  std::string out_;
};

}  // namespace txvm::neural::questions
