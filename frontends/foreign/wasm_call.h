// A module that calls itself: for runtimes whose command line cannot pass arguments to an export.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "isa/value_type.h"
#include "isa/word_ops.h"

namespace txvm::frontends::foreign {

/// The types of a function's values, one byte each, as the binary format has them.
struct WasmSignature {
  std::string params, results;
};
inline constexpr char kI32Type = 0x7F, kI64Type = 0x7E, kF32Type = 0x7D, kF64Type = 0x7C;

/// The type of a byte; nullopt where we have none.
std::optional<isa::ValueType> TypeOfByte(char type);
/// The types of bytes. REQUIRES: we have all of them.
std::vector<isa::ValueType> TypesOfBytes(std::string_view types);

/// The signature of the export `name`. REQUIRES: `wasm` is valid. kUnsupported where it has a type
/// that is none of i32, i64, f32 and f64, there is no such export, or the sections cannot be read
/// that way.
isa::Result<WasmSignature> SignatureOf(std::string_view wasm, std::string_view name);

/// Whether the binary module `wasm` imports anything from `module`; false where its imports cannot
/// be read.
bool ImportsFrom(std::string_view wasm, std::string_view module);

inline constexpr std::string_view kCallName = "txvm_call";

/// The binary module `wasm` with one function more, which calls the export `name` with `args` and
/// returns its results; kCallName is its only export. Arguments are words, low first. A float among
/// the results comes as the integer of its bits, which no runtime's way of printing floats can
/// change. Where `before` is not empty, the export of that name, which takes and returns nothing,
/// is called in front. REQUIRES: `wasm` is valid. Errors: those of SignatureOf; kUnsupported for
/// another number of words.
isa::Result<std::string> WithCall(std::string_view wasm, std::string_view name,
                                  std::span<const isa::Word> args, std::string_view before = {});

}  // namespace txvm::frontends::foreign
