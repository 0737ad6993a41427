// The official programs for WASI preview 1 (WebAssembly/wasi-testsuite), where they are present.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "frontends/c/temp_folder.h"
#include "frontends/wasi/wasi.h"
#include "frontends/wat/load.h"
#include "isa/support/json.h"
#include "tests/frontends/c/c_runner.h"
#include "vm/machine.h"

namespace txvm::tests {
namespace {

namespace fs = std::filesystem;
using frontends::c::TempFolder;
using frontends::wasi::Options;

/// Where things shared between checkouts lie: TXVM_SHARED, or next to the source.
fs::path Suite() {
  const char* given = std::getenv("TXVM_SHARED");
  const fs::path shared =
      given != nullptr ? fs::path(given) : fs::path(TXVM_SOURCE_DIR).parent_path() / "shared";
  return shared / "data/wasi-testsuite";
}

std::vector<fs::path> Programs() {
  std::vector<fs::path> programs;
  for (const char* language : {"c", "rust", "assemblyscript"}) {
    for (const auto& entry : fs::directory_iterator(Suite() / language)) {
      if (entry.path().extension() == ".wasm") programs.push_back(entry.path());
    }
  }
  std::ranges::sort(programs);
  return programs;
}

/// What the file beside a program says; null where there is none.
isa::Json Expectations(fs::path program) {
  program.replace_extension(".json");
  if (!fs::exists(program)) return {};
  const auto json = isa::ParseJson(ReadText(program.string()));
  EXPECT_TRUE(json) << program;
  return json ? *json : isa::Json{};
}

frontends::wasi::WriteFunction AppendTo(std::string& text) {
  return [&text](std::span<const std::uint8_t> bytes) {
    text.append(bytes.begin(), bytes.end());
    return static_cast<std::int64_t>(bytes.size());
  };
}

/// Why the program's run is not what is expected; empty when it is.
std::string Judge(const fs::path& path, vm::EngineKind engine) {
  const isa::Json expected = Expectations(path);
  Options options;
  options.arguments = {path.filename().string()};
  if (const isa::Json* args = expected.Find("args")) {
    for (const isa::Json& arg : args->items) options.arguments.push_back(arg.text);
  }
  if (const isa::Json* env = expected.Find("env")) {
    for (std::size_t i = 0; i < env->items.size(); ++i) {
      options.environment.push_back(env->keys[i] + "=" + env->items[i].text);
    }
  }
  const auto folder = TempFolder::Create();
  if (!folder) return folder.error().message;
  if (const isa::Json* root = expected.Find("root")) {
    const fs::path copy = folder->PathOf("root"), original = path.parent_path() / root->text;
    if (fs::exists(original)) {
      fs::copy(original, copy, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    } else {
      fs::create_directory(copy);
    }
    options.directories = {{copy.string(), "/"}};
  }
  const std::string bytes = ReadText(path.string());
  auto program =
      frontends::wat::LoadWasm({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                               path.filename().string(), {.optimize = true, .lower_i64 = true});
  if (!program) return program.error().ToString();
  std::string out, errors;
  options.streams.output = AppendTo(out);
  options.streams.errors = AppendTo(errors);
  vm::Linker linker;
  if (const auto defined = frontends::wasi::Define(linker, std::move(options)); !defined) {
    return defined.error().message;
  }
  // Without a digest: nothing observes the steps, and folded runs as folded.
  vm::MachineOptions how;
  how.engine = engine;
  how.fold_at_first_call = true;
  auto machine =
      vm::Machine::Load(std::make_shared<const isa::Program>(*std::move(program)), linker, how);
  if (!machine) return machine.error().message;
  if (!machine->Substitute({}).empty()) return std::string(machine->Substitute({}));
  const auto result = machine->Call(*machine->program().FindExport("_start"), {});
  if (!result) return result.error().message;
  const isa::Json* code = expected.Find("exit_code");
  const std::int64_t wanted = code == nullptr ? 0 : code->integer;
  const bool ends_well = result->outcome == vm::Outcome::kExited
                             ? result->exit_code == wanted
                             : result->outcome == vm::Outcome::kHalted && wanted == 0;
  if (!ends_well) return fmt::format("{}: {}", vm::OutcomeWords(result->outcome), errors);
  const isa::Json* printed = expected.Find("stdout");
  return printed == nullptr || printed->text == out ? "" : "it printed: " + out;
}

class WasiOfficial : public testing::TestWithParam<vm::EngineKind> {};

TEST_P(WasiOfficial, EveryProgramPasses) {
  if (!fs::is_directory(Suite())) {
    GTEST_SKIP() << "the official programs are not at " << Suite()
                 << " (set TXVM_SHARED to the folder that holds data/wasi-testsuite)";
  }
  std::size_t passed = 0;
  for (const fs::path& program : Programs()) {
    const std::string problem = Judge(program, GetParam());
    EXPECT_EQ(problem, "") << program;
    passed += problem.empty() ? 1 : 0;
  }
  EXPECT_EQ(passed, 50u);
}

INSTANTIATE_TEST_SUITE_P(Engines, WasiOfficial,
                         testing::Values(vm::EngineKind::kAttention, vm::EngineKind::kNative,
                                         vm::EngineKind::kFolded),
                         [](const auto& engine) {
                           return std::string(vm::EngineName(engine.param));
                         });

}  // namespace
}  // namespace txvm::tests
