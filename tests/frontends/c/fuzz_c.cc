// Random C programs against gcc, by hand: txvm_fuzz_c --programs 2000 --seed 1. Each source holds a
// batch of independent programs, compiled by gcc once and by clang at every level of --levels. With
// --floats the programs are on float and double, and gcc compiles them at -O0 and -O2; with --texts
// they call the library's functions of texts too, with --jumps setjmp and longjmp.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/frontends/c/c_runner.h"
#include "tests/frontends/c/random_c.h"
#include "tests/frontends/c/random_float_c.h"

namespace {

using txvm::tests::Outcome;

constexpr double kCompileSeconds = 600;  // a batch is large, and the machine may have other work

struct Options {
  int programs = 2000;
  int batch = 50;
  std::uint64_t seed = 1;
  std::string levels = "02";
  bool use_wasm_opt = false;
  bool floats = false;  // texts and jumps imply it
  txvm::tests::FloatOptions float_options;
};

Options ParseOptions(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = words[i];
    if (name == "--wasm-opt") {
      options.use_wasm_opt = true;
      continue;
    }
    if (name == "--floats") {
      options.floats = true;
      continue;
    }
    if (name == "--texts" || name == "--jumps") {
      options.floats = true;
      (name == "--texts" ? options.float_options.texts : options.float_options.jumps) = true;
      continue;
    }
    const char* value = i + 1 < count ? words[++i] : "";
    if (name == "--programs") options.programs = std::atoi(value);
    if (name == "--batch") options.batch = std::max(1, std::atoi(value));
    if (name == "--seed") options.seed = std::strtoull(value, nullptr, 10);
    if (name == "--levels") options.levels = value;
  }
  return options;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// How many of a batch's programs differ on one level; names them.
int Differences(std::uint64_t seed, int count, const Outcome& native, const Outcome& found,
                char level, std::string_view gcc) {
  const std::vector<std::string> expected = Lines(native.out), lines = Lines(found.out);
  int differences = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::string want = i < expected.size() ? expected[i] : "nothing";
    const std::string got = i < lines.size() ? lines[i] : found.end;
    if (want == got) continue;
    ++differences;
    fmt::print("seed {} -O{}: {}, gcc {} {}\n", seed + i, level, got, gcc, want);
  }
  return differences;
}

}  // namespace

int main(int count, char** words) {
  const Options options = ParseOptions(count, words);
  if (const std::string missing = txvm::tests::MissingForC(); !missing.empty()) {
    fmt::print("skipped: {}\n", missing);
    return 0;
  }
  int differences = 0;
  for (int first = 0; first < options.programs; first += options.batch) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(first);
    const int batch = std::min(options.batch, options.programs - first);
    const std::string source = options.floats
                                   ? txvm::tests::RandomFloatC(seed, batch, options.float_options)
                                   : txvm::tests::RandomC(seed, batch);
    const int first_level = options.floats ? 0 : 1;
    const Outcome native = txvm::tests::RunNatively(source, {}, {}, {}, first_level);
    if (options.floats) {
      const Outcome other = txvm::tests::RunNatively(source, {}, {}, {}, 2);
      differences += Differences(seed, batch, native, other, '2', "itself at -O0");
    }
    for (const char level : options.levels) {
      txvm::frontends::c::CompileOptions compile;
      compile.level = level - '0';
      compile.use_wasm_opt = options.use_wasm_opt;
      compile.seconds = kCompileSeconds;
      const Outcome found = txvm::tests::RunProgram(txvm::tests::Compile(source, compile),
                                                    txvm::vm::EngineKind::kAttention);
      differences += Differences(seed, batch, native, found, level, "");
    }
    fmt::print("{} of {} programs, {} differences\n", first + batch, options.programs, differences);
    std::fflush(stdout);
  }
  return differences == 0 ? 0 : 1;
}
