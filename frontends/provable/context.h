// What the parts of a lowering share: the module, its RAM, the functions written so far.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/provable/code.h"
#include "frontends/provable/layout.h"
#include "frontends/wasm/module.h"

namespace txvm::frontends::provable {

/// Operations of the largest program that is written: what the TIR parser takes.
inline constexpr std::uint64_t kMostOperations = 1'000'000;

struct Context {
  const wat::Module& module;
  Layout layout;
  Functions functions;
  std::vector<std::string> names;              // of the functions in TIR, by index
  std::set<std::string, std::less<>> helpers;  // used so far; names of functions in helpers.tir
  /// Functions that select the callee of a call_indirect, by signature and table.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> dispatchers;

  std::uint64_t operations = 0;  // written so far, roughly

  /// Counts operations; false when there are too many: then what is written no longer matters.
  bool Spend(std::uint64_t count) {
    operations += count;
    return operations <= kMostOperations;
  }

  /// The name of a helper, which becomes part of the program.
  std::string Helper(std::string_view name) { return *helpers.emplace(name).first; }
  /// The value of a global that never changes; nullopt for others.
  std::optional<std::uint32_t> ConstantGlobal(std::uint32_t index) const;
  /// The value of a constant expression.
  std::uint32_t ValueOf(const wat::ConstantExpr& expr) const;
};

}  // namespace txvm::frontends::provable
