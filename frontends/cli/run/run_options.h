// The options every command that runs a program shares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cli/program/input.h"
#include "frontends/cli/support/arguments.h"
#include "frontends/wasi/wasi.h"
#include "isa/limits.h"
#include "vm/machine.h"

namespace txvm::frontends::cli {

/// What to run, and its limits.
struct RunSettings {
  InputOptions input;
  vm::EngineKind engine = vm::EngineKind::kAttention;
  isa::Limits limits;
  std::uint64_t fuel = isa::kUnlimitedFuel;
  std::optional<double> timeout;  // seconds
  bool unverified = false;
  bool trap_unknown_imports = false;  // when they are called; else the program is refused
  std::string weights;  // directory of an exported model to run on; empty: the compiled weights
  bool silent = false;  // host functions print nothing
  std::string path;
  std::optional<std::string> invoke;   // export to call; nullopt: the default entry
  std::vector<std::string> arguments;  // of the entry, as written
  wasi::Options host;                  // what --dir, --env, --clock and --random grant
};

/// Adds the file, the entry's arguments and --invoke.
void AddEntryOptions(Arguments& arguments, RunSettings& settings);
/// Adds --dir, --env, --clock and --random: what a WASI program finds.
void AddHostOptions(Arguments& arguments, wasi::Options& host);
/// Adds --unknown-imports.
void AddImportOption(Arguments& arguments, bool& trap_unknown);
/// Adds --engine.
void AddEngineOption(Arguments& arguments, vm::EngineKind& engine);
/// Adds --max-pages, --max-slots, --max-depth and --max-locals.
void AddLimitOptions(Arguments& arguments, isa::Limits& limits);
/// Adds --fuel, --timeout, the limits, the input options and --unverified.
void AddBoundOptions(Arguments& arguments, RunSettings& settings);

/// "attention, native, ...": every engine, for errors.
std::string EngineChoices();

}  // namespace txvm::frontends::cli
