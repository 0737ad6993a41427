// The disassembler: a Program as text that assembles back to it.
#pragma once

#include <string>

#include "isa/program.h"

namespace txvm::isa {

/// The program as a flat .txa file (docs/ASSEMBLY.md): everything in it is stated, nothing is
/// implied, and each instruction's index stands after it as a comment. Assembling it gives an
/// equal program as long as the assembler's limits allow, whether Verify accepts its code or not:
/// an instruction that no mnemonic can express is written by its two words.
/// Errors: kInvalid when VerifyTables rejects the program. O(size of the program).
Result<std::string> Disassemble(const Program& program);

/// The opcode of an instruction as the listing names it: "ADD", "GLOBAL.GET". Empty for a code
/// that no opcode has.
std::string Mnemonic(const Instruction& instruction);

/// One instruction as the listing shows it, without labels: "CALL 2", "GLOBAL.GET 1", ".raw 200 7".
std::string InstructionText(const Instruction& instruction);

/// The same for a reader of `program`'s traces and messages: a call of one of its imports by the
/// import's name, "CALL env.putchar".
std::string InstructionText(const Program& program, const Instruction& instruction);

}  // namespace txvm::isa
