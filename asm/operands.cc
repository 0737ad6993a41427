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

class SignatureReader {
 public:
  SignatureReader(const SourceText& source, OperandReader& operands, const SignatureLimits& limits)
      : source_(source), operands_(operands), limits_(limits) {}

  isa::Result<Signature> Run() {
    while (!operands_.empty() && IsKey(operands_.front())) {
      TXVM_CHECK_OK(Read(operands_.front()));
      TXVM_CHECK_OK(operands_.Take("a key"));
    }
    TXVM_CHECK_OK(CheckTypes());
    return std::move(signature_);
  }

 private:
  enum Key { kParams, kResults, kLocals, kTypes, kKeyCount };
  static constexpr std::string_view kTexts[] = {"params", "results", "locals", "types"};

  static bool IsKey(const Token& token) {
    return token.kind == TokenKind::kKey || token.kind == TokenKind::kTypesKey;
  }

  isa::Result<Key> KeyOf(const Token& token) const {
    const int count = limits_.has_locals ? kKeyCount : kLocals;
    for (int key = 0; key < count; ++key) {
      if (isa::EqualsIgnoreCase(token.text, kTexts[key])) return static_cast<Key>(key);
    }
    return source_.Fail(token,
                        fmt::format("unknown key {} (expected params{} results)", Shown(token.text),
                                    limits_.has_locals ? ", locals, types or" : " or"));
  }

  isa::Result<void> Read(const Token& token) {
    TXVM_TRY(const Key key, KeyOf(token));
    if (given_[key]) return source_.Fail(token, fmt::format("{} is given twice", token.text));
    given_[key] = token;
    const bool is_typed = token.kind == TokenKind::kTypesKey;
    if (key == kLocals && is_typed) {
      return source_.Fail(token, "locals is a count; the types of locals are given by types");
    }
    if (key == kTypes && !is_typed) {
      return source_.Fail(token, "types is a list of types, such as types=i32,f64");
    }
    const bool is_frame = key == kLocals || key == kTypes;
    const std::uint32_t limit = is_frame ? limits_.locals : limits_.values;
    if (token.value > limit) return OutOfRange(token, limit);
    if (key == kParams) signature_.params = token.value;
    if (key == kResults) signature_.results = token.value;
    if (key == kLocals) signature_.locals = token.value;
    if (is_typed) TypesOf(key) = KeyTypes(source_, token);
    return {};
  }

  std::unexpected<isa::Error> OutOfRange(const Token& token, std::uint32_t limit) const {
    const std::string shown = token.kind == TokenKind::kTypesKey
                                  ? fmt::format("of {} words", token.value)
                                  : isa::Printable(KeyNumber(source_, token));
    return source_.Fail(token, fmt::format("{} {} out of range 0..{}", token.text, shown, limit));
  }

  std::vector<isa::ValueType>& TypesOf(Key key) {
    isa::FunctionTypes& types = signature_.types;
    return key == kParams ? types.params : key == kResults ? types.results : types.locals;
  }

  // REQUIRES: all keys are read.
  isa::Result<void> CheckTypes() const {
    for (const auto& [key, other] : {std::pair(kParams, kResults), std::pair(kResults, kParams)}) {
      const std::optional<Token>& token = given_[key];
      const bool lacks_types = token && token->kind == TokenKind::kKey && token->value != 0;
      if (!lacks_types || !given_[other] || given_[other]->kind != TokenKind::kTypesKey) continue;
      return source_.Fail(*token, fmt::format("{} needs types too, because {} has them",
                                              kTexts[key], kTexts[other]));
    }
    const std::uint64_t words = isa::WordsOf(signature_.types.locals);
    if (!signature_.locals || words <= *signature_.locals) return {};
    return source_.Fail(*given_[kTypes], fmt::format("types of {} words do not fit {}", words,
                                                     isa::CountText(*signature_.locals, "local")));
  }

  const SourceText& source_;
  OperandReader& operands_;
  const SignatureLimits& limits_;
  Signature signature_;
  std::array<std::optional<Token>, kKeyCount> given_;
};

}  // namespace

isa::Result<Signature> ReadSignature(const SourceText& source, OperandReader& operands,
                                     const SignatureLimits& limits) {
  return SignatureReader(source, operands, limits).Run();
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
