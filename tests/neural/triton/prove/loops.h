// An adversary for proofs about loops: random loops, said in another shape or broken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "neural/triton/field/random_words.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// How a loop is written. All shapes of one kind of loop mean the same.
enum class LoopShape : std::uint8_t {
  kPlain,            // test, body, recurse; of a loop that tests last: body, test, recurse
  kInverted,         // the inverse test decides to go on
  kUnrolled2,        // two tests and two bodies in a round
  kUnrolled3,        // three of each
  kPeeled,           // the first round stands before the loop
  kRotated,          // one test before, then a loop that tests last
  kTailCall,         // the loop calls itself before a return
  kOutlined,         // the body is a routine
  kRecurseOrReturn,  // of a loop that tests last, counter and bound in st5 and st6
};
inline constexpr std::uint64_t kLoopShapes = 9;

/// A program that reads words, repeats a body, and writes words.
struct LoopProgram {
  std::vector<TasmInstruction> start;   // puts counter, bound and accumulators on the stack
  std::vector<TasmInstruction> test;    // pushes 1 to leave
  std::vector<TasmInstruction> body;    // a call's argument is an index into `routines`
  std::vector<TasmInstruction> update;  // moves the counter
  std::vector<TasmInstruction> finish;  // writes words
  std::vector<std::vector<TasmInstruction>> routines;  // arms and inner loops of the body
  bool tests_last = false;
  LoopShape shape = LoopShape::kPlain;
};

/// A random loop: it counts down, up to a constant or up to a word; the body may hold RAM, streams,
/// u32 words, checks, arms and an inner loop.
LoopProgram RandomLoop(TirRng& rng);

/// The program as instructions.
TasmProgram ProgramOf(const LoopProgram& loop);

/// A loop made by a change, and what the change was.
struct LoopChange {
  std::string what;
  TasmProgram program;
};

/// The same loop in another shape, some of its straight code said differently.
LoopChange RewriteLoop(const LoopProgram& loop, TirRng& rng);

/// Breaks a loop in one of the ways loop optimizers do: a bound off by one, a lost or doubled
/// update, swapped counters, a guard removed or turned round, a test on the wrong side of the body,
/// a round too many, an early exit, straight code broken (BreakCode), all in any shape. The result
/// may happen to mean the same. nullopt when nothing applies.
std::optional<LoopChange> BreakLoop(const LoopProgram& loop, TirRng& rng);

/// True when runs on random inputs tell two whole programs apart. A run that has not ended after
/// many times the steps of the other counts as different.
bool TellProgramsApart(const TasmProgram& first, const TasmProgram& second, TirRng& rng);

}  // namespace txvm::triton
