// Compiles and runs C the ways a user can, and natively for comparison.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/c/compile.h"
#include "frontends/wasi/wasi.h"
#include "vm/machine.h"

namespace txvm::tests {

/// What a program did: "out", and how it ended: "halted", "exited 3", "trapped ...".
struct Outcome {
  std::string out, err, end;
  std::uint64_t steps = 0, digest = 0;
};

/// Why C cannot be tested here; empty when it can.
std::string MissingForC();
/// Skips the test that it stands in where C cannot be tested, and says why.
#define SKIP_WITHOUT_C()                                                          \
  if (const std::string missing = txvm::tests::MissingForC(); !missing.empty()) { \
    GTEST_SKIP() << "C is not tested: " << missing;                               \
  }

/// Whether binaryen is on PATH.
bool HasWasmOpt();

/// Compiles `source` (the text). Fails the test and returns nullptr when that fails.
std::shared_ptr<const isa::Program> Compile(std::string_view source,
                                            const frontends::c::CompileOptions& options);

/// Runs `_start` with WASI on one engine. The streams of `wasi` are replaced: `input` is read, what
/// is written is kept.
Outcome RunProgram(std::shared_ptr<const isa::Program> program, vm::EngineKind engine,
                   frontends::wasi::Options wasi = {}, std::string_view input = {});

/// RunProgram on native and attention; fails the test unless all of the outcome is equal.
Outcome RunOnBoth(const std::shared_ptr<const isa::Program>& program,
                  const frontends::wasi::Options& wasi = {}, std::string_view input = {});

/// What the program prints when gcc compiles it at -O`level`, no two operations on floats into one.
Outcome RunNatively(std::string_view source, const std::vector<std::string>& arguments = {},
                    std::string_view input = {}, const std::vector<std::string>& more_files = {},
                    int level = 1);

/// Expects the same output and end of the source with the native library and with the runtime, at
/// each level.
void ExpectEqualOutput(const std::string& source, const std::string& input = "",
                       const std::vector<int>& levels = {frontends::c::CompileOptions().level});

/// The whole file; fails the test when it cannot be read.
std::string ReadText(const std::string& path);

}  // namespace txvm::tests
