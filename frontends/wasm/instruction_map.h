// Which instruction of wat::Module stands for an instruction of the binary format.
#pragma once

#include <array>

#include "frontends/wasm/module.h"
#include "frontends/wasm/opcodes.h"

namespace txvm::frontends::wasm {

/// By Op: the instruction for one without an immediate, or a load or store, whose offset is then
/// put into `a`; kUnsupported where txvm lacks it.
extern const std::array<wat::Instr, kOpCount> kInstrOfOp;

}  // namespace txvm::frontends::wasm
