// Rewrites of a whole TASM program beyond its straight runs: routines, loops, the order of code.
// A move is only a proposal; who takes it proves it first. Internal to superopt.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// A program made by one move, and what the move was, as "inline the routine f".
struct Move {
  std::string what;
  TasmProgram program;
};

/// All moves from a whole program: routines inlined at one call or at all, routines placed after
/// the code that calls them last, loops that test after the body instead of before it, loops
/// doubled or written out, tests of st5 and st6 as recurse_or_return, equal code made a routine.
/// `executions` holds how often each instruction ran; it may be empty. No move is proved here.
/// REQUIRES a valid program with a halt.
std::vector<Move> MovesOf(const TasmProgram& program, const std::vector<std::uint64_t>& executions);

/// The program without labels that nothing calls and without code that nothing reaches.
TasmProgram WithoutDeadCode(const TasmProgram& program);

/// Whether the run goes on elsewhere after the instruction at `at`, whatever the stack holds.
/// REQUIRES at < program.code.size().
bool EndsBlock(const TasmProgram& program, std::size_t at);

}  // namespace txvm::triton
