#include "frontends/wat/routine.h"

namespace txvm::frontends::wat {

std::optional<std::uint32_t> FindRoutine(std::string_view) { return std::nullopt; }

const assembler::FunctionCode& RoutineCode(std::uint32_t) {
  static const assembler::FunctionCode none;
  return none;
}

}  // namespace txvm::frontends::wat
