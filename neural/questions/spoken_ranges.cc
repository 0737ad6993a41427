#include <array>
#include <string>
#include <utility>

#include "neural/questions/draft.h"

// Questions about bare numbers put together of parts: what the numbers of a range make together and
// how many they are, counts, distances, absolute values, powers and factorials. What is meant, its
// words, an operation around it and the way of asking are drawn apart.

namespace txvm::neural::questions {
namespace {

struct Weighted {
  std::string_view name;
  unsigned weight;
};

constexpr std::array kOperations = {Weighted{"_add", 32}, Weighted{"_subtract", 32},
                                    Weighted{"_multiply", 26}, Weighted{"_divide", 10}};
std::string_view Sign(std::string_view operation) {
  return operation == "_add"        ? "+"
         : operation == "_subtract" ? "-"
         : operation == "_multiply" ? "*"
                                    : "/";
}

/// The numbers of a range: {l} and {r} of its program are its ends, if it has two.
struct Span {
  std::string_view rule, bounds;
  std::string_view condition;  // {l} and {r} are the ends
  bool has_two, is_many;
  unsigned weight;
};
constexpr std::array kSpans = {
    Span{"range_many", "{l} to {r}", "{r} > {l} + 1", true, true, 62},
    Span{"range_one", "{l} to {r}", "{r} > {l} + 1", true, false, 18},
    Span{"range_first", "1 to {l}", "{l} > 1", false, true, 11},
    Span{"range_below", "1 to ({l} - 1)", "{l} > 2", false, true, 3},
    Span{"range_before", "{l} to ({r} - 1)", "{r} > {l} + 1", true, true, 3},
    Span{"range_inside", "({l} + 1) to ({r} - 1)", "{r} > {l} + 2", true, true, 3}};

/// What can be made of two numbers or of one and has a word of its own.
struct Term {
  std::string_view program;
  std::string_view rules;        // the prefix of their names
  std::string_view left, right;  // classes of numbers (numbers.h)
  unsigned weight;
};
constexpr Term kFactorial{"fact {l}", "factorial", "n", "", 30};
constexpr std::array kTerms = {kFactorial, Term{"({l} ^ {r})", "power", "b", "x", 32},
                               Term{"({l} ^ 2)", "square", "m", "", 16},
                               Term{"({l} ^ 3)", "cube", "t", "", 10},
                               Term{"abs {l}", "size", "i", "", 14}};

/// What is done to the outcome of an operation on two numbers.
struct Outer {
  std::string_view program, name;  // rules are of_ and then_ with that name
  std::string_view operation, left, right, condition;
  unsigned weight;
};
constexpr std::array kOuters = {
    Outer{"({f}) ^ 2", "square", "_add", "t", "t", "", 16},
    Outer{"({f}) ^ 2", "square", "_subtract", "m", "t", "{l} > {r}", 14},
    Outer{"({f}) ^ 2", "square", "_multiply", "s", "s", "", 6},
    Outer{"({f}) ^ 3", "cube", "_add", "o", "o", "", 8},
    Outer{"({f}) ^ 3", "cube", "_subtract", "t", "s", "{l} > {r}", 8},
    Outer{"fact ({f})", "factorial", "_add", "x", "x", "", 12},
    Outer{"fact ({f})", "factorial", "_subtract", "t", "t", "({l} > {r} + 1) * ({l} < {r} + 11)",
          12},
    Outer{"abs ({f})", "size", "_subtract", "z", "z", "", 14},
    Outer{"abs ({f})", "size", "_add", "i", "i", "", 10},
    Outer{"abs ({f})", "size", "_multiply", "i", "i", "", 8}};

class Speaker {
 public:
  explicit Speaker(const Workshop& workshop) : workshop_(workshop), random_(workshop.random) {}

  Draft OfRange() {
    constexpr std::array kKinds = {Weighted{"sum", 40},     Weighted{"product", 20},
                                   Weighted{"average", 4},  Weighted{"count", 16},
                                   Weighted{"how many", 9}, Weighted{"two", 11}};
    constexpr std::size_t kSeen = 5;
    const std::string_view kind = PickOfSplit(kKinds, kSeen);
    if (kind == "count") return Count();
    if (kind == "how many") return HowMany();
    if (kind == "two") return OfTwoRanges();
    const Plan plan = DrawPlan();
    return Ask(RangeOf(kind, plan.form), plan);
  }

