#include "frontends/cli/program/compile_folded.h"

#include <fmt/format.h>

#include "isa/support/text.h"
#include "isa/verify.h"
#include "vm/folded/c_text.h"
#include "vm/folded/ir.h"
#include "vm/folded/machine_code.h"
#include "vm/folded/routine_map.h"
#include "vm/folded/sizes.h"

namespace txvm::frontends::cli {

isa::Result<std::string> FoldIrText(const isa::Program& program) {
  TXVM_TRY(const isa::PathFacts paths, isa::AnalyzePaths(program));
  const bool keeps_all = vm::folded::ReadsOldLocals(program, paths);
  const vm::folded::RoutineMap routines =
      keeps_all ? vm::folded::RoutineMap()
                : vm::folded::RoutineMap(program, vm::folded::CanCompute);
  std::string text = fmt::format("; {}, {}; after ; the instruction that a line is from\n",
                                 isa::CountText(program.functions.size(), "function"),
                                 isa::CountText(program.code.size(), "instruction"));
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const isa::Function& function = program.functions[f];
    text += fmt::format("\n; {}..{}{}{}\n", function.first, function.last,
                        function.name.empty() ? "" : " ", isa::Printable(function.name));
    if (vm::folded::CanBeFolded(function, paths)) {
      text += vm::folded::IrText(vm::folded::Lift(program, paths, f, keeps_all, &routines), true);
    } else {
      text += fmt::format("function {}: too large to be folded, the native engine runs it\n", f);
    }
  }
  return text;
}

isa::Result<std::string> FoldedCText(const isa::Program& program, const std::string& out) {
  return vm::folded::CText(program, vm::folded::FoldedSymbol(out));
}

}  // namespace txvm::frontends::cli
