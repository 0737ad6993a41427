// Files of provable code: .tir by name, everything else Triton assembly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontends/cli/support/arguments.h"
#include "isa/support/result.h"
#include "neural/triton/prove/subject.h"
#include "neural/triton/tasm/program.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/op.h"
#include "neural/triton/tir/validate.h"
#include "neural/triton/tir/world.h"

namespace txvm::frontends::cli {

/// How Triton assembly is read: `--isa` and `--strict`.
struct TasmReading {
  triton::TasmIsa isa = triton::TasmIsa::kDot;
  bool strict = false;

  /// Adds both options.
  void AddTo(Arguments& arguments);
  /// Adds `--strict` alone, for commands that have an `--isa` of their own.
  void AddStrictTo(Arguments& arguments);
  triton::TasmDialect dialect() const {
    return strict ? triton::TasmDialect::kReleased : triton::TasmDialect::kTolerant;
  }
};

/// A program read and parsed. One of the two languages is there.
struct TirFile {
  std::string section;  // its name in a file of several programs, else empty
  bool is_tir = false;
  triton::TirModule tir;
  triton::TirSummary summary;  // of tir
  triton::TasmProgram tasm;
  std::vector<triton::TirInputs> inputs;  // its `// input:` lines
  std::string declarations;               // the same as text, for programs made of it
};

/// Reads a file of one program, or of several after `=== name` headers (neural/triton/tasm/
/// sections.h), in the order of the file. `-` is standard input and holds Triton assembly.
/// Errors: kIo; kSyntax and kInvalid with place and caret.
isa::Result<std::vector<TirFile>> ReadTirPrograms(const std::string& path,
                                                  const TasmReading& reading = {});

/// The text of a file of one program, TIR or Triton assembly, after blank lines in place of a
/// header. Errors: kIo; kSyntax for bad headers; kUsage for a file of several programs.
isa::Result<std::string> ReadOneProgram(const std::string& path);

/// Reads a file of one program. Errors: as ReadOneProgram and ReadTirPrograms.
isa::Result<TirFile> ReadTirFile(const std::string& path, const TasmReading& reading = {});

/// The same for a command that takes TIR only; `instead` ends the message about other files.
/// Errors: kUsage unless the name ends in .tir; as ReadTirFile.
isa::Result<TirFile> ReadTirText(const std::string& path, std::string_view instead);

/// The file as TASM: lowered with or without peepholes when it is TIR.
isa::Result<triton::TasmProgram> AsTasm(const TirFile& file, bool peepholes);

/// The file as one side of a verification.
isa::Result<triton::Subject> AsSubject(TirFile file);

}  // namespace txvm::frontends::cli
