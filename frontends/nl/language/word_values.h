// The values of a program's nodes that are i32. The host computes them before the run, and only to
// choose the code: where every value is an i32, nothing divides with a rest and nothing is refused,
// so that the narrow lowering is exact. The answer is always what the machine computes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/numbers/number.h"

namespace txvm::frontends::nl {

/// What is known of a program's values.
struct WordValues {
  std::vector<std::optional<std::int32_t>> of;  // (nodes,); empty: not proved to be an i32
  std::optional<std::uint32_t> obstacle;        // the first node without a value

  bool narrow() const { return !obstacle.has_value(); }
};

/// REQUIRES: numbers for every slot of the program. Cost O(nodes).
WordValues FindWordValues(const Ast& ast, std::span<const Rational> numbers);

/// The first range of more than `limit` terms that the run reaches, if that can be told before it;
/// no product, which may end early. REQUIRES: values.narrow(), unless the program is lowered
/// `wide`. Cost O(nodes).
std::optional<std::uint32_t> FindLongRange(const Ast& ast, const WordValues& values, bool wide,
                                           std::uint64_t limit);

}  // namespace txvm::frontends::nl
