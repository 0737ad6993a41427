// What a module file defines: its functions, where their bodies are, and the names in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "asm/operands.h"
#include "asm/parser.h"
#include "asm/tables.h"

namespace txvm::assembler {

/// A function of the text: statements first..last - 1 are its body.
struct ModuleFunction {
  std::string name;
  std::uint32_t params = 0, results = 0, locals = 0;
  isa::FunctionTypes types;
  std::size_t first = 0, last = 0;
  bool is_raw = false;  // labels, JZ, JNZ or .raw: not structured
};

/// A function or an import that CALL can name.
struct Callee {
  bool is_import = false;
  std::uint32_t index = 0;
  std::uint32_t params = 0, results = 0;
};

/// First pass over a module file.
class ModuleScope {
 public:
  ModuleScope(const SourceText& source, const Syntax& syntax, isa::Program& program)
      : source_(source),
        syntax_(syntax),
        program_(program),
        tables_(source, syntax, program, kMaxModuleValues) {}

  /// Fills the program's tables and finds the functions. Errors: kSyntax.
  isa::Result<void> Read();

  const std::vector<ModuleFunction>& functions() const { return functions_; }
  /// The statements outside of functions that name one: .export, .entry, .init.
  const std::vector<const Statement*>& starts() const { return starts_; }
  /// The index of the function an operand names.
  isa::Result<std::uint32_t> FunctionNamed(const Token& token) const;
  /// The function or import that the one operand of a CALL names.
  isa::Result<Callee> CalleeOf(const Statement& call) const;

 private:
  isa::Result<void> ReadFunction(std::size_t& at);
  isa::Result<void> ReadHead(const Statement& statement, ModuleFunction& function,
                             std::optional<std::uint32_t>& locals);
  isa::Result<void> ReadBody(std::size_t& at, ModuleFunction& function,
                             std::uint32_t& locals_needed);
  isa::Result<void> ReadOutside(const Statement& statement);
  std::string SuggestCallee(const Token& token, bool with_imports) const;

  const SourceText& source_;
  const Syntax& syntax_;
  isa::Program& program_;
  TableReader tables_;
  std::vector<ModuleFunction> functions_;
  std::unordered_map<std::string, std::uint32_t> function_of_;
  std::vector<const Statement*> starts_;
};

/// What a word or string token names.
std::string NameOf(const Token& token);

}  // namespace txvm::assembler
