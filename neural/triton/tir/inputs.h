// The inputs a program declares for itself in its comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/tasm/machine.h"
#include "neural/triton/tir/world.h"

namespace txvm::triton {

/// Every `// input:` line of a .tir or .tasm text, in order; one empty input when there is none.
///   line := "// input:" [ numbers ] [ "secret=" numbers ] [ "digests=" digests ] [ "ram=" words ]
///   numbers := n { "," n }   digests := n:n:n:n:n { "," ... }   words := address "=" n { "," ... }
/// Numbers are decimal integers a with -p < a < p, -1 for p-1. Spaces only between the parts.
/// Errors: kSyntax with the place of the bad part; kLimit with the place of the 65th line.
isa::Result<std::vector<TirInputs>> DeclaredInputs(std::string_view text);

/// The same lines as a text, for a program that is made from this one.
std::string DeclarationsOf(std::string_view text);

/// The same inputs for the TASM machine.
TasmInput ToTasmInput(const TirInputs& inputs);

}  // namespace txvm::triton
