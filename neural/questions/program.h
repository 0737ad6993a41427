// Programs of the generator: canonical expressions whose operands are the variables a..z of a
// template. They are evaluated on the drawn numbers and printed in the canonical language with the
// slots that the numbers got in the text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"

namespace txvm::neural::questions {

__extension__ typedef __int128 Wide;

/// INVARIANT: denominator > 0, no common factor.
struct Fraction {
  Wide numerator = 0;
  Wide denominator = 1;

  friend bool operator==(const Fraction&, const Fraction&) = default;
  bool IsInteger() const { return denominator == 1; }
  bool IsZero() const { return numerator == 0; }
};

/// The fraction in lowest terms; nothing when the denominator is 0.
std::optional<Fraction> Reduced(Wide numerator, Wide denominator);
/// Arithmetic; nothing on overflow or division by 0.
std::optional<Fraction> Add(const Fraction& a, const Fraction& b);
std::optional<Fraction> Subtract(const Fraction& a, const Fraction& b);
std::optional<Fraction> Multiply(const Fraction& a, const Fraction& b);
std::optional<Fraction> Divide(const Fraction& a, const Fraction& b);
/// Below 0, 0, above 0; nothing on overflow.
std::optional<int> Compare(const Fraction& a, const Fraction& b);
/// The largest integer that is not greater.
Wide Floor(const Fraction& value);
/// "35", "-5", "7/2".
std::string ToText(const Fraction& value);
std::string ToText(Wide value);

enum class Op : std::uint8_t {
  kVariable,
  kLiteral,
  kTemporary,
  kChoice,
  kInfix,  // word: + - * / div mod ^ and comparisons
  kNegate,
  kCall,   // word: abs floor ceil fact fib
  kRange,  // word: sum product count
  kList,   // word: sum product count max min mean gcd
};

/// An expression. `value`: variable (0 is a), literal or temporary.
struct Expr {
  Op op = Op::kLiteral;
  std::string word;
  std::uint32_t value = 0;
  std::vector<Expr> args;
};

/// Temporaries, in order, and the result.
struct Program {
  std::vector<Expr> temporaries;
  Expr result;
};

inline constexpr std::size_t kVariables = 64;  // a..z, then those of lists

Expr Variable(std::size_t index);
Expr Literal(std::uint32_t value);
Expr Infix(std::string_view word, Expr left, Expr right);
Expr List(std::string_view word, std::vector<Expr> elements);

/// Reads "T0 := a - b; T0 * c" and the like. kInvalid says where it cannot be read and why.
isa::Result<Program> ReadProgram(std::string_view text);
/// The same. REQUIRES: ReadProgram reads it; those of a QuestionBank have been read before.
Program ParseProgram(std::string_view text);

/// The value for the variables' values; nothing when it is undefined or does not fit.
std::optional<Fraction> Evaluate(const Program& program, std::span<const Fraction> values);

/// The program with every variable replaced. REQUIRES: one expression per variable used.
Expr Substitute(const Expr& expr, std::span<const Expr> by);

/// Variables the program reads, as bits.
std::uint64_t VariablesOf(const Program& program);

/// How freely a program may be rearranged. Sums and products are always put in the order of their
/// first slots, literals last, so that one reading has one program; in a story, so are the terms
/// that are taken away: a - (b + c) is N0 - N1 - N2.
enum class Order : std::uint8_t { kStory, kFormula };

/// Canonical text, "=" last, with slots[v] in place of variable v.
std::string CanonicalText(const Program& program, std::span<const std::size_t> slots, Order order);

/// The number of operations, which is what "two-step" counts.
std::size_t Steps(const Program& program);

}  // namespace txvm::neural::questions