  Draft OfFunction() {
    constexpr std::array kKinds = {Weighted{"distance", 26}, Weighted{"miss", 8},
                                   Weighted{"term", 34}, Weighted{"two terms", 18},
                                   Weighted{"outcome", 14}};
    constexpr std::size_t kSeen = 4;
    const std::string_view kind = PickOfSplit(kKinds, kSeen);
    if (kind == "miss") return Miss();
    if (kind == "two terms") return OfTwoTerms();
    if (kind == "outcome") return OfOutcome();
    Plan plan = DrawPlan();
    if (kind == "distance") return Ask(Distance(plan), plan);
    if (plan.form == Form::kQuestion) plan.form = Form::kNoun;
    return Ask(Of(random_.PickByWeight(std::span<const Term>(kTerms)), plan.form), plan);
  }

 private:
  enum class Form : std::uint8_t { kNoun, kDeed, kQuestion };
  enum class Around : std::uint8_t { kNothing, kOperation, kTwice };
  /// Drawn before any text, so that no text is drawn in vain: what is held out is taken note of.
  struct Plan {
    Form form = Form::kNoun;
    Around around = Around::kNothing;
  };
  /// What is said, in one of the forms.
  struct Said {
    std::string program, text;
    bool is_closed = false;  // nothing that follows the noun could be taken for a part of it
  };
  struct Ends {
    std::string left, right;  // letters; no right end in the texts where that is empty
  };

  std::string_view PickOfSplit(std::span<const Weighted> kinds, std::size_t seen) {
    return random_.PickByWeight(workshop_.OfSplit(kinds, seen)).name;
  }
  std::string Text(std::string_view rule) { return std::string(workshop_.PickText(rule)); }
  std::string Text(std::string_view rules, std::string_view rule) {
    return Text(std::string(rules) + std::string(rule));
  }

  std::string Number(std::string_view of_class) {
    std::string letter(1, static_cast<char>('a' + draft_.next_variable++));
    draft_.specification.Add(letter + ":" + std::string(of_class));
    return letter;
  }
  std::string Fixed(std::string_view value) {
    std::string letter(1, static_cast<char>('a' + draft_.next_variable++));
    draft_.specification.Add(letter + "=" + std::string(value));
    return "{" + letter + "}";
  }
  static std::string InProgram(std::string_view program, const Ends& ends) {
    return Replaced(Replaced(std::string(program), "{l}", ends.left), "{r}", ends.right);
  }
  static std::string InText(std::string_view text, const Ends& ends) {
    return Replaced(Replaced(std::string(text), "{l}", "{" + ends.left + "}"), "{r}",
                    "{" + ends.right + "}");
  }
  static std::string Filled(std::string_view text, std::string_view left, std::string_view right) {
    return Replaced(Replaced(std::string(text), "{l}", left), "{r}", right);
  }
  void Require(std::string_view condition, const Ends& ends) {
    if (!condition.empty()) draft_.specification.Add(InProgram(condition, ends));
  }

  /// Ends of a range whose product fits in what is usual, or of any other.
  Ends DrawEnds(bool is_product, bool has_two) {
    if (is_product) {
      if (!has_two) return {Number("n"), ""};
      const std::string left = Number("o");
      return {left, Number("n")};
    }
    const std::size_t draw = random_.Below(100);
    const std::string_view of_class = !has_two || draw < 75 ? "k"
                                      : draw < 86           ? "r"
                                      : draw < 95           ? "g"
                                                            : "i";
    const std::string left = Number(of_class);
    return {left, has_two ? Number(of_class) : ""};
  }

