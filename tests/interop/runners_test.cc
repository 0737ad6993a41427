// Runs exported weights with programs that share nothing with this one: run_txvm.py on NumPy, and
// run_onnx.py on a stock onnxruntime.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "isa/trace.h"
#include "tests/support/random_program.h"
#include "tests/support/reference_interpreter.h"
#include "tests/support/test_hosts.h"
#include "weights/artefact.h"
#include "weights/fold.h"

namespace txvm::weights {
namespace {

using support::RandomCase;
using support::ReferenceInterpreter;
using support::ReferenceResult;

constexpr std::uint64_t kFuel = 150;
constexpr std::size_t kPrograms = 10;

std::string Output(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 512> part;
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) {
    text += part.data();
  }
  pclose(pipe);
  return text;
}

/// A Python that has this module: $TXVM_PYTHON, or one of the usual ones.
std::optional<std::string> FindPython(const std::string& module) {
  const char* chosen = std::getenv("TXVM_PYTHON");
  for (const std::string python : {chosen == nullptr ? "python3" : chosen, "/usr/bin/python3"}) {
    const std::string probe = python + " -c 'import numpy, " + module + "' 2>/dev/null";
    if (std::system(probe.c_str()) == 0) return python;
  }
  return std::nullopt;
}

struct Chosen {
  RandomCase random_case;
  ReferenceResult expected;
};

bool CallsHost(const isa::Program& program) {
  return std::ranges::any_of(program.code, [](const isa::Instruction& instruction) {
    return instruction.op() == isa::Opcode::kCall && instruction.arg >= isa::kHostCallBit;
  });
}

/// Programs that between them execute every opcode, and at least kPrograms.
std::vector<Chosen> ChoosePrograms() {
  std::vector<Chosen> chosen;
  std::set<std::size_t> covered;
  for (std::uint64_t seed = 1; covered.size() < isa::kOpcodes.size() || chosen.size() < kPrograms;
       ++seed) {
    RandomCase random_case = support::MakeRandomCase(seed);
    if (CallsHost(random_case.program)) continue;
    const std::uint64_t fuel = std::min(random_case.fuel, kFuel);
    random_case.fuel = fuel;
    ReferenceInterpreter oracle(random_case.program, random_case.limits,
                                support::TestReferenceHosts());
    const ReferenceResult expected = oracle.Run(random_case.start, random_case.args, fuel);
    const std::size_t before = covered.size();
    for (std::size_t code = 0; code < oracle.executed().size(); ++code) {
      if (oracle.executed()[code] != 0 && isa::IsOpcode(static_cast<std::uint8_t>(code))) {
        covered.insert(code);
      }
    }
    if (covered.size() > before || covered.size() == isa::kOpcodes.size()) {
      chosen.push_back({random_case, expected});
    }
  }
  return chosen;
}

/// Exports the program as `model` wants it and expects its steps and digest from `script`.
void ExpectSameFrom(const std::string& python, const std::string& script,
                    const std::filesystem::path& directory, const Model& model,
                    const Chosen& chosen) {
  const RandomCase& c = chosen.random_case;
  ASSERT_TRUE(ExportProgram(model, c.program, c.limits, c.start, c.args, directory));
  const std::string output = Output(python + " " TXVM_SOURCE_DIR "/tests/interop/" + script + " " +
                                    directory.string() + " --fuel " + std::to_string(c.fuel));
  const std::string steps = "\"steps\": " + std::to_string(chosen.expected.steps) + ",";
  const std::string digest = "\"digest\": \"" + isa::DigestText(chosen.expected.digest) + "\"";
  EXPECT_NE(output.find(steps), std::string::npos) << output << " expected " << steps;
  EXPECT_NE(output.find(digest), std::string::npos) << output << " expected " << digest;
}

/// Every chosen program on the compiled model.
void ExpectSameFromAll(const std::string& python, const std::string& script,
                       const std::filesystem::path& directory) {
  const std::vector<Chosen> programs = ChoosePrograms();
  EXPECT_GE(programs.size(), kPrograms);
  for (const Chosen& chosen : programs) {
    ExpectSameFrom(python, script, directory, CompileModel(), chosen);
  }
  std::printf("%zu programs, every opcode executed\n", programs.size());
}

/// Every third program on a model folded with it, which starts without code tokens.
void ExpectSameFromFolded(const std::string& python, const std::string& script, bool onnx) {
  const auto directory = std::filesystem::path(testing::TempDir()) / "txvm_folded_test";
  const std::vector<Chosen> programs = ChoosePrograms();
  for (std::size_t i = 0; i < programs.size(); i += 3) {
    const Chosen& chosen = programs[i];
    const auto folded = FoldProgram(CompileModel(), chosen.random_case.program);
    ASSERT_TRUE(folded) << folded.error().message;
    ASSERT_TRUE(ExportModel(*folded, directory));
    if (onnx) {
      ASSERT_TRUE(ExportOnnx(*folded, directory));
    }
    ExpectSameFrom(python, script, directory, *folded, chosen);
  }
  std::filesystem::remove_all(directory);
}

TEST(NumPy, ReproducesTheDigestOfProgramsThatCoverEveryOpcode) {
  const std::optional<std::string> python = FindPython("json");
  if (!python) GTEST_SKIP() << "no Python with NumPy (Debian package python3-numpy)";
  const auto directory = std::filesystem::path(testing::TempDir()) / "txvm_numpy_test";
  const auto exported = ExportModel(CompileModel(), directory);
  ASSERT_TRUE(exported) << exported.error().message;
  ExpectSameFromAll(*python, "run_txvm.py", directory);
  std::filesystem::remove_all(directory);
}

TEST(Onnx, ReproducesTheDigestOfProgramsThatCoverEveryOpcode) {
  const std::optional<std::string> python = FindPython("onnxruntime");
  if (!python) GTEST_SKIP() << "no Python with onnxruntime; TXVM_PYTHON names one that has it";
  const auto directory = std::filesystem::path(testing::TempDir()) / "txvm_onnx_test";
  ASSERT_TRUE(ExportModel(CompileModel(), directory));
  const auto exported = ExportOnnx(CompileModel(), directory);
  ASSERT_TRUE(exported) << exported.error().message;
  ExpectSameFromAll(*python, "run_onnx.py", directory);
  std::filesystem::remove_all(directory);
}

TEST(NumPy, RunsFoldedPrograms) {
  const std::optional<std::string> python = FindPython("json");
  if (!python) GTEST_SKIP() << "no Python with NumPy (Debian package python3-numpy)";
  ExpectSameFromFolded(*python, "run_txvm.py", false);
}

TEST(Onnx, RunsFoldedPrograms) {
  const std::optional<std::string> python = FindPython("onnxruntime");
  if (!python) GTEST_SKIP() << "no Python with onnxruntime; TXVM_PYTHON names one that has it";
  ExpectSameFromFolded(*python, "run_onnx.py", true);
}

}  // namespace
}  // namespace txvm::weights
