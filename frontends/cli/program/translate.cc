// txvm asm, disasm and compile: one program written in another format.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "frontends/cli/program/compile_folded.h"
#include "frontends/cli/program/compile_provable.h"
#include "frontends/cli/program/input.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "isa/disassemble.h"
#include "isa/program_file.h"
#include "isa/support/file.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kAsmExamples =
    "  txvm asm fib.txa                 writes fib.txp\n"
    "  txvm asm fib.txa -o out.txp\n";
constexpr std::string_view kDisasmExamples =
    "  txvm disasm fib.txp\n"
    "  txvm disasm fib.wat -o fib.txa   the result assembles to the same program\n";
constexpr std::string_view kCompileExamples =
    "  txvm compile fib.wat             writes fib.txp\n"
    "  txvm compile fib.c -O3 -o fib.txp\n"
    "  txvm compile fib.wasm -o fib.txa --no-opt\n"
    "  txvm compile fib.wat --target tasm --invoke fib --memory-words 256\n"
    "  txvm compile fib.wat --target fold-ir -o -\n"
    "  txvm compile fib.wat --target c  writes fib.c, to be linked with libtxvm_core\n";

constexpr auto kTargets =
    std::to_array<std::string_view>({"txp", "txa", "tir", "tasm", "fold-ir", "c"});
constexpr std::string_view kTargetNames = "txp, txa, tir, tasm, fold-ir or c";

struct TranslateOptions {
  std::string path;
  std::string out;
  InputOptions input;
  bool unverified = false;
};

/// `source` is named where no listing can be made of the program.
isa::Result<void> WriteProgramAs(const isa::Program& program, const std::string& source,
                                 const std::string& path, Format as) {
  if (as == Format::kTxa) {
    isa::Result<std::string> text = isa::Disassemble(program);
    if (!text) return isa::InFile(std::move(text).error(), source);
    return isa::ReplaceFile(path, *text);
  }
  TXVM_TRY(const std::vector<std::uint8_t> bytes, isa::WriteProgram(program));
  return isa::ReplaceFile(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// kUsage when the output would replace the input.
isa::Result<void> CheckOutput(const TranslateOptions& options) {
  std::error_code error;  // an output that is not there yet is no input
  if (!std::filesystem::equivalent(options.path, options.out, error)) return {};
  return isa::Fail(
      isa::ErrorCode::kUsage,
      fmt::format("the output would overwrite {}: name another with -o", options.path));
}

/// A program may be written anew over itself, but not over what it was made from.
isa::Result<void> Translate(const TranslateOptions& options, Format target) {
  TXVM_TRY(const Source source, ReadSource(options.path, options.input));
  if (source.format != target) TXVM_CHECK_OK(CheckOutput(options));
  TXVM_TRY(const std::shared_ptr<const isa::Program> program, ParseSource(source, options.input));
  if (!options.unverified) TXVM_CHECK_OK(VerifyInput(*program, options.path));
  return WriteProgramAs(*program, options.path, options.out, target);
}

int Finish(const isa::Result<void>& done, isa::Console& console) {
  return done ? Value(ExitCode::kHalted) : FailWith(done.error(), console);
}

void DeclareOutput(Arguments& arguments, TranslateOptions& options, const std::string& help) {
  arguments.Text("-o,--output", "FILE", help, options.out);
  arguments.Flag("--unverified", "Write the program even when the validator rejects it",
                 options.unverified);
}

/// The file with another extension: "a/b.wat" -> "a/b.txp"; "-" -> "a.txp".
std::string Renamed(const std::string& path, std::string_view extension) {
  std::string stem = path == "-" ? "a" : path;
  const std::size_t dot = stem.rfind('.');
  const std::size_t slash = stem.rfind('/');
  if (dot != std::string::npos && (slash == std::string::npos || dot > slash)) stem.resize(dot);
  return stem + "." + std::string(extension);
}

/// The output where none is named. kUsage when that is the input itself.
isa::Result<std::string> DefaultOutput(const std::string& path, std::string_view extension) {
  std::string out = Renamed(path, extension);
  if (out != path) return out;
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("the output would overwrite {}: name one with -o", path));
}

isa::Result<void> Assemble(TranslateOptions options) {
  if (options.out.empty()) {
    TXVM_TRY(options.out, DefaultOutput(options.path, FormatName(Format::kTxp)));
  }
  return Translate(options, Format::kTxp);
}

/// What compile is to write: as told, else by the extension of the output, else a .txp file. kUsage
/// for an extension of what it only reads.
isa::Result<std::string_view> TargetOf(std::string_view told, std::string_view out) {
  if (!told.empty()) return told;
  const std::size_t dot = out.rfind('.');
  const std::string_view extension = dot == std::string_view::npos ? "" : out.substr(dot + 1);
  for (const Format source : {Format::kC, Format::kWat, Format::kWasm}) {
    if (extension != FormatName(source)) continue;
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("{} would be a .{} file by its name, but compile writes {}: "
                                 "choose with --target",
                                 out, extension, kTargetNames));
  }
  const auto found = std::ranges::find(kTargets, extension);
  return found == kTargets.end() ? kTargets.front() : *found;
}

