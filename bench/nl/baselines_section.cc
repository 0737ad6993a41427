// What simpler means reach on the same items, and what is left of the model's score when the
// question itself is taken away.
// Declared in bench/nl/evaluation.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bench/nl/bag_of_words.h"
#include "bench/nl/evaluation.h"
#include "bench/nl/original_rules.h"
#include "bench/nl/parallel.h"
#include "frontends/nl/numbers/lexer.h"

namespace txvm::bench::nl {
namespace {

/// The value of one program on each item; empty where it has none.
using Values = std::vector<std::string>;
using Program = std::function<std::string(std::string_view question)>;

Values ValuesOf(const Evaluation& evaluation, const std::vector<Item>& items,
                const Program& program) {
  const PoolOptions& options = evaluation.pool.options();
  Values values(items.size());
  ForEach(items.size(), options.threads, "baselines", [&](std::size_t, std::size_t i) {
    const auto lexed = frontends::nl::Lex(items[i].question);
    const std::string text = lexed ? program(items[i].question) : "";
    if (text.empty() || SlotsOf(text) > lexed->numbers.size()) return;
    values[i] = ValueOf(text, lexed->numbers, options.fuel);
  });
  return values;
}

Tally Score(const std::vector<Item>& items, const Values& values) {
  Tally tally;
  for (std::size_t i = 0; i < items.size(); ++i) {
    tally.Count(!values[i].empty() && values[i] == items[i].answer);
  }
  return tally;
}

/// One program for every question, the one that suits the set best.
std::pair<std::string, Tally> BestConstant(const Evaluation& evaluation,
                                           const std::vector<Item>& items,
                                           const std::vector<std::string>& candidates) {
  std::pair<std::string, Tally> best;
  for (const std::string& candidate : candidates) {
    const Values values = ValuesOf(evaluation, items, [&](std::string_view) { return candidate; });
    const Tally tally = Score(items, values);
    if (best.first.empty() || tally.successes > best.second.successes) best = {candidate, tally};
  }
  return best;
}

/// Answers to what is left without the question.
struct Ablation {
  Tally full;       // the model on the items that can be shortened
  Tally shortened;  // forced to a program
  Tally abstained;  // free to abstain
};

Ablation WithoutQuestions(Evaluation& evaluation, const std::vector<Item>& items) {
  std::vector<Item> whole;
  std::vector<std::string> rests;
  for (const Item& item : items) {
    if (auto rest = WithoutQuestion(item.question)) {
      whole.push_back(item);
      rests.push_back(*std::move(rest));
    }
  }
  const std::vector<Outcome> full = evaluation.pool.Answer(whole, "no question");
  const std::vector<Outcome> forced = evaluation.pool.Answer(rests, true, "no question, forced");
  const std::vector<Outcome> free = evaluation.pool.Answer(rests, false, "no question, free");
  Ablation ablation;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    ablation.full.Count(IsRight(whole[i], full[i]));
    ablation.shortened.Count(IsRight(whole[i], forced[i]));
    ablation.abstained.Count(free[i].answer.empty());
  }
  return ablation;
}

/// Every set that has answers: the fixed sentences as one, the files, the axes.
std::vector<ItemSet> AllSets(Evaluation& evaluation) {
  std::vector<ItemSet> sets = {{"fixed sentences", {}}};
  for (const ItemSet& set : evaluation.fixed) {
    sets[0].items.insert(sets[0].items.end(), set.items.begin(), set.items.end());
  }
  for (const ItemSet& set : evaluation.third_party) sets.push_back(set);
  for (const neural::questions::Axis axis : AllAxes()) {
    sets.push_back(
        {fmt::format("axis {}", neural::questions::AxisName(axis)), evaluation.AxisItems(axis)});
  }
  return sets;
}

/// The usual guesses, and what is frequent in training.
std::vector<std::string> Candidates(const BagOfWords& bag) {
  constexpr std::size_t kFrequent = 12;
  std::vector<std::string> candidates = {"N0 + N1", "N0 - N1",       "N1 - N0",
                                         "N0 * N1", "abs (N0 - N1)", "N0 / N1"};
  for (const std::string& program : bag.programs()) {
    if (candidates.size() >= kFrequent) break;
    const bool is_new = std::ranges::find(candidates, program) == candidates.end();
    if (is_new && !program.starts_with('?')) candidates.push_back(program);
  }
  return candidates;
}

}  // namespace

isa::Result<void> RunBaselines(Evaluation& evaluation) {
  BagOptions bag_options = evaluation.options.bag;
  bag_options.seed = evaluation.options.training.seed;
  const BagOfWords bag(evaluation.bank, bag_options);
  const std::vector<std::string> candidates = Candidates(bag);
  Section section{
      "Baselines",
      {fmt::format("Exact answers on the same items. Bag of words: a linear softmax over word "
                   "counts that chooses among the {} most frequent programs, trained on the first "
                   "{} examples. Rules: the Neural Compiler's regular expressions. Best "
                   "constant: of {} programs the one that suits the set best, named.",
                   bag.programs().size(), bag_options.examples, candidates.size()),
       "Without the question: items whose question is a sentence of its own, with that sentence "
       "taken away; numbers must be left. The model is forced to a program. A score near that of "
       "the whole text would mean that it does not read the question. The last column says how "
       "often it abstains when it may."},
      {}};
  Table scores{"", {"items", "n", "model", "bag of words", "rules", "best constant"}, {}};
  Table ablations{"Without the question:",
                  {"items", "n", "whole text", "question taken away", "95 %", "abstains"},
                  {}};
  for (const ItemSet& set : AllSets(evaluation)) {
    const std::vector<Outcome> outcomes = evaluation.pool.Answer(set.items, set.name);
    Tally model;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      model.Count(IsRight(set.items[i], outcomes[i]));
    }
    const Tally words =
        Score(set.items,
              ValuesOf(evaluation, set.items, [&bag](std::string_view q) { return bag.Read(q); }));
    const Tally rules = Score(set.items, ValuesOf(evaluation, set.items, [](std::string_view q) {
                                return ReadByRules(q).value_or("");
                              }));
    const auto [constant, guessed] = BestConstant(evaluation, set.items, candidates);
    scores.rows.push_back({set.name, std::to_string(set.items.size()), PercentText(model),
                           PercentText(words), PercentText(rules),
                           fmt::format("{}, {}", PercentText(guessed), constant)});
    evaluation.report.Figure("baselines/" + set.name + "/bag of words", words);
    evaluation.report.Figure("baselines/" + set.name + "/rules", rules);
    evaluation.report.Figure("baselines/" + set.name + "/constant", guessed);
    const Ablation ablation = WithoutQuestions(evaluation, set.items);
    if (ablation.full.total == 0) continue;
    ablations.rows.push_back({set.name, std::to_string(ablation.full.total),
                              PercentText(ablation.full), PercentText(ablation.shortened),
                              IntervalText(ablation.shortened), PercentText(ablation.abstained)});
    evaluation.report.Figure("baselines/" + set.name + "/no question", ablation.shortened);
  }
  section.tables = {std::move(scores), std::move(ablations)};
  evaluation.report.Add(std::move(section));
  return {};
}

}  // namespace txvm::bench::nl
