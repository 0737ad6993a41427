// Generated questions that hold something out of training: the axes and the constructs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/nl/evaluation.h"

namespace txvm::bench::nl {
namespace {

using neural::data::Axis;
using neural::data::Family;

constexpr std::array kAxisTexts = {
#define TXVM_AXIS(Name, text, what) std::string_view(what),
#include "neural/data/axes.def"
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

bool Has(std::string_view program, std::string_view text) {
  return program.find(text) != std::string_view::npos;
}

/// "sum N0 to N1", not "sum [N0, N1]".
bool HasRange(std::string_view program, std::string_view word) {
  for (std::size_t at = 0; (at = program.find(word, at)) != std::string_view::npos; ++at) {
    if (!program.substr(at + word.size()).starts_with(" [")) return true;
  }
  return false;
}

bool IsComparison(std::string_view program) {
  constexpr std::array<std::string_view, 6> kSigns = {" == ", " != ", " < ", " <= ", " > ", " >= "};
  return !Has(program, "if ") && std::ranges::any_of(kSigns, [program](std::string_view sign) {
    return Has(program, sign);
  });
}

std::size_t Operations(std::string_view program) {
  constexpr std::array<std::string_view, 4> kSigns = {" + ", " - ", " * ", " / "};
  std::size_t count = 0;
  for (const std::string_view sign : kSigns) {
    for (std::size_t at = 0; (at = program.find(sign, at)) != std::string_view::npos; ++at) ++count;
  }
  return count;
}

constexpr std::ptrdiff_t kLongList = 9;  // elements

/// A construct: where its examples are looked for and which programs have it.
struct Construct {
  std::string_view name;
  std::vector<Family> families;
  bool (*has)(std::string_view program);
};

const std::vector<Construct>& Constructs() {
  using P = std::string_view;
  static const std::vector<Construct> kConstructs = {
      {"nested expression", {Family::kExpression}, [](P p) { return Operations(p) >= 2; }},
      {"comparison", {Family::kComparison}, IsComparison},
      {"sum of a range", {Family::kRange}, [](P p) { return HasRange(p, "sum"); }},
      {"product of a range", {Family::kRange}, [](P p) { return HasRange(p, "product"); }},
      {"count of a range", {Family::kRange}, [](P p) { return HasRange(p, "count"); }},
      {"if, then, else", {Family::kConditional}, [](P p) { return Has(p, "if "); }},
      {"max", {Family::kNumberList, Family::kFunction}, [](P p) { return Has(p, "max "); }},
      {"min", {Family::kNumberList, Family::kFunction}, [](P p) { return Has(p, "min "); }},
      {"abs",
       {Family::kFunction, Family::kCompare, Family::kNumberList},
       [](P p) { return Has(p, "abs"); }},
      {"factorial", {Family::kFunction}, [](P p) { return Has(p, "fact "); }},
      {"Fibonacci", {Family::kFunction}, [](P p) { return Has(p, "fib "); }},
      {"gcd", {Family::kFunction, Family::kNumberList}, [](P p) { return Has(p, "gcd "); }},
      {"power", {Family::kFunction}, [](P p) { return Has(p, "^"); }},
      {"list", {Family::kNumberList}, [](P p) { return Has(p, "["); }},
      {"list of 9 to 32 numbers",
       {Family::kNumberList},
       [](P p) { return Has(p, "[") && std::ranges::count(p, ',') + 1 >= kLongList; }},
      {"two live values (SSA)", {Family::kLive}, [](P p) { return Has(p, "T1 :="); }},
  };
  return kConstructs;
}

/// Held-out texts with the construct, from its families in turn.
std::vector<Item> ConstructItems(const Construct& construct, const EvaluationOptions& options) {
  std::vector<std::vector<Item>> by_family;
  for (const Family family : construct.families) {
    Draw draw;
    draw.options.seed = options.seed;
    draw.options.split = neural::data::Split::kHeldOut;
    draw.options.axis = Axis::kTemplates;
    draw.options.family = family;
    draw.count = options.construct_items;
    draw.wanted = construct.has;
    draw.most_tries = options.most_tries;
    by_family.push_back(DrawItems(draw));
  }
  std::vector<Item> items;
  for (std::size_t i = 0; i < options.construct_items; ++i) {
    for (std::vector<Item>& from : by_family) {
      if (i < from.size()) items.push_back(std::move(from[i]));
    }
  }
  items.resize(std::min(items.size(), options.construct_items));
  return items;
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
    const std::string name(neural::data::AxisName(axis));
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
       "names are masked: where there are few, the interval says less than it seems to."},
      {}};
  Table table{"",
              {"construct", "items", "templates", "phrasings", "exact answer", "95 %",
               "exact program", "abstained"},
              {}};
  for (const Construct& construct : Constructs()) {
    const std::string name(construct.name);
    const std::vector<Item> items = ConstructItems(construct, evaluation.options);
    const Exact exact = ExactOf(items, evaluation.pool.Answer(items, name));
    table.rows.push_back(
        {name, std::to_string(items.size()), std::to_string(DistinctTemplates(items)),
         std::to_string(DistinctPhrasings(items)), PercentText(exact.answers),
         IntervalText(exact.answers), PercentText(exact.programs), PercentText(exact.abstained)});
    evaluation.report.Figure("constructs/" + name + "/answer", exact.answers);
    evaluation.report.Figure("constructs/" + name + "/program", exact.programs);
  }
  section.tables.push_back(std::move(table));
  evaluation.report.Add(std::move(section));
  return {};
}

}  // namespace txvm::bench::nl
