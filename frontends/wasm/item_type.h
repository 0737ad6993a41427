// The type of an import or export of a module, in words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "frontends/wasm/module.h"

namespace txvm::frontends::wat {

/// "function", "table", "memory", "global" or "tag".
std::string_view KindText(ExportKind kind);

/// The type of item `index` of a kind: "function (i32, i64) -> (f64)", "mutable i32 global",
/// "funcref table of 1 to 4 elements", "memory of at least 2 pages". REQUIRES: index in range.
std::string ItemTypeText(const Module& module, ExportKind kind, std::size_t index);

/// "(externref, i32) -> f64", "()", "(i32) -> (i32, i32)": a function's types, as
/// isa::SignatureText writes them.
std::string SignatureTypeText(const Signature& signature);

}  // namespace txvm::frontends::wat
