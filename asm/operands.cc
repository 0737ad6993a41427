#include "asm/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "asm/suggest.h"
#include "isa/support/text.h"
#include "isa/trap.h"

namespace txvm::assembler {
namespace {

using isa::Instruction;

struct CauseName {
  isa::Trap cause;
  std::string_view text;
};
constexpr auto kCauses = std::to_array<CauseName>({
#define TXVM_TRAP(code, Name, text) {isa::Trap::k##Name, #Name},
#include "isa/traps.def"
#undef TXVM_TRAP
});

// cause := number | name of a row of traps.def
isa::Result<std::uint32_t> ReadCause(const SourceText& source, OperandReader& operands) {
  TXVM_TRY(const Token token, operands.Take("a cause"));
  if (token.kind == TokenKind::kNumber) return token.value;
  std::vector<std::string_view> known;
  for (const CauseName& row : kCauses) {
    if (token.kind == TokenKind::kWord && isa::EqualsIgnoreCase(row.text, token.text)) {
      return static_cast<std::uint32_t>(row.cause);
    }
    known.push_back(row.text);
  }
  return source.Fail(token, fmt::format("unknown trap cause {}{}", Shown(token.text),
                                        DidYouMean(token.text, known)));
}

}  // namespace

isa::Result<Signature> ReadSignature(const SourceText& source, OperandReader& operands,
                                     const SignatureLimits& limits) {
  Signature signature;
  bool has_params = false, has_results = false;
  while (!operands.empty() && operands.front().kind == TokenKind::kKey) {
    const Token key = operands.front();
    const bool is_locals = limits.has_locals && isa::EqualsIgnoreCase(key.text, "locals");
    const bool is_params = isa::EqualsIgnoreCase(key.text, "params");
    if (!is_params && !isa::EqualsIgnoreCase(key.text, "results") && !is_locals) {
      return source.Fail(key,
                         fmt::format("unknown key {} (expected params{} results)", Shown(key.text),
                                     limits.has_locals ? ", locals or" : " or"));
    }
    bool is_known = signature.locals.has_value();
    if (!is_locals) is_known = std::exchange(is_params ? has_params : has_results, true);
    if (is_known) return source.Fail(key, fmt::format("{} is given twice", key.text));
    const std::uint32_t limit = is_locals ? limits.locals : limits.values;
    if (key.value > limit) {
      return source.Fail(key, fmt::format("{} {} out of range 0..{}", key.text,
                                          isa::Printable(KeyNumber(source, key)), limit));
    }
    if (is_locals) {
      signature.locals = key.value;
    } else {
      (is_params ? signature.params : signature.results) = key.value;
    }
    TXVM_CHECK_OK(operands.Take("a key"));
  }
  return signature;
}

isa::Result<Instruction> ReadInstruction(const SourceText& source, const Statement& statement,
                                         OperandReader& operands) {
  Instruction instruction(statement.op);
  switch (OperandOf(statement)) {
    case isa::Operand::kNone:
    case isa::Operand::kTarget:
    case isa::Operand::kCallee:
      break;
    case isa::Operand::kValue: {
      TXVM_TRY(instruction.arg, operands.Number());
      break;
    }
    case isa::Operand::kLocal: {
      const std::uint32_t aux = statement.is_global ? 1 : 0;
      TXVM_TRY(const std::uint32_t index, operands.Count("an index", kMaxLocalIndex));
      instruction = Instruction(statement.op, index, aux);
      break;
    }
    case isa::Operand::kOffset: {
      if (operands.empty()) break;
      TXVM_TRY(instruction.arg, operands.Number());
      break;
    }
    case isa::Operand::kCause: {
      TXVM_TRY(instruction.arg, ReadCause(source, operands));
      break;
    }
  }
  TXVM_CHECK_OK(operands.Finish());
  return instruction;
}

isa::Result<Instruction> ReadRaw(OperandReader& operands) {
  Instruction instruction;
  TXVM_TRY(instruction.head, operands.Number("two numbers"));
  TXVM_TRY(instruction.arg, operands.Number("two numbers"));
  TXVM_CHECK_OK(operands.Finish());
  return instruction;
}

std::string SecondNote(std::uint32_t line) {
  return fmt::format("the instruction has a note already (on line {})", line);
}

std::uint32_t LocalsNeeded(const Syntax& syntax, const Statement& statement) {
  if (statement.kind != StatementKind::kInstruction || statement.is_global) return 0;
  if (OperandOf(statement) != isa::Operand::kLocal) return 0;
  const auto operands = syntax.OperandsOf(statement);
  if (operands.empty() || operands[0].kind != TokenKind::kNumber) return 0;
  return std::min(operands[0].value, kMaxLocalIndex) + 1;
}

}  // namespace txvm::assembler
