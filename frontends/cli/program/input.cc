// From a file of any format to a program.
#include "frontends/cli/program/input.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <span>

#include "asm/assembler.h"
#include "frontends/c/compile.h"
#include "frontends/c/cxx_headers.h"
#include "frontends/cli/support/arguments.h"
#include "frontends/cli/support/stop.h"
#include "frontends/wat/load.h"
#include "frontends/wat/reader.h"
#include "isa/program_file.h"
#include "isa/support/file.h"
#include "isa/support/number.h"
#include "isa/support/shown_text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::array<std::string_view, 5> kFormatNames = {"wat", "wasm", "txa", "txp", "c"};
constexpr std::string_view kStandardInput = "<stdin>";
constexpr std::uint32_t kMostTable = 16'777'216;  // 16 instructions each

std::optional<Format> FindFormat(std::string_view name) {
  for (std::size_t i = 0; i < kFormatNames.size(); ++i) {
    if (kFormatNames[i] == name) return static_cast<Format>(i);
  }
  return std::nullopt;
}

std::span<const std::uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

isa::Result<isa::Program> CompileSource(std::string_view text, const std::string& name,
                                        const InputOptions& options) {
  const StopFlag stop;
  c::CompileOptions compile;
  compile.level = options.c_level;
  compile.includes = options.c_includes;
  compile.defines = options.c_defines;
  compile.sources = options.c_sources;
  compile.use_wasm_opt = !options.no_wasm_opt;
  compile.optimize = !options.no_opt;
  compile.stop = [&stop] { return stop.requested(); };
  c::Compilation compilation =
      c::CompileC(name == kStandardInput ? std::string() : name, text, name, compile);
  std::fwrite(compilation.diagnostics.data(), 1, compilation.diagnostics.size(), stderr);
  if (stop.requested()) {
    return isa::Fail(isa::ErrorCode::kInterrupted, "interrupted while it was compiled");
  }
  return std::move(compilation.program);
}

/// A text may have several errors: all but the last are printed, and the last is returned.
isa::Result<isa::Program> LoadText(std::string_view text, const std::string& name,
                                   const wat::LoadOptions& load) {
  isa::Result<isa::Program> program = wat::LoadWat(text, name, load);
  if (program || program.error().place.line == 0) return program;
  std::vector<isa::Error> errors = wat::TextErrors(text, name);
  if (errors.size() < 2) return program;
  for (std::size_t i = 0; i + 1 < errors.size(); ++i) {
    fmt::print(stderr, "{}\n", errors[i].ToString());
  }
  return std::unexpected(std::move(errors.back()));
}

isa::Result<isa::Program> Parse(Format format, std::string_view text, const std::string& name,
                                const InputOptions& options) {
  const wat::LoadOptions load{.optimize = !options.no_opt,
                              .lower_i64 = true,
                              .max_table = options.max_table,
                              .drop_uncalled = options.drop_uncalled};
  switch (format) {
    case Format::kWat:
      return LoadText(text, name, load);
    case Format::kWasm:
      return wat::LoadWasm(Bytes(text), name, load);
    case Format::kC:
      return CompileSource(text, name, options);
    case Format::kTxa:
      return assembler::Assemble(text, name);
    case Format::kTxp:
      return isa::ReadProgram(Bytes(text));
  }
  return isa::Fail(isa::ErrorCode::kInternal, "unknown format");
}

void AddCOptions(Arguments& arguments, InputOptions& options) {
  arguments.Option("-O", "LEVEL", "C sources: how much clang optimises, 0 to 3 (default 2)",
                   [&options](std::string_view text) -> isa::Result<void> {
                     constexpr std::uint64_t kMostLevel = 3;
                     TXVM_TRY(const std::uint64_t level, isa::ParseCount("-O", text, kMostLevel));
                     options.c_level = static_cast<int>(level);
                     return {};
                   });
  arguments.List("-I", "DIR", "C sources: folder of headers, for clang", options.c_includes);
  arguments.List("-D", "NAME", "C sources: macro NAME or NAME=VALUE, for clang", options.c_defines);
  arguments.List("--with", "FILE",
                 "C sources: a further .c file of the same program; may be repeated",
                 options.c_sources);
  arguments.List(
      "-l", "NAME", "C sources: a library, of which m, c and pthread are there without asking",
      [](std::string_view name) -> isa::Result<void> {
        if (name == "m" || name == "c" || name == "pthread") return {};
        return isa::Fail(isa::ErrorCode::kUsage,
                         fmt::format("-l '{}' is unknown: m, c and pthread are there; the sources "
                                     "of another library are named by --with",
                                     name));
      });
  arguments.Flag("--no-wasm-opt", "C sources: lower i64 without binaryen, if it is installed",
                 options.no_wasm_opt);
}

}  // namespace

