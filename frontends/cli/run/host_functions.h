// What a program run from the command line can call.
#pragma once

#include <vector>

#include "frontends/cli/run/run_options.h"
#include "frontends/wasi/wasi.h"
#include "isa/program.h"
#include "vm/host.h"

namespace txvm::frontends::cli {

/// What a program can call, and the state of its WASI calls.
struct HostSet {
  vm::Linker linker;
  wasi::State wasi;
  bool uses_wasi = false;  // the program's run changes `wasi`; AnswerImports sets it
};

/// print_i32(i32) and putchar(i32) -> i32 of module "env", print() (writes nothing) and
/// print_i32(i32) of module "spectest", and WASI preview 1 as settings.host grants it. All print to
/// stdout (WASI also to stderr) and read standard input or settings.input_path. When
/// settings.silent, they use settings.host.streams alone, which may be empty. A read that waits
/// ends when the session is asked to stop. settings.define adds its own. Errors: kIo for a folder
/// or file that cannot be opened.
isa::Result<HostSet> HostFunctions(const RunSettings& settings);

/// What a program reads by settings.input_path: see HostFunctions. Errors: kIo.
isa::Result<wasi::ReadFunction> InputFunction(const RunSettings& settings);

/// Defines what the program imports and `host` lacks, as settings.imports say, and tells what
/// nobody asked for. Clocks and random numbers are those of WASI. Errors: kUsage for a rule that
/// does not suit; kInvalid, as InProgram gives it, for a function that nobody provides, with its
/// type and ways to give it.
isa::Result<void> AnswerImports(const isa::Program& program, const RunSettings& settings,
                                HostSet& host);

/// Defines every function that the program imports and `linker` lacks: a call of it traps, and the
/// trap names it.
void TrapUnknownImports(const isa::Program& program, vm::Linker& linker);

/// The words that settings.arguments are for `entry`. A WASI program's `_start` takes none: it
/// finds them as text with args_get, after the program's name. Errors: ParseArguments'; kUsage for
/// a count that an entry which is no export (nullptr) does not take; kLimit for one that
/// settings.limits have no room for there.
isa::Result<std::vector<isa::Word>> EntryWords(const isa::Program& program,
                                               const isa::Export* entry,
                                               const RunSettings& settings);

}  // namespace txvm::frontends::cli
