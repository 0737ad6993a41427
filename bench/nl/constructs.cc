#include "bench/nl/constructs.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace txvm::bench::nl {
namespace {

using neural::questions::Family;

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

/// Held-out questions with the construct, from its families in turn.
std::vector<Item> Drawn(const neural::questions::QuestionBank& bank, const Construct& construct,
                        const ConstructDraw& options) {
  std::vector<std::vector<Item>> by_family;
  for (const Family family : construct.families) {
    Draw draw;
    draw.options.seed = options.seed;
    draw.options.split = neural::questions::Split::kHeldOut;
    draw.options.axis = options.axis;
    draw.options.family = family;
    draw.count = options.items;
    draw.wanted = construct.has;
    draw.most_tries = options.most_tries;
    by_family.push_back(DrawItems(bank, draw));
  }
  std::vector<Item> items;
  for (std::size_t i = 0; i < options.items; ++i) {
    for (std::vector<Item>& from : by_family) {
      if (i < from.size()) items.push_back(std::move(from[i]));
    }
  }
  items.resize(std::min(items.size(), options.items));
  return items;
}

}  // namespace

std::vector<ItemSet> DrawConstructs(const neural::questions::QuestionBank& bank,
                                    const ConstructDraw& options) {
  std::vector<ItemSet> sets;
  for (const Construct& construct : Constructs()) {
    sets.push_back({std::string(construct.name), Drawn(bank, construct, options)});
  }
  return sets;
}

}  // namespace txvm::bench::nl
