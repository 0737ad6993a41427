// Triton assembly text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/support/result.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// Limits on hostile text: a program of more instructions is refused (kLimit).
inline constexpr std::size_t kMaxTasmInstructions = 1u << 26;

/// What is read besides what every released version of Triton VM reads. kTolerant also takes empty
/// `//` comments and more spellings of hints; kReleased takes exactly what the versions 2.0.0 to
/// 9.0.1 take, letters and white space beyond ASCII aside: bytes of such characters are letters.
enum class TasmDialect : std::uint8_t { kTolerant, kReleased };

/// Parses Triton assembly: instructions, `name:` labels, // and /* */ comments, `hint` and `break`
/// (checked and dropped), `error_id N` after an assertion, any white space between tokens, so
/// one-line programs too. A // comment ends at \n or \r. push and addi take -p < a < p.
/// kSyntax with place and caret: unknown mnemonic, missing or bad argument, unknown or duplicate
/// label, misplaced error_id. `file` is for messages. O(text).
isa::Result<TasmProgram> AssembleTasm(std::string_view text, TasmIsa isa = TasmIsa::kDot,
                                      std::string_view file = {},
                                      TasmDialect dialect = TasmDialect::kTolerant);

/// Text that AssembleTasm reads back to an equal program (but for `lines`): labels in column 1, one
/// indented instruction per line. REQUIRES a valid program.
std::string DisassembleTasm(const TasmProgram& program);

/// One instruction without its line end, e.g. "push 3" or "call loop".
std::string TasmInstructionText(const TasmProgram& program, std::size_t index);

}  // namespace txvm::triton
