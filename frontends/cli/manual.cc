// txvm manual: the manual page, a projection of commands.def and exit_codes.def.
#include <fmt/format.h>

#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kHead = R"(.TH TXVM 1 "" "txvm @VERSION@" "User Commands"
.SH NAME
txvm \- a virtual machine that is a compiled transformer
.SH SYNOPSIS
.B txvm
.I COMMAND
.RI [ OPTIONS ]
\&...
.br
.B txvm
.I FILE
.RI [ OPTIONS ]
.RI [ ARGUMENTS ]
.SH DESCRIPTION
Runs programs of WebAssembly (.wat, .wasm), of C (.c), of its own assembly (.txa) and of its own
binary form (.txp). A
.I FILE
instead of a command means
.BR "txvm run" .
Every command explains its options with
.BR \-\-help .
.SH COMMANDS
)";
constexpr std::string_view kTail = R"(.SH EXAMPLES
.nf
txvm fib.wat --invoke fib 10
txvm run program.wasm --engine native --fuel 1M
txvm compile program.wat -o program.txp
.fi
.SH SEE ALSO
The header txvm.h and docs/EMBEDDING.md, for txvm inside other programs.
)";

/// Text of a line of roff: no escapes, no requests.
std::string Roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '-') escaped += '\\';
    escaped += c;
  }
  return escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" + escaped : escaped;
}

}  // namespace

int ManualCommand(const CommandLine& line, Console& console) {
  Arguments arguments("manual", "Print the manual page, as troff.", "  txvm manual | man -l -\n");
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  std::string text(kHead);
  text.replace(text.find("@VERSION@"), std::string_view("@VERSION@").size(), TXVM_VERSION);
#define TXVM_COMMAND(name, Function, summary) \
  text += fmt::format(".TP\n.B {}\n{}\n", #name, Roff(summary));
#include "frontends/cli/support/commands.def"
#undef TXVM_COMMAND
  text += ".SH EXIT STATUS\n";
#define TXVM_EXIT(code, Name, meaning) text += fmt::format(".TP\n.B {}\n{}\n", code, Roff(meaning));
#include "frontends/cli/support/exit_codes.def"
#undef TXVM_EXIT
  text += fmt::format(".TP\n.I n\n{}\n", Roff(kOwnExitCode));
  console.Out(text + std::string(kTail));
  return Value(ExitCode::kHalted);
}

}  // namespace txvm::frontends::cli
