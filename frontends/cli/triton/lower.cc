// txvm tir lower: TIR to Triton assembly.
#include "frontends/cli/support/arguments.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/triton/files.h"
#include "frontends/cli/triton/tir_commands.h"
#include "isa/support/file.h"
#include "neural/triton/tasm/text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kTirLowerExamples =
    "  txvm tir lower program.tir\n"
    "  txvm tir lower program.tir --no-peepholes --out program.tasm\n";

isa::Result<void> Lower(const std::string& path, const std::string& out, bool plain) {
  TXVM_TRY(const TirFile file,
           ReadTirText(path, "txvm tir optimize shortens what is Triton assembly already"));
  TXVM_TRY(const triton::TasmProgram program, AsTasm(file, !plain));
  return isa::ReplaceFile(out, file.declarations + triton::DisassembleTasm(program));
}

}  // namespace

int TirLowerCommand(const CommandLine& line, isa::Console& console) {
  std::string path;
  std::string out = "-";
  bool plain = false;
  Arguments arguments("tir lower", "Lower TIR to Triton assembly.", kTirLowerExamples);
  arguments.Positional("file", "TIR text, named *.tir", path);
  arguments.Text("-o,--out", "FILE", "Write the assembly there (default standard output)", out);
  arguments.Flag("--no-peepholes", "Leave out the peephole rules of TIR and TASM", plain);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<void> lowered = Lower(path, out, plain);
  if (!lowered) return FailWith(lowered.error(), console);
  return Value(ExitCode::kHalted);
}

}  // namespace txvm::frontends::cli
