// Do two programs mean the same? Proof by canonical forms, refutation by a run.
//
// Two subjects are equivalent when for every input (stack of a fragment, streams, RAM) either both
// crash, or neither does and they write the same output; fragments also leave the same stack, RAM,
// sponge and stream positions, and may not differ in when the stack would be too short.
// The initial stack of TASM holds the program's own digest. It counts as an input that differs
// between the sides: a program that looks at it is never called equivalent to another, unless
// VerifyOptions::same_digest asks for programs that are equal up to their own names.
// Two TASM libraries are equivalent when their routines are, each called on an arbitrary stack.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/prove/subject.h"
#include "neural/triton/tir/world.h"

namespace txvm::triton {

/// What a verification found.
enum class Verdict : std::uint8_t {
  kProved,    // (A) equal canonical forms on every path: equivalent, unconditionally
  kRefuted,   // a counterexample that the interpreters confirm
  kProbable,  // (B) equal values at random points of F_p^3 on every path; see error_bits
  kUnknown,   // not decided
};
/// "proved", "refuted", "probable" or "unknown".
std::string_view VerdictText(Verdict verdict);

/// An input on which the subjects differ.
struct Counterexample {
  std::vector<std::uint64_t> stack;  // initial stack of fragments, at least 16 words, bottom first
  TirInputs inputs;
  /// What the first subject does: its crash, or its output and stack, and its first other
  /// difference where these look the same.
  std::string first;
  std::string second;
};

/// Limits of a verification.
struct VerifyOptions {
  std::uint64_t steps = 500'000;     // of all paths together; more end the proof
  std::size_t paths = 256;           // more paths end the proof
  std::uint64_t trials = 3000;       // concrete runs in search of a counterexample
  std::uint64_t milliseconds = 900;  // for that search
  std::uint64_t seed = 1;
  /// Words known to lie above the 16 registers when a TASM fragment starts.
  std::size_t known_depth = 0;
  /// The own digest of both sides is one unknown input, the same for both.
  bool same_digest = false;
};

/// What was found about one routine of two libraries.
struct RoutineVerdict {
  std::string name;
  Verdict verdict = Verdict::kUnknown;
  std::string reason;
};

/// The verdict, and how it was reached.
struct VerifyReport {
  Verdict verdict = Verdict::kUnknown;
  std::optional<Counterexample> counterexample;  // of kRefuted
  std::size_t paths = 0;                         // compared to their end
  bool bounded = false;      // some path was cut off: the loops were only checked up to the limits
  std::uint64_t trials = 0;  // concrete runs made
  double error_bits = 0;     // of kProbable: wrong with a probability of at most 2^-error_bits
  std::string reason;        // one sentence
  std::vector<RoutineVerdict> routines;  // of two libraries
  std::string routine;                   // the one that the counterexample calls
};

/// Compares two programs, two fragments, or two libraries routine by routine: those that both have
/// by name. A routine of one side alone must be called within its library, else the verdict is
/// kUnknown. Compared with a TIR fragment, a TASM program counts as
/// a fragment that ends at its halt. Deterministic but for the time limit. Errors: kUsage for any
/// other program against a fragment.
isa::Result<VerifyReport> Verify(const Subject& first, const Subject& second,
                                 const VerifyOptions& options = {});

/// (A) alone: true when the canonical forms of two straight-line fragments are equal. The inner
/// loop of the optimizer. `known_depth` as in VerifyOptions.
bool ProveStraight(const std::vector<TasmInstruction>& first,
                   const std::vector<TasmInstruction>& second, std::size_t known_depth = 0);

}  // namespace txvm::triton
