// The subcommands of txvm: a projection of commands.def.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontends/cli/support/arguments.h"
#include "isa/support/console.h"

namespace txvm::frontends::cli {

/// The arguments after the command's name.
using CommandLine = std::vector<std::string>;

/// Each does what its summary says and returns the exit code. Nothing is thrown.
#define TXVM_COMMAND(name, Function, summary) \
  int Function(const CommandLine& line, isa::Console& console);
#include "frontends/cli/support/commands.def"
#undef TXVM_COMMAND

/// Names of all commands, in the order of the table.
std::vector<std::string_view> CommandNames();
/// The same and the commands of commands ("tir profile"): everything that has options, or commands
/// with options.
std::vector<std::string_view> CommandPaths();

/// Whether the word in place of a command asks what there is: help, --help or -h.
bool AsksForHelp(std::string_view word);

/// What main does: picks the command, runs it, flushes stdout. Returns the exit code.
int Main(const std::vector<std::string>& arguments, isa::Console& console);

/// Parses for a command: nullopt when it is to run, else the exit code after help or an error has
/// been printed.
std::optional<int> ParseOrExit(Arguments& arguments, const CommandLine& line,
                               isa::Console& console);

/// Prints the error and returns its exit code.
int FailWith(const isa::Error& error, isa::Console& console);

}  // namespace txvm::frontends::cli
