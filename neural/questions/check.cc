#include "neural/questions/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "neural/questions/draft.h"
#include "neural/questions/generator.h"

namespace txvm::neural::questions {
namespace {

/// Words that mean a number or decide on an operation: never exchanged, never put in.
constexpr std::array<std::string_view, 15> kFixedWords = {
    "half",  "twice",   "thrice", "double", "triple",  "dozen", "dozens", "pair",
    "pairs", "percent", "fewer",  "one",    "quarter", "third", "times"};

class QuestionChecker {
 public:
  explicit QuestionChecker(const QuestionBank& bank) : bank_(bank) {}

  QuestionCheck Run() {
    Count();
    CheckFamilies();
    CheckScenes();
    for (const auto& needs :
         {RulesOfPlots(bank_), RulesOfOneStep(bank_), RulesOfUnanswerable(bank_), RulesOfCalls()}) {
      for (const RuleNeed& need : needs) CheckNeed(need);
    }
    CheckSwaps();
    for (const Frame& frame : bank_.frames()) CheckFrame(frame);
    for (std::vector<isa::Error>* const errors : {&out_.faults, &out_.dropped}) {
      std::ranges::stable_sort(*errors, [](const isa::Error& one, const isa::Error& two) {
        return std::tie(one.place.file, one.place.line) < std::tie(two.place.file, two.place.line);
      });
    }
    return std::move(out_);
  }

 private:
  isa::Error About(std::string_view text, std::string why) const {
    isa::Error error;
    error.code = isa::ErrorCode::kInvalid;
    error.message = std::move(why);
    error.place = bank_.PlaceOf(text);
    error.source_line = text;
    return error;
  }
  void Fault(std::string_view text, std::string why) {
    out_.faults.push_back(About(text, std::move(why)));
  }
  void FaultOfAll(std::string why) {
    isa::Error error;
    error.code = isa::ErrorCode::kInvalid;
    error.message = std::move(why);
    out_.faults.push_back(std::move(error));
  }

  void Count() {
    out_.sentences = bank_.frames().size();
    out_.next_number = 1;
    std::set<std::pair<int, std::string_view>> seen;
    for (const Frame& frame : bank_.frames()) {
      out_.next_number = static_cast<std::size_t>(frame.phrasing) + 2;
      out_.repeated += seen.emplace(frame.schema, frame.text).second ? 0 : 1;
    }
    out_.rules = bank_.rules().all().size();
    for (const auto& [name, texts] : bank_.rules().all()) {
      out_.texts += texts.size();
      const std::set<std::string_view> distinct(texts.begin(), texts.end());
      out_.repeated += texts.size() - distinct.size();
    }
  }

  void CheckFamilies() {
    for (std::size_t i = 0; i < kFamilies.size(); ++i) {
      const auto family = static_cast<Family>(i);
      if (bank_.FramesOf(family).empty() && NeedsSentences(family)) {
        FaultOfAll(fmt::format("the family {} has no sentences: families/{} is needed",
                               FamilyName(family), FamilyFile(family)));
      }
    }
  }

  /// The scenes of plans are "k=text; k=text".
  void CheckScenes() {
    for (const auto& [name, texts] : bank_.rules().all()) {
      constexpr std::array<std::string_view, 3> kScenes = {"one_scene_", "no_scene_",
                                                           "unneeded_scene_"};
      if (std::ranges::none_of(kScenes, [&](auto begin) { return name.starts_with(begin); })) {
        continue;
      }
      for (const std::string_view text : texts) {
        for (const std::string_view item : Parts(text, "; ")) {
          if (item.size() < 2 || item[1] != '=') {
            Fault(text, fmt::format("'{}' of the scene is not 'k=text'", item));
          }
        }
      }
    }
  }

