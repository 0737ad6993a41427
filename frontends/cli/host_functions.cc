// What a program run from the command line can call.
#include "frontends/cli/host_functions.h"

#include <cstdio>

#include "isa/word_ops.h"

namespace txvm::frontends::cli {
namespace {

using Args = std::span<const isa::Word>;
using Results = std::span<isa::Word>;

constexpr isa::Word kByteMask = 0xFF;

vm::HostStatus PrintI32(vm::HostContext&, Args args, Results) {
  std::printf("%d\n", isa::Signed(args[0]));
  return vm::HostStatus::Continue();
}

vm::HostStatus Print(vm::HostContext&, Args, Results) { return vm::HostStatus::Continue(); }

// As C's putchar: writes the low byte and returns it.
vm::HostStatus PutChar(vm::HostContext&, Args args, Results results) {
  const isa::Word byte = args[0] & kByteMask;
  if (std::putchar(static_cast<int>(byte)) == EOF) {
    return vm::HostStatus::Failed("putchar cannot write to standard output");
  }
  results[0] = byte;
  return vm::HostStatus::Continue();
}

vm::HostStatus SilentPutChar(vm::HostContext&, Args args, Results results) {
  results[0] = args[0] & kByteMask;
  return vm::HostStatus::Continue();
}

vm::HostStatus ProcExit(vm::HostContext&, Args args, Results) {
  return vm::HostStatus::Exit(isa::Signed(args[0]));
}

}  // namespace

vm::Linker HostFunctions(bool silent) {
  vm::Linker linker;
  linker.Define("env", "print_i32", 1, 0, silent ? Print : PrintI32);
  linker.Define("env", "putchar", 1, 1, silent ? SilentPutChar : PutChar);
  linker.Define("spectest", "print", 0, 0, Print);
  linker.Define("spectest", "print_i32", 1, 0, silent ? Print : PrintI32);
  linker.Define("wasi_snapshot_preview1", "proc_exit", 1, 0, ProcExit);
  return linker;
}

}  // namespace txvm::frontends::cli
