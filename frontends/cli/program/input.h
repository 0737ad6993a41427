// From a file of any format to a program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program.h"
#include "isa/support/result.h"
#include "isa/verify.h"

namespace txvm::frontends::cli {

class Arguments;

/// What a program can be written in.
enum class Format : std::uint8_t { kWat, kWasm, kTxa, kTxp, kC };

/// "wat", "wasm", "txa", "txp", "c".
std::string_view FormatName(Format format);

/// How to load a program; the options of every command that takes one.
struct InputOptions {
  std::optional<Format> format;      // none: by the file's first bytes, then by its name
  bool no_opt = false;               // lower literally, without the peephole pass
  std::uint32_t max_table = 65'536;  // elements of a WebAssembly table that code changes
  // Bytes of a .wasm module from which on its functions are lowered when they are called. Commands
  // that look at a program as a whole leave it out.
  std::optional<std::uint64_t> on_demand;
  bool drop_uncalled = false;  // leave out functions that can never be called
  // Of C sources: clang's -O level, -I and -D, and whether binaryen may lower i64.
  int c_level = 2;
  std::vector<std::string> c_includes, c_defines;
  std::vector<std::string> c_sources;  // further sources of the same program
  bool no_wasm_opt = false;
};

/// Adds --format, --no-opt, --max-table and the options of C sources.
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

/// Parses and lowers; does not Verify. What clang prints goes to stderr as it is. Errors: those of
/// the format's reader, with the name; kInterrupted for Ctrl-C while clang runs.
isa::Result<std::shared_ptr<const isa::Program>> ParseSource(const Source& source,
                                                             const InputOptions& options);

/// ReadSource, then ParseSource.
isa::Result<std::shared_ptr<const isa::Program>> LoadInput(const std::string& path,
                                                           const InputOptions& options);

/// isa::Verify, with errors as InProgram gives them.
isa::Result<isa::Verified> VerifyInput(const isa::Program& program, const std::string& path);

/// The error about a program, with the file at `path` that it was loaded from. The source that the
/// program names may be another file or none, so that only the line in it mentions that source.
std::unexpected<isa::Error> InProgram(isa::Error error, const isa::Program& program,
                                      const std::string& path);

}  // namespace txvm::frontends::cli
