// From which functions an exception may come out: the analysis of a whole module that
// exceptions.h checks calls by.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "frontends/wasm/module.h"

namespace txvm::frontends::wat {

/// What follows the body of a kTry.
struct TryShape {
  bool has_catch = false;                 // a kCatch or a kCatchAll
  bool has_all = false;                   // a kCatchAll
  bool is_rethrown = false;               // a kRethrow names it
  std::optional<std::uint32_t> delegate;  // the label of the kDelegate that ends it
};

/// The shape of each kTry of a body, in order. Cost O(body).
std::vector<TryShape> FindTries(const Function& function);

/// What may throw, in a module whose exceptions are not lowered yet.
struct Throwers {
  std::vector<bool> functions;  // an exception may come out of it
  std::vector<bool> types;      // the same of an indirect call of this signature
  std::vector<bool> touched;    // it, or what it calls, throws or checks
  bool imports_throw = false;   // whether host functions are checked: somebody could catch

  /// Whether an exception may come out of a call; false for all else. A tail call is none of its
  /// function: its caller's caller sees the exception.
  bool FromCall(const Instr& instr) const;
};

/// Whether a host function of this module may throw: those of WASI may not.
bool HostMayThrow(std::string_view import_module);

/// Finds what may throw. A function in a table may be called by every indirect call of its type.
/// REQUIRES: functions in a table come from its element segments or from ref.func. Cost
/// O(code * log code).
Throwers FindThrowers(const Module& module);

}  // namespace txvm::frontends::wat
