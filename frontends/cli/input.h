// From a file of any format to a program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "isa/program.h"
#include "isa/result.h"

namespace txvm::frontends::cli {

class Arguments;

/// What a program can be written in.
enum class Format : std::uint8_t { kWat, kWasm, kTxa, kTxp };

/// "wat", "wasm", "txa", "txp".
std::string_view FormatName(Format format);

/// How to load a program; the options of every command that takes one.
struct InputOptions {
  std::optional<Format> format;  // none: by the file's first bytes, then by its name
  bool no_opt = false;           // lower literally, without the peephole pass
};

/// Adds --format and --no-opt.
void AddInputOptions(Arguments& arguments, InputOptions& options);

/// The format of `path` holding `bytes`: .wasm and .txp files by their magic numbers, else by the
/// extension of the path. kUsage when neither tells, naming --format.
isa::Result<Format> DetectFormat(const std::string& path, std::string_view bytes);

/// A program as it was found.
struct Source {
  std::string name;   // for errors
  std::string bytes;  // the whole file
  Format format = Format::kTxp;
};

/// Reads the file and finds its format. "-" is standard input.
isa::Result<Source> ReadSource(const std::string& path, const InputOptions& options);

/// Parses and lowers; does not Verify. Errors: those of the format's reader, with the name.
isa::Result<std::shared_ptr<const isa::Program>> ParseSource(const Source& source,
                                                             const InputOptions& options);

/// ReadSource, then ParseSource.
isa::Result<std::shared_ptr<const isa::Program>> LoadInput(const std::string& path,
                                                           const InputOptions& options);

}  // namespace txvm::frontends::cli
