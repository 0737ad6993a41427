// How txvm tells a script what happened: a projection of exit_codes.def. A program that calls
// proc_exit(n) ends txvm with n itself, or with kInternal where no process can end with n.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/support/result.h"
#include "vm/outcome.h"

namespace txvm::frontends::cli {

enum class ExitCode : int {
#define TXVM_EXIT(code, Name, meaning) k##Name = code,
#include "frontends/cli/support/exit_codes.def"
#undef TXVM_EXIT
};

constexpr int Value(ExitCode code) { return static_cast<int>(code); }

/// The exit code of a command that failed with this kind of error.
ExitCode ExitCodeFor(isa::ErrorCode code);

/// Whether a process can end with this code: the system keeps eight bits of it.
constexpr bool IsExitCode(std::int64_t code) { return code >= 0 && code <= 255; }

/// Any exit code n may also be the program's own.
inline constexpr std::string_view kOwnExitCode =
    "the program called proc_exit(n), or its C main returned n: 0 to 255, any other n ends with 1 "
    "and a message";

/// The exit code of a finished run; the program's own code when it exited, if IsExitCode.
int ExitCodeFor(const vm::RunResult& result);

/// The table and kOwnExitCode as text, one "  code  meaning" line each, for --help.
std::string ExitCodeHelp();

}  // namespace txvm::frontends::cli
