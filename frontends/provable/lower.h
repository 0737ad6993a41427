// From a WebAssembly module to TIR: programs that can be proved.
//
// Goals: every reachable function on words runs with exactly the results and traps of the machine,
// i64, floats and vectors included once wasm/legalize.h made words of them; a trap is a crash of
// the proof's execution. Non-goals: host functions that answer, a bound on the depth of calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontends/provable/layout.h"
#include "frontends/wasm/module.h"
#include "isa/support/result.h"
#include "neural/triton/tir/op.h"

namespace txvm::frontends::provable {

struct LowerOptions {
  /// Export to run, whose name may be empty; nullopt: _start, main, or the only exported function.
  std::optional<std::string> entry = {};
  /// Words of linear memory the program may touch; nullopt: the memory's initial size. An access
  /// to more crashes, memory.grow to more fails.
  std::optional<std::uint64_t> memory_words = {};
  /// Leaves out writing zeros to RAM that WebAssembly says is zero. A prover chooses RAM that
  /// nobody wrote, so such a program proves nothing unless RAM is known to start as zero.
  bool assume_zero_ram = false;
  /// A memory of more words is cleared at the start only as far as its data reach, the rest as far
  /// as it is touched: an access above what is cleared clears up to it, and every access through a
  /// helper costs 3 cycles more.
  std::uint64_t cleared_at_start = 4096;
  /// Keeps no local on the stack: what that is worth, and a test of the other way.
  bool locals_in_ram = false;
};

/// A program and what its tests need to know of it.
struct Lowered {
  triton::TirModule module;
  Layout layout;
  std::uint32_t params = 0;   // words of public input
  std::uint32_t results = 0;  // words of output at the end, after what host functions printed
};

/// Lowers the entry and all it can reach. The program reads the entry's arguments from its public
/// input, first one first, each below 2^32 or a crash; runs the start function and a library's
/// `_initialize`; calls the entry; writes the results, first one first. env.print_i32 and
/// spectest.print_i32 write their argument, env.putchar its low byte. Errors: kUsage (no such
/// export, or no choice of one); kUnsupported with its place (anything but i32, other imports,
/// several memories); kInvalid (a segment out of bounds); kLimit (more words of data than
/// memory_words, constructs nested too deeply).
isa::Result<Lowered> LowerModule(const wat::Module& module, const LowerOptions& options);

}  // namespace txvm::frontends::provable
