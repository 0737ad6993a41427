// Generated questions that hold something out of training: the axes and the constructs.
// Declared in bench/nl/evaluation.h.
#include <fmt/format.h>

#include <array>

#include "bench/nl/constructs.h"
#include "bench/nl/evaluation.h"

namespace txvm::bench::nl {
namespace {

using neural::questions::Axis;

constexpr std::array kAxisTexts = {
#define TXVM_AXIS(Name, text, what) std::string_view(what),
#include "neural/questions/axes.def"
#undef TXVM_AXIS
};

/// Exact answers and exact programs of a set.
struct Exact {
  Tally answers, programs, abstained;
};

Exact ExactOf(const std::vector<Item>& items, const std::vector<Outcome>& outcomes) {
  Exact exact;
  for (std::size_t i = 0; i < items.size(); ++i) {
    exact.answers.Count(IsRight(items[i], outcomes[i]));
    exact.programs.Count(items[i].program == outcomes[i].program);
    exact.abstained.Count(outcomes[i].answer.empty());
  }
  return exact;
}

}  // namespace

isa::Result<void> RunAxes(Evaluation& evaluation) {
  Section section{
      "Held-out axes",
      {"Generated questions that differ from training in one way each (docs/NL-DATA.md)."
       " Intervals are 95 %, in per cent; abstentions are wrong."},
      {}};
  Table table{"",
              {"axis", "what is unlike training", "items", "exact answer", "95 %", "exact program",
               "95 %", "abstained"},
              {}};
  for (const Axis axis : AllAxes()) {
    const std::string name(neural::questions::AxisName(axis));
    const std::vector<Item>& items = evaluation.AxisItems(axis);
    const Exact exact = ExactOf(items, evaluation.pool.Answer(items, "axis " + name));
    table.rows.push_back({name, std::string(kAxisTexts[static_cast<std::size_t>(axis)]),
                          std::to_string(items.size()), PercentText(exact.answers),
                          IntervalText(exact.answers), PercentText(exact.programs),
                          IntervalText(exact.programs), PercentText(exact.abstained)});
    evaluation.report.Figure("axes/" + name + "/answer", exact.answers);
    evaluation.report.Figure("axes/" + name + "/program", exact.programs);
  }
  section.tables.push_back(std::move(table));
  evaluation.report.Add(std::move(section));
  return {};
}

isa::Result<void> RunConstructs(Evaluation& evaluation) {
  Section section{
      "Canonical constructs",
      {"Questions with a text that training never has, by what their program is made of. "
       "Templates are distinct top-level texts, phrasings are distinct questions when numbers and "
       "names are masked. Where there are few, the interval says less than it seems to. The last "
       "two columns are exact answers to as many fresh questions with the texts of training: how "
       "much of what it was taught the model has learnt."},
      {}};
  Table table{"",
              {"construct", "items", "templates", "phrasings", "exact answer", "95 %",
               "exact program", "abstained", "texts of training", "95 %"},
              {}};
  const std::vector<ItemSet> known = DrawConstructs(
      evaluation.bank, {evaluation.options.seed, Axis::kNone, evaluation.options.construct_items,
                        evaluation.options.most_tries});
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto& [name, items] = evaluation.ConstructItems()[i];
    const Exact exact = ExactOf(items, evaluation.pool.Answer(items, name));
    const std::vector<Item>& fresh = known[i].items;
    const Exact learnt = ExactOf(fresh, evaluation.pool.Answer(fresh, name + ", known texts"));
    table.rows.push_back(
        {name, std::to_string(items.size()), std::to_string(DistinctTemplates(items)),
         std::to_string(DistinctPhrasings(evaluation.bank.lexicon(), items)),
         PercentText(exact.answers), IntervalText(exact.answers), PercentText(exact.programs),
         PercentText(exact.abstained), PercentText(learnt.answers), IntervalText(learnt.answers)});
    evaluation.report.Figure("constructs/" + name + "/known", learnt.answers);
    evaluation.report.Figure("constructs/" + name + "/answer", exact.answers);
    evaluation.report.Figure("constructs/" + name + "/program", exact.programs);
  }
  section.tables.push_back(std::move(table));
  evaluation.report.Add(std::move(section));
  return {};
}

}  // namespace txvm::bench::nl
