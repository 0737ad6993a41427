// txvm tir: provable code. Picks the command; each has its own file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/triton/tir_commands.h"

namespace txvm::frontends::cli {
namespace {

struct Row {
  std::string_view name;
  int (*function)(const CommandLine&, isa::Console&);
  std::string_view summary;
};
constexpr auto kRows = std::to_array<Row>({
#define TXVM_TIR_COMMAND(name, Function, summary) {#name, Function, summary},
#include "frontends/cli/triton/tir_commands.def"
#undef TXVM_TIR_COMMAND
});

std::string Help() {
  std::string text =
      "Provable code: TIR and Triton assembly\n\nUsage: txvm tir COMMAND [OPTIONS] ...\n\n"
      "Commands:\n";
  for (const Row& row : kRows) text += fmt::format("  {:<9} {}\n", row.name, row.summary);
  return text + "\nExample:\n  txvm tir profile program.tasm --input 1,2,3\n";
}

const Row* FindRow(std::string_view name) {
  const auto* found = std::ranges::find(kRows, name, &Row::name);
  return found == kRows.end() ? nullptr : found;
}

}  // namespace

int TirCommand(const CommandLine& line, isa::Console& console) {
  if (line.empty()) {
    console.Err(Help());
    return Value(ExitCode::kUsage);
  }
  CommandLine rest(line.begin() + 1, line.end());
  std::string name = line.front();
  if (AsksForHelp(name)) {
    if (rest.empty() || AsksForHelp(rest.front())) {
      console.Out(Help());
      return Value(ExitCode::kHalted);
    }
    name = std::exchange(rest.front(), "--help");
  }
  if (const Row* row = FindRow(name)) return row->function(rest, console);
  return FailWith({isa::ErrorCode::kUsage,
                   fmt::format("'{}' is no command of txvm tir; see txvm tir --help", name),
                   {},
                   {}},
                  console);
}

}  // namespace txvm::frontends::cli
