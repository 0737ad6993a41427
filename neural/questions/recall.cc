#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neural/questions/draft.h"

// Lessons in looking up: several quantities, of which the question asks for one. Nothing is to be
// computed but what became of it, and nothing can be guessed from the wording, so that the plainest
// of what the other families ask for is learnt by itself, and first.

namespace txvm::neural::questions {
namespace {

constexpr std::size_t kMostThings = 6;
constexpr std::array<std::string_view, 9> kLists = {
    "fruit", "toy", "garment", "animal", "flower", "vegetable", "stationery", "hardware", "treat"};
constexpr std::array<std::string_view, 4> kVerbs = {" has ", " had ", " bought ", " found "};

// What the lessons are about: as all of them are put together word by word, they have no file.
constexpr std::string_view kPerson = "{N}";

/// A text about the person, with @ in her place.
std::string OfPerson(std::string text) { return Replaced(std::move(text), "@", kPerson); }

char LetterOf(std::size_t variable) { return static_cast<char>('a' + variable); }

std::string NumberOf(std::size_t variable) { return std::string("{") + LetterOf(variable) + "} "; }

// Placeholders of different things.
std::vector<std::string> DrawThings(bool is_simple, Random& random) {
  constexpr unsigned kFrequent = 25;
  std::vector<std::string> things;
  if (is_simple || random.Chance(kFrequent)) {
    things.emplace_back("{frequent+}");
    for (std::size_t i = 2; i <= kMostThings; ++i) {
      things.push_back("{frequent" + std::to_string(i) + "+}");
    }
    return things;
  }
  for (const std::string_view list : kLists) things.push_back("{" + std::string(list) + "+}");
  random.Shuffle(things);
  return things;
}

// "{a} pens, {b} cups and {c} hats"
std::string ListOf(const std::vector<std::string>& things, std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) {
    list += i == 0 ? "" : i + 1 == count ? " and " : ", ";
    list += NumberOf(i) + things[i];
  }
  return list;
}

struct Recalled {
  std::string text;
  std::size_t quantities = 0, asked = 0;
  std::string program = {}, specification = {};  // empty: what is asked for stands there
};

// "Ann has 4 pens, 6 cups and 9 hats. how many cups does Ann have?"
Recalled OfThings(const std::vector<std::string>& things, Random& random) {
  const bool is_owned = random.Chance(50);
  Recalled lesson{is_owned ? OfPerson("@ has ") : "there are ", 2 + random.Below(kMostThings - 1),
                  0};
  lesson.text += ListOf(things, lesson.quantities);
  lesson.asked = random.Below(lesson.quantities);
  const std::string whose = is_owned ? OfPerson(" does @ have") : " are there";
  const std::array<std::string, 5> tails = {"", " in all", " now", whose, whose};
  lesson.text += ". how many " + things[lesson.asked];
  lesson.text += tails[random.Below(tails.size())];
  lesson.text += "?";
  return lesson;
}

// "Ann had 4 pens. Ben had 6 pens. how many pens does Ben have?"
Recalled OfPeople(const std::vector<std::string>& things, Random& random) {
  std::array<std::string_view, 3> people = {kPerson, "{M}", "{K}"};
  random.Shuffle(people);
  const std::size_t owners = 2 + random.Below(2), kinds = 1 + random.Below(2);
  std::vector<std::pair<std::size_t, std::size_t>> cells;
  for (std::size_t owner = 0; owner < owners; ++owner) {
    for (std::size_t kind = 0; kind < kinds; ++kind) cells.emplace_back(owner, kind);
  }
  if (random.Chance(40)) random.Shuffle(cells);
  const std::string_view verb = random.Pick(std::span<const std::string_view>(kVerbs));
  Recalled lesson{"", cells.size(), random.Below(cells.size())};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    lesson.text += std::string(people[cells[i].first]) + std::string(verb) + NumberOf(i) +
                   things[cells[i].second] + ". ";
  }
  const auto& [owner, kind] = cells[lesson.asked];
  lesson.text += "how many " + things[kind] + " does " + std::string(people[owner]) + " have" +
                 (random.Chance(30) ? " now?" : "?");
  return lesson;
}

// "Ann has 4 pens and 6 cups. Ann lost 3 pens. how many cups does Ann have now?"
Recalled OfEvents(const std::vector<std::string>& things, Random& random) {
  Recalled lesson{OfPerson("@ has "), 2 + random.Below(2), 0};
  lesson.text += ListOf(things, lesson.quantities);
  const std::size_t changed = random.Below(lesson.quantities);
  const bool gains = random.Chance(40);
  lesson.text += OfPerson(gains ? ". @ {gain:past} " : ". @ {lose:past} ");
  lesson.text += NumberOf(lesson.quantities) + things[changed] + ". how many ";
  lesson.asked = random.Below(lesson.quantities);
  lesson.text +=
      things[lesson.asked] + OfPerson(" does @ have") + (random.Chance(70) ? " now?" : "?");
  const std::string before(1, LetterOf(changed)), change(1, LetterOf(lesson.quantities));
  if (lesson.asked == changed) lesson.program = before + (gains ? " + " : " - ") + change;
  if (!gains) lesson.specification = before + " > " + change;
  ++lesson.quantities;
  return lesson;
}

/// "pen" of the placeholder of "pens"
std::string SingularOf(std::string thing) {
  thing.erase(thing.find('+'), 1);
  return thing;
}

