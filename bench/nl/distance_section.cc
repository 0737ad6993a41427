// How the answers fare as questions move away from everything that training says.
#include <fmt/format.h>

#include <array>

#include "bench/nl/evaluation.h"
#include "bench/nl/nearest.h"

namespace txvm::bench::nl {
namespace {

using neural::data::Axis;

/// Upper bounds of the rows, in per cent of the question's words.
constexpr std::array<std::size_t, 6> kMostPercent = {10, 20, 30, 40, 50, 100};

std::size_t RowOf(const Nearest& nearest) {
  std::size_t row = 0;
  while (row + 1 < kMostPercent.size() && nearest.edits * 100 > kMostPercent[row] * nearest.words) {
    ++row;
  }
  return row;
}

struct Row {
  Tally axis, constructs;
};

}  // namespace

isa::Result<void> RunDistance(Evaluation& evaluation) {
  // The axis first, then the constructs.
  std::vector<Item> items = evaluation.AxisItems(Axis::kTemplates);
  const std::size_t of_axis = items.size();
  for (const ItemSet& set : evaluation.ConstructItems()) {
    items.insert(items.end(), set.items.begin(), set.items.end());
  }
  std::vector<std::string> questions;
  for (const Item& item : items) questions.push_back(item.question);
  const std::vector<Nearest> nearest = NearestInTraining(questions, evaluation.options.training);
  const std::vector<Outcome> outcomes = evaluation.pool.Answer(items, "distance");
  std::array<Row, kMostPercent.size()> rows;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Row& row = rows[RowOf(nearest[i])];
    (i < of_axis ? row.axis : row.constructs).Count(IsRight(items[i], outcomes[i]));
  }
  Table table{
      "",
      {"words unlike the nearest of training", "axis templates", "95 %", "constructs", "95 %"},
      {}};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::size_t from = r == 0 ? 0 : kMostPercent[r - 1];
    table.rows.push_back({fmt::format("{}-{} %", from, kMostPercent[r]), ShareText(rows[r].axis),
                          IntervalText(rows[r].axis), ShareText(rows[r].constructs),
                          IntervalText(rows[r].constructs)});
    const std::string name = fmt::format("distance/{}", kMostPercent[r]);
    evaluation.report.Figure(name + "/templates", rows[r].axis);
    evaluation.report.Figure(name + "/constructs", rows[r].constructs);
  }
  evaluation.report.Add(
      {"Distance from training",
       {fmt::format("The questions of the axis templates and of the constructs, by the share of "
                    "their words that must be inserted, left out or replaced to make them the "
                    "nearest of the first {} training examples, numbers and names masked. Exact "
                    "answers.",
                    evaluation.options.training.examples)},
       {std::move(table)}});
  return {};
}

}  // namespace txvm::bench::nl
