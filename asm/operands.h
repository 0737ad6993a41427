// Operands that every kind of file reads alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "asm/parser.h"
#include "isa/limits.h"
#include "isa/program.h"

namespace txvm::assembler {

/// What `params=P results=R locals=L types=T`, in any order, says. P and R may be lists of types,
/// which are of as many params and results as they have words.
struct Signature {
  std::uint32_t params = 0, results = 0;
  std::optional<std::uint32_t> locals;  // where they are not given: the words of types.locals
  isa::FunctionTypes types;
};

/// The highest counts of a signature.
struct SignatureLimits {
  std::uint32_t values = 0;  // params and results
  std::uint32_t locals = 0;
  bool has_locals = false;  // whether locals= and types= may be given
};

inline constexpr std::uint32_t kMaxModuleValues = 1'000;  // as WebAssembly's JavaScript API limits
inline constexpr std::uint32_t kMaxLocalIndex = isa::kMaxAux - 1;

/// The keys of a signature, in either case, up to the first operand that is no key. Types of params
/// without types of results, which there are, are refused, and the other way round.
isa::Result<Signature> ReadSignature(const SourceText& source, OperandReader& operands,
                                     const SignatureLimits& limits);

/// The instruction of a statement whose operand is no target and no callee, taken to its end.
isa::Result<isa::Instruction> ReadInstruction(const SourceText& source, const Statement& statement,
                                              OperandReader& operands);

/// `.raw HEAD ARG`, taken to its end.
isa::Result<isa::Instruction> ReadRaw(OperandReader& operands);

/// "the instruction has a note already (on line 7)": what is wrong with a second one.
std::string SecondNote(std::uint32_t line);

/// The frame slots an instruction statement needs: 1 + its local index, else 0.
std::uint32_t LocalsNeeded(const Syntax& syntax, const Statement& statement);

/// The operand column of a statement's opcode.
inline isa::Operand OperandOf(const Statement& statement) {
  return isa::Info(statement.op).operand;
}

}  // namespace txvm::assembler
