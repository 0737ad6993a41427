#include "neural/questions/expander.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "isa/support/result.h"
#include "neural/questions/letters.h"
#include "neural/questions/numbers.h"

namespace txvm::neural::questions {
namespace {

struct Alias {
  char letter;
  std::string_view list;
};

constexpr std::array<Alias, 20> kAliases = {
    {{'I', "item"},   {'J', "item2"},    {'L', "item3"},    {'X', "container"}, {'Z', "container2"},
     {'G', "people"}, {'H', "people2"},  {'A', "animal"},   {'B', "animal2"},   {'F', "food"},
     {'O', "food2"},  {'P', "product"},  {'Q', "product2"}, {'S', "product3"},  {'C', "color"},
     {'E', "color2"}, {'R', "receiver"}, {'V', "vehicle"},  {'U', "furniture"}, {'W', "pack"}}};

/// Lists of things that may have any name.
constexpr std::array<std::string_view, 13> kThings = {
    "item",       "good",    "toy",      "fruit",  "vegetable", "treat",  "food",
    "stationery", "garment", "hardware", "flower", "animal",    "product"};

/// The end of the group that opens at `at`: one past its closing character.
std::size_t EndOfGroup(std::string_view text, std::size_t at, char open, char close) {
  std::size_t depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    depth += text[i] == open ? 1 : 0;
    if (text[i] == close && --depth == 0) return i + 1;
  }
  TXVM_ASSERT(!"a group of a template is not closed");
  return text.size();
}

constexpr std::array<std::string_view, 5> kForms = {"past", "ing", "pp", "s", "base"};

bool IsPersonKey(std::string_view key) {
  if (key.size() == 1) return key == "N" || key == "M" || key == "K";
  // A maker may call its people otherwise and put the letter in later.
  if (key.size() == 3 && IsUpper(key[0]) && key.ends_with("'s")) return true;
  if (key.ends_with('2') || key.ends_with('3')) key.remove_suffix(1);
  return key == "he" || key == "him" || key == "his";
}

/// Whether a key of braces means something.
bool IsKey(std::string_view key, const Lexicon& lexicon) {
  if (key.empty()) return false;
  const bool is_amount = key[0] == '$' || key[0] == '%';
  const std::string_view letter = is_amount ? key.substr(1) : key;
  if (letter.size() == 1 && IsLower(letter[0])) return true;
  constexpr std::array<std::string_view, 6> kOthers = {"one", "does", "has", "is", "was", "LIST"};
  if (std::ranges::find(kOthers, key) != kOthers.end() || IsPersonKey(key)) return true;
  const bool is_single = key.size() == 2 && key[1] == '1' && IsUpper(key[0]);
  if (key.ends_with('+') || is_single) {
    key.remove_suffix(1);
  } else if (const std::size_t colon = key.find(':'); colon != std::string_view::npos) {
    if (std::ranges::find(kForms, key.substr(colon + 1)) == kForms.end()) return false;
    key = key.substr(0, colon);
  }
  if (key.size() == 1) {
    return std::ranges::find(kAliases, key[0], &Alias::letter) != kAliases.end();
  }
  if (key.back() >= '2' && key.back() <= '9') key.remove_suffix(1);
  return lexicon.Has(key);
}

}  // namespace

std::vector<std::string_view> Alternatives(std::string_view inner) {
  std::vector<std::string_view> parts;
  std::size_t depth = 0, begin = 0;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '[') ++depth;
    if (inner[i] == ']') --depth;
    if (inner[i] != '|' || depth > 0) continue;
    parts.push_back(inner.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(inner.substr(begin));
  return parts;
}

