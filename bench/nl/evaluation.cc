#include "bench/nl/evaluation.h"

#include <fmt/format.h>

#include <utility>

#include "bench/nl/constructs.h"

namespace txvm::bench::nl {

using neural::questions::Axis;

Evaluation::Evaluation(const neural::questions::QuestionBank& a_bank, ReaderPool a_pool,
                       const EvaluationOptions& some_options, SentenceSets sentences,
                       std::vector<ItemSet> some_third_party)
    : bank(a_bank),
      pool(std::move(a_pool)),
      options(some_options),
      fixed(std::move(sentences.fixed)),
      third_party(std::move(some_third_party)),
      written(std::move(sentences.written)) {}

const std::vector<Item>& Evaluation::AxisItems(Axis axis) {
  const auto found = axis_items_.find(axis);
  if (found != axis_items_.end()) return found->second;
  Draw draw;
  draw.options.seed = options.seed;
  draw.options.split = neural::questions::Split::kHeldOut;
  draw.options.axis = axis;
  draw.options.allow_abstention = false;
  draw.count = options.items;
  return axis_items_.emplace(axis, DrawItems(bank, draw)).first->second;
}

const std::vector<ItemSet>& Evaluation::ConstructItems() {
  if (construct_items_.empty()) {
    construct_items_ = DrawConstructs(
        bank, {options.seed, Axis::kTemplates, options.construct_items, options.most_tries});
  }
  return construct_items_;
}

isa::Result<const std::vector<std::vector<bool>>*> Evaluation::Contaminated() {
  if (!contaminated_.empty()) return &contaminated_;
  const auto all = {&fixed, &third_party, &written};
  std::vector<std::string> questions;
  for (const auto* sets : all) {
    for (const ItemSet& set : *sets) {
      for (const Item& item : set.items) questions.push_back(item.question);
    }
  }
  TXVM_TRY(const std::vector<bool> verdicts, FindContaminated(bank, questions, options.training));
  auto next = verdicts.begin();
  for (const auto* sets : all) {
    for (const ItemSet& set : *sets) {
      const auto end = next + static_cast<std::ptrdiff_t>(set.items.size());
      contaminated_.emplace_back(next, end);
      next = end;
    }
  }
  return &contaminated_;
}

std::string Evaluation::ContaminationNote() const {
  return fmt::format(
      "Contaminated: with numbers and names masked, equal to one of the first {} training "
      "examples or at most two words away from it.",
      options.training.examples);
}

const std::vector<EvaluationPart>& EvaluationParts() {
  static const std::vector<EvaluationPart> kParts = {
      {"fixed", RunFixed},        {"third-party", RunThirdParty},
      {"written", RunWritten},    {"lookups", RunLookups},
      {"axes", RunAxes},          {"constructs", RunConstructs},
      {"distance", RunDistance},  {"abstention", RunAbstention},
      {"baselines", RunBaselines}};
  return kParts;
}

std::vector<Axis> AllAxes() {
  return {
#define TXVM_AXIS(Name, text, what) Axis::k##Name,
#include "neural/questions/axes.def"
#undef TXVM_AXIS
  };
}

}  // namespace txvm::bench::nl
