// Host functions of the random programs, once for the machine and once for the reference.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/program.h"
#include "tests/support/reference_interpreter.h"
#include "vm/host.h"

namespace txvm::support {

/// memory.size and memory.grow of module txvm, and module test:
///   sums    a b c -> a+b+c, a-b     poke  a v -> ; v is written to byte a mod size, if there is
///   one trap_if c -> ; traps if c = 3   exit_if c -> ; exits with code 7 if c = 5 fail_if c -> ;
///   host error if c = 6    five -> 1 2 3 4 5
const std::vector<isa::Import>& TestImports();

/// Module test for a Machine.
vm::Linker TestLinker();

/// Module test for the reference interpreter.
const ReferenceHosts& TestReferenceHosts();

}  // namespace txvm::support
