// The ten peer workloads, where they are present: every published result, on both engines, with
// equal digests.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/wat/load.h"
#include "vm/machine.h"

namespace txvm::frontends::wat {
namespace {

/// run(n, 1) and run(n, 3) as their README states them. The largest n of some take too long for a
/// quick test and are left to the benchmarks.
struct Expectation {
  const char* name;
  std::uint32_t n, once, thrice;
};

// clang-format off
constexpr auto kExpectations = std::to_array<Expectation>({
    {"sum", 10, 55, 54615},               {"sum", 1000, 500500, 496996500},
    {"sum", 100000, 705082704, 67455824},
    {"fib", 10, 55, 54615},               {"fib", 47, 2971215073, 4069002433},
    {"fib", 48, 512559680, 2165621312},   {"fib", 100000, 873876091, 175564571},
    {"fnv1a", 1, 808256, 802598208},      {"fnv1a", 27, 2857676285, 2994135645},
    {"fnv1a", 1000, 1468748544, 2473390848}, {"fnv1a", 65536, 951895456, 339382688},
    {"bsort", 10, 201213285, 2236296389}, {"bsort", 100, 917191001, 237597241},
    {"bsort", 400, 1887425492, 1607772500},
    {"sieve", 10, 4, 3972},               {"sieve", 1000, 168, 166824},
    {"sieve", 100000, 9592, 9524856},     {"sieve", 1000000, 78498, 77948514},
    {"collatz", 10, 4627, 4594611},       {"collatz", 1000, 446130, 443007090},
    {"fibrec", 10, 55, 54615},            {"fibrec", 20, 6765, 6717645},
    {"fibrec", 27, 196418, 195043074},
    {"matmul", 2, 3213601672, 4240726664}, {"matmul", 8, 31350065, 1065843473},
    {"matmul", 48, 1402671946, 1283838474}, {"matmul", 64, 2811998607, 585874351},
    {"crc32", 1, 2724731650, 4124099266}, {"crc32", 27, 3204377429, 3670987957},
    {"crc32", 1000, 3953324939, 51555883}, {"crc32", 65536, 2844484775, 2779868103},
    {"sha256", 0, 3878315612, 2876705500}, {"sha256", 27, 1289493751, 567040535},
    {"sha256", 64, 4052032395, 3578779179}, {"sha256", 1000, 4124271414, 2297681014},
    {"sha256", 16320, 1288377496, 3753566616},
});
// clang-format on

std::filesystem::path Workloads() {
  const char* given = std::getenv("TXVM_SHARED");
  const auto shared = given != nullptr
                          ? std::filesystem::path(given)
                          : std::filesystem::path(TXVM_SOURCE_DIR).parent_path() / "shared";
  return shared / "data/workloads";
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A C workload through clang; nullopt when there is no clang that makes WebAssembly.
std::optional<std::string> CompileC(const std::filesystem::path& source) {
  const auto out = std::filesystem::temp_directory_path() /
                   fmt::format("txvm-{}-{}.wasm", source.stem().string(), ::getpid());
  const std::string command = fmt::format(
      "clang --target=wasm32 -mcpu=mvp -O2 -nostdlib -ffreestanding -fno-builtin "
      "-fvisibility=hidden -Wl,--no-entry -Wl,--export=run -Wl,--strip-all -o '{}' '{}' "
      "2>/dev/null",
      out.string(), source.string());
  if (std::system(command.c_str()) != 0) return std::nullopt;
  std::string bytes = ReadFile(out);
  std::filesystem::remove(out);
  return bytes;
}

void CheckResults(const isa::Program& program, const std::string& name) {
  const auto shared = std::make_shared<const isa::Program>(program);
  for (const Expectation& expectation : kExpectations) {
    if (name != expectation.name) continue;
    for (const std::uint32_t reps : {1u, 3u}) {
      std::vector<std::optional<std::uint64_t>> digests;
      for (const vm::EngineKind engine : {vm::EngineKind::kNative, vm::EngineKind::kAttention}) {
        auto machine = vm::Machine::Load(shared, vm::Linker(), {.engine = engine, .limits = {}});
        ASSERT_TRUE(machine) << machine.error().ToString();
        const auto run =
            machine->Call(*program.FindExport("run"), std::vector<vm::Word>{expectation.n, reps},
                          {.digest = true, .trace = {}});
        ASSERT_TRUE(run) << run.error().ToString();
        const std::uint32_t wanted = reps == 1 ? expectation.once : expectation.thrice;
        EXPECT_EQ(run->results, std::vector<vm::Word>{wanted})
            << name << "(" << expectation.n << ", " << reps << ") on " << vm::EngineName(engine);
        digests.push_back(run->digest);
      }
      EXPECT_EQ(digests[0], digests[1]) << name << "(" << expectation.n << ", " << reps << ")";
    }
  }
}

class Workload : public testing::TestWithParam<const char*> {};

TEST_P(Workload, EveryResultOnBothEnginesWithEqualDigests) {
  const std::string name = GetParam();
  if (!std::filesystem::is_directory(Workloads())) {
    GTEST_SKIP() << "the workloads are not at " << Workloads()
                 << " (set TXVM_SHARED to the folder that holds data/workloads)";
  }
  const auto wat = Workloads() / "wat" / (name + ".wat");
  if (std::filesystem::exists(wat)) {
    for (const bool optimize : {true, false}) {
      const auto program = LoadWat(ReadFile(wat), name + ".wat", {.optimize = optimize});
      ASSERT_TRUE(program) << program.error().ToString();
      CheckResults(*program, name);
    }
    return;
  }
  const auto bytes = CompileC(Workloads() / "c" / (name + ".c"));
  if (!bytes) GTEST_SKIP() << "no clang that compiles " << name << ".c to WebAssembly";
  const auto program =
      LoadWasm({reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()}, name);
  ASSERT_TRUE(program) << program.error().ToString();
  CheckResults(*program, name);
}

INSTANTIATE_TEST_SUITE_P(All, Workload,
                         testing::Values("sum", "fib", "fnv1a", "bsort", "sieve", "collatz",
                                         "fibrec", "matmul", "crc32", "sha256"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace txvm::frontends::wat
