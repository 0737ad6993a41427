#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "neural/questions/draft.h"
#include "neural/questions/letters.h"

namespace txvm::neural::questions {

namespace {

// In per cent of the stories, and of all else.
constexpr unsigned kAddressInStory = 5, kPartingInStory = 3, kAddress = 15, kParting = 8;
// In per cent of the stories, of the statements and of the things counted.
constexpr unsigned kFiller = 14, kAhead = 14, kBehind = 10, kDescribed = 30, kAdjective = 40;

class Embellisher {
 public:
  explicit Embellisher(const Workshop& workshop)
      : workshop_(workshop), has_person_(workshop.expander.HasPerson('N')) {}

  void AddFiller(std::vector<std::string>& sentences) const;
  void AddAhead(std::string& sentence) const;
  void AddBehind(std::string& sentence) const;
  std::string Described(std::string_view marked) const;

 private:
  Random& random() const { return workshop_.random; }
  std::string Text(std::string_view rule) const {
    return workshop_.expander.Expand(workshop_.PickText(rule));
  }
  /// What is said of him or her needs one.
  bool MayNamePerson() const { return has_person_ && random().Chance(50); }

  const Workshop& workshop_;
  bool has_person_;
};

// Ahead of the question, and not before the person is known.
void Embellisher::AddFiller(std::vector<std::string>& sentences) const {
  const std::size_t last = sentences.size() - 1;
  const bool is_first = random().Chance(15);
  const std::size_t at = is_first ? 0 : 1 + random().Below(last);
  const std::string text = Text(!is_first && MayNamePerson() ? "filler_person" : "filler");
  sentences.insert(sentences.begin() + static_cast<std::ptrdiff_t>(at), text);
}

// Words that stand first and bind the sentence to the one before.
bool IsBound(std::string_view sentence) {
  constexpr std::array<std::string_view, 12> kBinding = {"then",    "Then", "after", "After",
                                                         "but",     "But",  "and",   "And",
                                                         "suppose", "let",  "given", "in"};
  const std::string_view first = sentence.substr(0, sentence.find_first_of(" ,"));
  return std::ranges::find(kBinding, first) != kBinding.end();
}

void Embellisher::AddAhead(std::string& sentence) const {
  if (IsBound(sentence)) return;
  const std::string ahead = Text(MayNamePerson() ? "ahead_person" : "ahead");
  sentence = ahead + " " + Clause(std::move(sentence)) + ".";
}

void Embellisher::AddBehind(std::string& sentence) const {
  if (sentence.size() < 2) return;
  const char last = sentence[sentence.size() - 2];  // before the point
  if (!IsLower(last) && last != kPluralEnd) return;
  sentence.insert(sentence.size() - 1, " " + Text("behind"));
}

// "5 apples" -> "5 green apples", where the thing is one that has colors and sizes.
std::string Embellisher::Described(std::string_view marked) const {
  const std::span<const Word> things = workshop_.bank.lexicon().Words("good");
  const std::string_view word = random().Chance(40) ? "{color9} " : "{adjective9} ";
  std::string out;
  for (std::size_t at = 0; at < marked.size(); ++at) {
    const bool is_counted = at >= 3 && marked[at] == kPluralMark && marked[at - 1] == ' ' &&
                            marked[at - 3] == kNumberMark;
    if (is_counted && random().Chance(kAdjective)) {
      const std::size_t then = std::min(marked.find(kPluralThen, at), marked.size());
      const std::string_view thing = marked.substr(at + 1, then - at - 1);
      if (std::ranges::find(things, thing, &Word::singular) != things.end()) {
        out += workshop_.expander.Expand(word);
      }
    }
    out += marked[at];
  }
  return out;
}

}  // namespace

void Embellish(const Workshop& workshop, Draft& draft) {
  Random& random = workshop.random;
  const Embellisher embellisher(workshop);
  std::vector<std::string> sentences = Sentences(draft.marked);
  if (sentences.size() >= 2) {
    for (std::size_t i = 0; i + 1 < sentences.size(); ++i) {
      if (!IsStatement(sentences[i])) continue;
      if (random.Chance(kAhead)) embellisher.AddAhead(sentences[i]);
      if (random.Chance(kBehind)) embellisher.AddBehind(sentences[i]);
    }
    if (random.Chance(kFiller)) embellisher.AddFiller(sentences);
    draft.marked = fmt::format("{}", fmt::join(sentences, " "));
  }
  if (random.Chance(kDescribed)) draft.marked = embellisher.Described(draft.marked);
}

void Address(const Workshop& workshop, bool is_story, Draft& draft) {
  const auto text = [&workshop](std::string_view rule) {
    return workshop.expander.Expand(workshop.PickText(rule));
  };
  if (workshop.random.Chance(is_story ? kAddressInStory : kAddress)) {
    draft.marked = text("address") + " " + draft.marked;
  }
  if (workshop.random.Chance(is_story ? kPartingInStory : kParting)) {
    draft.marked += " " + text("parting");
  }
}

namespace {

bool IsTitle(std::string_view before) {
  return before.ends_with("Mr") || before.ends_with("Mrs") || before.ends_with("Ms");
}

bool IsQuestion(std::string_view sentence) {
  const bool asks = sentence.starts_with("how ") || sentence.starts_with("How ") ||
                    sentence.starts_with("what ") || sentence.starts_with("What ");
  return asks && sentence.ends_with('?');
}

std::string Lowered(std::string sentence) {
  if (!sentence.empty()) sentence[0] = ToLower(sentence[0]);
  return sentence;
}

/// The statements as one clause: "a, b and c".
std::string Joined(const std::vector<std::string>& statements) {
  std::string out;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (i > 0) out += i + 1 == statements.size() ? " and " : ", ";
    out += Clause(statements[i]);
  }
  return out;
}

std::string JoinOne(std::vector<std::string> sentences, Random& random) {
  constexpr std::array<std::string_view, 5> kJoints = {" and ", ", and ", "; ", ", then ",
                                                       ", and then "};
  const std::size_t at = random.Below(sentences.size() - 2);
  const std::string joint(random.Pick(std::span<const std::string_view>(kJoints)));
  std::string out;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (i > 0) out += i == at + 1 ? joint : std::string(" ");
    // The second of the two keeps its point.
    const bool is_joined = i == at + 1;
    out += i == at ? Clause(sentences[i]) : is_joined ? Clause(sentences[i]) + "." : sentences[i];
  }
  return out;
}