std::optional<std::string> FaultOf(std::string_view text, const Lexicon& lexicon,
                                   const Rules& rules) {
  std::vector<char> open;
  const auto is_open = [](std::string_view name) {  // a maker fills it in
    return name.find_first_of("%#") != std::string_view::npos;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '[') open.push_back(c);
    if (c == ']') {
      if (open.empty()) return "a ']' has no '[' before it";
      open.pop_back();
    }
    const bool names_rule = c == '<' && at + 1 < text.size() && IsLower(text[at + 1]) &&
                            (at == 0 || text[at - 1] != '%');
    if (c == '}') return "a '}' has no '{' before it";
    if (c != '{' && !names_rule) continue;
    const std::size_t end = text.find(c == '{' ? '}' : '>', at);
    if (end == std::string_view::npos) {
      return std::string("a '") + c + "' is not closed";
    }
    const std::string_view name = text.substr(at + 1, end - at - 1);
    if (c == '{' && !(name.size() > 1 && is_open(name.substr(1))) && !IsKey(name, lexicon)) {
      return "{" + std::string(name) + "} is no number, person, list of words or form of one";
    }
    if (c == '<' && !is_open(name) && !rules.Has(name)) {
      return "there is no rule <" + std::string(name) + ">";
    }
    at = end;
  }
  if (!open.empty()) return "a '[' is not closed";
  return std::nullopt;
}

const std::vector<std::string_view>& Rules::Texts(std::string_view name) const {
  const auto found = rules_.find(name);
  if (found == rules_.end()) fmt::print(stderr, "there is no rule {}\n", name);
  TXVM_ASSERT(found != rules_.end());
  return found->second;
}

bool Expander::MayUse(std::string_view text) const {
  return options_.texts != Choice::kTrain || !IsHeldOut(text);
}

std::string_view Expander::PickText(const std::vector<std::string_view>& texts) {
  std::vector<std::string_view> allowed;
  for (const std::string_view text : texts) {
    if (MayUse(text)) allowed.push_back(text);
  }
  // A rule whose few texts are all held out is not told apart at all.
  if (allowed.empty()) return random_.Pick(std::span<const std::string_view>(texts));
  const std::string_view text = random_.Pick(std::span<const std::string_view>(allowed));
  const bool told_apart = std::ranges::any_of(texts, [](auto t) { return !IsHeldOut(t); });
  if (told_apart && IsHeldOut(text)) used_held_out_ = true;
  return text;
}

std::string Expander::Expand(std::string_view text, std::size_t first_variable) {
  out_.clear();
  first_variable_ = first_variable;
  Put(text);
  return std::move(out_);
}

void Expander::Put(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) at = PutAt(text, at);
}

std::size_t Expander::PutAt(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == kNumberMark) {  // of a list or a formula: its variable may look like anything
    out_ += text.substr(at, 2);
    return at + 2;
  }
  const auto group = [&](char close) {
    const std::size_t end = EndOfGroup(text, at, c, close);
    return std::pair(text.substr(at + 1, end - at - 2), end);
  };
  if (c == '[') {
    const auto [inner, end] = group(']');
    Put(random_.Pick(std::span<const std::string_view>(Alternatives(inner))));
    return end;
  }
  if (c == '<' && at + 1 < text.size() && IsLower(text[at + 1])) {
    const auto [inner, end] = group('>');
    Put(PickText(rules_.Texts(inner)));
    return end;
  }
  if (c == '{') {
    const auto [inner, end] = group('}');
    PutPlaceholder(inner);
    return end;
  }
  const bool has_next = at + 1 < text.size();
  if ((c == '~' || c == '=' || c == '^') && has_next &&
      (IsLower(text[at + 1]) || text[at + 1] == '{')) {
    return PutVerb(text, at);
  }
  if ((c == 'a' || c == 'A') && has_next && text[at + 1] == '_' &&
      (at == 0 || !IsLetter(text[at - 1]))) {
    out_ += kArticleMark;
    return at + 2;
  }
  out_ += c;
  return at + 1;
}

Form Expander::Tense(char subject) {
  if (options_.is_past) return Form::kPast;
  const bool is_plural = subject == '=' || (subject == '~' && PersonOf('N').is_plural);
  return is_plural ? Form::kBase : Form::kThird;
}

