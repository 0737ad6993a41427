// From a canonical program to WebAssembly, i32 only, and from there to this machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/code.h"
#include "frontends/nl/language/word_values.h"
#include "frontends/nl/numbers/number.h"
#include "isa/program.h"
#include "isa/support/result.h"

namespace txvm::frontends::nl {

struct LowerOptions {
  bool recursive = false;    // factorial, Fibonacci, gcd and power call themselves; else they loop
  bool always_wide = false;  // 256-bit fractions even where words would do
};

/// A program in WebAssembly 1.0, i32 only. It exports "compute", () -> i32; a program with lists or
/// fractions also "memory", a wide one also "result", a constant global of type i32: result_at.
struct Lowered {
  bool wide = false;
  WordValues values;  // with the node for which words do not do, if there is one
  Bytes wasm;
  Bytes ir;  // compute's own instructions, without locals and final end, calls left open
  std::vector<std::uint32_t> loops;  // narrow: the tokens of the ranges whose loops compute has
  /// Wide: where in memory the answer is when compute returned 0. Narrow: compute returns the
  /// answer.
  std::uint32_t result_at = 0;
};

/// Lowers a program with its numbers as constants. Narrow where every intermediate is an i32, which
/// the host finds out by evaluating it (word_values.h); else every value is a fraction of 256-bit
/// integers in memory and the functions of runtime/*.wat are linked. A program that cannot answer
/// stores why and where, then traps as unreachable (refusals.def).
/// Errors: kUsage for an abstention, or when a slot has no number. Cost O(nodes).
isa::Result<Lowered> Lower(const Ast& ast, std::span<const Rational> numbers,
                           const LowerOptions& options = {});

/// The module as a program of this machine, with every instruction of a narrow program kept: the
/// answer is what they compute. LoadWasm's errors, none of which are expected.
isa::Result<isa::Program> ToProgram(const Lowered& lowered);

}  // namespace txvm::frontends::nl
