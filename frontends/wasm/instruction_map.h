// Which instruction of wat::Module stands for an instruction of the binary format.
#pragma once

#include <optional>

#include "frontends/wasm/opcodes.h"
#include "frontends/wat/module.h"

namespace txvm::frontends::wasm {

/// The instruction for one without an immediate, or a load or store, whose offset is then put into
/// `a`. nullptr where txvm lacks it.
const wat::Instr* FindInstr(Op op);

}  // namespace txvm::frontends::wasm
