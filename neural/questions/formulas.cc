#include <algorithm>
#include <utility>

#include "neural/questions/draft.h"

namespace txvm::neural::questions {
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
  /// As above, now and then with parentheses that nothing needs, or as the negative of a group.
  Said Loosely(Said said) {
    constexpr unsigned kNegated = 3, kWrapped = 6;
    if (said.level == kPrimary) return said;
    if (workshop_.random.Chance(kNegated)) {
      return {{Op::kNegate, "-", 0, {std::move(said.expr)}}, "-(" + said.text + ")", kSum};
    }
    if (workshop_.random.Chance(kWrapped)) {
      said.text = "(" + said.text + ")";
      said.level = kPrimary;
    }
    return said;
  }
  Said Signs(const Operation& operation, Said left, Said right) {
    constexpr unsigned kTight = 25, kRagged = 4;
    if (!tight_) tight_ = workshop_.random.Chance(kTight);
    const std::string space = *tight_ ? "" : " ";
    const std::string before = !*tight_ && workshop_.random.Chance(kRagged) ? "" : space;
    left = Loosely(std::move(left));
    right = Loosely(std::move(right));
    std::string sign(operation.sign);
    if (!times_) times_ = workshop_.random.Below(12);
    // Without blanks, "×" would be part of a word.
    if (sign == "*" && !*tight_ && *times_ == 0) sign = "x";
    if (sign == "*" && !*tight_ && *times_ == 1) sign = "×";
    if (sign == "*" && !*tight_ && *times_ == 2) sign = "·";
    if (sign == "/" && !*tight_ && *times_ == 1) sign = "÷";
    if (sign == "/" && !*tight_ && *times_ == 2) sign = ":";
    const bool is_ascii = sign.size() == 1 && sign != "x";
    const std::string text = Grouped(left, operation.level) + (is_ascii ? before : space) + sign +
                             space + Grouped(right, operation.level + 1);
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
    const std::string_view rule = workshop_.PickText(operation.rule);
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

void Ask(const Workshop& workshop, std::string_view text, const std::string& formula,
         Draft& draft) {
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

/// A nested expression that a table spells out.
std::optional<Draft> DraftExpressionFrame(const Workshop& workshop) {
  return DraftFrame(workshop, *workshop.random.Pick(workshop.bank.FramesOf(Family::kExpression)));
}

/// A link of a chain besides the four operations of the rules link_...: {r} is its number; without,
/// the operand is `literal`. Reversed, the result so far is the second operand.
struct Link {
  std::string_view word;
  std::uint32_t literal;
  bool is_reversed;
  std::string_view rule;
};
constexpr std::array<Link, 11> kLinks = {{
    {"+", 0, false, "chain_link_add"},
    {"-", 0, false, "chain_link_sub"},
    {"*", 0, false, "chain_link_mul"},
    {"/", 0, false, "chain_link_div"},
    {"*", 2, false, "chain_link_double"},
    {"*", 3, false, "chain_link_triple"},
    {"/", 2, false, "chain_link_halve"},
    {"^", 2, false, "chain_link_square"},
    {"^", 3, false, "chain_link_cube"},
    {"-", 0, true, "chain_link_sub_from"},
    {"/", 0, true, "chain_link_div_into"},
}};

/// The next step of a chain: its words are returned, `result` becomes what it leaves.
std::string SayLink(const Workshop& workshop, Speaker& speaker, Expr& result) {
  Random& random = workshop.random;
  if (random.Chance(45)) {
    const Operation& operation = random.Pick(std::span<const Operation>(kOperations));
    const Said number = speaker.Number();
    result = Infix(operation.word, std::move(result), number.expr);
    const std::string rule = "link_" + std::string(operation.call);
    return Replaced(std::string(workshop.PickText(rule)), "{r}", number.text);
  }
  // The four operations with a number are what most people ask.
  const std::size_t often = random.Chance(60) ? kOperations.size() : kLinks.size();
  const Link& link = kLinks[random.Below(often)];
  Expr operand = Literal(link.literal);
  std::string text = std::string(workshop.PickText(link.rule));
  if (link.literal == 0) {
    const Said number = speaker.Number();
    text = Replaced(text, "{r}", number.text);
    operand = number.expr;
  }
  result = link.is_reversed ? Infix(link.word, std::move(operand), std::move(result))
                            : Infix(link.word, std::move(result), std::move(operand));
  return text;
}

/// A chain's beginning: a bare number, two operands with a sign or word, or an imperative.
struct Beginning {
  Said said;
  bool is_bare = false, is_verb = false, is_plain = false;
};

Beginning Begin(const Workshop& workshop, Speaker& speaker) {
  Random& random = workshop.random;
  Beginning out;
  if (random.Chance(35)) {
    const Said start = speaker.Number();
    out.is_bare = true;
    out.is_plain = random.Chance(50);
    const std::string_view rule = out.is_plain ? "chain_begin_plain" : "chain_start";
    out.said = {start.expr, Replaced(std::string(workshop.PickText(rule)), "{l}", start.text),
                kSum};
    return out;
  }
  out.is_verb = random.Chance(50);
  if (!out.is_verb) {
    out.said = speaker.Say(1, random.Chance(50) ? Style::kSigns : Style::kInfixWords);
    return out;
  }
  const Said left = speaker.Number(), right = speaker.Number();
  const std::size_t index = random.Below(kOperations.size());
  const std::string_view rules = random.Chance(50) ? "chain_begin_" : "chain_";
  const std::string rule = std::string(rules) + std::string(kOperations[index].call);
  const std::string text = Replaced(std::string(workshop.PickText(rule)), "{l}", left.text);
  out.said = {Infix(kOperations[index].word, left.expr, right.expr),
              Replaced(text, "{r}", right.text), kSum};
  return out;
}

std::string SayJoint(const Workshop& workshop, const Beginning& beginning, bool is_first,
                     bool is_last) {
  Random& random = workshop.random;
  const auto pick = [&workshop](std::string_view rule) {
    return std::string(workshop.PickText(rule));
  };
  if (is_first && beginning.is_plain) return pick("chain_joint_plain");
  if (is_first && beginning.is_bare) {
    return pick("chain_joint_first");
  }
  if (is_last && !is_first && random.Chance(20)) return pick("chain_joint_last");
  if (random.Chance(40)) return pick("chain_joint_further");
  return pick("chain_joint");
}

std::string_view AskOfChain(const Workshop& workshop, const std::string& text, bool is_verb) {
  const bool is_one = text.find(". ") == std::string::npos && text.find(';') == std::string::npos;
  if (is_verb && is_one && workshop.random.Chance(35)) return workshop.PickText("ask_chain_verb");
  if (workshop.random.Chance(25)) return workshop.PickText("ask_chain_result");
  return workshop.PickText("ask_chain");
}

}  // namespace

std::optional<Draft> DraftExpression(const Workshop& workshop) {
  constexpr unsigned kFromFrame = 50;
  if (workshop.random.Chance(kFromFrame)) return DraftExpressionFrame(workshop);
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
  const std::string_view rule = style == Style::kPhrases ? "ask_phrase" : "ask_formula";
  Ask(workshop, workshop.PickText(rule), said.text, draft);
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
  const Beginning beginning = Begin(workshop, speaker);
  std::string text = beginning.said.text;
  Expr result = beginning.said.expr;
  for (std::size_t i = 0; i < links; ++i) {
    text += SayJoint(workshop, beginning, i == 0, i + 1 == links);
    text += SayLink(workshop, speaker, result);
  }
  Draft draft;
  draft.order = Order::kFormula;
  draft.program.result = std::move(result);
  Ask(workshop, AskOfChain(workshop, text, beginning.is_verb), text, draft);
  Classify(draft, speaker.next(), random);
  draft.schema = kFirstFormula + 100;
  draft.phrasing = draft.schema + static_cast<int>(links);
  return draft;
}

}  // namespace txvm::neural::questions
