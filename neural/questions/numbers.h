// Draws the numbers of a template so that its conditions hold.
//
// A specification is a list, separated by commas, of
//   a:s          variable a is of class s (kClasses in numbers.cc); the default class is m
//   a=b*k        a is computed; its operands are written before it
//   a>b          any canonical expression that must not be 0
//   frac neg     the result of a story may be a fraction, may be negative or zero
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "neural/questions/program.h"
#include "neural/questions/random.h"

namespace txvm::neural::questions {

using Numbers = std::array<Fraction, kVariables>;
/// The variable of "one" said in passing: always 1, always a word.
inline constexpr std::size_t kOneVariable = kVariables - 1;

struct Assignment {
  std::size_t variable = 0;
  Program program;
};

struct Specification {
  std::array<char, kVariables> classes{};  // 0: default
  std::vector<Assignment> assignments;
  std::vector<Program> conditions;
  bool may_be_fraction = false;
  bool may_be_negative = false;

  /// Reads `text`, whose letters a, b, ... are the variables `first` and up and whose v is
  /// `incoming`, and adds it.
  /// REQUIRES: CheckSpecification accepts it.
  void Add(std::string_view text, std::size_t first = 0, const Expr* incoming = nullptr);
};

/// kInvalid names the first item of a specification that Specification::Add cannot read.
isa::Result<void> CheckSpecification(std::string_view text);
/// Whether there is a class of numbers of that letter.
bool IsNumberClass(char name);

/// The program of a template with its letters moved to `first` and up and v replaced.
Program Moved(std::string_view text, std::size_t first, const Expr* incoming);

struct DrawOptions {
  std::uint64_t variables = 0;  // bits: those the text or the program has
  std::int64_t scale = 1;       // ordinary numbers are this much larger
  bool is_story = false;        // the result must be positive, and an integer if all numbers are
};

/// Numbers that meet the specification and give the program a value; nothing after some tries.
std::optional<Numbers> DrawNumbers(const Specification& specification, const Program& program,
                                   const DrawOptions& options, Random& random);

}  // namespace txvm::neural::questions