std::size_t Expander::PutVerb(std::string_view text, std::size_t at) {
  const char subject = text[at];
  std::string verb;
  std::size_t end = at + 1;
  if (text[end] == '{') {
    end = EndOfGroup(text, end, '{', '}');
    verb = WordOf(text.substr(at + 2, end - at - 3)).singular;
  } else {
    while (end < text.size() && IsLower(text[end])) ++end;
    verb = text.substr(at + 1, end - at - 1);
  }
  if (verb == "be") {
    const bool is_plural = subject == '=' || (subject == '~' && PersonOf('N').is_plural);
    const bool is_first = subject == '~' && PersonOf('N').is_first;
    if (options_.is_past) {
      out_ += is_plural && !is_first ? "were" : "was";
    } else {
      out_ += is_first ? "am" : is_plural ? "are" : "is";
    }
  } else {
    out_ += lexicon_.Conjugate(verb, Tense(subject));
  }
  return end;
}

void Expander::PutPlaceholder(std::string_view key) {
  if (key == "one") {
    out_ += kNumberMark;
    out_ += static_cast<char>('0' + kOneVariable);
    return;
  }
  const bool is_amount = key[0] == '$' || key[0] == '%';
  const std::string_view letter = is_amount ? key.substr(1) : key;
  if (letter.size() == 1 && IsLower(letter[0])) {
    out_ += key[0] == '$' ? kMoneyMark : key[0] == '%' ? kPercentMark : kNumberMark;
    out_ += static_cast<char>('0' + first_variable_ + static_cast<std::size_t>(letter[0] - 'a'));
    return;
  }
  if (PutPerson(key) || PutAgreement(key)) return;
  PutWord(key);
}

bool Expander::PutPerson(std::string_view key) {
  if (key == "N" || key == "M" || key == "K") {
    Person& person = PersonOf(key[0]);
    out_ += person.was_named ? person.later : person.name;
    person.was_named = true;
    return true;
  }
  if (key.size() == 3 && key.ends_with("'s")) {
    Person& person = PersonOf(key[0]);
    const std::string& name = person.was_named ? person.later : person.name;
    person.was_named = true;
    out_ += person.is_first ? "my" : name == "you" ? "your" : name + "'s";
    return true;
  }
  std::string_view word = key;
  char who = 'N';
  if (word.ends_with('2') || word.ends_with('3')) {
    who = word.back() == '2' ? 'M' : 'K';
    word.remove_suffix(1);
  }
  if (word != "he" && word != "him" && word != "his") return false;
  const Person& person = PersonOf(who);
  out_ += word == "he" ? person.he : word == "him" ? person.him : person.his;
  return true;
}

bool Expander::PutAgreement(std::string_view key) {
  struct Pair {
    std::string_view singular, plural, first;
  };
  constexpr std::array<Pair, 4> kPairs = {
      {{"does", "do", "do"}, {"has", "have", "have"}, {"is", "are", "am"}, {"was", "were", "was"}}};
  const auto pair = std::ranges::find(kPairs, key, &Pair::singular);
  if (pair == kPairs.end()) return false;
  const Person& person = PersonOf('N');
  out_ += person.is_first ? pair->first : person.is_plural ? pair->plural : pair->singular;
  return true;
}

void Expander::PutWord(std::string_view key) {
  const bool is_color = key == "C" || key == "E";  // no noun
  if (key.ends_with('+') || (key.size() == 1 && !is_color)) {
    const std::string_view base = key.ends_with('+') ? key.substr(0, key.size() - 1) : key;
    const Word& word = WordOf(base);
    out_ += kPluralMark;
    out_ += word.singular + kPluralThen + word.plural + kPluralEnd;
    return;
  }
  if (key.size() == 2 && key[1] == '1') {
    out_ += WordOf(key.substr(0, 1)).singular;
    return;
  }
  const std::size_t colon = key.find(':');
  const Word& word = WordOf(key.substr(0, colon));
  if (colon == std::string_view::npos) {
    out_ += word.singular;
    return;
  }
  const std::string_view form = key.substr(colon + 1);
  out_ += lexicon_.Conjugate(word.singular, form == "past"  ? Form::kPast
                                            : form == "ing" ? Form::kGerund
                                            : form == "pp"  ? Form::kParticiple
                                            : form == "s"   ? Form::kThird
                                                            : Form::kBase);
}

