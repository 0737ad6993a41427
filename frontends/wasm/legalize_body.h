// Inside of legalize.cc: one function body on words alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "frontends/wasm/module.h"
#include "frontends/wasm/wide_code.h"

namespace txvm::frontends::wat {

/// What legalizing a body needs of its module, as it was before.
struct LegalizeContext {
  const Module& module;
  /// Where each global went: the low word's index.
  const std::vector<std::uint32_t>& global_slots;
  /// The function that does the work of an i64 instruction, by the instruction's text.
  WideCode::Helper helper;
  /// The index of a text in Module::unsupported.
  std::function<std::uint32_t(std::string_view)> missing;
};

/// `function` with its body, locals and labels on words alone; its signature index stays. No
/// recursion; cost O(body).
Function LegalizeBody(const Function& function, const LegalizeContext& context);

}  // namespace txvm::frontends::wat
