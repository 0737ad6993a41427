// Looks at hostile input before WABT's parser does. WABT 1.0.32 aborts on some malformed text and
// overflows the stack on deep nesting; its lexer and its binary walk do neither, so the guard uses
// those two, refuses what the parser could not survive, and says where a child process must try.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// What the parser may do with a text.
enum class TextRisk : std::uint8_t {
  kNone,   // parse it
  kAbort,  // it has a form the parser asserts on if there is a mistake around it: parse it in a
           // child process first
};

/// Judges text for the parser. Errors: kLimit (size, nesting), kSyntax (forms the parser always
/// asserts on or hangs at). Binary modules inside the text are checked too; quoted ones are read
/// apart.
isa::Result<TextRisk> GuardText(std::string_view text, std::string_view file);

/// What stands where in a binary module that is not malformed, ascending.
struct BinaryPlaces {
  std::vector<std::uint32_t> instructions;  // first byte of each
  std::vector<std::uint32_t> custom_names;  // first byte of the name of each custom section
};

/// Accepts a binary module that the reader can be given. Errors: kLimit (size,
/// nesting, items), kInvalid (blocks in a constant expression, on which the reader asserts).
/// Malformed modules are accepted: the reader itself refuses those. Of custom sections, only their
/// names are looked at.
isa::Result<BinaryPlaces> GuardBinary(std::span<const std::uint8_t> bytes, std::string_view file);

}  // namespace txvm::frontends::wat
