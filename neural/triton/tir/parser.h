// Reads .tir text.
#pragma once

#include <cstddef>
#include <string_view>

#include "isa/support/result.h"
#include "neural/triton/tir/op.h"

namespace txvm::triton {

/// Limits that keep hostile text cheap.
struct TirLimits {
  std::size_t source_bytes = std::size_t{16} << 20;
  std::size_t ops = 1'000'000;
  std::size_t nesting = 64;  // bodies inside bodies
};

/// Reads .tir text. The grammar is at the head of parser.cc.
/// Errors: kSyntax with line, column and source line; kLimit past `limits`.
isa::Result<TirModule> ParseTir(std::string_view source, std::string_view file = {},
                                const TirLimits& limits = {});

}  // namespace txvm::triton
