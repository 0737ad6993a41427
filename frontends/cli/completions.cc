// txvm completions: what a shell needs to complete the command line. The commands are those of
// commands.def; options are read off `txvm COMMAND --help` when they are asked for.
#include <fmt/format.h>

#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "isa/support/text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kCompletionsExamples =
    "  txvm completions bash > ~/.local/share/bash-completion/completions/txvm\n"
    "  txvm completions zsh > ~/.zfunc/_txvm\n"
    "  txvm completions fish > ~/.config/fish/completions/txvm.fish\n";

// Of a word after a command, as in `txvm tir profile`, the command's help may depend. Lines, not
// words, become completions: a file's name may hold blanks.
constexpr std::string_view kBash = R"sh(# bash completion for txvm
_txvm_options() {
  "$@" --help 2>/dev/null | sed -n 's/^ *\(-[^ ]*\).*/\1/p' | tr ',' '\n'
}
_txvm() {
  local word=${COMP_WORDS[COMP_CWORD]} command=("${COMP_WORDS[1]}")
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(
      compgen -W '@COMMANDS@ --help --version' -- "$word"
      compgen -f -- "$word"
    )
  elif [[ $word == -* ]]; then
    if [[ " @COMMANDS@ " != *" $command "* ]]; then
      command=run
    elif [[ ${COMP_WORDS[2]} != -* ]]; then
      command+=("${COMP_WORDS[2]}")
    fi
    mapfile -t COMPREPLY < <(
      compgen -W "$(_txvm_options "${COMP_WORDS[0]}" "${command[@]}")" -- "$word"
    )
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _txvm txvm
)sh";

constexpr std::string_view kZsh = R"sh(#compdef txvm
_txvm() {
  local -a commands command options
  commands=(
@DESCRIBED@  )
  if ((CURRENT == 2)); then
    _describe command commands
    _files
  elif [[ $words[CURRENT] == -* ]]; then
    local name=$words[2]
    if ((!$commands[(I)$name:*])); then
      command=(run)
    elif [[ $words[3] == -* ]]; then
      command=($name)
    else
      command=($name $words[3])
    fi
    options=(${(f)"$($words[1] $command --help 2>/dev/null | sed -n 's/^ *\(-[^ ]*\).*/\1/p' | tr ',' '\n')"})
    compadd -a options
  else
    _files
  fi
}
_txvm "$@"
)sh";

constexpr std::string_view kFish = R"sh(# fish completion for txvm
function __txvm_options
  set -l words (commandline -opc)
  set -l command run
  if contains -- "$words[2]" @COMMANDS@
    set command $words[2] (string match -v -- '-*' $words[3])
  end
  $words[1] $command --help 2>/dev/null | sed -n 's/^ *\(-[^ ]*\).*/\1/p' | tr ',' '\n'
end
@DESCRIBED@complete -c txvm -n 'string match -q -- "-*" (commandline -ct)' -a '(__txvm_options)'
)sh";

struct Row {
  std::string_view name, summary;
};
constexpr Row kRows[] = {
#define TXVM_COMMAND(name, Function, summary) {#name, summary},
#include "frontends/cli/support/commands.def"
#undef TXVM_COMMAND
};

/// Summaries stand between single quotes: a backtick or a quote in them would end the text early.
std::string Plain(std::string_view summary) {
  std::string text(summary);
  std::erase_if(text, [](char c) { return c == '\'' || c == '`'; });
  return text;
}

std::string Filled(std::string_view script, std::string_view row_format) {
  std::string names, described;
  for (const Row& row : kRows) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", row.name);
    const std::string line = isa::Replaced(row_format, "@NAME@", row.name);
    described += isa::Replaced(line, "@SUMMARY@", Plain(row.summary));
  }
  return isa::Replaced(isa::Replaced(script, "@COMMANDS@", names), "@DESCRIBED@", described);
}

}  // namespace

int CompletionsCommand(const CommandLine& line, isa::Console& console) {
  std::string shell;
  Arguments arguments("completions", "Print the completions of a shell.", kCompletionsExamples);
  arguments.Positional("shell", "bash, zsh or fish", shell);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  if (shell == "bash") {
    console.Out(Filled(kBash, ""));
  } else if (shell == "zsh") {
    console.Out(Filled(kZsh, "    '@NAME@:@SUMMARY@'\n"));
  } else if (shell == "fish") {
    console.Out(
        Filled(kFish, "complete -c txvm -n __fish_use_subcommand -a @NAME@ -d '@SUMMARY@'\n"));
  } else {
    return FailWith({isa::ErrorCode::kUsage,
                     fmt::format("shell '{}' is unknown: bash, zsh or fish", shell),
                     {},
                     {}},
                    console);
  }
  return Value(ExitCode::kHalted);
}

}  // namespace txvm::frontends::cli
