// Writes .tir text.
#pragma once

#include <cstddef>
#include <string>

#include "neural/triton/tir/op.h"

namespace txvm::triton {

/// The text of a module; ParseTir gives back an equal module.
std::string PrintTir(const TirModule& module);

/// The text of one operation, with its bodies, indented by `indent` levels of two spaces.
std::string PrintTir(const TirOp& op, std::size_t indent = 0);

}  // namespace txvm::triton
