// Exit codes from errors and outcomes.
#include "frontends/cli/support/exit_code.h"

#include <fmt/format.h>

namespace txvm::frontends::cli {

ExitCode ExitCodeFor(isa::ErrorCode code) {
  switch (code) {
    case isa::ErrorCode::kSyntax:
    case isa::ErrorCode::kInvalid:
    case isa::ErrorCode::kUnsupported:
    case isa::ErrorCode::kCorrupt:
    case isa::ErrorCode::kIo:
      return ExitCode::kBadInput;
    case isa::ErrorCode::kLimit:
    case isa::ErrorCode::kMemory:
      return ExitCode::kLimit;
    case isa::ErrorCode::kUsage:
      return ExitCode::kUsage;
    case isa::ErrorCode::kInterrupted:
      return ExitCode::kInterrupted;
    case isa::ErrorCode::kHost:
    case isa::ErrorCode::kInternal:
      return ExitCode::kInternal;
  }
  return ExitCode::kInternal;
}

int ExitCodeFor(const vm::RunResult& result) {
  switch (result.outcome) {
    case vm::Outcome::kHalted:
      return Value(ExitCode::kHalted);
    case vm::Outcome::kTrapped:
      return Value(result.trap->cause == isa::Trap::kUncaughtException ? ExitCode::kException
                                                                       : ExitCode::kTrap);
    case vm::Outcome::kExited:
      return IsExitCode(result.exit_code) ? result.exit_code : Value(ExitCode::kInternal);
    case vm::Outcome::kOutOfFuel:
      return Value(ExitCode::kOutOfFuel);
    case vm::Outcome::kInterrupted:
      return Value(result.interrupt == vm::InterruptReason::kTimeout ? ExitCode::kTimeout
                                                                     : ExitCode::kInterrupted);
    case vm::Outcome::kHostError:
      return Value(ExitCode::kInternal);
  }
  return Value(ExitCode::kInternal);
}

std::string ExitCodeHelp() {
  std::string text;
#define TXVM_EXIT(code, Name, meaning) text += fmt::format("  {:>3}  {}\n", code, meaning);
#include "frontends/cli/support/exit_codes.def"
#undef TXVM_EXIT
  return text + fmt::format("    n  {}\n", kOwnExitCode);
}

}  // namespace txvm::frontends::cli
