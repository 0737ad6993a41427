#include "neural/questions/generator.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "frontends/nl/language/parser.h"
#include "neural/questions/contamination.h"
#include "neural/questions/draft.h"
#include "tests/neural/questions/bank.h"
#include "tests/neural/questions/read_back.h"

namespace txvm::neural::questions {
namespace {

/// Training examples a test looks at; TXVM_NL_DATA_EXAMPLES asks for more.
std::uint64_t ExampleCount() {
  const char* text = std::getenv("TXVM_NL_DATA_EXAMPLES");
  return text == nullptr ? 8'000 : std::strtoull(text, nullptr, 10);
}

GeneratorOptions Evaluating(Axis axis) {
  GeneratorOptions options;
  options.split = Split::kHeldOut;
  options.axis = axis;
  return options;
}

constexpr std::array kAxes = {
#define TXVM_AXIS(Name, text, what) Axis::k##Name,
#include "neural/questions/axes.def"
#undef TXVM_AXIS
};

TEST(Generator, ExamplesAreReadBackAndWorthTheirAnswers) {
  const Generator generator(Bank(), {});
  for (std::uint64_t i = 0; i < ExampleCount() && !HasFailure(); ++i) Check(generator.Make(i));
}

TEST(Generator, HeldOutExamplesAreReadBackAndWorthTheirAnswers) {
  for (const Axis axis : kAxes) {
    const Generator generator(Bank(), Evaluating(axis));
    for (std::uint64_t i = 0; i < ExampleCount() / 10 && !HasFailure(); ++i) {
      Check(generator.Make(i));
    }
  }
}

// After the first cycle of a training the mix is another one: for each branch of the first round
// from the same index, and for those of the second from one that none of them reached.
TEST(Generator, TheBranchesOfATrainingHaveMixesOfTheirOwn) {
  constexpr std::uint64_t kFrom = 2'000, kExamples = 2'000;
  GeneratorOptions options;
  const Generator usual(Bank(), options);
  options.mixes_from = {kFrom, kFrom + kExamples, kFrom + 2 * kExamples};
  const Generator mixed(Bank(), options);
  std::size_t chains = 0, more_chains = 0, most_chains = 0, extra = 0, more_extra = 0;
  for (std::uint64_t i = 0; i < kFrom; ++i) {
    EXPECT_EQ(usual.Make(i).question, mixed.Make(i).question);
    chains += usual.Make(kFrom + i).family == Family::kChain ? 1 : 0;
    more_chains += mixed.Make(kFrom + i).family == Family::kChain ? 1 : 0;
    most_chains += mixed.Make(kFrom + kExamples + i).family == Family::kChain ? 1 : 0;
    extra += mixed.Make(kFrom + i).family == Family::kExtra ? 1 : 0;
    for (const std::uint64_t other : {i, kFrom + i, kFrom + kExamples + i}) {
      EXPECT_NE(mixed.Make(kFrom + 2 * kExamples + i).question, mixed.Make(other).question);
    }
    more_extra += mixed.Make(kFrom + 2 * kExamples + i).family == Family::kExtra ? 1 : 0;
  }
  EXPECT_GT(more_chains, 2 * chains);
  EXPECT_GT(most_chains, 2 * chains);
  EXPECT_GT(more_extra, extra + extra / 5);
}

TEST(Generator, AnExampleDependsOnSeedAndIndexAlone) {
  const Generator one(Bank(), {}), two(Bank(), {});
  GeneratorOptions other;
  other.seed = 2;
  const Generator three(Bank(), other);
  std::size_t different = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Example example = one.Make(i);
    EXPECT_EQ(example.question, two.Make(i).question);
    EXPECT_EQ(example.canonical, two.Make(i).canonical);
    different += example.question != three.Make(i).question ? 1 : 0;
  }
  EXPECT_GT(different, 190u);
}

TEST(Generator, TablesAreBroad) {
  EXPECT_GE(Bank().PhrasingCount(), 300u);
  const Generator generator(Bank(), {});
  const Lexicon& lexicon = Bank().lexicon();
  std::set<std::string> masked;
  std::set<Family> families;
  constexpr std::uint64_t kExamples = 4'000;
  for (std::uint64_t i = 0; i < kExamples; ++i) {
    const Example example = generator.Make(i);
    families.insert(example.family);
    std::string key;
    for (const std::string& word : MaskedWords(lexicon, example.question)) key += word + " ";
    masked.insert(key);
  }
  EXPECT_GT(masked.size(), kExamples * 8 / 10);
  EXPECT_EQ(families.size(), static_cast<std::size_t>(Family::kAbstain) + 1);
}

// A number word of the template's own would be read as a number that its program does not have: no
// example of it would ever be made.
TEST(Generator, NoTemplateIsBeyondReach) {
  for (const Frame& frame : Bank().frames()) {
    EXPECT_NE(frame.family, Family::kChain) << frame.text;  // chains come from their parts
    EXPECT_NE(frame.family, Family::kComposed) << frame.text;
    std::string own;
    int depth = 0;
    for (const char c : frame.text) {
      depth += (c == '{') - (c == '}');
      own += depth == 0 && c != '}' ? c : ' ';
    }
    const auto lexed = nl::Lex(own);
    EXPECT_TRUE(!lexed || lexed->numbers.empty()) << frame.text;
  }
}

TEST(Generator, EverySlotAndLiteralIsOneTheLanguageHas) {
  GeneratorOptions options;
  options.family = Family::kNumberList;
  const Generator generator(Bank(), options);
  std::size_t longest = 0;
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    const Example example = generator.Make(i);
    const auto ast = nl::Parse(TokensOf(example.canonical), nl::kMaxSlots);
    ASSERT_TRUE(ast) << About(example);
    std::size_t numbers = 0;
    for (const TextPiece& piece : example.pieces) numbers += piece.is_number ? 1 : 0;
    longest = std::max(longest, numbers);
  }
  EXPECT_GT(longest, 24u);
  EXPECT_LE(longest, nl::kMaxSlots);
}

