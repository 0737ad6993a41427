// The functions of runtime/*.wat, assembled when txvm is built, as a library of functions to link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/nl/language/code.h"

namespace txvm::frontends::nl {

/// The binary module that runtime/*.wat assembles to, by the name "runtime.wasm"; empty for other
/// names. Generated when txvm is built.
std::string_view EmbeddedRuntime(std::string_view name);

/// A function of the runtime.
struct RuntimeFunction {
  Bytes type;    // as in the type section
  Bytes locals;  // as in the code section
  Code code;     // its final end included
};

struct Runtime {
  std::vector<RuntimeFunction> functions;
  std::map<std::string, std::uint32_t, std::less<>> exports;
  std::uint32_t global_count = 0;
  Bytes globals;  // their entries of the global section
};

/// The runtime, read once. Thread-safe.
const Runtime& GetRuntime();

/// Addresses that runtime/*.wat states.
inline constexpr std::uint32_t kRefusalAddress = 0;
inline constexpr std::uint32_t kPlaceAddress = 4;
inline constexpr std::uint32_t kOperandAddress = 8;  // of both
inline constexpr std::uint32_t kValuesAddress = 2048;
inline constexpr std::uint32_t kFractionBytes = 64;

/// What a program consists of besides the runtime.
struct ModuleParts {
  Code compute;               // () -> i32
  std::uint32_t locals = 0;   // of compute
  bool has_memory = false;    // exported as "memory", one page
  std::uint32_t data_at = 0;  // where `data` goes
  Bytes data;
  /// Where in memory the answer will be; exported as the constant global "result", so that any
  /// runtime finds it. Empty: compute returns the answer. REQUIRES: has_memory if it is set.
  std::optional<std::uint32_t> result_at;
};

/// A module of WebAssembly 1.0 that exports "compute" and holds the functions of the runtime that
/// it calls, and no others. Section and body sizes are full LEB128 numbers.
Bytes BuildModule(const ModuleParts& parts);

}  // namespace txvm::frontends::nl