const Word& Expander::Draw(std::string_view list) {
  const std::span<const Word> words = lexicon_.Words(list);
  const bool needs_held_out =
      options_.words == Choice::kHeldOut && std::ranges::any_of(words, &Word::is_held_out);
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    const Word& word = random_.Pick(words);
    if (options_.words == Choice::kTrain && word.is_held_out) continue;
    if (needs_held_out && !word.is_held_out) continue;
    return word;
  }
  return words[0];
}

const Word& Expander::WordOf(std::string_view key) {
  if (key.size() == 1) {
    const auto alias = std::ranges::find(kAliases, key[0], &Alias::letter);
    TXVM_ASSERT(alias != kAliases.end());
    key = alias->list;
  }
  if (const auto found = words_.find(key); found != words_.end()) return found->second;
  std::string_view list = key;
  if (list.back() >= '2' && list.back() <= '9') list.remove_suffix(1);
  constexpr int kTries = 20;
  Word word = Draw(list);
  const auto is_taken = [&](const Word& w) {
    return std::ranges::any_of(
        words_, [&](const auto& entry) { return entry.second.singular == w.singular; });
  };
  for (int i = 0; i < kTries && is_taken(word); ++i) word = Draw(list);
  constexpr unsigned kInvented = 12;
  if (std::ranges::find(kThings, list) != kThings.end() && random_.Chance(kInvented)) {
    word.singular = InventWord(random_);
    word.plural = PluralOf(word.singular);
  }
  return words_.emplace(std::string(key), std::move(word)).first->second;
}

Expander::Person& Expander::PersonOf(char key) {
  const auto found = persons_.find(key);
  if (found != persons_.end()) return found->second;
  Person person = DrawPerson(key);
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::any_of(persons_, [&](const auto& e) { return e.second.name == name; });
  };
  constexpr int kTries = 20;
  for (int i = 0; i < kTries && is_taken(person.name); ++i) person = DrawPerson(key);
  return persons_.emplace(key, std::move(person)).first->second;
}

std::vector<std::string> Expander::UnusualSubjects() const {
  const auto found = persons_.find('N');
  if (found == persons_.end() || !found->second.is_plural) return {};
  return {found->second.name, found->second.he};
}

Expander::Person Expander::DrawPerson(char key) {
  Person person;
  constexpr std::size_t kPercent = 100, kFirst = 5, kYou = 7, kCouple = 10, kRole = 20, kNick = 22;
  constexpr std::size_t kInvented = 34;
  const std::size_t draw = random_.Below(kPercent);
  if (key == 'N' && draw < kFirst) {
    return {"I", "I", "I", "me", "my", true, true, false};
  }
  if (key == 'N' && draw < kYou) return {"you", "you", "you", "you", "your", true, false, false};
  if (key == 'N' && draw < kCouple) {
    const std::string man = Draw("man").singular;
    const std::string name = Draw("woman").singular + " and " + man;
    return {name, name, "they", "them", "their", true, false, false};
  }
  const bool is_woman = random_.Chance(50);
  person.he = is_woman ? "she" : "he";
  person.him = is_woman ? "her" : "him";
  person.his = is_woman ? "her" : "his";
  const bool is_role = key != 'K' && draw < kRole;
  const std::string_view list = is_role            ? (is_woman ? "role_f" : "role_m")
                                : draw < kNick     ? "nickname"
                                : draw < kInvented ? "invented_name"
                                : is_woman         ? "woman"
                                                   : "man";
  person.name = Draw(list).singular;
  person.later = person.name.starts_with("a ") ? "the " + person.name.substr(2) : person.name;
  return person;
}

}  // namespace txvm::neural::questions
