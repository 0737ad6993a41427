// The original compiler's rules, as a baseline only: regular expressions over a question. Each
// gives the program they mean in the canonical language, where division truncates as i32 division
// does; nothing when they do not match. Wrong readings are kept: what follows a match is dropped,
// "count from 5 to 2" ends at 0.
// Not kept: overflow and the first turn of an empty loop; arithmetic here is exact.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace txvm::bench::nl {

/// Two operations: "(8 + 4) * 3", "16 - 3, then multiply by 5", "Add 10 and 20, then subtract 5",
/// "Start with 50, subtract 20, divide by 3".
std::optional<std::string> ReadTwoOperations(std::string_view question);
/// "Sum 1 to 10", "Product of 1 to 6", "Count down from 10".
std::optional<std::string> ReadLoop(std::string_view question);
/// "15 > 10", "15 is greater than 10".
std::optional<std::string> ReadComparison(std::string_view question);
/// Operands, signs and parentheses, nothing else.
std::optional<std::string> ReadFormula(std::string_view question);
/// The first that matches: loop, two operations, comparison, formula.
std::optional<std::string> ReadByRules(std::string_view question);

}  // namespace txvm::bench::nl
