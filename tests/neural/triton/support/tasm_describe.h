// The tables of docs/TASM.md, generated from the .def files.
#pragma once

#include <string>

namespace txvm::triton {

/// The instructions as a Markdown table, ordered by opcode.
std::string TasmInstructionTable();

/// The crash conditions as a Markdown table.
std::string TasmCrashTable();

}  // namespace txvm::triton
