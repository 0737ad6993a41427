// What a program run from the command line can call.
#pragma once

#include "vm/host.h"

namespace txvm::frontends::cli {

/// print_i32(i32) and putchar(i32) -> i32 of module "env", print() (writes nothing) and
/// print_i32(i32) of module "spectest", proc_exit(i32) of module "wasi_snapshot_preview1". All
/// print to stdout, or nowhere when `silent`.
vm::Linker HostFunctions(bool silent = false);

}  // namespace txvm::frontends::cli