  /// The texts of a range of that kind (sum, product, average).
  Said RangeOf(std::string_view kind, Form form) {
    const bool is_product = kind == "product", is_average = kind == "average";
    const Span& span = is_average ? kSpans[0] : random_.PickByWeight(std::span<const Span>(kSpans));
    const Ends ends = DrawEnds(is_product, span.has_two);
    Require(span.condition, ends);
    const std::string rules = "range_" + std::string(kind);
    Said said;
    const std::string word = is_product ? "product " : "sum ";
    said.program = word + InProgram(span.bounds, ends);
    if (is_average) said.program += InProgram(" / ({r} - {l} + 1)", ends);
    const bool is_whole = !is_average && span.has_two && span.bounds == kSpans[0].bounds;
    // A text that has the ends itself tells no other range than this.
    if (form == Form::kQuestion && is_whole && random_.Chance(50)) {
      said.text = InText(Text(rules, "_ends"), ends);
      if (said.text.find("%z") != std::string::npos) {
        said.text = Replaced(said.text, "%z", Fixed("0"));
      }
      if (said.text.find("%u") != std::string::npos) {
        said.text = Replaced(said.text, "%u", Fixed("1"));
      }
      return said;
    }
    const std::string numbers = InText(Text(span.rule), ends);
    said.text = OfSpan(Text(rules, form == Form::kNoun   ? ""
                                   : form == Form::kDeed ? "_do"
                                                         : "_ask"),
                       span, numbers);
    return said;
  }
  static std::string OfSpan(std::string text, const Span& span, std::string_view numbers) {
    for (const auto& [what, by] :
         {Opening{"%B", span.is_many ? "are" : "is"}, Opening{"%O", span.is_many ? "do" : "does"},
          Opening{"%E", span.is_many ? "" : "s"}, Opening{"%S", numbers}}) {
      text = Replaced(text, what, by);
    }
    return text;
  }

  /// Two ranges, or one that is both added up and multiplied.
  Draft OfTwoRanges() {
    const std::string_view operation = Operation(false);
    if (random_.Chance(35)) {
      const Ends ends = DrawEnds(true, true);
      Require("{l} < {r}", ends);
      const std::string numbers = InText(Text("range_many"), ends);
      const bool is_sum_first = random_.Chance(40);
      const auto noun = [&](bool is_sum, std::string_view of) {
        return OfSpan(Text(is_sum ? "range_sum" : "range_product"), kSpans[0], of);
      };
      const std::string first = noun(is_sum_first, numbers);
      const std::string second = noun(!is_sum_first, Text("range_same"));
      const std::string sum = InProgram("sum {l} to {r}", ends);
      const std::string product = InProgram("product {l} to {r}", ends);
      const std::string& left = is_sum_first ? sum : product;
      const std::string& right = is_sum_first ? product : sum;
      return AskNoun(Filled(Text("joined", operation), first, second),
                     left + " " + std::string(Sign(operation)) + " " + right);
    }
    const Said left = RangeOf(random_.Chance(75) ? "sum" : "product", Form::kNoun);
    const Said right = RangeOf(random_.Chance(75) ? "sum" : "product", Form::kNoun);
    return AskNoun(Filled(Text("joined", operation), left.text, right.text),
                   left.program + " " + std::string(Sign(operation)) + " " + right.program);
  }

  Draft Count() {
    constexpr std::array kWays = {Weighted{"", 50}, Weighted{"_up", 22}, Weighted{"_down", 20},
                                  Weighted{"_out", 8}};
    const std::string_view way = random_.PickByWeight(std::span<const Weighted>(kWays)).name;
    const bool is_out = way == "_out";
    const std::string left = Number("k");
    const Ends ends{left, is_out ? "" : Number("k")};
    if (way == "_up") Require("{l} < {r}", ends);
    if (way == "_down") Require("{l} > {r}", ends);
    if (way.empty()) Require("{l} != {r}", ends);
    const std::string said_way = InText(Text("count_way", way), ends);
    const std::string deed = Replaced(Text("count_do"), "%W", said_way);
    return Finish(Replaced(Text("count_ask"), "%d", deed),
                  InProgram(is_out ? "count {l} to 0" : "count {l} to {r}", ends));
  }

  Draft HowMany() {
    const bool is_open = random_.Chance(25);
    const Ends ends = DrawEnds(false, true);
    Require(is_open ? "{r} > {l} + 1" : "{l} < {r}", ends);
    const std::string_view rule = is_open ? "range_open_ends" : "range_ends";
    const std::string span = InText(Text(rule), ends);
    return Finish(Replaced(Text("range_how_many"), "%s", span),
                  InProgram(is_open ? "{r} - {l} - 1" : "{r} - {l} + 1", ends));
  }

