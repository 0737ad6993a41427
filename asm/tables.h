// The directives that fill a program's tables, alike in every kind of file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "asm/operands.h"
#include "asm/parser.h"
#include "isa/program.h"

namespace txvm::assembler {

/// Globals, memory, data, imports and source.
class TableReader {
 public:
  /// `values_limit` bounds the params and results of imports.
  TableReader(const SourceText& source, const Syntax& syntax, isa::Program& program,
              std::uint32_t values_limit)
      : source_(source), syntax_(syntax), program_(program), values_limit_(values_limit) {}

  /// Reads the statement when it is one of these directives; false when it is something else.
  isa::Result<bool> Read(const Statement& statement);
  /// The index of the import with this alias.
  std::optional<std::uint32_t> FindImport(std::string_view alias) const;
  /// The aliases, for suggestions.
  const std::vector<std::string_view>& aliases() const { return aliases_; }

 private:
  isa::Result<void> ReadMemory(OperandReader& operands);
  isa::Result<void> ReadData(OperandReader& operands);
  isa::Result<void> ReadBytes(const Statement& statement, OperandReader& operands);
  isa::Result<void> ReadWords(const Statement& statement, OperandReader& operands);
  isa::Result<void> ReadImport(OperandReader& operands);
  isa::Result<void> AppendBytes(OperandReader& operands);
  isa::Result<void> NeedsSegment(const Statement& statement) const;

  const SourceText& source_;
  const Syntax& syntax_;
  isa::Program& program_;
  std::uint32_t values_limit_;
  std::vector<std::string_view> aliases_;
  std::unordered_map<std::string_view, std::uint32_t> import_of_;
};

/// Whether the text states its own source or lines; if not, plain and module files are marked with
/// the lines of the text itself.
bool StatesLines(const Syntax& syntax);

}  // namespace txvm::assembler
