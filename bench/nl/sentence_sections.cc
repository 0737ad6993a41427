// Fixed test sentences and files from elsewhere: all, clean and contaminated.
// Declared in bench/nl/evaluation.h.
#include <fmt/format.h>

#include "bench/nl/evaluation.h"

namespace txvm::bench::nl {
namespace {

void Add(Tally& sum, const Tally& tally) {
  sum.successes += tally.successes;
  sum.total += tally.total;
}

}  // namespace

isa::Result<void> RunFixed(Evaluation& evaluation) {
  TXVM_TRY(const auto* contaminated, evaluation.Contaminated());
  Section section{"Fixed test sentences", {evaluation.ContaminationNote()}, {}};
  Table scores{"", {"set", "all", "clean", "contaminated"}, {}};
  Table missed{"Missed:", {"set", "sentence", "program", "answer", "expected"}, {}};
  SplitTally sum;
  for (std::size_t i = 0; i < evaluation.fixed.size(); ++i) {
    const ItemSet& set = evaluation.fixed[i];
    const std::vector<Outcome> outcomes = evaluation.pool.Answer(set.items, set.name);
    const SplitTally tally = Split(RightOnes(set.items, outcomes), (*contaminated)[i]);
    scores.rows.push_back(
        {set.name, CountText(tally.all), CountText(tally.clean), CountText(tally.contaminated)});
    evaluation.report.Figure("fixed/" + set.name, tally.all);
    evaluation.report.Figure("fixed/" + set.name + "/clean", tally.clean);
    Add(sum.all, tally.all);
    Add(sum.clean, tally.clean);
    Add(sum.contaminated, tally.contaminated);
    for (std::size_t k = 0; k < outcomes.size(); ++k) {
      const Item& item = set.items[k];
      if (IsRight(item, outcomes[k])) continue;
      missed.rows.push_back(
          {set.name, item.question, outcomes[k].program, outcomes[k].answer, item.answer});
    }
  }
  scores.rows.push_back(
      {"together", CountText(sum.all), CountText(sum.clean), CountText(sum.contaminated)});
  section.tables.push_back(std::move(scores));
  if (!missed.rows.empty()) section.tables.push_back(std::move(missed));
  evaluation.report.Add(std::move(section));
  return {};
}

namespace {

/// Scores of a file; how often it abstained only where it may.
std::vector<std::string> ThirdPartyRow(Evaluation& evaluation, const ItemSet& set,
                                       const std::vector<bool>& contaminated, bool forced) {
  std::vector<std::string> questions;
  for (const Item& item : set.items) questions.push_back(item.question);
  const std::vector<Outcome> outcomes = evaluation.pool.Answer(questions, forced, set.name);
  const SplitTally tally = Split(RightOnes(set.items, outcomes), contaminated);
  std::vector<std::string> row = {set.name,
                                  ShareText(tally.all),
                                  IntervalText(tally.all),
                                  ShareText(tally.clean),
                                  IntervalText(tally.clean),
                                  ShareText(tally.contaminated)};
  const std::string figure = (forced ? "third-party-forced/" : "third-party/") + set.name;
  evaluation.report.Figure(figure, tally.all);
  evaluation.report.Figure(figure + "/clean", tally.clean);
  evaluation.report.Figure(figure + "/contaminated", tally.contaminated);
  if (forced) return row;
  Tally abstained;
  for (const Outcome& outcome : outcomes) abstained.Count(outcome.answer.empty());
  row.push_back(PercentText(abstained));
  return row;
}

}  // namespace

isa::Result<void> RunThirdParty(Evaluation& evaluation) {
  Section section{"Files from elsewhere", {}, {}};
  if (evaluation.third_party.empty()) {
    section.notes.emplace_back("Left out: no folder was given (--data).");
    evaluation.report.Add(std::move(section));
    return {};
  }
  TXVM_TRY(const auto* contaminated, evaluation.Contaminated());
  section.notes.push_back(
      evaluation.ContaminationNote() +
      " Exact answers, with 95 % intervals in per cent; abstentions are wrong.");
  Table free{"", {"file", "all", "95 %", "clean", "95 %", "contaminated", "abstained"}, {}};
  Table forced{"The same with an answer forced from every question (`txvm ask --no-abstain`).",
               {"file", "all", "95 %", "clean", "95 %", "contaminated"},
               {}};
  for (std::size_t i = 0; i < evaluation.third_party.size(); ++i) {
    const ItemSet& set = evaluation.third_party[i];
    const std::vector<bool>& known = (*contaminated)[evaluation.fixed.size() + i];
    free.rows.push_back(ThirdPartyRow(evaluation, set, known, false));
    forced.rows.push_back(ThirdPartyRow(evaluation, set, known, true));
  }
  section.tables.push_back(std::move(free));
  section.tables.push_back(std::move(forced));
  evaluation.report.Add(std::move(section));
  return {};
}

}  // namespace txvm::bench::nl