  Said Distance(const Plan& plan) {
    const std::size_t draw = random_.Below(100);
    const std::string_view of_class = draw < 45 ? "z" : draw < 65 ? "m" : draw < 90 ? "i" : "l";
    const std::string left = Number(of_class);
    const Ends ends{left, Number(of_class)};
    Require("{l} != {r}", ends);
    Said said;
    said.program = InProgram("abs ({l} - {r})", ends);
    if (plan.form != Form::kNoun) {
      said.text = InText(Text(plan.form == Form::kDeed ? "far_do" : "far_ask"), ends);
      return said;
    }
    // A minus before a number that has one itself is not for ears, and what follows the words of
    // a difference could belong to it.
    const std::size_t kind = of_class == "i" ? 100 : random_.Below(100);
    said.is_closed = kind < 25;
    said.text = InText(Text(kind < 25                                      ? "far_signs"
                            : kind < 50 && plan.around == Around::kNothing ? "far_minus"
                                                                           : "far_said"),
                       ends);
    return said;
  }

  /// How far an operation's outcome is from a number.
  Draft Miss() {
    constexpr std::array kInner = {Weighted{"_add", 35}, Weighted{"_subtract", 15},
                                   Weighted{"_multiply", 50}};
    const std::string_view inner = random_.PickByWeight(std::span<const Weighted>(kInner)).name;
    const std::string_view of_class = inner == "_multiply" ? "s" : "m";
    const std::string left = Number(of_class);
    const Ends ends{left, Number(of_class)};
    const std::string target = Number("m");
    const std::string text = InText(Text("infix", inner), ends);
    return Finish(Filled(Text("off_ask"), text, "{" + target + "}"),
                  "abs (" + ends.left + " " + std::string(Sign(inner)) + " " + ends.right + " - " +
                      target + ")");
  }

  Said Of(const Term& term, Form form, unsigned closed_percent = 40) {
    const std::string left = Number(term.left);
    const Ends ends{left, term.right.empty() ? "" : Number(term.right)};
    Said said;
    said.program = InProgram(term.program, ends);
    said.is_closed = form == Form::kNoun && random_.Chance(closed_percent);
    said.text = InText(Text(term.rules, form == Form::kDeed ? "_do"
                                        : said.is_closed    ? "_tight"
                                                            : "_said"),
                       ends);
    // Orders of one thing or of none are nothing to ask for; negative numbers are what a size
    // needs.
    if (term.rules == kFactorial.rules &&
        (said.text.find("things") != std::string::npos || random_.Chance(70))) {
      Require("{l} > 1", ends);
    }
    if (term.rules == "size" && random_.Chance(70)) Require("{l} < 0", ends);
    return said;
  }

  Draft OfTwoTerms() {
    constexpr std::string_view kDivide = "_divide";
    std::string_view operation = Operation(true);
    const Term& first =
        operation == kDivide ? kFactorial : random_.PickByWeight(std::span<const Term>(kTerms));
    // Terms of one kind are what is asked for most.
    const Term& second = operation == kDivide || random_.Chance(45)
                             ? first
                             : random_.PickByWeight(std::span<const Term>(kTerms));
    const bool is_chain = random_.Chance(22);
    const Said left = Of(first, is_chain ? Form::kDeed : Form::kNoun);
    const Said right = Of(second, Form::kNoun, is_chain ? 100 : 40);
    if (operation == kDivide || (operation == "_subtract" && random_.Chance(80))) {
      draft_.specification.Add(left.program + " > " + right.program);
    }
    const std::string program =
        left.program + " " + std::string(Sign(operation)) + " " + right.program;
    if (is_chain) {
      return Chain(left.text, Filled(Text("then_do", operation), "", right.text), program);
    }
    const std::string_view kind = left.is_closed && random_.Chance(70) ? "tight" : "joined";
    return AskNoun(Filled(Text(kind, operation), left.text, right.text), program);
  }

