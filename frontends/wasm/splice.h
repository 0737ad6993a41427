// Moves functions of one program to the end of another.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "isa/limits.h"
#include "isa/opcode.h"
#include "isa/program.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// Whether it calls a function of its program.
inline bool IsCall(isa::Instruction instruction) {
  return instruction.op() == isa::Opcode::kCall && (instruction.arg & isa::kHostCallBit) == 0;
}

/// What to move of a program that was lowered by itself.
struct SpliceRequest {
  const isa::Program& from;
  /// Indices in from.functions of the functions to append, in order.
  std::vector<std::uint32_t> functions;
  /// The address in the program that grows of function `index` of `from`; nullopt: it is one that
  /// has to come along, where one of `functions` calls it.
  std::function<std::optional<std::uint32_t>(std::uint32_t index)> address_of;
};

/// Appends the functions to `to`, and of those that come along the ones that the functions before
/// `helpers_from` are not: an equal one that came along before is used again. Returns the address
/// of each of request.functions. Imports and globals of both programs must be the same. Errors:
/// kLimit, with `to` unchanged. Cost O(code of both).
isa::Result<std::vector<std::uint32_t>> Splice(isa::Program& to, const SpliceRequest& request,
                                               std::size_t helpers_from);

}  // namespace txvm::frontends::wat
