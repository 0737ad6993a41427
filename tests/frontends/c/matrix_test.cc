// C programs give what gcc's give, at every level of clang and on both fast engines, with
// binaryen's lowering of i64 and with txvm's own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/frontends/c/c_runner.h"
#include "tests/frontends/c/random_c.h"
#include "tests/frontends/c/random_float_c.h"

namespace txvm::tests {
namespace {

namespace fs = std::filesystem;
using frontends::c::CompileOptions;

constexpr int kMostLevel = 3;
const fs::path kRoot = TXVM_SOURCE_DIR;

class EveryLevel : public testing::TestWithParam<int> {};

CompileOptions At(int level, bool use_wasm_opt) {
  CompileOptions options;
  options.level = level;
  options.use_wasm_opt = use_wasm_opt;
  return options;
}

TEST_P(EveryLevel, MatrixEqualsGcc) {
  SKIP_WITHOUT_C();
  const std::string source = ReadText(kRoot / "tests/frontends/c/matrix.c");
  static const Outcome native = RunNatively(source);
  ASSERT_EQ(native.end, "exited 3");
  for (const bool use_wasm_opt : {false, true}) {
    if (use_wasm_opt && !HasWasmOpt()) {
      std::puts("no wasm-opt on PATH: only txvm's own lowering of i64 is tested");
      continue;
    }
    SCOPED_TRACE(use_wasm_opt ? "wasm-opt" : "own lowering");
    const CompileOptions options = At(GetParam(), use_wasm_opt);
    const Outcome outcome = RunOnBoth(Compile(source, options));
    EXPECT_EQ(outcome.out, native.out);
    EXPECT_EQ(outcome.end, native.end);
  }
}

class RandomLevel : public testing::TestWithParam<int> {};

TEST_P(RandomLevel, ProgramsEqualGcc) {
  SKIP_WITHOUT_C();
  constexpr std::uint64_t kSeed = 20260101;
  constexpr int kPrograms = 20;
  const std::string source = RandomC(kSeed, kPrograms);
  static const Outcome native = RunNatively(source);
  const Outcome outcome = RunOnBoth(Compile(source, At(GetParam(), false)));
  EXPECT_EQ(outcome.out, native.out);
}

TEST_P(RandomLevel, FloatProgramsEqualGcc) {
  SKIP_WITHOUT_C();
  constexpr std::uint64_t kSeed = 20260201;
  constexpr int kPrograms = 20;
  const std::string source = RandomFloatC(kSeed, kPrograms);
  const Outcome native = RunNatively(source, {}, {}, {}, GetParam());
  const Outcome outcome = RunOnBoth(Compile(source, At(GetParam(), false)));
  EXPECT_EQ(outcome.out, native.out);
}

INSTANTIATE_TEST_SUITE_P(C, RandomLevel, testing::Values(0, 2),
                         [](const auto& level) { return fmt::format("O{}", level.param); });

INSTANTIATE_TEST_SUITE_P(C, EveryLevel, testing::Range(0, kMostLevel + 1),
                         [](const auto& level) { return fmt::format("O{}", level.param); });

struct Example {
  std::string file;
  std::vector<std::string> arguments;
  std::string input;  // a file below examples/c, or empty
};

class EveryExample : public testing::TestWithParam<Example> {};

TEST_P(EveryExample, EqualsGcc) {
  SKIP_WITHOUT_C();
  const std::string source = ReadText(kRoot / "examples/c" / GetParam().file);
  const std::string input =
      GetParam().input.empty() ? "" : ReadText(kRoot / "examples/c" / GetParam().input);
  const Outcome native = RunNatively(source, GetParam().arguments, input);
  frontends::wasi::Options wasi;
  wasi.arguments = {GetParam().file};
  wasi.arguments.insert(wasi.arguments.end(), GetParam().arguments.begin(),
                        GetParam().arguments.end());
  const Outcome outcome = RunOnBoth(Compile(source, At(2, true)), wasi, input);
  EXPECT_EQ(outcome.out, native.out);
  EXPECT_EQ(outcome.end, native.end);
  EXPECT_FALSE(outcome.out.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Examples, EveryExample,
    testing::Values(Example{"sudoku.c", {}, "sudoku.txt"}, Example{"hungarian.c", {"12"}, ""},
                    Example{"sha256.c", {}, "tokens.json"}, Example{"json.c", {}, "tokens.json"},
                    Example{
                        "brainf.c",
                        {"++++++++++[>+++++++++++<-]>++++++.++++.--.---------.[-]++++++++++.,[.,]"},
                        "sudoku.txt"},
                    Example{"perft.c", {"2"}, ""}, Example{"nbody.c", {"20"}, ""},
                    Example{"spectral_norm.c", {"8"}, ""},
                    Example{"mandelbrot.c", {"24", "12"}, ""},
                    Example{"pathtracer.c", {"6", "4", "1"}, ""}, Example{"fft.c", {"64"}, ""},
                    Example{"kmeans.c", {"60"}, ""}),
    [](const auto& example) { return example.param.file.substr(0, example.param.file.find('.')); });

/// The folder of data that is not part of the project, or empty.
fs::path SharedFolder() {
  const char* folder = std::getenv("TXVM_SHARED");
  const fs::path shared = folder != nullptr ? fs::path(folder) : kRoot / ".." / "shared";
  return fs::exists(shared / "data/workloads/c") ? shared / "data/workloads/c" : fs::path();
}

/// run(n, 1) of a source that exports it, on one engine.
std::string RunWorkload(const std::shared_ptr<const isa::Program>& program, vm::EngineKind engine,
                        vm::Word n) {
  if (program == nullptr) return "does not compile";
  vm::MachineOptions options;
  options.engine = engine;
  auto machine = vm::Machine::Load(program, {}, options);
  if (!machine) return machine.error().message;
  const isa::Export* entry = program->FindExport("run");
  if (entry == nullptr) return "no export run";
  const auto result = machine->Call(*entry, std::vector<vm::Word>{n, 1});
  if (!result || result->outcome != vm::Outcome::kHalted) return "did not halt";
  return fmt::format("{}\n", result->results.at(0));
}

class EveryWorkload : public testing::TestWithParam<std::pair<std::string, vm::Word>> {};

TEST_P(EveryWorkload, EqualsGccAtEveryLevel) {
  SKIP_WITHOUT_C();
  const fs::path folder = SharedFolder();
  if (folder.empty()) GTEST_SKIP() << "no ../shared/data/workloads/c: nothing to compare";
  const auto& [name, n] = GetParam();
  const std::string source = ReadText(folder / (name + ".c"));
  const std::string native =
      RunNatively(fmt::format("#include \"{}/{}.c\"\n", folder.string(), name),
                  {std::to_string(n), "1"}, "", {(folder / "main_native.c").string()})
          .out;
  for (int level = 0; level <= kMostLevel; ++level) {
    for (const bool use_wasm_opt : {false, true}) {
      if (use_wasm_opt && (!HasWasmOpt() || level != 2)) continue;
      CompileOptions options = At(level, use_wasm_opt);
      options.includes = {folder.string()};
      const auto program = Compile(source, options);
      for (const vm::EngineKind engine : {vm::EngineKind::kNative, vm::EngineKind::kAttention}) {
        EXPECT_EQ(RunWorkload(program, engine, n), native)
            << name << " -O" << level << (use_wasm_opt ? " wasm-opt " : " ")
            << vm::EngineName(engine);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, EveryWorkload,
                         testing::Values(std::pair{"sum", 1000u}, std::pair{"fib", 48u},
                                         std::pair{"fnv1a", 1000u}, std::pair{"bsort", 100u},
                                         std::pair{"sieve", 1000u}, std::pair{"collatz", 500u},
                                         std::pair{"fibrec", 15u}, std::pair{"matmul", 12u},
                                         std::pair{"crc32", 1000u}, std::pair{"sha256", 500u},
                                         std::pair{"empty", 7u}),
                         [](const auto& workload) { return std::string(workload.param.first); });

}  // namespace
}  // namespace txvm::tests
