// From argv to a subcommand.
// Declared in frontends/cli/support/commands.h.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/stop.h"
#include "frontends/cli/version.h"
#include "isa/support/edit_distance.h"

namespace txvm::frontends::cli {
namespace {

using Function = int (*)(const CommandLine&, isa::Console&);
struct Command {
  std::string_view name;
  Function function;
  std::string_view summary;
};
constexpr auto kCommands = std::to_array<Command>({
#define TXVM_COMMAND(name, Function, summary) {#name, Function, summary},
#include "frontends/cli/support/commands.def"
#undef TXVM_COMMAND
});

constexpr std::string_view kDispatchExamples =
    "Examples:\n"
    "  txvm examples/fib.wat --invoke fib 10\n"
    "  txvm run program.wasm --engine native --stats\n"
    "  txvm compare examples/fib.wat --invoke fib 30\n"
    "  txvm run --help\n";

std::string Help() {
  std::string text =
      "txvm: a virtual machine that is a compiled transformer\n\n"
      "Usage: txvm COMMAND [OPTIONS] ...\n"
      "       txvm FILE [OPTIONS] ...       the same as txvm run FILE\n\nCommands:\n";
  for (const Command& command : kCommands) {
    text += fmt::format("  {:<11} {}\n", command.name, command.summary);
  }
  text += "\nOptions:\n  -h, --help     Print this help, or that of a command, and exit\n";
  text += "      --version  Print the version and exit\n\nExit codes:\n" + ExitCodeHelp();
  return text + "\n" + std::string(kDispatchExamples);
}

const Command* FindCommand(std::string_view name) {
  const auto* found = std::ranges::find(kCommands, name, &Command::name);
  return found == kCommands.end() ? nullptr : found;
}

// A word that is no command is a program when it looks like a path or is a file.
bool LooksLikeFile(const std::string& word) {
  if (word == "-") return true;
  if (word.starts_with('-')) return false;
  return word.find_first_of("./") != std::string::npos || access(word.c_str(), F_OK) == 0;
}

/// `what` the word is not: "no command", or more.
isa::Error UnknownCommand(const std::string& word, std::string_view what) {
  constexpr std::size_t kFarthest = 2;      // edits that still count as a slip
  constexpr std::size_t kLongestWord = 40;  // no command is near a longer word
  std::string hint;
  if (word.size() <= kLongestWord) {
    const auto slips = [&](const Command& command) {
      return isa::TypingSlips(word, command.name, kFarthest);
    };
    const auto nearest = std::ranges::min_element(kCommands, {}, slips);
    if (slips(*nearest) <= kFarthest) hint = fmt::format(" (did you mean {}?)", nearest->name);
  }
  return {isa::ErrorCode::kUsage,
          fmt::format("'{}' is {}{}; see txvm --help", word, what, hint),
          {},
          {}};
}

/// txvm help [COMMAND ...]
int HelpOn(const CommandLine& topic, isa::Console& console) {
  if (topic.empty() || AsksForHelp(topic.front())) {
    console.Out(Help());
    return Value(ExitCode::kHalted);
  }
  const Command* command = FindCommand(topic.front());
  if (command == nullptr) return FailWith(UnknownCommand(topic.front(), "no command"), console);
  CommandLine line(topic);
  line.front() = "--help";
  return command->function(line, console);
}

int Dispatch(const std::vector<std::string>& arguments, isa::Console& console) {
  if (arguments.empty()) {
    console.Err(Help());
    return Value(ExitCode::kUsage);
  }
  const std::string& first = arguments.front();
  const CommandLine rest(arguments.begin() + 1, arguments.end());
  if (const Command* command = FindCommand(first)) return command->function(rest, console);
  if (AsksForHelp(first)) return HelpOn(rest, console);
  if (first == "--version") {
    console.Out(VersionText());
    return Value(ExitCode::kHalted);
  }
  if (LooksLikeFile(first)) return RunCommand(arguments, console);
  return FailWith(UnknownCommand(first, "no command and no file"), console);
}

}  // namespace

std::vector<std::string_view> CommandNames() {
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) names.push_back(command.name);
  return names;
}

std::vector<std::string_view> CommandPaths() {
  std::vector<std::string_view> paths = CommandNames();
#define TXVM_TIR_COMMAND(name, Function, summary) paths.push_back("tir " #name);
#include "frontends/cli/triton/tir_commands.def"
#undef TXVM_TIR_COMMAND
  return paths;
}

bool AsksForHelp(std::string_view word) {
  return word == "--help" || word == "-h" || word == "help";
}

std::optional<int> ParseOrExit(Arguments& arguments, const CommandLine& line,
                               isa::Console& console) {
  const isa::Result<Arguments::Next> next = arguments.Parse(line);
  if (!next) return FailWith(next.error(), console);
  if (*next == Arguments::Next::kRun) return std::nullopt;
  console.Out(arguments.Help());
  return Value(ExitCode::kHalted);
}

int FailWith(const isa::Error& error, isa::Console& console) {
  console.Error(error);
  return Value(ExitCodeFor(error.code));
}

int Main(const std::vector<std::string>& arguments, isa::Console& console) {
  const int code = Dispatch(arguments, console);
  // After Ctrl-C, do not block on a FIFO that nobody reads.
  if (console.Finish(!StopGuard::WasRequested())) return code;
  console.Note("error: cannot write to standard output");
  return code == 0 ? Value(ExitCode::kInternal) : code;
}

}  // namespace txvm::frontends::cli
