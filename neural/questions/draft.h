// An example in the making: its text still has marks (expander.h), its numbers are not yet drawn.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/support/text.h"
#include "neural/questions/bank.h"
#include "neural/questions/expander.h"
#include "neural/questions/generator.h"
#include "neural/questions/numbers.h"
#include "neural/questions/program.h"

namespace txvm::neural::questions {

/// Schemas and phrasings of compositions are numbered after those of the frames.
inline constexpr int kFirstComposition = 100'000;
inline constexpr int kCompositionSchemas = 1'000'000'000;
/// Where, after these, the phrasings of the makers begin that have many: each has
/// all up to the next.
inline constexpr int kPlotPhrasings = 700, kUnanswerablePhrasings = 1'000,
                     kContrastPhrasings = 3'000, kOneStepPhrasings = 4'000,
                     kImpliedPhrasings = 5'000;

struct Draft {
  std::string marked;
  Program program;
  Specification specification;
  Order order = Order::kStory;
  std::string abstention;  // "?chat"; empty otherwise
  int schema = 0;
  int phrasing = 0;
  bool is_held_out = false;       // uses a top-level text or a composition that training lacks
  std::size_t next_variable = 0;  // the first that no number uses
};

/// What the makers of drafts share.
struct Workshop {
  const QuestionBank& bank;
  Random& random;
  Expander& expander;
  const GeneratorOptions& options;

