#include "bench/nl/lookups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>

#include "neural/questions/random.h"

namespace txvm::bench::nl {
namespace {

using neural::questions::Random;

constexpr std::array<std::string_view, 16> kNames = {
    "Nina", "Omar",  "Greta", "Felix", "Hazel", "Bruno", "Fatima", "Carlos",
    "Ada",  "Linus", "Maeve", "Tariq", "Yuki",  "Piotr", "Sana",   "Otto"};
constexpr std::array<std::string_view, 16> kThings = {
    "pen",  "cup",   "hat",    "coin",  "marble", "egg",    "book",   "muffin",
    "shoe", "chair", "pencil", "spoon", "kite",   "ticket", "button", "melon"};
constexpr std::int64_t kLeast = 2, kMost = 99, kMany = 100;

// The first `count` of a random order of 0..size-1.
std::vector<std::size_t> Different(std::size_t count, std::size_t size, Random& random) {
  std::vector<std::size_t> all(size);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + random.Below(size - i)]);
  all.resize(count);
  return all;
}

// What a question is drawn from.
struct Cast {
  explicit Cast(Random& random) {
    constexpr std::size_t kThingsOfOne = 4, kNumbers = 4;
    for (const std::size_t i : Different(2, kNames.size(), random)) names.push_back(kNames[i]);
    for (const std::size_t i : Different(kThingsOfOne, kThings.size(), random)) {
      things.push_back(kThings[i]);
    }
    for (const std::size_t i : Different(kNumbers, kMost - kLeast + 1, random)) {
      numbers.push_back(kLeast + static_cast<std::int64_t>(i));
    }
  }
  std::vector<std::string_view> names, things;
  std::vector<std::int64_t> numbers;  // all different
};

Item OfThings(const Cast& cast, std::size_t count, Random& random) {
  std::string text = fmt::format("{} has ", cast.names[0]);
  for (std::size_t i = 0; i < count; ++i) {
    text += i == 0 ? "" : i + 1 == count ? " and " : ", ";
    text += fmt::format("{} {}s", cast.numbers[i], cast.things[i]);
  }
  const std::size_t asked = random.Below(count);
  text += fmt::format(". How many {}s does {} have?", cast.things[asked], cast.names[0]);
  return {text, std::to_string(cast.numbers[asked]), fmt::format("N{}", asked)};
}

Item OfPeople(const Cast& cast, std::size_t things, Random& random) {
  std::string text;
  for (std::size_t i = 0; i < 2 * things; ++i) {
    text += fmt::format("{} has {} {}s. ", cast.names[i / things], cast.numbers[i],
                        cast.things[i % things]);
  }
  const std::size_t asked = random.Below(2 * things);
  text += fmt::format("How many {}s does {} have?", cast.things[asked % things],
                      cast.names[asked / things]);
  return {text, std::to_string(cast.numbers[asked]), fmt::format("N{}", asked)};
}

// Of two things some of one are lost; the question asks for that one or for the other.
Item AfterALoss(const Cast& cast, bool of_the_lost, Random& random) {
  const std::size_t lost = random.Below(2), asked = of_the_lost ? lost : 1 - lost;
  const std::array<std::int64_t, 2> had = {cast.numbers[0] + kMany, cast.numbers[1] + kMany};
  const std::string text = fmt::format(
      "{0} has {1} {2}s and {3} {4}s. {0} lost {5} {6}s. How many {7}s does {0} have now?",
      cast.names[0], had[0], cast.things[0], had[1], cast.things[1], cast.numbers[2],
      cast.things[lost], cast.things[asked]);
  const std::int64_t left = had[asked] - (of_the_lost ? cast.numbers[2] : 0);
  return {text, std::to_string(left), fmt::format("N{}{}", asked, of_the_lost ? " - N2" : "")};
}

Item OfPrices(const Cast& cast, Random& random) {
  const std::size_t asked = random.Below(2);
  const std::string text = fmt::format(
      "One {} costs ${}. One {} costs ${}. How much do {} {}s cost?", cast.things[0],
      cast.numbers[0], cast.things[1], cast.numbers[1], cast.numbers[2], cast.things[asked]);
  // "One" is a number of the text: N0 and N2.
  return {text, std::to_string(cast.numbers[asked] * cast.numbers[2]),
          fmt::format("N{} * N4", 2 * asked + 1)};
}

struct Kind {
  std::string_view name;
  double by_chance;
  Item (*draw)(const Cast& cast, Random& random);
};
constexpr std::array kKinds = {
    Kind{"one of two things", 0.5, [](const Cast& c, Random& r) { return OfThings(c, 2, r); }},
    Kind{"one of four things", 0.25, [](const Cast& c, Random& r) { return OfThings(c, 4, r); }},
    Kind{"one of two people", 0.5, [](const Cast& c, Random& r) { return OfPeople(c, 1, r); }},
    Kind{"two people, two things", 0.25,
         [](const Cast& c, Random& r) { return OfPeople(c, 2, r); }},
    Kind{"what is left of one of two", 0.5,
         [](const Cast& c, Random& r) { return AfterALoss(c, true, r); }},
    Kind{"the one of two that stayed", 0.5,
         [](const Cast& c, Random& r) { return AfterALoss(c, false, r); }},
    Kind{"several at one of two prices", 0.5, OfPrices}};

}  // namespace

std::vector<LookupSet> LookupSets(std::size_t count, std::uint64_t seed) {
  std::vector<LookupSet> sets;
  for (const Kind& kind : kKinds) {
    Random random(neural::questions::HashText(kind.name, seed));
    LookupSet& made = sets.emplace_back();
    made.set.name = std::string(kind.name);
    made.by_chance = kind.by_chance;
    for (std::size_t i = 0; i < count; ++i) {
      const Cast cast(random);
      made.set.items.push_back(kind.draw(cast, random));
    }
  }
  return sets;
}

}  // namespace txvm::bench::nl
