// Inside of legalize.cc: one function body without i64.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "frontends/wat/module.h"

namespace txvm::frontends::wat {

/// What legalizing a body needs of its module, as it was before.
struct LegalizeContext {
  const Module& module;
  /// Where each global went: the low word's index.
  const std::vector<std::uint32_t>& global_slots;
  /// The function that does the work of an i64 instruction, by the instruction's text.
  std::function<std::uint32_t(std::string_view)> helper;
  /// The index of a text in Module::unsupported.
  std::function<std::uint32_t(std::string_view)> missing;
};

/// `function` with its body, locals and labels free of i64; its signature index stays. No
/// recursion; cost O(body).
Function LegalizeBody(const Function& function, const LegalizeContext& context);

}  // namespace txvm::frontends::wat