  Draft OfOutcome() {
    const Outer& outer = random_.PickByWeight(std::span<const Outer>(kOuters));
    const std::string left = Number(outer.left);
    const Ends ends{left, Number(outer.right)};
    Require(outer.condition, ends);
    const std::string inner =
        ends.left + " " + std::string(Sign(outer.operation)) + " " + ends.right;
    const std::string program = Replaced(std::string(outer.program), "{f}", inner);
    if (random_.Chance(45)) {
      const std::string rule = "whole" + std::string(outer.operation) + "_do";
      const std::string then = Text("then_", outer.name);
      return Chain(InText(Text(rule), ends), then, program);
    }
    const std::string whole = InText(Text("whole", outer.operation), ends);
    return AskNoun(Filled(Text("of_", outer.name), whole, ""), program);
  }

  std::string_view Operation(bool may_divide) {
    for (;;) {
      const std::string_view name =
          random_.PickByWeight(std::span<const Weighted>(kOperations)).name;
      if (may_divide || name != "_divide") return name;
    }
  }

  Plan DrawPlan() {
    const std::size_t around = random_.Below(100), form = random_.Below(100);
    if (around < 30) return {form < 45 ? Form::kDeed : Form::kNoun, Around::kOperation};
    if (around < 35) return {Form::kNoun, Around::kTwice};
    return {form < 45 ? Form::kQuestion : form < 72 ? Form::kNoun : Form::kDeed};
  }
  Draft Ask(const Said& said, const Plan& plan) {
    if (plan.around == Around::kOperation) return Operated(said, plan.form);
    if (plan.around == Around::kTwice) {
      const bool is_twice = random_.Chance(60);
      const std::string text = Text(is_twice ? "twice_as_much" : "half_as_much");
      return AskNoun(Filled(text, said.text, ""), said.program + (is_twice ? " * 2" : " / 2"));
    }
    if (plan.form == Form::kQuestion) return Finish(said.text, said.program);
    if (plan.form == Form::kNoun) return AskNoun(said.text, said.program);
    return Finish(Replaced(Text("do_ask"), "%d", said.text), said.program);
  }
  Draft Operated(const Said& said, Form form) {
    const std::string_view operation = Operation(true);
    const bool is_product = operation == "_multiply" || operation == "_divide";
    const std::string number = Number(is_product ? "s" : "m"), shown = "{" + number + "}";
    const std::string sign = " " + std::string(Sign(operation)) + " ";
    if (form == Form::kNoun && operation == "_subtract" && random_.Chance(25)) {
      return AskNoun(Filled(Text("before_subtract"), said.text, shown),
                     number + sign + said.program);
    }
    const std::string program = said.program + sign + number;
    // Mostly what comes out even; fractions are asked for, too.
    if (operation == "_divide" && random_.Chance(70)) {
      draft_.specification.Add("(" + said.program + ") mod " + number + " == 0");
    }
    if (form == Form::kDeed) {
      return Chain(said.text, Filled(Text("then_do", operation), "", shown), program);
    }
    const std::string kind = said.is_closed && random_.Chance(50)           ? "tight"
                             : operation != "_divide" && random_.Chance(40) ? "number"
                                                                            : "joined";
    return AskNoun(Filled(Text(kind, operation), said.text, shown), program);
  }

  Draft Chain(const std::string& first, const std::string& second, const std::string& program) {
    return Finish(Replaced(Replaced(Text("do_chain"), "%d", first), "%q", second), program);
  }
  Draft AskNoun(const std::string& noun, const std::string& program) {
    return Finish(Replaced(Text("ask_phrase"), "{f}", noun), program);
  }
  Draft Finish(const std::string& text, const std::string& program) {
    draft_.marked = workshop_.expander.Expand(text);
    SetComposed(program, kPhrasings, draft_);
    draft_.order = Order::kFormula;
    draft_.specification.Add("frac, neg");
    return std::move(draft_);
  }

  static constexpr int kPhrasings = 301;  // follows that of spoken.cc

  const Workshop& workshop_;
  Random& random_;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftMeasure(const Workshop& workshop, Family family) {
  Speaker speaker(workshop);
  switch (family) {
    case Family::kRange:
      return speaker.OfRange();
    case Family::kFunction:
      return speaker.OfFunction();
    default:
      return std::nullopt;
  }
}

}  // namespace txvm::neural::questions
