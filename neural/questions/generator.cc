#include "neural/questions/generator.h"

#include <algorithm>
#include <utility>

#include "isa/support/result.h"
#include "neural/questions/contamination.h"
#include "neural/questions/draft.h"

namespace txvm::neural::questions {
namespace {

constexpr std::size_t kLastMix = kTrainingMixes.size();

constexpr std::size_t kMostSlots = 32;
constexpr int kAttempts = 4000;

Family DrawFamily(Random& random, bool allow_abstention, bool only_stories, std::size_t mix) {
  unsigned total = 0;
  const auto weight = [&](std::size_t i) {
    const bool is_out = (static_cast<Family>(i) == Family::kAbstain && !allow_abstention) ||
                        (only_stories && !kFamilies[i].is_story);
    return is_out ? 0u : kFamilies[i].weights[mix];
  };
  for (std::size_t i = 0; i < kFamilies.size(); ++i) total += weight(i);
  std::size_t draw = random.Below(total);
  std::size_t family = 0;
  while (draw >= weight(family)) draw -= weight(family++);
  return static_cast<Family>(family);
}

/// A kind of lesson.
enum class Lesson : std::uint8_t { kNone, kSimple, kAny };

struct Stage {
  std::uint64_t until;  // the first example after it
  unsigned share;       // of its examples are lessons, per cent
  Lesson lesson;
};
/// What people have comes first and alone. Beside lists of things, whose numbers stand next to
/// their nouns, it was at chance after 1,600 updates; alone it takes 200, and things then take 100.
constexpr std::array kStages = {
    Stage{12'800, 90, Lesson::kSimple}, Stage{32'000, 80, Lesson::kAny},
    Stage{64'000, 40, Lesson::kAny},    Stage{160'000, 20, Lesson::kAny},
    Stage{320'000, 10, Lesson::kAny},   Stage{~std::uint64_t{0}, 3, Lesson::kAny}};

Lesson DrawLesson(std::uint64_t index, Random& random) {
  const auto stage =
      std::ranges::find_if(kStages, [index](const Stage& s) { return index < s.until; });
  return random.Chance(stage->share) ? stage->lesson : Lesson::kNone;
}

/// Numbers mostly as in life, now and then much larger.
std::int64_t DrawScale(Random& random) {
  constexpr std::size_t kOften = 80, kSometimes = 92, kSeldom = 97;
  constexpr std::int64_t kTen = 10;
  const std::size_t draw = random.Below(100);
  if (draw < kOften) return 1;
  if (draw < kSometimes) return kTen;
  return draw < kSeldom ? kTen * kTen : kTen * kTen * kTen * kTen;
}

/// A story of any of the kinds that can withhold.
std::optional<Draft> DraftFromParts(const Workshop& workshop, Telling telling) {
  using Maker = std::optional<Draft> (*)(const Workshop&, Telling);
  constexpr std::array<Maker, 4> kMakers = {DraftFacts, DraftPortions, DraftRelation, DraftTally};
  return workshop.random.Pick(std::span<const Maker>(kMakers))(workshop, telling);
}

/// Who makes the drafts of a family: a percentage of those that the rows before it leave; the rest
/// are frames.
struct Maker {
  Family family;
  unsigned percent;
  std::optional<Draft> (*draft)(const Workshop&, Family);
  std::size_t since = 0;  // the first mix that has it
};
template <std::optional<Draft> (*kDraft)(const Workshop&)>
std::optional<Draft> OfOneFamily(const Workshop& workshop, Family /*family*/) {
  return kDraft(workshop);
}
template <std::optional<Draft> (*kDraft)(const Workshop&, Telling)>
std::optional<Draft> ToldWhole(const Workshop& workshop, Family /*family*/) {
  return kDraft(workshop, Telling::kWhole);
}
constexpr std::array kMakers = {
    Maker{Family::kComposed, 100, OfOneFamily<DraftComposed>},
    Maker{Family::kFacts, 75, ToldWhole<DraftFacts>},
    Maker{Family::kPortion, 100, ToldWhole<DraftPortions>},
    Maker{Family::kTally, 100, ToldWhole<DraftTally>},
    Maker{Family::kRelation, 100, ToldWhole<DraftRelation>},
    Maker{Family::kExpression, 25, DraftCall, kLastMix},
    Maker{Family::kFunction, 45, DraftCall, kLastMix},
    Maker{Family::kComparison, 45, DraftCall, kLastMix},
    Maker{Family::kConditional, 45, DraftCall, kLastMix},
    Maker{Family::kLive, 45, DraftCall, kLastMix},
    Maker{Family::kRange, 45, DraftCall, kLastMix},
    Maker{Family::kNumberList, 45, DraftCall, kLastMix},
    Maker{Family::kExpression, 100, OfOneFamily<DraftExpression>},
    Maker{Family::kChain, 100, OfOneFamily<DraftChain>},
    Maker{Family::kFunction, 40, DraftSpoken},
    Maker{Family::kComparison, 40, DraftSpoken},
    Maker{Family::kConditional, 40, DraftSpoken},
    Maker{Family::kLive, 40, DraftSpoken},
    Maker{Family::kRange, 50, DraftMeasure, kLastMix},
    Maker{Family::kFunction, 50, DraftMeasure, kLastMix},
    Maker{Family::kChange, 25, OfOneFamily<DraftImplied>, kLastMix},
    Maker{Family::kChange, 40, DraftOneStep, kLastMix},
    Maker{Family::kCombine, 40, DraftOneStep, kLastMix},
    Maker{Family::kCompare, 40, DraftOneStep, kLastMix},
    Maker{Family::kGroups, 40, DraftOneStep, kLastMix},
    Maker{Family::kRate, 40, DraftOneStep, kLastMix},
    Maker{Family::kMoney, 40, DraftOneStep, kLastMix},
    Maker{Family::kScale, 40, DraftOneStep, kLastMix},
    Maker{Family::kTimeAge, 40, DraftOneStep, kLastMix},
    Maker{Family::kAverage, 40, DraftOneStep, kLastMix},
    Maker{Family::kTwoStep, 45, OfOneFamily<DraftTwoSteps>, kLastMix},
    Maker{Family::kTwoStep, 60, OfOneFamily<DraftPlot>, kLastMix},
    Maker{Family::kExtra, 10, OfOneFamily<DraftAnswerableTwin>, kLastMix},
    Maker{Family::kExtra, 35, OfOneFamily<DraftContrast>, kLastMix},
    Maker{Family::kExtra, 50, OfOneFamily<DraftUnneeded>, kLastMix},
    Maker{Family::kAbstain, 45, OfOneFamily<DraftRefusal>, kLastMix},
    Maker{Family::kAbstain, 55, OfOneFamily<DraftUnanswerable>, kLastMix}};
/// Those of the axis kMakers, four makers of five families: rows of their tables that training does
/// not draw. The last has no answers.
constexpr std::array kMakersOfUnseen = {Maker{Family::kTwoStep, 100, OfOneFamily<DraftTwoSteps>},
                                        Maker{Family::kExtra, 100, OfOneFamily<DraftUnneeded>},
                                        Maker{Family::kRange, 100, DraftMeasure},
                                        Maker{Family::kFunction, 100, DraftMeasure},
                                        Maker{Family::kAbstain, 100, OfOneFamily<DraftRefusal>}};
static_assert(kMakersOfUnseen.back().family == Family::kAbstain);

/// Null: a frame is to be drawn.
const Maker* DrawMaker(std::span<const Maker> makers, Family family, std::size_t mix,
                       Random& random) {
  for (const Maker& maker : makers) {
    if (maker.family != family || mix < maker.since) continue;
    if (maker.percent == 100 || random.Chance(maker.percent)) return &maker;
  }
  return nullptr;
}

Family DrawUnseenFamily(Random& random) {
  constexpr std::size_t kAnswerable = kMakersOfUnseen.size() - 1;
  return random.Pick(std::span<const Maker>(kMakersOfUnseen).first(kAnswerable)).family;
}

bool IsImperative(std::string_view text) {
  constexpr std::array<std::string_view, 20> kVerbs = {
      "add",   "subtract", "multiply", "divide",    "compute", "calculate", "find",
      "work",  "sum",      "tell",     "give",      "solve",   "evaluate",  "count",
      "split", "share",    "take",     "determine", "combine", "double"};
  const std::string_view first = text.substr(0, text.find(' '));
  return std::ranges::find(kVerbs, first) != kVerbs.end();
}

}  // namespace

bool HasUnseenKinds(Family family) {
  return std::ranges::any_of(kMakersOfUnseen, [&](const Maker& m) { return m.family == family; });
}

bool NeedsSentences(Family family) {
  return std::ranges::none_of(kMakers, [&](const Maker& maker) {
    return maker.family == family && maker.percent == 100 && maker.since == 0;
  });
}

struct Generator::State {
  const QuestionBank& bank;
  GeneratorOptions options;

  std::optional<Example> TryMake(Random& random, std::size_t mix) const;
  std::optional<Example> TryLesson(Lesson lesson, Random& random) const;
  std::optional<Draft> MakeDraft(const Workshop& workshop, Family family, std::size_t mix) const;
  const Frame* DrawFrame(Random& random, Family family) const;
  void SwapWords(std::string& marked, Random& random) const;
  std::optional<Example> Finish(Draft draft, Family family, Random& random) const;
  std::optional<Example> Number(Draft draft, Family family,
                                const std::optional<SurfaceOptions>& given, Random& random) const;
  SurfaceOptions DrawSurfaceOptions(Random& random) const;
  std::int64_t DrawNumberScale(Random& random) const;
  bool IsLikeTraining() const {
    return options.split == Split::kTrain || options.axis == Axis::kNone;
  }
  bool IsEvaluating(Axis axis) const { return options.IsEvaluating(axis); }
};

Generator::Generator(const QuestionBank& bank, const GeneratorOptions& options)
    : state_(new State{bank, options}) {}
Generator::~Generator() = default;

Example Generator::Make(std::uint64_t index) const {
  const std::vector<std::uint64_t>& from = state_->options.mixes_from;
  const auto mix = static_cast<std::size_t>(std::ranges::upper_bound(from, index) - from.begin());
  if (mix == 2) index = from[0] + (index - from[1]);
  constexpr std::uint64_t kIndexStep = 0x9e3779b97f4a7c15;
  const bool is_train = state_->options.split == Split::kTrain;
  // Training and evaluation never share an example's randomness.
  Random random(HashText(is_train ? "train" : AxisName(state_->options.axis),
                         state_->options.seed * kIndexStep + index));
  const bool has_lessons = is_train && state_->options.lessons;
  const Lesson lesson = has_lessons ? DrawLesson(index, random) : Lesson::kNone;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::optional<Example> example =
        lesson == Lesson::kNone ? state_->TryMake(random, mix) : state_->TryLesson(lesson, random);
    if (example) return *std::move(example);
  }
  TXVM_ASSERT(!"the generator's tables give no example");
  return {};
}

std::optional<Example> Generator::State::TryMake(Random& random, std::size_t mix) const {
  ExpanderOptions expanding;
  expanding.is_past = random.Chance(60);
  if (IsEvaluating(Axis::kWords)) expanding.words = Choice::kHeldOut;
  const bool is_unseen = IsEvaluating(Axis::kMakers);
  if (IsEvaluating(Axis::kTemplates) || IsEvaluating(Axis::kDistractors) || is_unseen) {
    expanding.texts = Choice::kAny;
  }
  const bool composes = IsEvaluating(Axis::kCompositions) || IsEvaluating(Axis::kLength);
  const bool only_stories = IsEvaluating(Axis::kWords) || IsEvaluating(Axis::kDistractors);
  const bool abstains =
      options.allow_abstention && (options.split == Split::kTrain || options.axis == Axis::kNone);
  Family family =
      options.family ? *options.family : DrawFamily(random, abstains, only_stories, mix);
  if (composes) family = Family::kComposed;
  if (is_unseen && !options.family) family = DrawUnseenFamily(random);

  Expander expander(bank.lexicon(), bank.rules(), random, expanding);
  const Workshop workshop{bank, random, expander, options};
  constexpr unsigned kWithheld = 28;
  const bool is_withheld = family == Family::kAbstain && !is_unseen && random.Chance(kWithheld);
  std::optional<Draft> draft =
      is_withheld ? DraftFromParts(workshop, Telling::kWithholding)
                  : MakeDraft(workshop, family, options.split == Split::kTrain ? mix : kLastMix);
  if (!draft) return std::nullopt;
  if (IsEvaluating(Axis::kTemplates) && !draft->is_held_out && !expander.used_held_out()) {
    return std::nullopt;
  }
  if (!IsEvaluating(Axis::kTemplates) && family != Family::kComposed && draft->is_held_out) {
    return std::nullopt;
  }
  if (IsEvaluating(Axis::kWords) && !expander.HasWords()) return std::nullopt;
  constexpr unsigned kDistracted = 16;
  // What has no answer for want of a number is told as the story it would be.
  const bool is_story = RowOf(family).is_story || is_withheld;
  if (IsEvaluating(Axis::kDistractors)) {
    if (expander.used_held_out()) return std::nullopt;
    AddDistractor(workshop, *draft);
    if (!expander.used_held_out()) return std::nullopt;
  } else if (is_story && random.Chance(kDistracted)) {
    AddDistractor(workshop, *draft);
  }
  if (is_story && IsLikeTraining()) Embellish(workshop, *draft);
  const std::vector<std::string> subjects = expander.UnusualSubjects();
  for (const std::string& subject : subjects) {
    if (Disagrees(draft->marked, subject, subject == "I")) return std::nullopt;
  }
  if (is_story) {
    Restructure(draft->marked, random);
  } else if (IsImperative(draft->marked) && random.Chance(5)) {
    draft->marked = "please " + draft->marked;
  }
  if (IsLikeTraining()) Address(workshop, is_story, *draft);
  return Finish(*std::move(draft), family, random);
}

std::optional<Example> Generator::State::TryLesson(Lesson lesson, Random& random) const {
  constexpr unsigned kStories = 40, kFacts = 45;  // of them
  Expander expander(bank.lexicon(), bank.rules(), random, {.is_past = random.Chance(60)});
  const Workshop workshop{bank, random, expander, options};
  const bool is_story = lesson == Lesson::kAny && random.Chance(kStories);
  const bool is_facts = is_story && random.Chance(kFacts);
  std::optional<Draft> draft = is_facts   ? DraftFacts(workshop, Telling::kWhole)
                               : is_story ? DraftRelation(workshop, Telling::kWhole)
                                          : DraftRecall(workshop, lesson == Lesson::kSimple);
  if (!draft || !expander.UnusualSubjects().empty()) return std::nullopt;
  return Number(*std::move(draft), Family::kFacts, SurfaceOptions{}, random);
}

const Frame* Generator::State::DrawFrame(Random& random, Family family) const {
  constexpr unsigned kPlain = 40;
  const std::span<const Frame* const> plain = bank.PlainFramesOf(family);
  const bool is_plain = !plain.empty() && random.Chance(kPlain);
  const std::span<const Frame* const> all = is_plain ? plain : bank.FramesOf(family);
  TXVM_ASSERT(!all.empty());
  return random.Pick(all);
}

std::optional<Draft> Generator::State::MakeDraft(const Workshop& workshop, Family family,
                                                 std::size_t mix) const {
  const std::span<const Maker> makers = IsEvaluating(Axis::kMakers)
                                            ? std::span<const Maker>(kMakersOfUnseen)
                                            : std::span<const Maker>(kMakers);
  if (const Maker* const maker = DrawMaker(makers, family, mix, workshop.random)) {
    return maker->draft(workshop, family);
  }
  const Frame* frame = DrawFrame(workshop.random, family);
  if (frame->text.find("{LIST}") != std::string_view::npos) return DraftList(workshop, *frame);
  return DraftFrame(workshop, *frame);
}

void Generator::State::SwapWords(std::string& marked, Random& random) const {
  constexpr unsigned kSwapped = 60, kFew = 25, kMany = 60;
  if (!random.Chance(kSwapped)) return;
  marked = bank.swaps().Apply(marked, random.Chance(50) ? kFew : kMany, random);
}

SurfaceOptions Generator::State::DrawSurfaceOptions(Random& random) const {
  SurfaceOptions surface = DrawSurface(random);
  if (IsEvaluating(Axis::kNumberWords)) surface.words = true;
  if (IsEvaluating(Axis::kTypos)) {
    surface.lower_case = random.Chance(60);
    surface.no_punctuation = random.Chance(40);
    surface.typos = 1 + static_cast<unsigned>(random.Below(3));
  }
  return surface;
}

std::int64_t Generator::State::DrawNumberScale(Random& random) const {
  if (!IsEvaluating(Axis::kNumbers)) return DrawScale(random);
  constexpr std::int64_t kTen = 10;
  constexpr std::size_t kMostZeros = 6;
  std::int64_t scale = kTen;
  for (std::size_t i = random.Below(kMostZeros); i > 0; --i) scale *= kTen;
  return scale;
}

std::optional<Example> Generator::State::Finish(Draft draft, Family family, Random& random) const {
  if (IsLikeTraining()) SwapWords(draft.marked, random);
  return Number(std::move(draft), family, std::nullopt, random);
}

std::optional<Example> Generator::State::Number(Draft draft, Family family,
                                                const std::optional<SurfaceOptions>& given,
                                                Random& random) const {
  const bool is_story = RowOf(family).is_story;
  DrawOptions drawing;
  drawing.variables = VariablesOfText(draft.marked);
  drawing.scale = DrawNumberScale(random);
  drawing.is_story = is_story && draft.abstention.empty();
  const std::optional<Numbers> numbers =
      DrawNumbers(draft.specification, draft.program, drawing, random);
  if (!numbers) return std::nullopt;
  const SurfaceOptions surface = given ? *given : DrawSurfaceOptions(random);
  std::optional<std::vector<TextPiece>> pieces = Surface(draft.marked, *numbers, surface, random);
  if (!pieces) return std::nullopt;

  Example example;
  example.pieces = *std::move(pieces);
  std::array<std::size_t, kVariables> slots{};
  slots.fill(kMostSlots);
  std::size_t count = 0;
  bool has_words = false;
  for (const TextPiece& piece : example.pieces) {
    example.question += piece.text;
    if (!piece.is_number) continue;
    if (slots[piece.variable] == kMostSlots) slots[piece.variable] = count;
    has_words = has_words || piece.text.find_first_of("0123456789") == std::string::npos;
    ++count;
  }
  if (count > kMostSlots || (IsEvaluating(Axis::kNumberWords) && !has_words)) return std::nullopt;
  if (is_story && !bank.fixed().Colliding(example.question).empty()) return std::nullopt;
  example.family = family;
  example.schema = draft.schema;
  example.phrasing = draft.phrasing;
  example.answerable = draft.abstention.empty();
  if (!example.answerable) {
    example.canonical = draft.abstention + " =";
    return example;
  }
  example.steps = Steps(draft.program);
  example.canonical = CanonicalText(draft.program, slots, draft.order);
  example.answer = ToText(*Evaluate(draft.program, *numbers));
  return example;
}

}  // namespace txvm::neural::questions
