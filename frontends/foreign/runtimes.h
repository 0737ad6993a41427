// Other runtimes, as child processes, to compare with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program.h"
#include "isa/support/result.h"
#include "isa/support/system/child_process.h"
#include "isa/word_ops.h"

namespace txvm::frontends::foreign {

/// What a WASI program finds; for wasmtime.
struct ForeignSurroundings {
  /// A folder of the system and the program's name for it.
  struct Folder {
    std::string host, guest;
  };
  std::vector<std::string> arguments;    // the program's name first
  std::vector<std::string> environment;  // NAME=VALUE
  std::vector<Folder> folders;
  std::string input;
};

/// One call of one export, in the forms the runtimes take it.
struct ForeignCall {
  const isa::Program* program = nullptr;          // for Lua, which runs a translation of it
  std::string wasm;                               // the binary module; empty when there is none
  std::string no_wasm;                            // why not
  std::string name;                               // the export
  std::vector<isa::Word> args;                    // low words first
  std::vector<isa::ValueType> result_types = {};  // for Lua, which prints words; empty: all i32
  std::uint32_t start = 0;                        // stub in `program`
  std::string before;  // export to call first, without arguments; may be empty
  ForeignSurroundings wasi = {};
  isa::StopTest stop;  // ends the call early; may be empty
};

/// What a runtime answered. INVARIANT: `problem` is empty iff it ran the program to an end.
struct ForeignAnswer {
  std::string problem;  // "not installed", "timed out", ...
  bool trapped = false;
  bool exhausted = false;                       // trapped because its own stack is too small
  std::optional<int> exit_code = std::nullopt;  // of proc_exit; else it returned or trapped
  std::vector<isa::Value> results;
  double seconds = 0;            // wall time
  double cpu_seconds = 0;        // CPU time of the same
  bool includes_startup = true;  // of the process, parsing and compiling; else the call alone
};

/// The runtimes compare knows: "wasm-interp", "wasm3", "wasmtime", "node", "lua". Of wasmtime, its
/// package for Python will do where its program is not installed.
std::vector<std::string_view> ForeignRuntimes();

/// Runs the call on `runtime`, at most `seconds`. A runtime that is missing or cannot run this
/// program is an answer with a problem, never an error.
ForeignAnswer RunForeign(std::string_view runtime, const ForeignCall& call, double seconds);

/// The binary module of a .wat or .wasm text, through wat2wasm where needed; kUnsupported says why
/// there is none.
isa::Result<std::string> WasmOf(std::string_view bytes, bool is_text, double seconds);

}  // namespace txvm::frontends::foreign