/// Writes a folded program as text: its register form, or C.
isa::Result<void> Fold(const TranslateOptions& options, std::string_view target) {
  TXVM_CHECK_OK(CheckOutput(options));
  TXVM_TRY(const std::shared_ptr<const isa::Program> program,
           LoadInput(options.path, options.input));
  TXVM_CHECK_OK(VerifyInput(*program, options.path));
  TXVM_TRY(const std::string text,
           target == "c" ? FoldedCText(*program, options.out) : FoldIrText(*program));
  return isa::ReplaceFile(options.out, text);
}

isa::Result<void> Compile(TranslateOptions options, const ProvableOptions& provable,
                          std::string_view target, isa::Console& console) {
  if (options.out.empty()) {
    TXVM_TRY(options.out, DefaultOutput(options.path, target));
  }
  if (target == "tir" || target == "tasm") {
    TXVM_CHECK_OK(CheckOutput(options));
    TXVM_TRY(const Source source, ReadSource(options.path, options.input));
    return CompileProvable(source, provable, target == "tasm", !options.input.no_opt, options.out,
                           console);
  }
  if (!provable.Given().empty()) {
    return isa::Fail(isa::ErrorCode::kUsage, fmt::format("{} is for --target tir and tasm, not {}",
                                                         provable.Given(), target));
  }
  if (target == "fold-ir" || target == "c") return Fold(options, target);
  return Translate(options, target == "txa" ? Format::kTxa : Format::kTxp);
}

}  // namespace

int AsmCommand(const CommandLine& line, isa::Console& console) {
  TranslateOptions options;
  options.input.format = Format::kTxa;
  Arguments arguments("asm", "Assemble .txa text into a .txp program.", kAsmExamples);
  arguments.Positional("file", "Text to assemble; - for standard input", options.path);
  DeclareOutput(arguments, options, "Program file to write (default: FILE with .txp)");
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  return Finish(Assemble(std::move(options)), console);
}

int DisasmCommand(const CommandLine& line, isa::Console& console) {
  TranslateOptions options;
  options.out = "-";
  options.unverified = true;  // looking at a broken program is what a disassembler is for
  Arguments arguments("disasm", "Print a program as .txa text that assembles back to it.",
                      kDisasmExamples);
  arguments.Positional("file", "Program in any format; - for standard input", options.path);
  arguments.Text("-o,--output", "FILE", "Write to FILE (default: standard output)", options.out);
  AddInputOptions(arguments, options.input);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  return Finish(Translate(options, Format::kTxa), console);
}

int CompileCommand(const CommandLine& line, isa::Console& console) {
  TranslateOptions options;
  ProvableOptions provable;
  std::string target;
  Arguments arguments("compile",
                      "Lower a program to .txp, .txa text, TIR, Triton assembly or folded C.",
                      kCompileExamples);
  arguments.Positional("file", "Program in any format; - for standard input", options.path);
  arguments.Option(
      "-t,--target", "NAME", std::string(kTargetNames) + " (default: by the output's name)",
      [&target](std::string_view text) -> isa::Result<void> {
        if (std::ranges::find(kTargets, text) == kTargets.end()) {
          return isa::Fail(isa::ErrorCode::kUsage,
                           fmt::format("--target '{}' is unknown: {}", text, kTargetNames));
        }
        target = text;
        return {};
      });
  DeclareOutput(arguments, options, "File to write (default: FILE with the target's extension)");
  AddInputOptions(arguments, options.input);
  bool keeps_uncalled = false;
  arguments.Flag("--keep-uncalled",
                 "Keep functions of a module that nothing can call, in a .txp or .txa file",
                 keeps_uncalled);
  provable.AddTo(arguments);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<std::string_view> as = TargetOf(target, options.out);
  if (!as) return FailWith(as.error(), console);
  if (arguments.Has("--unverified") && *as != "txp" && *as != "txa") {
    return FailWith({isa::ErrorCode::kUsage,
                     fmt::format("--unverified is for --target txp and txa, not {}", *as),
                     {},
                     {}},
                    console);
  }
  // Folded C is for the program as the libraries load it from the same module.
  options.input.drop_uncalled = !keeps_uncalled && (*as == "txp" || *as == "txa");
  return Finish(Compile(std::move(options), provable, *as, console), console);
}

}  // namespace txvm::frontends::cli
