// Files of provable code: .tir by name, everything else Triton assembly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/result.h"
#include "neural/tir/equivalence_subject.h"
#include "neural/tir/tasm_program.h"
#include "neural/tir/tir_op.h"
#include "neural/tir/tir_validate.h"
#include "neural/tir/tir_world.h"

namespace txvm::frontends::cli {

/// A file read and parsed. One of the two programs is there.
struct TirFile {
  bool is_tir = false;
  neural::TirModule tir;
  neural::TirSummary summary;  // of tir
  neural::TasmProgram tasm;
  std::vector<neural::TirInputs> inputs;  // its `// input:` lines
  std::string declarations;               // the same as text, for programs made of it
};

/// Reads a file; `-` is standard input and holds Triton assembly.
/// Errors: kIo; kSyntax and kInvalid with place and caret.
isa::Result<TirFile> ReadTirFile(const std::string& path);

/// The same for a command that takes TIR only; `instead` ends the message about other files.
/// Errors: kUsage unless the name ends in .tir; as ReadTirFile.
isa::Result<TirFile> ReadTirText(const std::string& path, std::string_view instead);

/// The file as TASM: lowered with or without peepholes when it is TIR.
isa::Result<neural::TasmProgram> AsTasm(const TirFile& file, bool peepholes);

/// The file as one side of a verification.
isa::Result<neural::Subject> AsSubject(TirFile file);

}  // namespace txvm::frontends::cli
