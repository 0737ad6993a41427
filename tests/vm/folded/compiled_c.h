// Programs folded into C text, compiled by the system's C compiler and loaded into this process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isa/program.h"
#include "isa/support/result.h"
#include "tests/vm/folded/works.h"
#include "vm/txvm_folded.h"

namespace txvm::vm {

/// Why no C text can be compiled here; empty: it can.
std::string WhyNoCompiler();

/// A shared object made of the C text of some programs; it lives as long as this process.
class CompiledC {
 public:
  /// Errors: CText's, and kHost with what the compiler says.
  static isa::Result<CompiledC> Compile(
      const std::vector<std::shared_ptr<const isa::Program>>& programs, const std::string& level);

  /// The table of programs[i].
  const txvm_folded_program& Folded(std::size_t i) const { return *folded_[i]; }

 private:
  CompiledC() = default;
  std::vector<const txvm_folded_program*> folded_;
};

/// Compiles the programs of the works with `level` ("-O2"), and compares each as PiecesDiffer. The
/// first difference, or why it was not compiled; empty: none.
std::string CompiledDiffers(const std::vector<Work>& works, const std::string& level);

}  // namespace txvm::vm
