// txvm verify: does the validator accept these programs?
#include <fmt/format.h>

#include <algorithm>

#include "frontends/cli/program/input.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "isa/support/file.h"
#include "isa/support/text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kVerifyExamples =
    "  txvm verify program.txp\n"
    "  txvm verify examples/*.wat && echo all good\n";

isa::Result<std::string> VerifyFile(const std::string& path, const InputOptions& input) {
  TXVM_TRY(const std::shared_ptr<const isa::Program> program, LoadInput(path, input));
  TXVM_TRY(const isa::Verified verified, VerifyInput(*program, path));
  const std::vector<std::uint32_t>& heights = verified.max_height;
  const std::uint32_t slots = heights.empty() ? 0 : *std::ranges::max_element(heights);
  return fmt::format("{}: ok, {}, {}, at most {} a function\n", isa::DisplayName(path),
                     isa::CountText(program->code.size(), "instruction"),
                     isa::CountText(program->functions.size(), "function"),
                     isa::CountText(slots, "operand slot"));
}

}  // namespace

int VerifyCommand(const CommandLine& line, isa::Console& console) {
  std::vector<std::string> paths;
  InputOptions input;
  Arguments arguments("verify", "Check programs by every rule of the validator.", kVerifyExamples);
  arguments.Rest("files", "Programs in any format; - for standard input", paths, 1);
  AddInputOptions(arguments, input);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  int code = Value(ExitCode::kHalted);
  for (const std::string& path : paths) {
    const isa::Result<std::string> text = VerifyFile(path, input);
    if (text) {
      console.Out(*text);
    } else if (const int failed = FailWith(text.error(), console); code == 0) {
      code = failed;
    }
  }
  return code;
}

}  // namespace txvm::frontends::cli
