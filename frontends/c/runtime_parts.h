// The parts of the runtime, each an object of its own: a program pays the compilation of those
// alone that it uses.
#pragma once

#include <string_view>
#include <vector>

namespace txvm::frontends::c {

/// The part that every program with main gets. A part P is compiled from runtime/P.c.
inline constexpr std::string_view kCommonPart = "runtime";

/// The one that is C++, compiled from runtime/exception.cc: what throws and catches.
inline constexpr std::string_view kCxxPart = "exception";

/// The other parts that an object (of wasm-ld's kind) needs: those with a function that it imports
/// and, where it stores doubles or has a text such as "%8.3f", those that print and read
/// floats.
std::vector<std::string_view> PartsNeeded(std::string_view object);

}  // namespace txvm::frontends::c
