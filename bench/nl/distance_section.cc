// How the answers fare as questions move away from everything that training says.
// Declared in bench/nl/evaluation.h.
#include <fmt/format.h>

#include <array>

#include "bench/nl/beside_training.h"
#include "bench/nl/evaluation.h"

namespace txvm::bench::nl {
namespace {

using neural::questions::Axis;

/// Upper bounds of the rows, in per cent of the question's words.
constexpr std::array<std::size_t, 6> kMostPercent = {10, 20, 30, 40, 50, 100};

std::size_t RowOf(const Nearest& nearest) {
  std::size_t row = 0;
  while (row + 1 < kMostPercent.size() && nearest.edits * 100 > kMostPercent[row] * nearest.words) {
    ++row;
  }
  return row;
}

/// Answers to the questions of the axis and of the constructs.
struct Row {
  std::string name;
  Tally axis, constructs;
};

void AddTable(const std::string& header, const std::string& figure, const std::vector<Row>& rows,
              Section& section, Report& report) {
  Table table{"", {header, "axis templates", "95 %", "constructs", "95 %"}, {}};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    table.rows.push_back({rows[r].name, ShareText(rows[r].axis), IntervalText(rows[r].axis),
                          ShareText(rows[r].constructs), IntervalText(rows[r].constructs)});
    report.Figure(fmt::format("{}/{}/templates", figure, r), rows[r].axis);
    report.Figure(fmt::format("{}/{}/constructs", figure, r), rows[r].constructs);
  }
  section.tables.push_back(std::move(table));
}

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
  const TrainingStream& training = evaluation.options.training;
  const auto [nearest, novelty] = CompareWithTraining(evaluation.bank, questions, training);
  const std::vector<Outcome> outcomes = evaluation.pool.Answer(items, "distance");

  std::vector<Row> by_distance, by_novelty;
  for (std::size_t r = 0; r < kMostPercent.size(); ++r) {
    const std::size_t from = r == 0 ? 0 : kMostPercent[r - 1];
    by_distance.push_back({fmt::format("{}-{} %", from, kMostPercent[r]), {}, {}});
  }
  for (const std::string_view text : kNoveltyTexts) {
    by_novelty.push_back({std::string(text), {}, {}});
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_right = IsRight(items[i], outcomes[i]);
    for (Row* row :
         {&by_distance[RowOf(nearest[i])], &by_novelty[static_cast<std::size_t>(novelty[i])]}) {
      (i < of_axis ? row->axis : row->constructs).Count(is_right);
    }
  }
  Section section{
      "Distance from training",
      {fmt::format("The questions of the axis templates and of the constructs beside the first {} "
                   "training examples, numbers and names masked; exact answers. First by the share "
                   "of their words that must be inserted, left out or replaced to make them the "
                   "nearest example, then by the smallest part that no example has.",
                   training.examples)},
      {}};
  AddTable("words unlike the nearest of training", "distance", by_distance, section,
           evaluation.report);
  AddTable("new beside training", "novelty", by_novelty, section, evaluation.report);
  evaluation.report.Add(std::move(section));
  return {};
}

}  // namespace txvm::bench::nl
