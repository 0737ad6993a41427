// Other spellings of a program: as many words, the same run, another digest. A program's words are
// hashed, and what the hash looks up fills the cascade table, often the highest one. Internal to
// superopt.
#pragma once

#include <cstdint>

#include "neural/triton/field/random_words.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// Spells a whole program at random: swap 1, pick 1 and place 1 for each other, blocks in another
/// order, and words that nothing reaches in the room that is left in the last ten. No table but the
/// cascade table changes, as long as the program ignores its own digest. REQUIRES a valid program
/// with a halt.
TasmProgram Respelled(const TasmProgram& program, TirRng& rng);

}  // namespace txvm::triton
