// txvm compile --target tir|tasm: WebAssembly to provable code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontends/cli/program/input.h"
#include "frontends/cli/support/arguments.h"
#include "isa/support/console.h"
#include "isa/support/result.h"

namespace txvm::frontends::cli {

/// Options of compile that only provable code has.
struct ProvableOptions {
  std::optional<std::string> invoke;
  std::optional<std::uint64_t> memory_words;
  bool assume_zero_ram = false;
  bool locals_in_ram = false;
  std::string input;  // declared in the output: words, separated by commas

  void AddTo(Arguments& arguments);
  /// The name of one that was given, to refuse it for other targets; empty when none was.
  std::string_view Given() const;
};

/// Lowers a .wat or .wasm source and writes TIR, or with `assembly` Triton assembly, to `out`.
/// Notes on stderr what the program leaves to trust. Errors: kUsage for a source of another format;
/// those of ReadText, LowerModule and ReplaceFile.
isa::Result<void> CompileProvable(const Source& source, const ProvableOptions& options,
                                  bool assembly, bool peepholes, const std::string& out,
                                  Console& console);

}  // namespace txvm::frontends::cli
