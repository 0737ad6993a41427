// The folded engine: a program folded into the weights, and what is left of the weights into
// machine code. docs/LAWS.md has the law of folding, docs/FOLDED.md the rest.
#pragma once

#include <memory>
#include <string_view>

#include "vm/engine.h"

namespace txvm::vm {

/// Runs verified programs as machine code. What machine code does not say, runs on the native
/// engine: unverified programs, observed runs (digest, trace, stats), the last steps before fuel
/// ends and functions that are too large.
std::unique_ptr<Engine> MakeFoldedEngine(const EngineContext& context);

/// Why `--engine folded` runs on the native engine here; empty: it does not.
std::string_view WhyNotFolded();

}  // namespace txvm::vm
