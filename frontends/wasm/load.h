// WebAssembly modules in binary form as programs of this machine.
// Goals: everything of WebAssembly 2.0 runs, and relaxed vectors, atomics in one thread, tail calls
// and extended constant expressions too; a function that needs more loads as a stub that says which
// instruction it needs; no input crashes, hangs or allocates without bound. i64 and floats become
// words on request (legalize.h). Several memories and 64-bit addresses become one memory
// of 32-bit ones (addresses.h). Non-goals: more than one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "frontends/wasm/module.h"
#include "isa/program.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// How to turn a module into a program.
struct LoadOptions {
  bool optimize = true;    // peephole and constant globals; off for a literal lowering
  bool lower_i64 = false;  // i64 and floats as words; off: a function that needs them is a stub
  // Elements of a table that code changes. One that nothing changes may have any number.
  std::uint32_t max_table = 65'536;
  bool drop_uncalled = false;  // leave out what can never be called (uncalled.h)
  // What bytes in the trap notes of a binary module are said to be of; empty: its file.
  std::string_view bytes_of = {};
};

/// Lowers a module that a reader accepted. Host imports keep their module and field names;
/// memory.size and memory.grow become imports of vm::kBuiltinModule; memory.copy and memory.fill
/// call functions of these names after the module's own; the imports of Emscripten's setjmp and
/// longjmp get bodies (jumps.h); an import whose type is not i32 only
/// (after lower_i64) is left out, and calling it is an unsupported instruction. Without lower_i64 a
/// tail call takes a frame.
/// Errors: kUnsupported (a module txvm cannot hold at all: imported memory, table or global),
/// kInvalid (an element segment outside its table), kLimit (types, code; with both numbers).
isa::Result<isa::Program> LowerModule(Module module, const LoadOptions& options);

/// LowerModule without its last step: a module that Lower (lower.h) takes.
isa::Result<Module> RunPasses(Module module, const LoadOptions& options);

/// Reads and lowers a module in binary form; `file` names it in errors and in Program::source.
/// Errors: those of wasm::ReadModule, with the byte offset and the function, and of LowerModule.
/// Starts no process and no thread. Thread-safe.
isa::Result<isa::Program> LoadWasm(std::span<const std::uint8_t> bytes, std::string_view file,
                                   const LoadOptions& options = {});

/// Where a module uses numbers that are no i32.
struct WideUse {
  bool in_code = false;       // i64: an instruction, a local or a global
  bool in_interface = false;  // i64: the type of an import or an export
  bool has_floats = false;    // anywhere
  bool has_vectors = false;   // anywhere
};

/// Reads a binary module for that alone. Errors are LoadWasm's.
isa::Result<WideUse> FindWideUse(std::span<const std::uint8_t> bytes, std::string_view file);

/// Whether `bytes` begin with the magic number of a binary module.
bool IsWasm(std::span<const std::uint8_t> bytes);

}  // namespace txvm::frontends::wat
