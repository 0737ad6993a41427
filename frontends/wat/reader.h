// The reader of WebAssembly's text format: encodes a text as a binary module, which the reader of
// frontends/wasm decodes and validates, so that both formats have one validator and one lowering.
// Goals: all text of WebAssembly 3.0; errors with line, caret, what was expected and the nearest
// name; what the machine lacks is refused by name; size and nesting cost heap, never stack.
// Non-goals: scripts (script.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>
#include <vector>

#include "frontends/wasm/module.h"
#include "frontends/wat/text_place.h"
#include "frontends/wat/token_reader.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

inline constexpr std::size_t kMaxSourceBytes = 256u << 20;  // of a text

/// Parses and validates a module in text form. Places of its instructions are lines.
/// Errors: kSyntax, kInvalid, kUnsupported, kLimit, each with line, column and caret: the first of
/// TextErrors. Starts no process and no thread, and takes no stack for nesting. Thread-safe.
/// Cost O(text); at most 10 bytes of memory for a byte of what people write.
isa::Result<Module> ReadText(std::string_view text, std::string_view file);

/// The same for the text of (module quote ...), which may be empty: a module without fields.
isa::Result<Module> ReadQuoted(std::string_view text, std::string_view file);

/// The errors of a text in its order, at most kMaxTextFaults; none for a module that ReadText
/// reads. One mistake in a field hides the rest of that field; validation stops at its first.
std::vector<isa::Error> TextErrors(std::string_view text, std::string_view file);

/// The bytes of a module in text form, without validation. Errors: kSyntax, kLimit.
isa::Result<std::vector<std::uint8_t>> EncodeText(std::string_view text, std::string_view file);

/// Whether a text can only be that of a module: its first character that is no white space and in
/// no comment is a parenthesis. O(the comments before it).
bool BeginsAsModule(std::string_view text);

/// Checks that a text has a size the reader takes, and is UTF-8. Errors: kLimit, kSyntax.
isa::Result<void> CheckText(std::string_view text, std::string_view file);

/// Reads a module from the fields at the current token, as EncodeFields does, whose text may be a
/// script. `lines`: of the whole text.
std::expected<Module, std::vector<isa::Error>> ReadFields(TokenReader& reader,
                                                          const LineTable& lines,
                                                          std::string_view file);

}  // namespace txvm::frontends::wat
