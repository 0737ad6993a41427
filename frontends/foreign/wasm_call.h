// A module that calls itself: for runtimes whose command line cannot pass arguments to an export.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/support/result.h"
#include "isa/word_ops.h"

namespace txvm::frontends::foreign {

/// The types of a function's values, one byte each, as the binary format has them.
struct WasmSignature {
  std::string params, results;
};
inline constexpr char kI32Type = 0x7F, kI64Type = 0x7E;

/// How many words values of these types are here: an i64 is two, low first.
std::size_t WordsOf(std::string_view types);
/// The i64 of two words.
std::int64_t WideValue(isa::Word low, isa::Word high);

/// The signature of the export `name`. REQUIRES: `wasm` is valid. kUnsupported where it has a type
/// that is neither i32 nor i64, there is no such export, or the sections cannot be read that way.
isa::Result<WasmSignature> SignatureOf(std::string_view wasm, std::string_view name);

/// Whether the binary module `wasm` imports anything from `module`; false where its imports cannot
/// be read.
bool ImportsFrom(std::string_view wasm, std::string_view module);

inline constexpr std::string_view kCallName = "txvm_call";

/// The binary module `wasm` with one function more, which calls the export `name` with `args` and
/// returns its results; kCallName is its only export. An argument of type i64 is two words, low
/// first. Where `before` is not empty, the export of that name, which takes and returns nothing, is
/// called in front. REQUIRES: `wasm` is valid. Errors: those of SignatureOf; kUnsupported for
/// another number of words.
isa::Result<std::string> WithCall(std::string_view wasm, std::string_view name,
                                  std::span<const isa::Word> args, std::string_view before = {});

}  // namespace txvm::frontends::foreign
