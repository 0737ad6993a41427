// Puts functions, stubs and tables together into a program.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "asm/structured.h"
#include "isa/program.h"

namespace txvm::assembler {

/// Lays out functions in the order in which they are added, then one stub `CALL f; HALT` per
/// function that is exported, the entry or the init.
class ProgramBuilder {
 public:
  /// Appends a function; returns its index, counted from 0. Call sites may name functions that are
  /// added later.
  std::uint32_t AddFunction(FunctionCode function);
  std::uint32_t function_count() const { return static_cast<std::uint32_t>(functions_.size()); }

  /// Exports function `function` under `name`; its stub is made once, however many names it has.
  void Export(std::string_view name, std::uint32_t function);
  /// The function that runs before the entry (the start function of a wasm module).
  void SetInit(std::uint32_t function) { init_ = function; }
  /// The function a run without a named export starts at. When not set: the export `_start`,
  /// `main`, else the first export, else function 0.
  void SetEntry(std::uint32_t function) { entry_ = function; }

  /// Globals, memory, data, imports and source are filled in here; code, functions, exports, init,
  /// entry, lines and notes are the builder's.
  isa::Program& program() { return program_; }

  /// The program. Resolves calls: arg = the callee's address, aux = the caller's locals. Errors:
  /// kInvalid when there is no function, or an index names none; kLimit beyond 2^31 - 1
  /// instructions or 2^24 - 1 locals in a function. Does not Verify.
  isa::Result<isa::Program> Finish() &&;

 private:
  struct NamedExport {
    std::string name;
    std::uint32_t function = 0;
  };

  isa::Result<void> PlaceFunctions();
  isa::Result<void> PlaceFunction(const FunctionCode& function, std::uint32_t first);
  void MarkLine(std::uint32_t ip, std::uint32_t line);
  isa::Result<std::uint32_t> StubOf(std::uint32_t function);
  std::uint32_t EntryFunction() const;

  std::vector<FunctionCode> functions_;
  std::vector<NamedExport> exports_;
  std::optional<std::uint32_t> init_, entry_;
  std::vector<std::uint32_t> first_;              // (functions,) address
  std::map<std::uint32_t, std::uint32_t> stubs_;  // function -> address of its stub
  isa::Program program_;
};

}  // namespace txvm::assembler
