// From a file of any format to a program.
#include "frontends/cli/input.h"

#include <fmt/format.h>

#include <array>
#include <span>

#include "asm/assembler.h"
#include "frontends/cli/arguments.h"
#include "frontends/cli/file.h"
#include "frontends/wat/load.h"
#include "isa/program_file.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::array<std::string_view, 4> kFormatNames = {"wat", "wasm", "txa", "txp"};

std::optional<Format> FindFormat(std::string_view name) {
  for (std::size_t i = 0; i < kFormatNames.size(); ++i) {
    if (kFormatNames[i] == name) return static_cast<Format>(i);
  }
  return std::nullopt;
}

std::span<const std::uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

isa::Result<isa::Program> Parse(Format format, std::string_view text, const std::string& name,
                                bool optimize) {
  switch (format) {
    case Format::kWat:
      return wat::LoadWat(text, name, {.optimize = optimize});
    case Format::kWasm:
      return wat::LoadWasm(Bytes(text), name, {.optimize = optimize});
    case Format::kTxa:
      return assembler::Assemble(text, name);
    case Format::kTxp:
      return isa::ReadProgram(Bytes(text));
  }
  return isa::Fail(isa::ErrorCode::kInternal, "unknown format");
}

}  // namespace

std::string_view FormatName(Format format) {
  return kFormatNames[static_cast<std::size_t>(format)];
}

void AddInputOptions(Arguments& arguments, InputOptions& options) {
  arguments.Option("-f,--format", "NAME", "wat, wasm, txa or txp (default: found out)",
                   [&options](std::string_view text) -> isa::Result<void> {
                     options.format = FindFormat(text);
                     if (!options.format) {
                       return isa::Fail(isa::ErrorCode::kUsage,
                                        fmt::format("--format '{}' is unknown: wat, wasm, txa or "
                                                    "txp",
                                                    text));
                     }
                     return {};
                   });
  arguments.Flag("--no-opt", "Lower literally, without the peephole pass", options.no_opt);
}

isa::Result<Format> DetectFormat(const std::string& path, std::string_view bytes) {
  if (wat::IsWasm(Bytes(bytes))) return Format::kWasm;
  if (isa::IsProgramFile(Bytes(bytes))) return Format::kTxp;
  const std::size_t dot = path.rfind('.');
  const std::string_view extension =
      dot == std::string::npos ? std::string_view() : std::string_view(path).substr(dot + 1);
  if (const std::optional<Format> format = FindFormat(extension)) return *format;
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("cannot tell the format of {}: name it with --format wat, wasm, txa "
                               "or txp",
                               DisplayName(path)));
}

isa::Result<Source> ReadSource(const std::string& path, const InputOptions& options) {
  Source source;
  source.name = DisplayName(path);
  TXVM_TRY(source.bytes, ReadFile(path));
  if (options.format) {
    source.format = *options.format;
  } else {
    TXVM_TRY(source.format, DetectFormat(path, source.bytes));
  }
  return source;
}

isa::Result<std::shared_ptr<const isa::Program>> ParseSource(const Source& source,
                                                             const InputOptions& options) {
  isa::Result<isa::Program> program =
      Parse(source.format, source.bytes, source.name, !options.no_opt);
  if (!program) {
    isa::Error error = std::move(program).error();
    if (error.place.file.empty()) error.place.file = source.name;
    return std::unexpected(std::move(error));
  }
  return std::make_shared<const isa::Program>(*std::move(program));
}

isa::Result<std::shared_ptr<const isa::Program>> LoadInput(const std::string& path,
                                                           const InputOptions& options) {
  TXVM_TRY(const Source source, ReadSource(path, options));
  return ParseSource(source, options);
}

}  // namespace txvm::frontends::cli