  /// Of a table whose rows from `seen` on training has none of: those that an example may have.
  template <typename Row>
  std::span<const Row> OfSplit(std::span<const Row> rows, std::size_t seen) const {
    return options.IsEvaluating(Axis::kMakers) ? rows.subspan(seen) : rows.first(seen);
  }
  /// One of the texts of a rule.
  std::string_view PickText(std::string_view rule) const {
    return expander.PickText(bank.rules().Texts(rule));
  }
  /// One of the scenes of a maker's plan, "k=text; k=text"; training has all of them.
  std::string_view PickScene(std::string_view scenes, std::string_view plan) const {
    const std::string rule = std::string(scenes) + std::string(plan);
    return random.Pick(std::span<const std::string_view>(bank.rules().Texts(rule)));
  }
};

/// From a sentence of a family.
std::optional<Draft> DraftFrame(const Workshop& workshop, const Frame& frame);
/// A start, events and a question (steps.txt) put together.
std::optional<Draft> DraftComposed(const Workshop& workshop);
/// Whether a story says all that its question needs; one that withholds abstains as ?missing.
enum class Telling : std::uint8_t { kWhole, kWithholding };
/// People, things and events of which the question asks for some (rules/facts.txt).
std::optional<Draft> DraftFacts(const Workshop& workshop, Telling telling);
/// Two or three quantities that are compared, of which the question asks for some
/// (rules/relations.txt).
std::optional<Draft> DraftRelation(const Workshop& workshop, Telling telling);
/// Equal portions, how many they are and what they make together (rules/portions.txt).
std::optional<Draft> DraftPortions(const Workshop& workshop, Telling telling);
/// Amounts told one by one, what they make together and what is left of a whole
/// (rules/tallies.txt).
std::optional<Draft> DraftTally(const Workshop& workshop, Telling telling);
/// A quantity that comes about in one step, and what happens to it next (rules/two_steps.txt).
std::optional<Draft> DraftTwoSteps(const Workshop& workshop);
/// Stories of two operations, now and then three, by plot (plots.txt, rules/plots.txt).
std::optional<Draft> DraftPlot(const Workshop& workshop);
/// Plain stories of one operation of that family (rules/one_step.txt).
std::optional<Draft> DraftOneStep(const Workshop& workshop, Family family);
/// Stories that ask nothing and imply what comes of a change (implied.txt).
std::optional<Draft> DraftImplied(const Workshop& workshop);
/// Stories with numbers that are not needed, of which another question would need some
/// (rules/unneeded.txt).
std::optional<Draft> DraftUnneeded(const Workshop& workshop);
/// Stories of many amounts of the same things, of which the question needs some
/// (contrasts.txt).
std::optional<Draft> DraftContrast(const Workshop& workshop);
/// Quantities of which the question asks for one. Simple: what people have, of frequent names.
Draft DraftRecall(const Workshop& workshop, bool is_simple);
/// Bare numbers: what the families Comparison, Conditional, Function and Live have, put together of
/// parts (rules/spoken.txt).
std::optional<Draft> DraftSpoken(const Workshop& workshop, Family family);
/// Bare numbers of the families Range and Function: ranges, counts, distances, powers, factorials
/// (rules/spoken.txt).
std::optional<Draft> DraftMeasure(const Workshop& workshop, Family family);
/// Formal questions of all kinds of program put together of parts (rules/calls.txt).
std::optional<Draft> DraftCall(const Workshop& workshop, Family family);
/// What cannot be answered, put together of parts (rules/refusals.txt).
std::optional<Draft> DraftRefusal(const Workshop& workshop);
/// Stories spoilt so that they cannot be answered, and bare questions that cannot
/// (rules/unanswerable.txt); the same stories told whole.
std::optional<Draft> DraftUnanswerable(const Workshop& workshop);
std::optional<Draft> DraftAnswerableTwin(const Workshop& workshop);

/// A rule whose name code puts together, so that no text names it.
struct RuleNeed {
  std::string rule;
  std::string keys;        // what may stand open in its texts, as %k of the key k
  bool is_checked = true;  // whether what stands open is known
};
/// The rules of plots, and those of plain, of unanswerable and of formal questions. A maker stops
/// when it draws one that does not exist, and gives up where nothing fills what stands open.
std::vector<RuleNeed> RulesOfPlots(const QuestionBank& bank);
std::vector<RuleNeed> RulesOfOneStep(const QuestionBank& bank);
std::vector<RuleNeed> RulesOfUnanswerable(const QuestionBank& bank);
std::vector<RuleNeed> RulesOfCalls();
/// How many questions the plans of plain and of unanswerable stories have.
std::size_t CountOneStepQuestions();
std::size_t CountUnanswerableQuestions();
/// The keys of a scene, "k=text; k=text".
std::string KeysOfScene(std::string_view scene);

/// Nested expressions and chains of commands.
std::optional<Draft> DraftExpression(const Workshop& workshop);
std::optional<Draft> DraftChain(const Workshop& workshop);
/// A frame with {LIST} in its text and L in its program.
std::optional<Draft> DraftList(const Workshop& workshop, const Frame& frame);

/// One bit for every variable that a marked text has.
std::uint64_t VariablesOfText(std::string_view marked);
/// Puts a sentence that does not matter into a story.
void AddDistractor(const Workshop& workshop, Draft& draft);

/// Puts what says nothing of numbers into a story, now and then: sentences, times, places,
/// adjectives.
void Embellish(const Workshop& workshop, Draft& draft);

/// Speaks to the machine ahead of the text and after it, now and then.
void Address(const Workshop& workshop, bool is_story, Draft& draft);

/// What stands open in a text of a rule, "%P" and the like, and what is put there.
using Opening = std::pair<std::string_view, std::string_view>;
/// Appends a text with `numbers` numbers of its own, its openings filled one after the other;
/// returns the letter of the first.
char AppendFilled(const Workshop& workshop, std::string text, std::span<const Opening> openings,
                  std::size_t numbers, Draft& draft);
/// The program of a story put together of parts, which gives its schema, too.
void SetComposed(const std::string& program, int phrasing, Draft& draft);
/// Abstains for a reason: "?chat" or another.
void SetAbstention(std::string_view reason, int schema, int phrasing, Draft& draft);
/// Abstains: the story does not tell what its question needs.
void SetMissing(int phrasing, Draft& draft);
/// The draft with its program; nothing where that is empty, takes too many steps or, but in a
/// lesson, none.
std::optional<Draft> Composed(const Workshop& workshop, const std::string& program, int phrasing,
                              Draft draft);
/// The program of what one is more than another, which the draft then requires it to be.
std::string Excess(const std::string& larger, const std::string& smaller, Draft& draft);

/// The letters of the numbers that tell amounts, which programs and conditions call A, B, ...
class Letters {
 public:
  void Set(char amount, char letter) { letters_[static_cast<std::size_t>(amount - 'A')] = letter; }
  /// A program with the letters of its amounts. REQUIRES: all of them are told.
  std::string PutInto(std::string_view program) const;
  /// Requires a condition of amounts, if there is one and all of them are told.
  void Require(std::string_view condition, Draft& draft) const;

 private:
  static constexpr std::size_t kAmounts = 26;

  char Of(char amount) const { return letters_[static_cast<std::size_t>(amount - 'A')]; }

  std::array<char, kAmounts> letters_{};
};

/// The parts of a list between its separators; none of an empty one.
std::vector<std::string_view> Parts(std::string_view list, std::string_view separator);
/// The sentences of a text, without the blank between them.
std::vector<std::string> Sentences(std::string_view text);
/// Whether a sentence of a story says something: no question and no condition.
bool IsStatement(std::string_view sentence);
/// A statement as a clause inside a sentence: without its point, its first letter small unless it
/// begins a name.
std::string Clause(std::string sentence);
/// Tells a story of several sentences otherwise, now and then.
void Restructure(std::string& marked, Random& random);
/// Whether a verb beside the subject (I, you, they, two names) is one of he and she.
bool Disagrees(std::string_view marked, std::string_view subject, bool is_first);

using isa::Replaced;

}  // namespace txvm::neural::questions
