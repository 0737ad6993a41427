#include "frontends/nl/reader/rank.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontends/nl/language/parser.h"

namespace txvm::frontends::nl {
namespace {

using isa::Result;

// How much less often the answer of a question is of such a kind, given that the question shows
// none of it. Commands ("5 - 9") are not touched: their reading is certain.
constexpr double kNegative = 0.1, kFraction = 0.25, kRefused = 0.01;
// A quotient of whole numbers that comes out even seldom does so by chance.
constexpr double kEven = 4;
// Training asks one question in thirteen that has no answer, so the model takes few for such. Of
// what is asked they are more: one in six, which is these odds times 2.5 (Saerens, Latinne and
// Decaestecker, Neural Computation 14, 2002).
constexpr double kAbstention = 2.5;

/// A reading and what it would answer.
struct Candidate {
  std::vector<Token> tokens;
  double probability = 0;
  Belief belief;
  std::string key;  // equal for equal answers, and for all abstentions
  double weight = 1;
};

/// Whether the tokens divide without rounding.
bool Divides(const std::vector<Token>& tokens) {
  const auto has = [&tokens](Token token) {
    return std::ranges::find(tokens, token) != tokens.end();
  };
  return has(Token::kOver) && !has(Token::kFloor) && !has(Token::kCeil);
}

bool IsNegative(const Rational& number) { return ToText(number).starts_with('-'); }

/// Whether a model answers "how many" with less than nothing, and no number of the question is.
bool IsAbsurd(const Reading& reading, const std::vector<Rational>& numbers, const Answer& answer) {
  return reading.asks_amount && reading.confidence && answer.value && IsNegative(*answer.value) &&
         std::ranges::none_of(numbers, IsNegative);
}

double WeightOf(const Rational& value, const std::vector<Rational>& numbers,
                const std::vector<Token>& tokens) {
  const auto is_fraction = [](const Rational& number) { return !IsInteger(number); };
  double weight = 1;
  if (IsNegative(value) && std::ranges::none_of(numbers, IsNegative)) weight *= kNegative;
  if (std::ranges::none_of(numbers, is_fraction)) {
    if (is_fraction(value)) {
      weight *= kFraction;
    } else if (Divides(tokens)) {
      weight *= kEven;
    }
  }
  return weight;
}

bool IsLong(const Answer& answer) {
  return answer.refusal && (answer.refusal->kind == RefusalKind::kOutOfFuel ||
                            answer.refusal->kind == RefusalKind::kTooLong);
}

Result<Belief> Believe(const std::vector<Token>& tokens, const std::vector<Rational>& numbers,
                       const EvaluateOptions& options) {
  Belief belief;
  TXVM_TRY(Ast ast, Parse(tokens, numbers.size()));
  if (ast.abstention) return belief;
  TXVM_TRY(belief.answer, Evaluate(ast, numbers, options));
  belief.ast = std::move(ast);
  return belief;
}

/// Sets what follows from running it. Whatever cannot even be lowered is not believed.
void Try(Candidate& candidate, const std::vector<Rational>& numbers,
         const EvaluateOptions& options) {
  Result<Belief> belief = Believe(candidate.tokens, numbers, options);
  if (!belief) {
    candidate.weight = 0;
    return;
  }
  candidate.belief = *std::move(belief);
  const std::optional<Answer>& answer = candidate.belief.answer;
  if (!answer) {
    candidate.key = "?";
    candidate.weight = kAbstention;
  } else if (answer->value) {
    candidate.key = ToText(*answer->value);
    candidate.weight = WeightOf(*answer->value, numbers, candidate.tokens);
  } else {
    candidate.key = answer->refusal->text;
    candidate.weight = IsLong(*answer) ? 1 : kRefused;
  }
}

bool IsInterrupted(const Belief& belief) {
  return belief.answer && belief.answer->refusal &&
         belief.answer->refusal->kind == RefusalKind::kInterrupted;
}

/// The confidence in what is believed, the reading's doubt counted in.
void CountDoubt(Reading& reading) {
  constexpr double kSmallest = 1e-12;  // of what has finite log-odds, and of its complement
  if (reading.doubt == 0 || !reading.confidence || IsAbstention(reading.tokens.front())) return;
  const double p = std::clamp(*reading.confidence, kSmallest, 1 - kSmallest);
  reading.confidence = 1 / (1 + (1 - p) / p * std::exp(reading.doubt));
}

/// Counts the doubt in. Whether the reading is too unsure then: it has become an abstention.
bool BecomesAbstention(Reading& reading) {
  CountDoubt(reading);
  if (!reading.IsUnsure()) return false;
  reading.tokens = {Token::kNoSense, Token::kEnd};
  return true;
}

}  // namespace

Result<Belief> Rank(Reading& reading, const EvaluateOptions& options) {
  const std::vector<Rational> numbers = reading.Values();
  if (reading.others.empty()) {
    // Before the run: what will not be believed need not be computed.
    if (BecomesAbstention(reading)) return Belief();
    TXVM_TRY(Belief only, Believe(reading.tokens, numbers, options));
    if (!only.answer || !IsAbsurd(reading, numbers, *only.answer)) return only;
    reading.confidence = 0;
    if (BecomesAbstention(reading)) return Belief();
    return only;
  }
  EvaluateOptions brief = options;
  brief.fuel = std::min(options.fuel, kRankingFuel);
  std::vector<Candidate> candidates;
  candidates.push_back({std::move(reading.tokens), reading.confidence.value_or(1), {}, {}, 1});
  for (Alternative& other : reading.others) {
    candidates.push_back({std::move(other.tokens), other.probability, {}, {}, 1});
  }
  reading.others.clear();
  std::map<std::string, double> scores;
  double found = 0, total = 0;
  for (Candidate& candidate : candidates) {
    Try(candidate, numbers, brief);
    if (candidate.belief.answer && IsAbsurd(reading, numbers, *candidate.belief.answer)) {
      candidate.weight = 0;
    }
    if (IsInterrupted(candidate.belief)) {
      // Whoever stopped it wants no other answer.
      reading.tokens = std::move(candidate.tokens);
      reading.confidence = candidate.probability;
      return std::move(candidate.belief);
    }
    scores[candidate.key] += candidate.probability * candidate.weight;
    total += candidate.probability * candidate.weight;
    found += candidate.probability;
  }
  // The first of the best: the most probable of those that answer alike.
  Candidate& best = *std::ranges::max_element(
      candidates, {}, [&](const Candidate& candidate) { return scores[candidate.key]; });
  total += std::max(0.0, 1 - found);
  reading.confidence = total > 0 ? scores[best.key] / total : 0;
  reading.tokens = std::move(best.tokens);
  if (BecomesAbstention(reading)) return Belief();
  Belief belief = std::move(best.belief);
  const bool ran = belief.answer && !IsLong(*belief.answer);
  if (best.weight == 0 || (belief.answer && !ran)) {
    return Believe(reading.tokens, numbers, options);
  }
  return belief;
}

}  // namespace txvm::frontends::nl
