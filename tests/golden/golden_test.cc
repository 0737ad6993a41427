// Runs every golden program on every engine and compares what they show with what the file says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "asm/assembler.h"
#include "frontends/wat/load.h"
#include "tests/golden/golden_file.h"
#include "vm/machine.h"

namespace txvm::golden {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kFuel = 200'000'000;  // a program that needs more is a bug or a benchmark

// How long a run the engine takes: those that compute every step with the weights are slower by
// orders of magnitude. TXVM_GOLDEN_DENSE_STEPS=20000 gives the dense passes every run they can be
// asked to make; by default they make the short ones.
std::uint64_t LongestRun(vm::EngineKind engine) {
  if (engine == vm::EngineKind::kHull) return 200'000;
  if (engine != vm::EngineKind::kTransformer) return kFuel;
  const char* steps = std::getenv("TXVM_GOLDEN_DENSE_STEPS");
  return steps == nullptr ? 120 : std::strtoull(steps, nullptr, 10);
}

std::string ReadText(const std::string& name) {
  std::ifstream in(fs::path(TXVM_SOURCE_DIR) / name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> GoldenPrograms() {
  std::vector<std::string> files;
  for (const char* folder : {"tests/golden", "examples"}) {
    const fs::path root = fs::path(TXVM_SOURCE_DIR) / folder;
    if (!fs::exists(root)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".txa" && extension != ".wat") continue;
      const std::string name = entry.path().lexically_relative(TXVM_SOURCE_DIR).string();
      // Examples may need what this test does not offer, such as a console; they state no case.
      const bool is_example = name.starts_with("examples");
      if (!is_example || ReadText(name).find(";;; RUN:") != std::string::npos) {
        files.push_back(name);
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

isa::Result<isa::Program> Load(const std::string& name, const std::string& text) {
  if (name.ends_with(".wat")) return frontends::wat::LoadWat(text, name);
  return assembler::Assemble(text, name);
}

// What one run shows, or the error that kept it from running.
struct Shown {
  Expectation expectation;
  std::uint64_t digest = 0, steps = 0;
  std::string error;
};

Shown Show(const vm::RunResult& run) {
  Shown shown;
  shown.digest = run.digest.value_or(0);
  shown.steps = run.steps;
  shown.expectation["STEPS"] = fmt::format("{}", run.steps);
  if (run.outcome == vm::Outcome::kTrapped) {
    shown.expectation["TRAP"] = std::string(isa::TrapText(run.trap->cause));
    return shown;
  }
  if (run.outcome != vm::Outcome::kHalted) {
    shown.error = fmt::format("outcome {}", vm::OutcomeText(run.outcome));
    return shown;
  }
  std::string results;
  for (const isa::Word word : run.results) {
    results += fmt::format("{}{}", results.empty() ? "" : " ", static_cast<std::int32_t>(word));
  }
  shown.expectation["RESULTS"] = results;
  return shown;
}

Shown Failed(const isa::Error& error) { return {{}, 0, 0, error.ToString()}; }

Shown RunCase(const std::shared_ptr<const isa::Program>& program, const GoldenCase& one,
              vm::EngineKind engine) {
  vm::MachineOptions options;
  options.engine = engine;
  auto machine = vm::Machine::Load(program, vm::Linker(), options);
  if (!machine) return Failed(machine.error());
  vm::RunOptions run;
  run.fuel = kFuel;
  run.digest = true;
  machine->RunInit(run);
  if (one.call.empty()) return Show(machine->CallStub(program->entry, {}, run));
  const isa::Export* entry = program->FindExport(one.call);
  if (entry == nullptr) return {{}, 0, 0, "unknown export " + one.call};
  const auto result = machine->Call(*entry, one.arguments, run);
  return result ? Show(*result) : Failed(result.error());
}

class Golden : public testing::TestWithParam<std::string> {
 protected:
  // The case on all engines that take so long a run; they must show the same.
  Shown OnEveryEngine(const GoldenFile& file, const GoldenCase& one) {
    const auto text = Substituted(file, one);
    if (!text) return {{}, 0, 0, "no line ends with the name of a variable of this RUN"};
    auto loaded = Load(GetParam(), *text);
    if (!loaded) return Failed(loaded.error());
    const auto program = std::make_shared<const isa::Program>(*std::move(loaded));
    Shown first;
    for (const vm::EngineKind engine : vm::AllEngines()) {
      if (first.steps > LongestRun(engine)) continue;
      Shown shown = RunCase(program, one, engine);
      if (!shown.error.empty()) {
        shown.error = fmt::format("{}: {}", vm::EngineName(engine), shown.error);
        return shown;
      }
      shown.expectation["INSTRUCTIONS"] = fmt::format("{}", program->code.size());
      if (engine == vm::AllEngines().front()) first = shown;
      EXPECT_EQ(shown.expectation, first.expectation) << vm::EngineName(engine);
      EXPECT_EQ(shown.digest, first.digest) << vm::EngineName(engine);
    }
    return first;
  }
};

TEST_P(Golden, ShowsWhatItsFileSays) {
  GoldenFile file = ParseGolden(ReadText(GetParam()));
  ASSERT_EQ(file.fault, "") << GetParam();
  const bool blesses = std::getenv("TXVM_BLESS") != nullptr;
  bool changed = false;
  for (std::size_t i = 0; i < file.cases.size(); ++i) {
    const GoldenCase one = file.cases[i];
    const Shown shown = OnEveryEngine(file, one);
    if (!shown.error.empty()) {
      ADD_FAILURE() << GetParam() << ":" << one.line << ": RUN: " << one.run << "\n" << shown.error;
      continue;
    }
    const std::string diff = Diff(one.expected, shown.expectation);
    if (diff.empty()) continue;
    if (!blesses) {
      ADD_FAILURE() << GetParam() << ":" << one.line << ": RUN: " << one.run << "\n" << diff;
      continue;
    }
    Bless(file, i, shown.expectation);
    changed = true;
  }
  if (changed) {
    std::ofstream(fs::path(TXVM_SOURCE_DIR) / GetParam(), std::ios::binary) << TextOf(file);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Golden, testing::ValuesIn(GoldenPrograms()),
                         [](const auto& program) {
                           std::string name = program.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
                               '_');
                           return name;
                         });

TEST(GoldenFile, DifferenceIsShownLineByLine) {
  EXPECT_EQ(Diff({{"RESULTS", "3"}, {"STEPS", "4"}}, {{"RESULTS", "5"}, {"STEPS", "4"}}),
            "- RESULTS: 3\n+ RESULTS: 5\n");
  EXPECT_EQ(Diff({{"RESULTS", "3"}}, {{"TRAP", "host"}, {"STEPS", "4"}}),
            "- RESULTS: 3\n+ TRAP: host\n");
  EXPECT_EQ(Diff({{"RESULTS", "3"}}, {{"RESULTS", "3"}, {"STEPS", "4"}}), "");
}

TEST(GoldenFile, CasesAndTheirExpectations) {
  const GoldenFile file =
      ParseGolden(";;; RUN: f 1 -1\n;;; RESULTS: 7\nPUSH 5 ; n\n;;; RUN: n=9\n;;; TRAP: host\n");
  EXPECT_EQ(file.fault, "");
  ASSERT_EQ(file.cases.size(), 2u);
  EXPECT_EQ(file.cases[0].call, "f");
  EXPECT_EQ(file.cases[0].arguments, (std::vector<std::uint32_t>{1, 0xFFFFFFFF}));
  EXPECT_EQ(file.cases[1].expected, (Expectation{{"TRAP", "host"}}));
  EXPECT_NE(Substituted(file, file.cases[1])->find("\nPUSH 9\n"), std::string::npos);
}

TEST(GoldenFile, FaultsAreNamed) {
  EXPECT_EQ(ParseGolden("HALT").fault, "no RUN");
  EXPECT_EQ(ParseGolden(";;; STEPS: 3\n;;; RUN:\n").fault, "line 2: a RUN needs RESULTS or TRAP");
  EXPECT_EQ(ParseGolden(";;; RUN:\n;;; RESULT: 3\n;;; RESULTS: 3\n").fault,
            "line 2: unknown key RESULT");
  GoldenFile file = ParseGolden(";;; RUN: x=3\n;;; RESULTS: 3\nHALT\n");
  EXPECT_FALSE(Substituted(file, file.cases[0]).has_value());
}

TEST(GoldenFile, BlessingReplacesOnlyWhatIsExpected) {
  GoldenFile file = ParseGolden(";;; RUN:\n;;; RESULTS: 3\n;;; STEPS: 4\nHALT\n");
  Bless(file, 0, {{"TRAP", "host"}, {"STEPS", "5"}});
  EXPECT_EQ(TextOf(file), ";;; RUN:\n;;; TRAP: host\n;;; STEPS: 5\nHALT\n");
}

}  // namespace
}  // namespace txvm::golden
