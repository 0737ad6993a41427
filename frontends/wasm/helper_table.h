// Functions written in WebAssembly text that stand for instructions the machine lacks.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "frontends/wasm/module.h"

namespace txvm::frontends::wat {

/// Appends the functions of a library that a module calls, each once. They have no place of their
/// own, so that a trap in one is shown at the instruction that called it.
class HelperTable {
 public:
  /// `library`: the name of an embedded module (helper_modules.h), read here. `first`: the index of
  /// the first helper in the module.
  HelperTable(std::string_view library, std::uint32_t first);

  /// The index that the helper `name` will have in the module. REQUIRES: the library has it.
  std::uint32_t IndexOf(std::string_view name);

  /// The helpers used so far and those they call, with their signatures appended to `signatures`.
  std::vector<Function> Take(std::vector<Signature>& signatures);

 private:
  std::uint32_t Use(std::uint32_t index);

  Module library_;
  std::uint32_t first_;
  std::map<std::uint32_t, std::uint32_t> used_;  // index in library_ -> index in the module
  std::vector<std::uint32_t> order_;
};

}  // namespace txvm::frontends::wat
