// C programs: clang and wasm-ld make a module of them, wat/ makes a program of the module.
// Goals: C as people write it for the command line, at every optimisation level, with integers of
// 64 bits, floats and files; what clang says is shown as it is; nothing stays in /tmp.
// C++ comes without exceptions and without its standard library, except the headers of C.
// Non-goals: threads; a program that needs them is refused by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/program.h"
#include "isa/support/result.h"
#include "isa/support/system/child_process.h"

namespace txvm::frontends::c {

/// How to compile.
struct CompileOptions {
  int level = 2;                      // -O0 to -O3
  std::vector<std::string> includes;  // folders, for -I
  std::vector<std::string> defines;   // NAME or NAME=VALUE, for -D
  std::vector<std::string> sources;   // paths of further sources of the same program
  bool use_wasm_opt =
      true;              // lower i64 with binaryen where it is installed and the module is small
  bool optimize = true;  // txvm's own peephole
  double seconds = 60;   // each tool may take
  isa::StopTest stop;    // asked while a tool runs; may be empty
};

/// What came of it. `diagnostics` is what clang printed, warnings of a success included.
struct Compilation {
  isa::Result<isa::Program> program;
  std::string diagnostics;
};

/// Compiles a source, with options.sources; one named .cc, .cpp or .cxx is C++. `path` is what
/// clang reads, or "" for `text`, which it then calls <stdin>; `name` becomes Program::source. A
/// source with main gets an export `_start` that calls it with the arguments of WASI's args_get; of
/// one without, every function that is not static is exported, and its constructors are the
/// program's start function (init). Errors: kHost (no clang, no wasm-ld, a tool that takes too
/// long), kSyntax (clang or the linker refuses: `diagnostics` says why), kLimit (more than
/// cli::kMaxFileBytes with the zeroed variables), those of wat::LoadWasm.
Compilation CompileC(const std::string& path, std::string_view text, std::string_view name,
                     const CompileOptions& options);

/// The module that CompileC hands to wat/, before and after wasm-opt: for tests and the curious.
struct LinkedModule {
  isa::Result<std::string> bytes;
  std::string diagnostics;
  bool used_wasm_opt = false;
};
LinkedModule LinkC(const std::string& path, std::string_view text, std::string_view name,
                   const CompileOptions& options);

}  // namespace txvm::frontends::c
