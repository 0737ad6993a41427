// The options every command that runs a program shares.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cli/program/input.h"
#include "frontends/cli/run/import_option.h"
#include "frontends/cli/run/link_option.h"
#include "frontends/cli/support/arguments.h"
#include "frontends/wasi/wasi.h"
#include "isa/limits.h"
#include "vm/machine.h"

namespace txvm::frontends::cli {

/// What to run, and its limits.
struct RunSettings {
  std::string command;  // what was typed after txvm: "run", "view"; empty: not known
  std::string output;   // of a command that needs one, the file after its -o
  InputOptions input;
  vm::EngineKind engine = vm::EngineKind::kAttention;
  isa::Limits limits;
  std::uint64_t fuel = isa::kUnlimitedFuel;
  std::optional<double> timeout;  // seconds
  bool unverified = false;
  ImportOptions imports;
  std::string weights;  // directory of an exported model to run on; empty: the compiled weights
  bool silent = false;  // host functions use host.streams in place of the process's
  std::string path;
  std::optional<std::string> invoke;   // export to call; nullopt: the default entry
  std::vector<std::string> arguments;  // of the entry, as written
  std::vector<Library> libraries;      // that the program is linked to
  wasi::Options host;                  // what --dir, --env, --clock and --random grant
  bool cuts_grown_files = false;       // when a run is resumed: to their length at the snapshot
  std::string input_path;              // what the program reads; empty: standard input
  std::function<void(vm::Linker&)> define = {};  // further host functions; may be empty
};

/// Adds the file, the entry's arguments and --invoke.
void AddEntryOptions(Arguments& arguments, RunSettings& settings);
/// Adds --dir, --max-open-files, --max-written, --env, --clock, --random and --stdin: what a WASI
/// program finds.
void AddHostOptions(Arguments& arguments, wasi::Options& host, std::string& input_path);
/// The group of every command that runs a given program: AddHostOptions,
/// AddImportOptions, --link.
void AddSurroundings(Arguments& arguments, RunSettings& settings);
/// Adds --engine.
void AddEngineOption(Arguments& arguments, vm::EngineKind& engine);
/// Adds --max-pages, --max-slots, --max-depth and --max-locals.
void AddLimitOptions(Arguments& arguments, isa::Limits& limits);
/// Adds --on-demand, for commands that run a program as it comes.
void AddOnDemandOption(Arguments& arguments, RunSettings& settings);
/// Adds --fuel, --timeout, the limits, the input options and --unverified.
void AddBoundOptions(Arguments& arguments, RunSettings& settings);

/// The program of the settings, linked to its libraries. Errors: LoadLinked's.
isa::Result<std::shared_ptr<const isa::Program>> LoadProgram(const RunSettings& settings);

/// "attention, native, ...": every engine, for errors.
std::string EngineChoices();

}  // namespace txvm::frontends::cli
