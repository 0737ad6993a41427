// The reader of WebAssembly's binary format: decodes and validates a module in one pass.
// Goals: WebAssembly 3.0 without exceptions and garbage collection, by the rules of the
// specification; what belongs to later proposals is refused by name; no input crashes,
// hangs or takes memory without bound; size and nesting cost heap, never stack.
// Non-goals: text (frontends/wat).
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

#include "frontends/wasm/cursor.h"
#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::wasm {

/// Where the reader stops. Every limit is one that real programs stay below; most are those of
/// browsers.
struct ReadOptions {
  std::uint32_t max_module_bytes = 256u << 20;
  std::uint32_t max_nesting = 1'000'000;       // open blocks of a function
  std::uint32_t max_function_locals = 50'000;  // parameters included
  std::uint32_t max_module_locals = 1u << 24;  // of all functions, without parameters
  std::uint32_t max_values = 1'000;            // parameters or results of one type
  std::uint32_t max_entries = 1'000'000;       // of one section; functions with those imported
  bool trace_operands = false;                 // a fault has its operands; twice as slow
  // What 3.0 allows beyond 2.0 is refused: several memories, 64-bit ones, typed references, tags
  // and exceptions, constants that read globals of the module.
  bool is_version_2 = false;
};

/// Reads a module. Places of its instructions are byte offsets; a function has the name that a
/// custom section gives it. A fault in a custom section is no fault of the module.
/// `file` names it in errors, whose messages end in the byte offset, and the function where there
/// is one. Errors: kSyntax (malformed), kInvalid, kUnsupported (of a proposal that is not read),
/// kLimit (one of `options`).
/// Cost O(size), at most about 80 bytes of memory for a byte of the module and 17 for one of code.
/// Thread-safe.
isa::Result<wat::Module> ReadModule(std::span<const std::uint8_t> bytes, std::string_view file,
                                    const ReadOptions& options = {});

/// The same, with the fault itself: its message says no place, since whoever made the bytes knows a
/// better one.
std::expected<wat::Module, Fault> ReadMadeModule(std::span<const std::uint8_t> bytes,
                                                 std::string_view file,
                                                 const ReadOptions& options = {});

}  // namespace txvm::frontends::wasm
