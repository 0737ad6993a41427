// Routines: programs of word instructions that do the work of one instruction of WebAssembly.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "asm/structured.h"

namespace txvm::frontends::wat {

/// The number of the routine that does the work of the instruction `text`; nullopt when none does.
std::optional<std::uint32_t> FindRoutine(std::string_view text);

/// Its code as a function of the program; it calls nothing. REQUIRES: FindRoutine gave `number`.
const assembler::FunctionCode& RoutineCode(std::uint32_t number);

}  // namespace txvm::frontends::wat
