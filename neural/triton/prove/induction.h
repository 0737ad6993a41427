// Proof of programs with loops: from any state in which both sides are about to repeat, they come
// to equal states when they are about to repeat again.
#pragma once

#include "neural/triton/prove/equivalence.h"

namespace txvm::triton {

/// True when the programs are proved equivalent by induction over rounds. Pairs of positions are
/// explored from the start: from an arbitrary common state, on every path, both sides must halt,
/// crash under the same conditions, or stop before a `recurse` (or the test of a TIR loop) in equal
/// states with equal output; the positions reached are explored in turn, with what is known there
/// of the words on top. One side may repeat several times for each time of the other. A side may go
/// on alone to its end where the other has ended. A call before a return counts as a jump. Programs
/// whose loops do not meet that way, or that can see their own digest, are not proved. Recursion by
/// call is only unrolled, up to the limits. Fragments must also end in equal states. REQUIRES two
/// programs or two fragments.
bool ProvedByInduction(const Subject& first, const Subject& second, const VerifyOptions& options);

}  // namespace txvm::triton
