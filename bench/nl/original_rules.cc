#include "bench/nl/original_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <utility>
#include <vector>

namespace txvm::bench::nl {
namespace {

using Groups = std::vector<std::string>;  // of a match, the whole first

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

std::optional<Groups> Match(const std::string& text, const std::regex& rule, bool at_begin) {
  std::smatch match;
  const auto flags =
      at_begin ? std::regex_constants::match_continuous : std::regex_constants::match_default;
  if (!std::regex_search(text, match, rule, flags)) return std::nullopt;
  return Groups(match.begin(), match.end());
}

std::optional<std::string_view> Operator(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kWords = {
      {{"add", "+"},
       {"plus", "+"},
       {"+", "+"},
       {"subtract", "-"},
       {"minus", "-"},
       {"-", "-"},
       {"multiply", "*"},
       {"times", "*"},
       {"*", "*"},
       {"divide", "div"},
       {"divided", "div"},
       {"divided by", "div"},
       {"/", "div"},
       {"div", "div"}}};
  const auto found =
      std::ranges::find(kWords, word, &std::pair<std::string_view, std::string_view>::first);
  if (found == kWords.end()) return std::nullopt;
  return found->second;
}

/// (a first b) second c.
std::optional<std::string> Chain(std::string_view a, std::string_view first, std::string_view b,
                                 std::string_view second, std::string_view c) {
  const auto one = Operator(first), two = Operator(second);
  if (!one || !two) return std::nullopt;
  return fmt::format("({} {} {}) {} {}", a, *one, b, *two, c);
}

}  // namespace

std::optional<std::string> ReadTwoOperations(std::string_view question) {
  static const std::regex kGrouped(R"(\((\d+)\s*([+\-*/])\s*(\d+)\)\s*([+\-*/])\s*(\d+))");
  static const std::regex kInfix(
      R"((\d+)\s*([+\-*/]|minus|plus|times|divided by)\s*(\d+)[,.]?\s*then\s+(\w+)\s+(?:by\s+)?(\d+))");
  static const std::regex kImperative(
      R"((\w+)\s+(\d+)\s+(?:and|by)\s+(\d+)[,.]?\s*then\s+(\w+)\s+(\d+))");
  static const std::regex kStart(
      R"(start with\s+(\d+)[,.]?\s*(\w+)\s+(\d+)[,.]?\s*(\w+)\s+(?:by\s+)?(\d+))");
  const std::string text = Lower(question);
  if (const auto m = Match(text, kGrouped, true)) {
    return Chain((*m)[1], (*m)[2], (*m)[3], (*m)[4], (*m)[5]);
  }
  if (const auto m = Match(text, kInfix, true)) {
    return Chain((*m)[1], (*m)[2], (*m)[3], (*m)[4], (*m)[5]);
  }
  if (const auto m = Match(text, kImperative, true)) {
    return Chain((*m)[2], (*m)[1], (*m)[3], (*m)[4], (*m)[5]);
  }
  if (const auto m = Match(text, kStart, true)) {
    return Chain((*m)[1], (*m)[2], (*m)[3], (*m)[4], (*m)[5]);
  }
  return std::nullopt;
}

std::optional<std::string> ReadLoop(std::string_view question) {
  struct Rule {
    std::regex form;
    std::string_view word;
  };
  static const std::array<Rule, 6> kRules = {
      {{std::regex(R"(sum\s+(?:from\s+)?(\d+)\s+to\s+(\d+))"), "sum"},
       {std::regex(R"(add\s+numbers?\s+from\s+(\d+)\s+to\s+(\d+))"), "sum"},
       {std::regex(R"(multiply\s+(?:numbers?\s+)?(?:from\s+)?(\d+)\s+to\s+(\d+))"), "product"},
       {std::regex(R"(product\s+(?:of\s+)?(\d+)\s+to\s+(\d+))"), "product"},
       {std::regex(R"(count\s+(?:down\s+)?from\s+(\d+))"), "count"},
       {std::regex(R"(count\s+from\s+(\d+)\s+to\s+(\d+))"), "count"}}};
  const std::string text = Lower(question);
  for (const Rule& rule : kRules) {
    const auto m = Match(text, rule.form, false);
    if (!m) continue;
    return fmt::format("{} {} to {}", rule.word, (*m)[1], m->size() > 2 ? (*m)[2] : "0");
  }
  return std::nullopt;
}

std::optional<std::string> ReadComparison(std::string_view question) {
  static const std::regex kSigns(R"((\d+)\s*(>=|<=|==|!=|>|<)\s*(\d+))");
  static const std::regex kWords(R"((\d+)\s+(equals|is equal to|is greater than|is less than|)"
                                 R"(is bigger than|is smaller than)\s+(\d+))");
  const std::string text = Lower(question);
  if (const auto m = Match(text, kSigns, false)) {
    return fmt::format("{} {} {}", (*m)[1], (*m)[2], (*m)[3]);
  }
  const auto m = Match(text, kWords, false);
  if (!m) return std::nullopt;
  const std::string& word = (*m)[2];
  const bool is_equal = word.find("equal") != std::string::npos;
  const bool is_greater =
      word.find("greater") != std::string::npos || word.find("bigger") != std::string::npos;
  return fmt::format("{} {} {}", (*m)[1], is_equal ? "==" : is_greater ? ">" : "<", (*m)[3]);
}

std::optional<std::string> ReadFormula(std::string_view question) {
  static const std::regex kFormula(R"(\s*([\d\s+\-*/()]*\d[\d\s+\-*/()]*?)\s*=?\s*)");
  std::smatch match;
  const std::string text(question);
  if (!std::regex_match(text, match, kFormula)) return std::nullopt;
  std::string program;
  for (const char c : match[1].str()) program += c == '/' ? " div " : std::string(1, c);
  return program;
}

std::optional<std::string> ReadByRules(std::string_view question) {
  for (const auto& read : {ReadLoop, ReadTwoOperations, ReadComparison, ReadFormula}) {
    if (auto program = read(question)) return program;
  }
  return std::nullopt;
}

}  // namespace txvm::bench::nl
