// Questions written for this evaluation, without sight of the templates.
// Declared in bench/nl/evaluation.h.
#include <fmt/format.h>

#include <array>

#include "bench/nl/evaluation.h"
#include "bench/nl/risk.h"
#include "frontends/nl/reader/default_model.h"

namespace txvm::bench::nl {
namespace {

constexpr double kCautious = 0.8;
constexpr std::array kThresholds = {0.0, frontends::nl::kDefaultModelThreshold, kCautious};

bool HasAnswers(const ItemSet& set) { return !set.items.front().answer.empty(); }

void PutScore(Evaluation& evaluation, const ItemSet& set, const std::vector<Outcome>& outcomes,
              const std::vector<bool>& contaminated, Table& table) {
  const SplitTally tally = Split(RightOnes(set.items, outcomes), contaminated);
  table.rows.push_back({set.name, ShareText(tally.all), IntervalText(tally.all),
                        ShareText(tally.clean), CountText(tally.contaminated)});
  evaluation.report.Figure("written/" + set.name, tally.all);
  evaluation.report.Figure("written/" + set.name + "/clean", tally.clean);
}

void PutRisk(Evaluation& evaluation, const ItemSet& set, const std::vector<Outcome>& outcomes,
             Table& table) {
  const std::vector<Judged> judged = Judge(set.items, outcomes);
  std::vector<std::string> row = {set.name};
  for (const double threshold : kThresholds) {
    const AtThreshold at = Apply(judged, threshold);
    row.push_back(PercentText(at.covered));
    row.push_back(HasAnswers(set) ? PercentText(at.right) : "-");
    evaluation.report.Figure(fmt::format("written/{}/{:.2f}/answered", set.name, threshold),
                             at.covered);
    evaluation.report.Figure(fmt::format("written/{}/{:.2f}/right", set.name, threshold), at.right);
  }
  table.rows.push_back(std::move(row));
}

}  // namespace

isa::Result<void> RunWritten(Evaluation& evaluation) {
  TXVM_TRY(const auto* contaminated, evaluation.Contaminated());
  Table scores{"Right at no threshold; for no-answer: abstained.",
               {"set", "all", "95 %", "clean", "contaminated"},
               {}};
  Table risk{
      "By the threshold of the confidence: answered, and right among the answers.", {"set"}, {}};
  for (const double threshold : kThresholds) {
    risk.header.push_back(fmt::format("{}: answered", threshold));
    risk.header.push_back("right");
  }
  const std::size_t first = evaluation.fixed.size() + evaluation.third_party.size();
  for (std::size_t i = 0; i < evaluation.written.size(); ++i) {
    const ItemSet& set = evaluation.written[i];
    const std::vector<Outcome> outcomes = evaluation.pool.Answer(set.items, set.name);
    PutScore(evaluation, set, outcomes, (*contaminated)[first + i], scores);
    PutRisk(evaluation, set, outcomes, risk);
  }
  evaluation.report.Add({"Questions written by hand",
                         {evaluation.ContaminationNote()},
                         {std::move(scores), std::move(risk)}});
  return {};
}

}  // namespace txvm::bench::nl
