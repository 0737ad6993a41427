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

}  // namespace txvm::neural::questions
