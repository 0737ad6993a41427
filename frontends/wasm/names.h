// The custom section "name": what functions are called.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace txvm::frontends::wasm {

/// A function and its name, which points into the section.
struct FunctionName {
  std::uint32_t function = 0;
  std::string_view name;
};

/// The function names of a section's content (beyond its own name), ascending by function. None
/// when the section is malformed, or names a function twice or beyond `functions`.
std::vector<FunctionName> ReadFunctionNames(std::span<const std::uint8_t> content,
                                            std::uint32_t functions);

/// The name of one function in the custom sections of `sections`, which begins where a section
/// does; for a message about a module that is not read to its end.
std::optional<std::string> FindFunctionName(std::span<const std::uint8_t> sections,
                                            std::uint32_t function);

}  // namespace txvm::frontends::wasm
