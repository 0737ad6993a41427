// Random WebAssembly modules that are valid by construction and always stop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/support/random.h"

namespace txvm::tests {

/// A function of a random module that can be called. Types are letters (wasm_numbers.h), with F for
/// funcref and E for externref.
struct RandomExport {
  std::string name;
  std::string params, results;
};

/// A module with what a comparison needs to know of it. Globals are exported as g0, g1, ...; the
/// memory, if there is one, as "memory". Imports, if any: env.mix (ii -> i), env.pair (i -> ii)
/// and, with numbers, env.turn (dfl -> lfd), which returns its arguments in reverse.
struct RandomModule {
  std::string text;
  std::vector<RandomExport> exports;
  std::string globals;  // their types
  bool has_memory = false;
  std::string tables;  // the types of their elements
  std::vector<std::uint32_t> table_sizes;
  // With references: functions that tell what the state is. One that takes an i32 takes the index
  // of an element: "getN" returns it, "callN" calls it, which may change the state.
  std::vector<RandomExport> readers;
  // Every function, imported ones first. Those of linked modules are exported under these names.
  std::vector<RandomExport> functions;
  std::uint32_t hosts = 0;  // functions of env, which come before these
};

/// What a random module may have.
struct RandomWasmOptions {
  bool imports = true;       // in two of five modules
  std::uint32_t locals = 0;  // at least N in every function, parameters not counted
  bool bulk = false;         // memory.copy and memory.fill
  bool numbers = false;      // i64, f32 and f64 too; NaNs are made canonical
  // funcref and externref wherever a type may be; several tables, instructions that change them,
  // segments of each mode; some active segments do not fit
  bool references = false;
  bool vectors = false;  // v128 too; with numbers alone
};

/// The module of a seed: the same on every machine. Functions with parameters and several results,
/// typed blocks, loops, br, br_if, br_table, calls, call_indirect over one or two tables with
/// holes, globals, memory accesses in and out of bounds, memory.grow, a start function, traps.
/// Every call enters at most 60 functions and 200 loop turns.
RandomModule MakeRandomWasm(std::uint64_t seed, const RandomWasmOptions& options = {});

/// Two or three modules. Each may import functions, tables, mutable globals and the memory of those
/// before it, which are called m0, m1, ... in imports; they share the globals that count turns.
/// Tables are exported as t0, t1, ..., imported ones first, as globals are. Has the readers "state"
/// and, with a memory, "bytes", which are numbers made of all there is.
/// REQUIRES: references and numbers, no imports.
std::vector<RandomModule> MakeLinkedWasm(std::uint64_t seed, const RandomWasmOptions& options);

/// A random argument: small numbers, powers of two and their neighbours, any word.
std::uint32_t RandomWord(isa::SplitMix64& random);

}  // namespace txvm::tests
