// The text of a module as the bytes of a module.
// Goals: everything of WebAssembly 3.0, and its abbreviations; each byte of code knows its place in
// the text; linear time; nesting costs heap, never stack.
// Non-goals: validation, which the reader of the binary format does (frontends/wasm).
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "frontends/wat/token_reader.h"

namespace txvm::frontends::wat {

/// What a byte of the module comes from.
struct PlaceMark {
  std::uint32_t byte = 0;
  std::uint32_t at = 0;  // in the text
};

/// A module in binary form.
struct EncodedModule {
  std::vector<std::uint8_t> bytes;
  std::vector<PlaceMark> marks;                // ascending by byte
  std::vector<std::string> function_names;     // (functions,) imports first; without '$'
  std::vector<std::uint32_t> function_places;  // (functions,) of their '('
};

/// Encodes the fields from the current token up to the ")" that belongs to no field, or the end,
/// which stays the current token. The faults of the text, at most kMaxTextFaults, in its order.
std::expected<EncodedModule, std::vector<TextFault>> EncodeFields(TokenReader& reader);

}  // namespace txvm::frontends::wat
