// One function: its tree to TIR, which has no jumps.
//
// A label further out is reached by leaving the arms and loops in between, innermost first. What is
// still to be left is a number on top of the stack, the outcome. It is pushed where the branch is
// taken and looked at where an arm or a loop has ended. The code that a branch skips stands in an
// arm of its own. Where only one way leads out there is no number. Values that go along wait in
// RAM.
#pragma once

#include "frontends/provable/code.h"
#include "frontends/provable/context.h"
#include "frontends/provable/tree.h"

namespace txvm::frontends::provable {

/// The code of a function, from its arguments on the stack to its results in their place.
Code LowerFunction(Context& context, const wat::Function& function, const Tree& tree,
                   const Frame& frame);

}  // namespace txvm::frontends::provable
