// Constant expressions: initialisers of globals, offsets of segments, elements.
#pragma once

#include <cstdint>

#include "frontends/wasm/cursor.h"
#include "frontends/wasm/declarations.h"
#include "frontends/wasm/module.h"

namespace txvm::frontends::wasm {

/// What a constant expression says.
struct Constant {
  wat::ConstantExpr expr;                          // of a number, or what a reference is
  std::uint32_t function = wat::kUnknownFunction;  // of a reference
};

/// Reads an expression of type `expected` up to its end. Additions, subtractions and
/// multiplications are computed. Functions that it refers to become referable. Faults: kInvalid
/// "constant expression required", "type mismatch", "unknown global". No recursion; cost O(bytes).
Constant ReadConstant(Cursor& cursor, const wat::Module& module, Declarations& declarations,
                      wat::ValueType expected);

}  // namespace txvm::frontends::wasm