std::string_view FormatName(Format format) {
  return kFormatNames[static_cast<std::size_t>(format)];
}

void AddInputOptions(Arguments& arguments, InputOptions& options) {
  arguments.Option("-f,--format", "NAME", "c, wat, wasm, txa or txp (default: found out)",
                   [&options](std::string_view text) -> isa::Result<void> {
                     options.format = FindFormat(text);
                     if (!options.format) {
                       return isa::Fail(isa::ErrorCode::kUsage,
                                        fmt::format("--format '{}' is unknown: c, wat, wasm, "
                                                    "txa or txp",
                                                    text));
                     }
                     return {};
                   });
  arguments.Flag("--no-opt", "Lower literally, without the peephole pass", options.no_opt);
  arguments.Count("--max-table", "N", "Elements of a table that code changes (default {})",
                  options.max_table, 0, kMostTable);
  AddCOptions(arguments, options);
}

isa::Result<Format> DetectFormat(const std::string& path, std::string_view bytes) {
  if (wat::IsWasm(Bytes(bytes))) return Format::kWasm;
  if (isa::IsProgramFile(Bytes(bytes))) return Format::kTxp;
  const std::size_t dot = path.rfind('.');
  const std::string_view extension =
      dot == std::string::npos ? std::string_view() : std::string_view(path).substr(dot + 1);
  if (const std::optional<Format> format = FindFormat(extension)) return *format;
  if (c::IsCxx(path)) return Format::kC;
  if (wat::BeginsAsModule(bytes)) return Format::kWat;
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("cannot tell the format of {}: name it with --format c, wat, wasm, "
                               "txa or txp",
                               isa::DisplayName(path)));
}

isa::Result<Source> ReadSource(const std::string& path, const InputOptions& options) {
  Source source;
  source.name = isa::DisplayName(path);
  TXVM_TRY(source.bytes, isa::ReadFile(path));
  if (options.format) {
    source.format = *options.format;
  } else {
    TXVM_TRY(source.format, DetectFormat(path, source.bytes));
  }
  return source;
}

isa::Result<std::shared_ptr<const isa::Program>> ParseSource(const Source& source,
                                                             const InputOptions& options) {
  isa::Result<isa::Program> program = Parse(source.format, source.bytes, source.name, options);
  if (!program) return isa::InFile(std::move(program).error(), source.name);
  return std::make_shared<const isa::Program>(*std::move(program));
}

isa::Result<std::shared_ptr<const isa::Program>> LoadInput(const std::string& path,
                                                           const InputOptions& options) {
  TXVM_TRY(const Source source, ReadSource(path, options));
  return ParseSource(source, options);
}

isa::Result<isa::Verified> VerifyInput(const isa::Program& program, const std::string& path) {
  isa::Result<isa::Verified> verified = isa::Verify(program);
  if (!verified) return InProgram(std::move(verified).error(), program, path);
  return verified;
}

std::unexpected<isa::Error> InProgram(isa::Error error, const isa::Program& program,
                                      const std::string& path) {
  const std::string name = isa::DisplayName(path);
  if (error.place.file != program.source || program.source == name) return isa::InFile(error, path);
  if (error.place.line != 0) {
    error.message +=
        program.source.empty()
            ? fmt::format(" (line {})", error.place.line)
            : fmt::format(" ({}:{})", isa::ShownText(program.source), error.place.line);
  }
  error.place = {name, 0, 0};
  return std::unexpected(std::move(error));
}

}  // namespace txvm::frontends::cli