/// "{$a}"
std::string PriceOf(std::size_t variable) { return std::string("{$") + LetterOf(variable) + "}"; }

/// The prices of as many things: a sentence for each, or all in one.
std::string PricesOf(const std::vector<std::string>& things, std::size_t count, Random& random) {
  constexpr unsigned kOneSentence = 30;
  constexpr std::array<std::array<std::string_view, 2>, 4> kOfOne = {
      {{"a_ ", " costs "}, {"a_ ", " costs "}, {"{one} ", " costs "}, {"a_ ", " is "}}};
  constexpr std::array<std::array<std::string_view, 2>, 3> kOfMany = {
      {{" are ", " each"}, {" cost ", " each"}, {" cost ", " apiece"}}};
  constexpr std::size_t kManyWays = kOfOne.size(), kForWays = kManyWays + kOfMany.size();
  const std::size_t way = random.Below(kForWays + 2);
  const bool is_paid = way > kForWays;  // "{K} paid $4 for a pen"
  const bool is_list = way >= kForWays || random.Chance(kOneSentence);
  std::string text = is_paid ? "{K} paid " : "";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += !is_list ? ". " : i + 1 == count ? " and " : ", ";
    const std::string single = SingularOf(things[i]), price = PriceOf(i);
    if (way < kManyWays) {
      text += std::string(kOfOne[way][0]) + single + std::string(kOfOne[way][1]) + price;
    } else if (way < kForWays) {
      const auto& [before, after] = kOfMany[way - kManyWays];
      text += things[i] + std::string(before) + price + std::string(after);
    } else {
      text += price + " for a_ " + single;
    }
  }
  return text + ". ";
}

// "a pen costs $4. a cup costs $6. how much does a cup cost?", or how much 7 cups do
Recalled OfPrices(const std::vector<std::string>& things, Random& random) {
  constexpr unsigned kSeveral = 75, kNumberAhead = 30;
  constexpr std::array<std::array<std::string_view, 2>, 7> kAsked = {
      {{"how much do ", " cost?"},
       {"what do ", " cost?"},
       {"how much are ", "?"},
       {"how much for ", "?"},
       {"what is the price of ", "?"},
       {"how much must {M} pay for ", "?"},
       {"what will {M} pay for ", "?"}}};
  constexpr std::array<std::array<std::string_view, 2>, 4> kBought = {
      {{"{M} buys ", ". how much does {M} pay?"},
       {"{M} bought ", ". how much did {M} pay?"},
       {"{M} wants ", ". how much does {M} need?"},
       {"{M} takes ", ". what does {M} pay?"}}};
  constexpr std::array<std::string_view, 4> kOne = {"how much does a_ % cost?", "how much is a_ %?",
                                                    "what is the price of a_ %?",
                                                    "what does a_ % cost?"};
  Recalled lesson{"", 2 + random.Below(3), 0};
  lesson.asked = random.Below(lesson.quantities);
  const std::string prices = PricesOf(things, lesson.quantities, random);
  if (!random.Chance(kSeveral)) {
    const std::string_view question = kOne[random.Below(kOne.size())];
    lesson.text = prices + Replaced(std::string(question), "%", SingularOf(things[lesson.asked]));
    return lesson;
  }
  const std::string bought = NumberOf(lesson.quantities) + things[lesson.asked];
  const std::size_t way = random.Below(kAsked.size() + kBought.size());
  if (way < kAsked.size()) {
    lesson.text = prices + std::string(kAsked[way][0]) + bought + std::string(kAsked[way][1]);
  } else {
    const auto& [before, after] = kBought[way - kAsked.size()];
    const std::string deed = std::string(before) + bought;
    const bool is_ahead = random.Chance(kNumberAhead);
    lesson.text = is_ahead ? deed + ". " + prices + std::string(after.substr(2))
                           : prices + deed + std::string(after);
  }
  lesson.program = {LetterOf(lesson.asked), ' ', '*', ' ', LetterOf(lesson.quantities)};
  lesson.specification = {LetterOf(lesson.quantities), ':', 's'};
  ++lesson.quantities;
  return lesson;
}

Recalled DrawLesson(const std::vector<std::string>& things, bool is_simple, Random& random) {
  constexpr std::size_t kOfThings = 16, kOfEvents = 46, kOfPeople = 76;  // of 100; then prices
  if (is_simple) return OfPeople(things, random);
  const std::size_t kind = random.Below(100);
  if (kind < kOfThings) return OfThings(things, random);
  if (kind < kOfEvents) return OfEvents(things, random);
  return kind < kOfPeople ? OfPeople(things, random) : OfPrices(things, random);
}

}  // namespace

Draft DraftRecall(const Workshop& workshop, bool is_simple) {
  Random& random = workshop.random;
  const std::vector<std::string> things = DrawThings(is_simple, random);
  const Recalled lesson = DrawLesson(things, is_simple, random);
  Draft draft;
  draft.marked = workshop.expander.Expand(lesson.text, draft.next_variable);
  draft.next_variable = lesson.quantities;
  if (lesson.program.empty()) {
    draft.program.result = Variable(lesson.asked);
  } else {
    draft.program = ParseProgram(lesson.program);
  }
  if (!lesson.specification.empty()) draft.specification.Add(lesson.specification);
  draft.schema = kFirstComposition;
  draft.phrasing = kFirstComposition;
  return draft;
}

}  // namespace txvm::neural::questions
