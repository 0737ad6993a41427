// Whether the model knows what it cannot answer, and what its confidence is worth.
// Declared in bench/nl/evaluation.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "bench/nl/evaluation.h"
#include "bench/nl/risk.h"

namespace txvm::bench::nl {
namespace {

using neural::questions::Axis;
using neural::questions::Family;

struct Kind {
  std::string_view program, what;
};
constexpr std::array<Kind, 4> kKinds = {{{"?chat", "asks for no number"},
                                         {"?missing", "a number is missing"},
                                         {"?unsupported", "an unsupported operation"},
                                         {"?unclear", "what is asked cannot be told"}}};

std::vector<Item> Unanswerable(const Evaluation& evaluation, std::string_view kind, Axis axis) {
  const EvaluationOptions& options = evaluation.options;
  Draw draw;
  draw.options.seed = options.seed;
  draw.options.split = neural::questions::Split::kHeldOut;
  draw.options.axis = axis;
  draw.options.family = Family::kAbstain;
  draw.count = (options.items + kKinds.size() - 1) / kKinds.size();
  draw.wanted = [kind](std::string_view program) { return program == kind; };
  draw.most_tries = options.most_tries;
  return DrawItems(evaluation.bank, draw);
}

/// Adds a row for items that have no answer: abstained at all, and with the right reason.
void PutKind(Evaluation& evaluation, std::string_view name, const std::vector<Item>& items,
             Table& table) {
  if (items.empty()) return;
  const std::vector<Outcome> outcomes = evaluation.pool.Answer(items, "abstention");
  Tally abstained, same;
  for (std::size_t i = 0; i < items.size(); ++i) {
    abstained.Count(outcomes[i].answer.empty());
    same.Count(outcomes[i].program == items[i].program);
  }
  table.rows.push_back({std::string(name), std::to_string(items.size()),
                        std::to_string(DistinctPhrasings(evaluation.bank.lexicon(), items)),
                        PercentText(abstained), IntervalText(abstained),
                        items.front().answer.empty() ? PercentText(same) : "-"});
  evaluation.report.Figure(fmt::format("abstention/{}", name), abstained);
}

std::vector<Judged> JudgeAll(Evaluation& evaluation, const std::vector<Item>& items) {
  return Judge(items, evaluation.pool.Answer(items, "abstention"));
}

constexpr double kWanted = 0.9;  // share of right ones among the answers given
constexpr int kGrid = 100;       // thresholds are hundredths

std::optional<double> Recommended(const std::vector<Judged>& items) {
  for (int i = 0; i < kGrid; ++i) {
    const double threshold = static_cast<double>(i) / kGrid;
    const AtThreshold at = Apply(items, threshold);
    if (at.right.total > 0 && at.right.Share() >= kWanted) return threshold;
  }
  return std::nullopt;
}

/// The four kinds, with texts that training never has, then sums; and items that have answers.
/// Also gives the unanswerable items of unseen texts.
std::vector<Item> PutShares(Evaluation& evaluation, Table& table) {
  std::vector<Item> unseen, seen, other;
  for (const Kind& kind : kKinds) {
    const auto add = [&](Axis axis, std::vector<Item>& all) {
      std::vector<Item> items = Unanswerable(evaluation, kind.program, axis);
      all.insert(all.end(), items.begin(), items.end());
      return items;
    };
    add(Axis::kNone, seen);
    add(Axis::kMakers, other);
    PutKind(evaluation, fmt::format("{}: {}", kind.program, kind.what),
            add(Axis::kTemplates, unseen), table);
  }
  PutKind(evaluation, "unanswerable, unseen texts", unseen, table);
  PutKind(evaluation, "unanswerable, of the axis makers", other, table);
  PutKind(evaluation, "unanswerable, like training", seen, table);
  PutKind(evaluation, "answerable, like training", evaluation.AxisItems(Axis::kNone), table);
  PutKind(evaluation, "answerable, unseen texts", evaluation.AxisItems(Axis::kTemplates), table);
  PutKind(evaluation, "answerable, of the axis makers", evaluation.AxisItems(Axis::kMakers), table);
  return unseen;
}

std::vector<double> Thresholds(const std::optional<double>& recommended) {
  std::vector<double> thresholds = {0,   0.05, 0.1, 0.2, 0.3,  0.4, 0.5,
                                    0.6, 0.7,  0.8, 0.9, 0.95, 0.99};
  if (recommended) thresholds.push_back(*recommended);
  std::ranges::sort(thresholds);
  const auto repeated = std::ranges::unique(thresholds);
  thresholds.erase(repeated.begin(), repeated.end());
  return thresholds;
}

std::string Advice(const std::optional<double>& recommended) {
  constexpr double kHundred = 100;
  constexpr std::string_view kAxes = "the templates, compositions and distractors axes together";
  if (!recommended) {
    return fmt::format("No threshold makes {:.0f} % of the answers to {} right.",
                       kHundred * kWanted, kAxes);
  }
  return fmt::format(
      "Recommended threshold of the confidence: {:.2f}, the smallest hundredth at which at least "
      "{:.0f} % of the answers to {} are right.",
      *recommended, kHundred * kWanted, kAxes);
}

/// Rows of the curve on `mixed`; `unanswerable` has no answers.
void PutCurve(Evaluation& evaluation, const std::vector<Judged>& mixed,
              const std::vector<Judged>& unanswerable, const std::optional<double>& recommended,
              Table& curve) {
  const std::vector<Judged> familiar = JudgeAll(evaluation, evaluation.AxisItems(Axis::kNone));
  for (const double threshold : Thresholds(recommended)) {
    const AtThreshold at = Apply(mixed, threshold);
    Tally refused = Apply(unanswerable, threshold).covered;
    refused.successes = refused.total - refused.successes;
    curve.rows.push_back({fmt::format("{:.2f}", threshold), PercentText(at.covered),
                          PercentText(at.right), IntervalText(at.right),
                          PercentText(Apply(familiar, threshold).covered), PercentText(refused)});
    if (recommended && threshold == *recommended) {
      evaluation.report.Figure(fmt::format("threshold/{:.2f}/right", threshold), at.right);
      evaluation.report.Figure(fmt::format("threshold/{:.2f}/answered", threshold), at.covered);
    }
  }
}

}  // namespace

isa::Result<void> RunAbstention(Evaluation& evaluation) {
  Table shares{"How often the model gives no answer; intervals are 95 %, in per cent.",
               {"questions", "items", "phrasings", "abstained", "95 %", "with the right reason"},
               {}};
  const std::vector<Item> unseen = PutShares(evaluation, shares);
  std::vector<Item> mixed;
  for (const Axis axis : {Axis::kTemplates, Axis::kCompositions, Axis::kDistractors}) {
    const std::vector<Item>& items = evaluation.AxisItems(axis);
    mixed.insert(mixed.end(), items.begin(), items.end());
  }
  const std::vector<Judged> judged = JudgeAll(evaluation, mixed);
  const std::optional<double> recommended = Recommended(judged);
  Table curve{fmt::format("Risk and coverage over the confidence, on those three axes ({} items); "
                          "beside it what the threshold costs and gains elsewhere.",
                          mixed.size()),
              {"threshold", "answered", "right among answered", "95 %", "like training: answered",
               "unanswerable: abstained"},
              {}};
  PutCurve(evaluation, judged, JudgeAll(evaluation, unseen), recommended, curve);
  evaluation.report.Add(
      {"Abstention", {Advice(recommended)}, {std::move(shares), std::move(curve)}});
  return {};
}

}  // namespace txvm::bench::nl
