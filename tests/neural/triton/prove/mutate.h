// An adversary for the verifier: rewrites that are wrong, and rewrites that are right.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "neural/triton/field/random_words.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// A rewritten fragment, and what was done to it.
struct Mutation {
  std::string what;
  std::vector<TasmInstruction> code;
};

/// Breaks a straight fragment in one of the ways optimizers break code: a dropped assert or u32
/// check, swapped operands, a lost write_io or RAM store, invert for neg, reordered divine, a too
/// deep access, another constant, ... The result may happen to mean the same. nullopt when nothing
/// applies.
std::optional<Mutation> BreakCode(const std::vector<TasmInstruction>& code, TirRng& rng);

/// A rewrite that keeps the meaning: the rules of the peephole optimizer forwards and backwards at
/// random places, and reordered independent code.
Mutation RewriteCode(const std::vector<TasmInstruction>& code, TirRng& rng);

/// A random straight fragment with all kinds of instructions.
std::vector<TasmInstruction> RandomCode(TirRng& rng);

/// True when a run of both on random stacks and inputs tells them apart: what the interpreter can
/// see.
bool TellApart(const std::vector<TasmInstruction>& first,
               const std::vector<TasmInstruction>& second, TirRng& rng);

}  // namespace txvm::triton
