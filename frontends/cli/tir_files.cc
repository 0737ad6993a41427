#include "frontends/cli/tir_files.h"

#include <utility>

#include "frontends/cli/file.h"
#include "neural/tir/cost_inputs.h"
#include "neural/tir/lower_tasm.h"
#include "neural/tir/tasm_text.h"

namespace txvm::frontends::cli {

isa::Result<TirFile> ReadTirFile(const std::string& path) {
  TXVM_TRY(const std::string text, ReadFile(path));
  const std::string name = DisplayName(path);
  TirFile file;
  file.is_tir = path.ends_with(".tir");
  if (file.is_tir) {
    TXVM_TRY(file.tir, neural::ParseTir(text, name));
  } else {
    TXVM_TRY(file.tasm, neural::AssembleTasm(text, neural::TasmIsa::kDot, name));
  }
  auto inputs = neural::DeclaredInputs(text);
  if (!inputs) {
    isa::Error error = std::move(inputs).error();
    error.place.file = name;
    return std::unexpected(std::move(error));
  }
  file.inputs = *std::move(inputs);
  return file;
}

isa::Result<neural::TasmProgram> AsTasm(const TirFile& file, bool peepholes) {
  if (!file.is_tir) return file.tasm;
  return neural::LowerTir(file.tir, {.peepholes = peepholes});
}

isa::Result<neural::Subject> AsSubject(TirFile file) {
  if (file.is_tir) return neural::Subject::FromTir(std::move(file.tir));
  return neural::Subject::FromTasm(std::move(file.tasm));
}

}  // namespace txvm::frontends::cli
