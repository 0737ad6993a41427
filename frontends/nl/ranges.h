// Range analysis: which i32 values every intermediate result of a program can take, given its
// numbers. Where it can prove that none leaves i32, nothing divides with a rest and nothing is
// refused, the narrow lowering is exact.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frontends/nl/ast.h"
#include "frontends/nl/number.h"

namespace txvm::frontends::nl {

/// Integers low..high, within i32.
struct Interval {
  std::int64_t low = 0, high = 0;
  bool is_single() const { return low == high; }
};

/// What is known of a program's values.
struct Ranges {
  std::vector<std::optional<Interval>> of;  // (nodes,); empty: not proved to be an i32
  std::optional<std::uint32_t> obstacle;    // the first node without an interval

  bool narrow() const { return !obstacle.has_value(); }
};

/// REQUIRES: numbers for every slot of the program. Cost O(nodes), and at most 65,536 steps for a
/// product over a range.
Ranges Analyze(const Ast& ast, std::span<const Rational> numbers);

/// A range that is reached on every run and has at least `terms` terms.
struct LongRange {
  std::uint32_t node = 0;
  std::uint64_t terms = 0;
};

/// The first range whose terms alone exceed `limit`, if that can be told without running.
std::optional<LongRange> FindLongRange(const Ast& ast, const Ranges& ranges, std::uint64_t limit);

}  // namespace txvm::frontends::nl
