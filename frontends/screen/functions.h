// What a program that draws calls: the functions of module "screen".
// C programs have them by <txvm_screen.h>, others by their imports (docs/SCREEN.md).
#pragma once

#include <memory>
#include <string_view>

#include "frontends/screen/stage.h"
#include "isa/program.h"
#include "vm/host.h"

namespace txvm::frontends::screen {

inline constexpr std::string_view kModule = "screen";

/// Whether the program imports one of them.
bool IsImportedBy(const isa::Program& program);

/// draw(pixels, width, height), key() -> event, ticks() -> milliseconds, sleep(milliseconds) and
/// title(text). Sizes and addresses outside the memory trap. draw ends the program, as exit(0)
/// does, when the stage is over. An error of the stage ends the run as a host error.
void Define(vm::Linker& linker, const std::shared_ptr<Stage>& stage);

}  // namespace txvm::frontends::screen