// ---- what is held out

bool HasWord(std::string_view text, const std::string& word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at) {
    const auto is_letter = [&](std::size_t i) {
      return i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0;
    };
    if (!is_letter(at + word.size()) && (at == 0 || !is_letter(at - 1))) return true;
  }
  return false;
}

bool HasHeldOutName(const Lexicon& lexicon, std::string_view question) {
  for (const std::string_view list : {"woman", "man"}) {
    for (const Word& word : lexicon.Words(list)) {
      if (word.is_held_out && HasWord(question, word.singular)) return true;
    }
  }
  return false;
}

TEST(Generator, TrainingHasNoHeldOutNames) {
  const Generator generator(Bank(), {});
  const Lexicon& lexicon = Bank().lexicon();
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    const Example example = generator.Make(i);
    EXPECT_FALSE(HasHeldOutName(lexicon, example.question)) << example.question;
  }
}

TEST(Generator, TheWordAxisHasHeldOutNamesOnly) {
  const Generator generator(Bank(), Evaluating(Axis::kWords));
  const Lexicon& lexicon = Bank().lexicon();
  std::size_t with_name = 0;
  constexpr std::uint64_t kExamples = 1'000;
  for (std::uint64_t i = 0; i < kExamples; ++i) {
    const Example example = generator.Make(i);
    with_name += HasHeldOutName(lexicon, example.question) ? 1 : 0;
    for (const Word& word : lexicon.Words("man")) {
      if (word.is_held_out) continue;
      EXPECT_FALSE(HasWord(example.question, word.singular)) << example.question;
    }
  }
  EXPECT_GT(with_name, kExamples / 4);
}

TEST(Generator, TrainingUsesNoHeldOutTopText) {
  const Generator generator(Bank(), {});
  std::set<int> held_out;
  for (std::size_t i = 0; i < Bank().frames().size(); ++i) {
    if (Bank().frames()[i].is_held_out) held_out.insert(static_cast<int>(i));
  }
  EXPECT_GT(held_out.size(), Bank().frames().size() / 8);
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    const Example example = generator.Make(i);
    EXPECT_FALSE(held_out.contains(example.phrasing)) << example.question;
  }
}

TEST(Generator, CompositionsOfTheAxesAreUnseenInTraining) {
  GeneratorOptions training;
  training.family = Family::kComposed;
  const Generator train(Bank(), training);
  std::set<int> seen;
  for (std::uint64_t i = 0; i < 3'000; ++i) seen.insert(train.Make(i).schema);
  for (const Axis axis : {Axis::kCompositions, Axis::kLength}) {
    const Generator generator(Bank(), Evaluating(axis));
    for (std::uint64_t i = 0; i < 300; ++i) {
      const Example example = generator.Make(i);
      EXPECT_FALSE(seen.contains(example.schema)) << About(example);
      EXPECT_EQ(example.steps == 2, axis == Axis::kCompositions) << About(example);
      EXPECT_GE(example.steps, 2u) << About(example);
    }
  }
}

TEST(Generator, TheNumberWordAxisWritesWords) {
  const Generator generator(Bank(), Evaluating(Axis::kNumberWords));
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Example example = generator.Make(i);
    bool has_words = false;
    for (const TextPiece& piece : example.pieces) {
      if (!piece.is_number) continue;
      has_words = has_words || piece.text.find_first_of("0123456789") == std::string::npos;
    }
    EXPECT_TRUE(has_words) << example.question;
  }
}

TEST(Generator, StoriesCollideWithNoFixedTestSentence) {
  const ContaminationIndex& fixed = Bank().fixed();
  const Generator generator(Bank(), {});
  for (std::uint64_t i = 0; i < ExampleCount(); ++i) {
    const Example example = generator.Make(i);
    if (example.family < Family::kCommand) {
      EXPECT_TRUE(fixed.Colliding(example.question).empty()) << example.question;
    }
  }
}

/// Of examples [first, first + 2,000), per cent: those whose program is one number of the text.
double PercentOfLookups(const GeneratorOptions& options, std::uint64_t first) {
  constexpr std::uint64_t kCount = 2'000;
  const Generator generator(Bank(), options);
  std::uint64_t lookups = 0;
  for (std::uint64_t i = first; i < first + kCount; ++i) {
    const Example example = generator.Make(i);
    Check(example);
    lookups += example.answerable && example.steps == 0 ? 1 : 0;
  }
  return 100.0 * static_cast<double>(lookups) / kCount;
}

TEST(Generator, LessonsInLookingUpComeFirst) {
  GeneratorOptions options;
  options.lessons = true;
  const double first = PercentOfLookups(options, 0), second = PercentOfLookups(options, 20'000),
               third = PercentOfLookups(options, 40'000), last = PercentOfLookups(options, 500'000);
  EXPECT_NEAR(first, 90, 3) << "all of what people have";
  EXPECT_NEAR(second, 41, 5)
      << "of 80 many are stories, events that change it, and several of a price";
  EXPECT_NEAR(third, 26, 5);
  EXPECT_NEAR(last, 5, 2);
  options.lessons = false;
  EXPECT_LT(PercentOfLookups(options, 0), 6) << "some stories ask for a number as it is told";
  options.lessons = true;
  options.split = Split::kHeldOut;
  EXPECT_LT(PercentOfLookups(options, 0), 6) << "evaluation has none";
}

}  // namespace
}  // namespace txvm::neural::questions