std::string Wondering(const std::vector<std::string>& sentences, Random& random) {
  constexpr std::array<std::string_view, 6> kOpenings = {
      "Tell me: ", "I wonder, ", "Question: ", "Now, ", "So ", "Can you work it out: "};
  std::string out;
  for (std::size_t i = 0; i + 1 < sentences.size(); ++i) out += sentences[i] + " ";
  return out + std::string(random.Pick(std::span<const std::string_view>(kOpenings))) +
         Lowered(sentences.back());
}

}  // namespace

std::vector<std::string> Sentences(std::string_view text) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool ends = (text[at] == '.' || text[at] == '?') &&
                      (at + 1 == text.size() || text[at + 1] == ' ') &&
                      !IsTitle(text.substr(0, at));
    if (!ends) continue;
    out.emplace_back(text.substr(begin, at + 1 - begin));
    begin = at + 2;
  }
  if (begin < text.size()) out.emplace_back(text.substr(begin));
  return out;
}

bool IsStatement(std::string_view sentence) {
  return sentence.ends_with('.') && !sentence.starts_with("if ") && !sentence.starts_with("If ") &&
         sentence.find('?') == std::string_view::npos;
}

std::string Clause(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  constexpr std::array<std::string_view, 22> kNoNames = {
      "There", "Each", "Every", "Some", "After", "Then", "A",     "An",   "The",  "It",     "In",
      "On",    "At",   "That",  "This", "Now",   "By",   "These", "They", "When", "During", "One"};
  const std::string_view first = std::string_view(sentence).substr(0, sentence.find(' '));
  const bool is_name = std::ranges::find(kNoNames, first) == kNoNames.end();
  return is_name ? sentence : Lowered(std::move(sentence));
}

// The same story told otherwise: "If S, and T, Q?", "Q if S and T?", or sentences run together.
void Restructure(std::string& marked, Random& random) {
  constexpr std::size_t kIfFirst = 8, kIfLast = 13, kJoin = 25, kWonder = 28;
  const std::size_t draw = random.Below(100);
  if (draw >= kWonder) return;
  const std::vector<std::string> sentences = Sentences(marked);
  if (sentences.size() < 2 || !IsQuestion(sentences.back())) return;
  const std::vector<std::string> statements(sentences.begin(), sentences.end() - 1);
  if (!std::ranges::all_of(statements, IsStatement)) return;
  std::string question = Lowered(sentences.back());
  if (draw < kIfFirst) {
    marked = "if " + Joined(statements) + ", " + question;
  } else if (draw < kIfLast) {
    question.pop_back();
    marked = question + " if " + Joined(statements) + "?";
  } else if (draw < kJoin && statements.size() >= 2) {
    marked = JoinOne(sentences, random);
  } else if (draw >= kJoin) {
    marked = Wondering(sentences, random);
  }
}

// "I weighs", "is they": a template's fixed verbs agree with he and she only.
bool Disagrees(std::string_view marked, std::string_view subject, bool is_first) {
  const auto is_letter = [&](std::size_t i) { return i < marked.size() && IsLetter(marked[i]); };
  for (std::size_t at = 0; (at = marked.find(subject, at)) != std::string_view::npos; ++at) {
    if ((at > 0 && is_letter(at - 1)) || is_letter(at + subject.size())) continue;
    const std::size_t begin = at + subject.size() + 1;
    std::size_t end = begin;
    while (is_letter(end)) ++end;
    const std::string_view next = marked.substr(std::min(begin, marked.size()), end - begin);
    const bool fits = next.ends_with("ss") || next == "always" || (is_first && next == "was");
    if (next.size() > 1 && next.ends_with('s') && !fits) return true;
    std::size_t start = at > 0 ? at - 1 : 0;
    while (start > 0 && is_letter(start - 1)) --start;
    const std::string_view before = marked.substr(start, at > 0 ? at - 1 - start : 0);
    if (before == "is" || before == "does" || before == "has") return true;
    if (before == "was" && !is_first) return true;
  }
  return false;
}

}  // namespace txvm::neural::questions
