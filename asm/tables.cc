#include "asm/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "isa/limits.h"

namespace txvm::assembler {
namespace {

constexpr std::uint32_t kLowestByte = 0xFFFFFF80;  // -128
constexpr std::uint32_t kHighestByte = 0xFF;

}  // namespace

isa::Result<bool> TableReader::Read(const Statement& statement) {
  if (statement.kind != StatementKind::kDirective) return false;
  OperandReader operands(source_, syntax_, statement);
  switch (statement.directive) {
    case Directive::kGlobal: {
      TXVM_TRY(const std::uint32_t value, operands.Number("its initial value"));
      program_.globals.push_back(value);
      break;
    }
    case Directive::kMemory:
      TXVM_CHECK_OK(ReadMemory(operands));
      break;
    case Directive::kData:
      TXVM_CHECK_OK(ReadData(operands));
      break;
    case Directive::kBytes:
      TXVM_CHECK_OK(ReadBytes(statement, operands));
      break;
    case Directive::kWords:
      TXVM_CHECK_OK(ReadWords(statement, operands));
      break;
    case Directive::kImport:
      TXVM_CHECK_OK(ReadImport(operands));
      break;
    case Directive::kSource: {
      TXVM_TRY(const Token name, operands.Take(TokenKind::kString, "a name in quotes"));
      program_.source = StringBytes(name);
      break;
    }
    case Directive::kFlat:
    case Directive::kFunc:
    case Directive::kEnd:
    case Directive::kExport:
    case Directive::kEntry:
    case Directive::kInit:
    case Directive::kLine:
    case Directive::kNote:
    case Directive::kRaw:
      return false;
  }
  TXVM_CHECK_OK(operands.Finish());
  return true;
}

// .memory INITIAL [MAXIMUM]
isa::Result<void> TableReader::ReadMemory(OperandReader& operands) {
  isa::MemorySpec memory;
  TXVM_TRY(memory.initial, operands.Number("a number of pages"));
  memory.maximum = isa::kMaxPages;
  if (!operands.empty()) {
    TXVM_TRY(memory.maximum, operands.Number("a number of pages"));
  }
  program_.memory = memory;
  return {};
}

// .data OFFSET { number | string }
isa::Result<void> TableReader::ReadData(OperandReader& operands) {
  isa::DataSegment segment;
  TXVM_TRY(segment.offset, operands.Number("an offset"));
  program_.data.push_back(std::move(segment));
  return AppendBytes(operands);
}

isa::Result<void> TableReader::NeedsSegment(const Statement& statement) const {
  if (!program_.data.empty()) return {};
  return source_.Fail(statement.head,
                      fmt::format("{} needs a .data before it", statement.head.text));
}

isa::Result<void> TableReader::ReadBytes(const Statement& statement, OperandReader& operands) {
  TXVM_CHECK_OK(NeedsSegment(statement));
  return AppendBytes(operands);
}

isa::Result<void> TableReader::AppendBytes(OperandReader& operands) {
  std::vector<std::uint8_t>& bytes = program_.data.back().bytes;
  while (!operands.empty()) {
    TXVM_TRY(const Token token, operands.Take("bytes"));
    if (token.kind == TokenKind::kString) {
      const std::string text = StringBytes(token);
      bytes.insert(bytes.end(), text.begin(), text.end());
      continue;
    }
    if (token.kind != TokenKind::kNumber) {
      return source_.Fail(token,
                          fmt::format("expected a byte or a string, found {}", Shown(token.text)));
    }
    if (token.value > kHighestByte && token.value < kLowestByte) {
      return source_.Fail(token, fmt::format("byte {} out of range -128..255", token.text));
    }
    bytes.push_back(static_cast<std::uint8_t>(token.value));
  }
  return {};
}

isa::Result<void> TableReader::ReadWords(const Statement& statement, OperandReader& operands) {
  TXVM_CHECK_OK(NeedsSegment(statement));
  std::vector<std::uint8_t>& bytes = program_.data.back().bytes;
  while (!operands.empty()) {
    TXVM_TRY(const std::uint32_t word, operands.Number("words"));
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<std::uint8_t>(word >> shift));
    }
  }
  return {};
}

// .import ALIAS "module" "name" [params=P] [results=R]
isa::Result<void> TableReader::ReadImport(OperandReader& operands) {
  TXVM_TRY(const Token alias, operands.Take(TokenKind::kWord, "an alias"));
  const auto index = static_cast<std::uint32_t>(program_.imports.size());
  if (!import_of_.emplace(alias.text, index).second) {
    return source_.Fail(alias, fmt::format("import {} is defined twice", Shown(alias.text)));
  }
  aliases_.push_back(alias.text);
  isa::Import import;
  TXVM_TRY(const Token module, operands.Take(TokenKind::kString, "a module in quotes"));
  TXVM_TRY(const Token name, operands.Take(TokenKind::kString, "a name in quotes"));
  TXVM_TRY(Signature signature, ReadSignature(source_, operands, {values_limit_, 0, false}));
  import.module = StringBytes(module);
  import.name = StringBytes(name);
  import.params = signature.params;
  import.results = signature.results;
  import.param_types = std::move(signature.types.params);
  import.result_types = std::move(signature.types.results);
  program_.imports.push_back(std::move(import));
  return {};
}

std::optional<std::uint32_t> TableReader::FindImport(std::string_view alias) const {
  const auto found = import_of_.find(alias);
  if (found == import_of_.end()) return std::nullopt;
  return found->second;
}

bool StatesLines(const Syntax& syntax) {
  return std::any_of(syntax.statements.begin(), syntax.statements.end(), [](const Statement& s) {
    return s.Is(Directive::kSource) || s.Is(Directive::kLine);
  });
}

}  // namespace txvm::assembler
