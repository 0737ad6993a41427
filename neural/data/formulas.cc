#include <algorithm>
#include <utility>

#include "neural/data/draft.h"

namespace txvm::neural::data {
namespace {

/// A formula and how it is said.
struct Said {
  Expr expr;
  std::string text;
  int level = 6;  // how tightly the text binds: 2 sum, 3 term, 6 primary
};

constexpr int kSum = 2, kTerm = 3, kPrimary = 6;
constexpr int kFirstFormula = 50'000;

struct Operation {
  std::string_view word, sign, rule, call;
  int level;
};
// clang-format off
constexpr std::array<Operation, 4> kOperations = {{
    {"+", "+", "say_add",      "add", kSum},
    {"-", "-", "say_subtract", "sub", kSum},
    {"*", "*", "say_multiply", "mul", kTerm},
    {"/", "/", "say_divide",   "div", kTerm},
}};
// clang-format on

enum class Style : std::uint8_t { kSigns, kInfixWords, kPhrases, kCalls };

class Speaker {
 public:
  explicit Speaker(const Workshop& workshop) : workshop_(workshop) {}

  /// An expression of `operations` operations.
  Said Say(std::size_t operations, Style style) {
    if (operations == 0) return Number();
    const Operation& operation = workshop_.random.Pick(std::span<const Operation>(kOperations));
    const std::size_t before = workshop_.random.Below(operations);
    Said left = Say(before, Inner(style));
    Said right = Say(operations - 1 - before, Inner(style));
    switch (style) {
      case Style::kSigns:
        return Signs(operation, std::move(left), std::move(right));
      case Style::kInfixWords:
        return InfixWords(operation, std::move(left), std::move(right));
      case Style::kPhrases:
        return Phrase(operation, std::move(left), std::move(right));
      case Style::kCalls:
        return Call(operation, std::move(left), std::move(right));
    }
    return left;
  }
  Said Number() {
    Said out{Variable(next_), std::string(1, kNumberMark), kPrimary};
    out.text += static_cast<char>('0' + next_++);
    return out;
  }
  std::size_t next() const { return next_; }

 private:
  Style Inner(Style style) {
    if (style != Style::kPhrases) return style;
    return workshop_.random.Chance(50) ? Style::kPhrases : Style::kInfixWords;
  }
  static std::string Grouped(const Said& said, int least) {
    return said.level < least ? "(" + said.text + ")" : said.text;
  }
  Said Signs(const Operation& operation, Said left, Said right) {
    if (!tight_) tight_ = workshop_.random.Chance(25);
    const std::string space = *tight_ ? "" : " ";
    std::string sign(operation.sign);
    if (!times_) times_ = workshop_.random.Below(12);
    // Without blanks, "×" would be part of a word.
    if (sign == "*" && !*tight_ && *times_ == 0) sign = "x";
    if (sign == "*" && !*tight_ && *times_ == 1) sign = "×";
    if (sign == "/" && !*tight_ && *times_ == 1) sign = "÷";
    const std::string text =
        Grouped(left, operation.level) + space + sign + space + Grouped(right, operation.level + 1);
    return {Infix(operation.word, std::move(left.expr), std::move(right.expr)), text,
            operation.level};
  }
  // Words bind as signs do: "5 plus 3 times 2" is 11. What does not, is not said so.
  Said InfixWords(const Operation& operation, Said left, Said right) {
    constexpr std::array<std::array<std::string_view, 3>, 4> kWords = {
        {{"plus", "plus", "added to"},
         {"minus", "minus", "take away"},
         {"times", "times", "multiplied by"},
         {"divided by", "over", "divided by"}}};
    const auto index = static_cast<std::size_t>(&operation - kOperations.data());
    const std::string word(workshop_.random.Pick(std::span<const std::string_view>(kWords[index])));
    const std::string text =
        Grouped(left, operation.level) + " " + word + " " + Grouped(right, operation.level + 1);
    return {Infix(operation.word, std::move(left.expr), std::move(right.expr)), text,
            operation.level};
  }
  // "the sum of 4 and 5" is closed: what follows takes all of it. "3 times 4" binds as signs do.
  // "5 more than" reaches over a product. Whatever would be read otherwise gets parentheses.
  Said Phrase(const Operation& operation, Said left, Said right) {
    const std::string_view rule =
        workshop_.expander.PickText(workshop_.rules.Texts(operation.rule));
    const bool swaps = rule.find("{r}") < rule.find("{l}");
    const bool is_closed = rule.starts_with("the ");
    constexpr std::array<std::string_view, 7> kInfixes = {
        " plus ", " minus ", " times ", " divided by ", " multiplied by ", " take away ", " lots "};
    const bool is_infix = std::ranges::any_of(kInfixes, [rule](std::string_view infix) {
      return rule.find(infix) != std::string_view::npos;
    });
    const int first = is_infix ? operation.level : kPrimary;
    const int second = is_closed ? kPrimary : is_infix ? operation.level + 1 : kTerm;
    std::string text = Replaced(rule, "{l}", Grouped(left, swaps ? second : first));
    text = Replaced(text, "{r}", Grouped(right, swaps ? first : second));
    return {Infix(operation.word, std::move(left.expr), std::move(right.expr)), text,
            is_closed  ? kPrimary
            : is_infix ? operation.level
                       : kSum};
  }
  Said Call(const Operation& operation, Said left, Said right) {
    if (!call_case_) call_case_ = workshop_.random.Below(8);
    constexpr std::array<std::array<std::string_view, 4>, 3> kNames = {
        {{"add", "sub", "mul", "div"},
         {"ADD", "SUB", "MUL", "DIV"},
         {"plus", "subtract", "multiply", "divide"}}};
    const auto index = static_cast<std::size_t>(&operation - kOperations.data());
    const std::size_t spelling = *call_case_ < 5 ? 0 : *call_case_ < 7 ? 1 : 2;
    const std::string open = workshop_.random.Chance(15) ? "( " : "(";
    const std::string close = open == "( " ? " )" : ")";
    const std::string comma = workshop_.random.Chance(20) ? " , " : ", ";
    const std::string text =
        std::string(kNames[spelling][index]) + open + left.text + comma + right.text + close;
    return {Infix(operation.word, std::move(left.expr), std::move(right.expr)), text, kPrimary};
  }

