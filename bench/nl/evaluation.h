// The sections of the evaluation. Each asks the model what it needs and adds to the report; what
// was asked before is not asked again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/nl/bag_of_words.h"
#include "bench/nl/contaminated.h"
#include "bench/nl/items.h"
#include "bench/nl/reader_pool.h"
#include "bench/nl/report.h"
#include "isa/support/result.h"
#include "neural/questions/bank.h"

namespace txvm::bench::nl {

struct EvaluationOptions {
  std::size_t items = 1'000;          // of each axis and each side of abstention
  std::size_t construct_items = 500;  // of each construct
  std::size_t lookup_items = 200;     // of each kind of lookups.h
  std::uint64_t seed = 20'260'613;    // of everything drawn; unlike that of training
  std::uint64_t most_tries = 60'000;  // examples looked at for each construct and kind
  TrainingStream training;
  BagOptions bag;  // its seed is that of `training`
};

/// What the sections share.
class Evaluation {
 public:
  /// The bank must outlive this.
  Evaluation(const neural::questions::QuestionBank& bank, ReaderPool pool,
             const EvaluationOptions& options, SentenceSets sentences,
             std::vector<ItemSet> third_party);

  const neural::questions::QuestionBank& bank;
  ReaderPool pool;
  EvaluationOptions options;
  std::vector<ItemSet> fixed;
  std::vector<ItemSet> third_party;
  std::vector<ItemSet> written;
  Report report;

  /// The items of an axis, drawn once.
  const std::vector<Item>& AxisItems(neural::questions::Axis axis);
  /// The sets of constructs.h, drawn once.
  const std::vector<ItemSet>& ConstructItems();
  /// Verdicts for the items of fixed, third_party and written, one vector a set, in that order;
  /// found once.
  isa::Result<const std::vector<std::vector<bool>>*> Contaminated();

  /// "Contaminated: ...", as notes explain it.
  std::string ContaminationNote() const;

 private:
  std::map<neural::questions::Axis, std::vector<Item>> axis_items_;
  std::vector<ItemSet> construct_items_;
  std::vector<std::vector<bool>> contaminated_;
};

/// A part of the evaluation that can be run alone.
struct EvaluationPart {
  std::string_view name;
  isa::Result<void> (*run)(Evaluation&);
};
/// In the order of the report.
const std::vector<EvaluationPart>& EvaluationParts();

isa::Result<void> RunFixed(Evaluation& evaluation);
isa::Result<void> RunThirdParty(Evaluation& evaluation);
isa::Result<void> RunWritten(Evaluation& evaluation);
isa::Result<void> RunLookups(Evaluation& evaluation);
isa::Result<void> RunAxes(Evaluation& evaluation);
isa::Result<void> RunConstructs(Evaluation& evaluation);
isa::Result<void> RunDistance(Evaluation& evaluation);
isa::Result<void> RunAbstention(Evaluation& evaluation);
isa::Result<void> RunBaselines(Evaluation& evaluation);

/// Every axis of axes.def, "none" first.
std::vector<neural::questions::Axis> AllAxes();

}  // namespace txvm::bench::nl
