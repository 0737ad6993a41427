// Several memories and 64-bit addresses, as the one memory of 32-bit addresses that the machine
// has.
#pragma once

#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// Pages that one of several memories can grow to, where its maximum is not less and it is not the
/// last one: that may take all that is left.
inline constexpr std::uint32_t kMemoryRoom = 4'096;

/// Whether an instruction is a load or store, atomic ones included.
bool IsAccess(const Instr& instr);

/// Whether the module has several memories or 64-bit addresses, so that LowerAddresses changes it.
bool NeedsAddresses(const Module& module);

/// Puts every memory into a range of its own of one memory; Module::memory_ranges says where. Each
/// access becomes a call of a function that checks it against the size of its memory, which a
/// global holds. The memory that is exported as "memory", or else memory 0, begins at address 0. A
/// memory grows within its range only; -1 beyond. Of a single memory only 64-bit addresses are
/// changed: one of 2^32 or more is out of bounds, and it never grows beyond 65,536 pages. Indices
/// into 64-bit tables become 32-bit ones: what does not fit is beyond every table. A module with at
/// most one memory and no 64-bit address is returned as it is: nothing costs it anything. Errors:
/// kLimit (the memories together, or a 64-bit one, have more than 65,536 pages at first), kInvalid
/// (a data segment outside its memory), kUnsupported (an import that is no function). Cost O(code).
isa::Result<Module> LowerAddresses(Module module);

}  // namespace txvm::frontends::wat