  void CheckNeed(const RuleNeed& need) {
    if (!bank_.rules().Has(need.rule)) {
      FaultOfAll(fmt::format("the rule {} is needed and does not exist", need.rule));
      return;
    }
    if (!need.is_checked) return;
    for (const std::string_view text : bank_.rules().Texts(need.rule)) CheckOpenings(text, need);
  }
  /// Whatever stands after a % but for percentages is one of the keys, here and in what is nested.
  void CheckOpenings(std::string_view text, const RuleNeed& need) {
    for (std::size_t at = 0; (at = text.find('%', at)) != std::string_view::npos; ++at) {
      if (at > 0 && text[at - 1] == '{') continue;
      if (at + 1 == text.size() || !need.keys.contains(text[at + 1])) {
        Fault(text,
              fmt::format("no scene fills the '{}' of the rule {}", text.substr(at, 2), need.rule));
      }
    }
    for (std::size_t at = 0; (at = text.find("<plot_", at)) != std::string_view::npos; ++at) {
      const std::string nested(text.substr(at + 1, text.find('>', at) - at - 1));
      if (!bank_.rules().Has(nested)) continue;  // which reading the bank refuses
      for (const std::string_view inner : bank_.rules().Texts(nested)) CheckOpenings(inner, need);
    }
  }

  void CheckSwaps() {
    for (const Swap& swap : bank_.swaps().rows()) {
      CheckPhrase(swap.from);
      for (const std::string_view to : swap.to) CheckPhrase(to);
    }
  }
  void CheckPhrase(std::string_view phrase) {
    for (const std::string_view word : Parts(phrase, " ")) {
      if (word.empty()) Fault(phrase, fmt::format("'{}' has two blanks side by side", phrase));
      if (IsNumberWord(std::string(word)) ||
          std::ranges::find(kFixedWords, word) != kFixedWords.end()) {
        Fault(phrase, fmt::format("'{}' has the word '{}', which is a number or decides on an "
                                  "operation",
                                  phrase, word));
      }
    }
  }

  /// A question of a sentence: why there is none where there is none.
  enum class Outcome : std::uint8_t { kMade, kNoNumbers, kNumberWord, kNearFixed };
  Outcome Try(const Frame& frame, bool is_past) {
    Expander expander(bank_.lexicon(), bank_.rules(), random_,
                      {.texts = Choice::kAny, .is_past = is_past});
    const Workshop workshop{bank_, random_, expander, options_};
    const bool is_list = frame.text.find("{LIST}") != std::string_view::npos;
    const std::optional<Draft> draft =
        is_list ? DraftList(workshop, frame) : DraftFrame(workshop, frame);
    if (!draft) return Outcome::kNoNumbers;
    const bool is_story = RowOf(frame.family).is_story;
    DrawOptions drawing;
    drawing.variables = VariablesOfText(draft->marked);
    drawing.is_story = is_story && draft->abstention.empty();
    const auto numbers = DrawNumbers(draft->specification, draft->program, drawing, random_);
    if (!numbers) return Outcome::kNoNumbers;
    const auto pieces = Surface(draft->marked, *numbers, {}, random_);
    if (!pieces) return Outcome::kNumberWord;
    std::string question;
    for (const TextPiece& piece : *pieces) question += piece.text;
    const bool is_near = is_story && !bank_.fixed().Colliding(question).empty();
    return is_near ? Outcome::kNearFixed : Outcome::kMade;
  }
  void CheckFrame(const Frame& frame) {
    constexpr int kTries = 60;
    Outcome last = Outcome::kMade;
    for (int i = 0; i < kTries; ++i) {
      last = Try(frame, i % 2 == 0);
      if (last == Outcome::kMade) return;
    }
    if (last == Outcome::kNearFixed) {
      out_.dropped.push_back(
          About(frame.text,
                "each question of it is within two words of a fixed test sentence: none is drawn"));
      return;
    }
    Fault(frame.text,
          last == Outcome::kNoNumbers
              ? "no numbers were found that meet the section's conditions"
              : "a word of it would be read as a number that its program does not have");
  }

  const QuestionBank& bank_;
  GeneratorOptions options_;
  Random random_{1};
  QuestionCheck out_;
};

}  // namespace

QuestionCheck CheckQuestions(const QuestionBank& bank) { return QuestionChecker(bank).Run(); }

}  // namespace txvm::neural::questions
