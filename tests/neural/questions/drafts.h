// What the tests of the makers do alike: draw many drafts of one, or many examples of a family.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "neural/questions/draft.h"
#include "neural/questions/generator.h"
#include "tests/neural/questions/bank.h"
#include "tests/neural/questions/read_back.h"

namespace txvm::neural::questions {

/// Calls visit(draft) for the drafts that make(workshop) gives in `tries` tries, of training's
/// texts, half of them in the past; returns how many there are.
template <class Make, class Visit>
std::size_t ForDrafts(std::size_t tries, const Make& make, const Visit& visit) {
  constexpr std::uint64_t kSeed = 11;
  const Lexicon& lexicon = Bank().lexicon();
  const Rules& rules = Bank().rules();
  const GeneratorOptions options;
  Random random(kSeed);
  std::size_t drafts = 0;
  for (std::size_t i = 0; i < tries; ++i) {
    Expander expander(lexicon, rules, random, {.is_past = i % 2 == 0});
    const auto draft = make(Workshop{Bank(), random, expander, options});
    if (!draft) continue;
    ++drafts;
    visit(*draft);
  }
  return drafts;
}

/// Calls visit(example) for `examples` checked examples of a family.
template <class Visit>
void ForExamples(Family family, std::uint64_t examples, GeneratorOptions options,
                 const Visit& visit) {
  options.family = family;
  const Generator generator(Bank(), options);
  for (std::uint64_t i = 0; i < examples && !::testing::Test::HasFailure(); ++i) {
    const Example example = generator.Make(i);
    Check(example);
    visit(example);
  }
}

/// How often each program is among them.
inline std::map<std::string, std::size_t> ProgramsOf(Family family, std::uint64_t examples,
                                                     GeneratorOptions options = {}) {
  std::map<std::string, std::size_t> programs;
  ForExamples(family, examples, std::move(options),
              [&](const Example& example) { ++programs[example.canonical]; });
  return programs;
}

/// As training is at its end.
inline GeneratorOptions OfLastMix() {
  GeneratorOptions options;
  options.mixes_from = LastMixAlone();
  return options;
}
inline GeneratorOptions OfAxisMakers() {
  GeneratorOptions options;
  options.split = Split::kHeldOut;
  options.axis = Axis::kMakers;
  return options;
}

}  // namespace txvm::neural::questions
