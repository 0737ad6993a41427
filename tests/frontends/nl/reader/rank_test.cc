// Several readings of one question: which answer is believed, and how firmly.
#include "frontends/nl/reader/rank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "frontends/nl/language/text.h"

namespace txvm::frontends::nl {
namespace {

std::vector<Token> Tokens(std::string_view program, const std::vector<Number>& numbers) {
  const auto text = ReadCanonical(program, numbers);
  EXPECT_TRUE(text) << program;
  return text ? text->tokens : std::vector<Token>{Token::kEnd};
}

struct Said {
  std::string program;
  double probability = 0;
};

/// A reading of these programs over the numbers of a text, most probable first.
Reading ReadingOf(std::string_view numbers, const std::vector<Said>& said) {
  Reading reading;
  reading.numbers = Lex(numbers)->numbers;
  reading.tokens = Tokens(said[0].program, reading.numbers);
  reading.confidence = said[0].probability;
  for (std::size_t i = 1; i < said.size(); ++i) {
    reading.others.push_back({Tokens(said[i].program, reading.numbers), said[i].probability});
  }
  return reading;
}

std::string Believed(Reading& reading, const EvaluateOptions& options = {}) {
  const auto belief = Rank(reading, options);
  if (!belief) return "error: " + belief.error().message;
  if (!belief->answer) return "abstained";
  return belief->answer->value ? ToText(*belief->answer->value) : belief->answer->refusal->text;
}

TEST(Rank, KeepsTheOnlyReading) {
  Reading reading = ReadingOf("5 9", {{"N0 - N1", 0.3}});
  EXPECT_EQ(Believed(reading), "-4");
  EXPECT_DOUBLE_EQ(*reading.confidence, 0.3);
}

TEST(Rank, TakesTheDoubtFromAnAnswersLogOdds) {
  const auto confidence = [](double probability, double doubt, const char* program = "N0 + N1") {
    Reading reading = ReadingOf("5 9", {{program, probability}});
    reading.doubt = doubt;
    Believed(reading);
    return *reading.confidence;
  };
  EXPECT_NEAR(confidence(0.5, std::log(3)), 0.25, 1e-12);
  EXPECT_NEAR(confidence(0.5, -std::log(3)), 0.75, 1e-12);
  EXPECT_EQ(confidence(0.7, 0), 0.7);
  EXPECT_NEAR(confidence(1, 1), 1, 1e-9);
  EXPECT_NEAR(confidence(0, -1), 0, 1e-9);
  EXPECT_EQ(confidence(0.7, 5, "?chat"), 0.7) << "an abstention needs no known wording";
}

TEST(Rank, DoubtMakesAnAnswerAnAbstention) {
  const auto believed = [](double doubt, const std::vector<Said>& said) {
    Reading reading = ReadingOf("5 9", said);
    reading.doubt = doubt;
    reading.least_confidence = 0.5;
    return Believed(reading);
  };
  EXPECT_EQ(believed(1, {{"N0 + N1", 0.6}}), "abstained");
  EXPECT_EQ(believed(-1, {{"N0 + N1", 0.4}}), "14");
  EXPECT_EQ(believed(1, {{"N0 + N1", 0.6}, {"N0 * N1", 0.3}}), "abstained");
  EXPECT_EQ(believed(-1, {{"N0 + N1", 0.4}, {"N0 * N1", 0.3}}), "14");
}

TEST(Rank, AddsUpWhatAnswersAlike) {
  Reading reading = ReadingOf("5 9", {{"N0 * N1", 0.4}, {"N0 + N1", 0.3}, {"N1 + N0", 0.2}});
  EXPECT_EQ(Believed(reading), "14");
  EXPECT_NEAR(*reading.confidence, 0.5, 1e-12);
  EXPECT_EQ(reading.tokens, Tokens("N0 + N1", reading.numbers));
  EXPECT_TRUE(reading.others.empty());
}

TEST(Rank, PrefersAnswersOneWouldAskFor) {
  Reading negative = ReadingOf("5 9", {{"N0 - N1", 0.6}, {"N1 - N0", 0.35}});
  EXPECT_EQ(Believed(negative), "4");
  Reading fraction = ReadingOf("7 2", {{"N0 / N1", 0.5}, {"N0 * N1", 0.4}});
  EXPECT_EQ(Believed(fraction), "14");
  Reading refused = ReadingOf("7 0", {{"N0 / N1", 0.5}, {"N0 * N1", 0.1}});
  EXPECT_EQ(Believed(refused), "0");
}

TEST(Rank, NobodyHasFewerThanNone) {
  const auto read = [](const char* numbers, const std::vector<Said>& said) {
    Reading reading = ReadingOf(numbers, said);
    reading.asks_amount = true;
    return reading;
  };
  Reading two = read("5 9", {{"N0 - N1", 0.9}, {"N1 - N0", 0.05}});
  EXPECT_EQ(Believed(two), "4");
  Reading one = read("5 9", {{"N0 - N1", 0.98}});
  one.least_confidence = 0.4;
  EXPECT_EQ(Believed(one), "abstained");
  EXPECT_EQ(*one.confidence, 0);
  // Forced to a program, the model has no other.
  Reading forced = read("5 9", {{"N0 - N1", 0.98}});
  EXPECT_EQ(Believed(forced), "-4");
  // The question has less than nothing itself, or nobody is unsure.
  Reading debts = read("-5 9", {{"N0 - N1", 0.98}});
  debts.least_confidence = 0.4;
  EXPECT_EQ(Believed(debts), "-14");
  Reading written = read("5 9", {{"N0 - N1", 0.98}});
  written.confidence.reset();
  EXPECT_EQ(Believed(written), "-4");
}

TEST(AsksAmount, IsAskedOfThingsNotOfNumbers) {
  for (const char* text :
       {"How many apples are left?", "Ann has 5 nuts and eats 9. How many remain?", "HOW MANY?",
        "Tea costs 4 dollars, milk 2. How much is both?", "so  how   many are there"}) {
    EXPECT_TRUE(AsksAmount(text)) << text;
  }
  for (const char* text : {"How much is 5 minus 9?", "5 - 9", "", "What is 5 less 9?",
                           "Is it how Manya says?", "show many"}) {
    EXPECT_FALSE(AsksAmount(text)) << text;
  }
}

TEST(Rank, TakesEvenDivisionForNoChance) {
  const std::vector<Said> said = {{"N0 * N1", 0.6}, {"N0 / N1", 0.3}};
  Reading even = ReadingOf("56 8", said), uneven = ReadingOf("57 8", said);
  EXPECT_EQ(Believed(even), "7");
  EXPECT_EQ(Believed(uneven), "456");
  Reading rounded = ReadingOf("56 8", {{"N0 * N1", 0.6}, {"floor ( N0 / N1 )", 0.3}});
  EXPECT_EQ(Believed(rounded), "448");
}

TEST(Rank, AddsUpReasonsToAbstain) {
  Reading two = ReadingOf("5 9", {{"N0 + N1", 0.6}, {"?missing", 0.17}, {"?unclear", 0.13}});
  EXPECT_EQ(Believed(two), "abstained");
  EXPECT_EQ(two.tokens, Tokens("?missing", two.numbers));
  EXPECT_NEAR(*two.confidence, 2.5 * 0.3 / (2.5 * 0.3 + 0.6 + 0.1), 1e-12);
  Reading one = ReadingOf("5 9", {{"N0 + N1", 0.6}, {"?missing", 0.17}});
  EXPECT_EQ(Believed(one), "14");
}

TEST(Rank, NeverBelievesWhatCannotBeRun) {
  Reading reading = ReadingOf("5 9", {{"N0 + N1", 0.5}, {"?missing", 0.01}});
  reading.tokens = {Token::kEnd};  // no program at all
  EXPECT_EQ(Believed(reading), "abstained");
}

TEST(Rank, LeavesClearCommandsAlone) {
  Reading reading = ReadingOf("5 9", {{"N0 - N1", 0.98}, {"N1 - N0", 0.001}});
  EXPECT_EQ(Believed(reading), "-4");
  Reading shown = ReadingOf("-5 9", {{"N0 - N1", 0.5}, {"N1 - N0", 0.4}});
  EXPECT_EQ(Believed(shown), "-14");
}

TEST(Rank, AbstainsBelowTheThreshold) {
  Reading reading = ReadingOf("5 9", {{"N0 * N1", 0.4}, {"N0 + N1", 0.35}});
  reading.least_confidence = 0.6;
  EXPECT_EQ(Believed(reading), "abstained");
  EXPECT_EQ(reading.tokens.front(), Token::kNoSense);
  EXPECT_TRUE(reading.IsUnsure());
  Reading single = ReadingOf("5 9", {{"N0 * N1", 0.4}});
  single.least_confidence = 0.6;
  EXPECT_EQ(Believed(single), "abstained");
}

TEST(Rank, BelievesNoOtherReadingWhenStopped) {
  Reading reading = ReadingOf("1 1000", {{"sum N0 to N1", 0.5}, {"N0 + N1", 0.4}});
  EvaluateOptions options;
  options.started = [](vm::Machine& machine) {
    machine.Interrupt(machine.run_number() + 1, vm::InterruptReason::kTimeout);
  };
  const auto belief = Rank(reading, options);
  ASSERT_TRUE(belief) << belief.error().message;
  ASSERT_TRUE(belief->answer && belief->answer->refusal);
  EXPECT_EQ(belief->answer->refusal->kind, RefusalKind::kInterrupted);
  EXPECT_EQ(reading.tokens, Tokens("sum N0 to N1", reading.numbers));
}

TEST(Rank, RunsNothingThatItWouldNotBelieve) {
  EvaluateOptions options;
  options.started = [](vm::Machine&) { ADD_FAILURE() << "a run"; };
  Reading doubted = ReadingOf("1 1000", {{"sum N0 to N1", 0.4}});
  doubted.least_confidence = 0.5;
  const auto belief = Rank(doubted, options);
  ASSERT_TRUE(belief) << belief.error().message;
  EXPECT_FALSE(belief->answer);
  EXPECT_EQ(doubted.tokens.front(), Token::kNoSense);
}

TEST(Rank, AStoppedRunIsNoDoubt) {
  Reading reading = ReadingOf("1 1000", {{"sum N0 to N1", 0.6}});
  reading.least_confidence = 0.5;
  EvaluateOptions options;
  options.started = [](vm::Machine& machine) {
    machine.Interrupt(machine.run_number() + 1, vm::InterruptReason::kTimeout);
  };
  const auto belief = Rank(reading, options);
  ASSERT_TRUE(belief && belief->answer && belief->answer->refusal);
  EXPECT_EQ(belief->answer->refusal->kind, RefusalKind::kInterrupted);
}

TEST(Rank, AnInterruptedReadingKeepsItsOwnProbability) {
  Reading reading = ReadingOf("1 1000", {{"N0 + N1", 0.5}, {"sum N0 to N1", 0.4}});
  EvaluateOptions options;
  int runs = 0;
  options.started = [&runs](vm::Machine& machine) {
    if (++runs == 2) {
      machine.Interrupt(machine.run_number() + 1, vm::InterruptReason::kTimeout);
    }
  };
  const auto belief = Rank(reading, options);
  ASSERT_TRUE(belief) << belief.error().message;
  EXPECT_EQ(reading.tokens, Tokens("sum N0 to N1", reading.numbers));
  EXPECT_EQ(reading.confidence, 0.4);
}

TEST(Rank, AConfidenceThatIsNoNumberIsBelowEveryThreshold) {
  Reading reading = ReadingOf("5 9", {{"N0 * N1", std::nan("")}});
  EXPECT_EQ(Believed(reading), "abstained");
}

TEST(Rank, RunsTheBelievedProgramWithAllItsFuel) {
  Reading reading = ReadingOf("1 1000000", {{"sum N0 to N1", 0.8}, {"N0 + N1", 0.1}});
  EvaluateOptions options;
  options.engine = vm::EngineKind::kNative;
  EXPECT_EQ(Believed(reading, options), "500000500000");
}

}  // namespace
}  // namespace txvm::frontends::nl