  const Workshop& workshop_;
  std::size_t next_ = 0;
  std::optional<bool> tight_;
  std::optional<std::size_t> times_, call_case_;
};

void Ask(const Workshop& workshop, std::string_view rule, const std::string& formula,
         Draft& draft) {
  const std::string_view text = workshop.expander.PickText(workshop.rules.Texts(rule));
  draft.marked = workshop.expander.Expand(Replaced(text, "{f}", formula));
}

void Classify(Draft& draft, std::size_t variables, Random& random) {
  constexpr std::array<char, 5> kClassesOfNumbers = {'z', 'm', 'm', 's', 'l'};
  const bool has_decimals = random.Chance(7), has_negatives = random.Chance(7);
  for (std::size_t v = 0; v < variables; ++v) {
    char name = random.Pick(std::span<const char>(kClassesOfNumbers));
    if (has_decimals && random.Chance(50)) name = 'e';
    if (has_negatives && random.Chance(40)) name = 'i';
    draft.specification.classes[v] = name;
  }
  draft.next_variable = variables;
}

}  // namespace

std::optional<Draft> DraftExpression(const Workshop& workshop) {
  constexpr std::array<Style, 7> kStyles = {Style::kSigns,   Style::kSigns,      Style::kSigns,
                                            Style::kPhrases, Style::kInfixWords, Style::kPhrases,
                                            Style::kCalls};
  constexpr std::array<std::size_t, 8> kSizes = {1, 2, 2, 2, 3, 3, 4, 5};
  Random& random = workshop.random;
  const Style style = random.Pick(std::span<const Style>(kStyles));
  std::size_t size = random.Pick(std::span<const std::size_t>(kSizes));
  if (style == Style::kPhrases) size = std::min<std::size_t>(size, 3);
  Speaker speaker(workshop);
  Said said = speaker.Say(size, style);
  Draft draft;
  draft.order = Order::kFormula;
  draft.program.result = std::move(said.expr);
  Ask(workshop, style == Style::kPhrases ? "ask_phrase" : "ask_formula", said.text, draft);
  Classify(draft, speaker.next(), random);
  draft.schema = kFirstFormula + static_cast<int>(style);
  draft.phrasing = draft.schema + static_cast<int>(size);
  return draft;
}

// "Start with 50, subtract 20, then divide by 3": every step takes the result so far.
std::optional<Draft> DraftChain(const Workshop& workshop) {
  Random& random = workshop.random;
  const std::size_t links = 1 + random.Below(4);
  Speaker speaker(workshop);
  std::string text;
  Expr result;
  const auto say = [&](std::string_view rule, const Said* left, const Said* right) {
    std::string out(workshop.expander.PickText(workshop.rules.Texts(rule)));
    if (left) out = Replaced(out, "{l}", left->text);
    if (right) out = Replaced(out, "{r}", right->text);
    return out;
  };
  const bool begins_bare = random.Chance(35);
  if (begins_bare) {
    const Said start = speaker.Number();
    text = say("chain_start", &start, nullptr);
    result = start.expr;
  } else {
    Said start =
        random.Chance(50) ? speaker.Say(1, Style::kSigns) : speaker.Say(1, Style::kInfixWords);
    if (random.Chance(50)) {
      // An imperative with two operands.
      Speaker again(workshop);
      const Said left = again.Number(), right = again.Number();
      const Operation& operation = random.Pick(std::span<const Operation>(kOperations));
      start.text = say("chain_" + std::string(operation.call), &left, &right);
      start.expr = Infix(operation.word, left.expr, right.expr);
    }
    text = start.text;
    result = start.expr;
  }
  for (std::size_t i = 0; i < links; ++i) {
    const Operation& operation = random.Pick(std::span<const Operation>(kOperations));
    const Said number = speaker.Number();
    const std::string_view joint = workshop.expander.PickText(
        workshop.rules.Texts(i == 0 && begins_bare ? "chain_joint_first" : "chain_joint"));
    text += std::string(joint) + say("link_" + std::string(operation.call), nullptr, &number);
    result = Infix(operation.word, std::move(result), number.expr);
  }
  Draft draft;
  draft.order = Order::kFormula;
  draft.program.result = std::move(result);
  Ask(workshop, "ask_chain", text, draft);
  Classify(draft, speaker.next(), random);
  draft.schema = kFirstFormula + 100;
  draft.phrasing = draft.schema + static_cast<int>(links);
  return draft;
}

}  // namespace txvm::neural::data
