// The next forward pass of a stopped machine, with the numbers that decide.
#pragma once

#include <string>

#include "isa/limits.h"
#include "isa/support/result.h"
#include "vm/machine.h"

namespace txvm::frontends::cli {

/// What every head of the weights asks for, finds and by which margin, in the pass that comes next;
/// then what the layers make of it. The tokens are the live cells of the state.
isa::Result<std::string> AttentionText(const vm::Machine& machine, const isa::Limits& limits);

}  // namespace txvm::frontends::cli
