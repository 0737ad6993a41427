// Every program of the shared vector file: outputs, crashes, all nine heights and the six-table
// view. A subset that needs no file is in tasm_machine_test.cc.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "neural/triton/field/poseidon2.h"
#include "neural/triton/field/tip5.h"
#include "neural/triton/tasm/machine.h"
#include "neural/triton/tasm/profile.h"
#include "neural/triton/tasm/text.h"

namespace txvm::triton {
namespace {

using nlohmann::json;

std::uint64_t Word(const json& value) { return std::stoull(value.get<std::string>()); }

std::vector<std::uint64_t> Words(const json& values) {
  std::vector<std::uint64_t> words;
  for (const json& value : values) words.push_back(Word(value));
  return words;
}

TasmInput InputOf(const json& program) {
  TasmInput input;
  input.input = Words(program.at("input"));
  input.secret = Words(program.value("secret", json::array()));
  const json digests = program.value("secret_digests", json::array());
  for (const json& digest : digests) {
    Digest words{};
    std::ranges::copy(Words(digest), words.begin());
    input.digests.push_back(words);
  }
  const json ram = program.value("ram", json::object());
  for (const auto& [address, value] : ram.items()) {
    input.ram.emplace_back(std::stoull(address), Word(value));
  }
  return input;
}

void ExpectHeights(const json& expected, const TasmHeights& heights) {
  const std::pair<const char*, TasmTable> names[] = {
      {"program", TasmTable::kProgram}, {"proc", TasmTable::kProcessor},
      {"opst", TasmTable::kOpStack},    {"ram", TasmTable::kRam},
      {"jump", TasmTable::kJumpStack},  {"hash", TasmTable::kHash},
      {"cascade", TasmTable::kCascade}, {"lookup", TasmTable::kLookup},
      {"u32", TasmTable::kU32},
  };
  for (const auto& [name, table] : names) {
    EXPECT_EQ(heights[table], expected.at(name).get<std::uint64_t>()) << name;
  }
}

void ExpectSeed(const json& expected, const Seed6& seed) {
  for (std::size_t i = 0; i < kSeedTables; ++i) {
    EXPECT_EQ(seed[i], expected.at(i).get<std::uint64_t>()) << "six-table view, column " << i;
  }
}

void ExpectProgram(const json& vector) {
  const auto program = AssembleTasm(vector.at("tasm").get<std::string>());
  ASSERT_TRUE(program) << program.error().ToString();
  const auto machine = TasmMachine::Load(*program);
  ASSERT_TRUE(machine);
  const auto run = machine->Run(InputOf(vector));
  ASSERT_TRUE(run);
  if (vector.contains("crash")) {
    ASSERT_TRUE(run->crash);
    EXPECT_EQ(TasmCrashText(*run->crash), vector.at("crash").get<std::string>());
    return;
  }
  ASSERT_FALSE(run->crash) << TasmCrashText(*run->crash);
  EXPECT_EQ(run->output, Words(vector.at("output")));
  ExpectHeights(vector.at("heights"), run->heights);
  EXPECT_EQ(run->heights.Padded(), vector.at("padded9").get<std::uint64_t>());
  ExpectSeed(vector.at("seed6_dynamic"), run->seed6);
  ExpectSeed(vector.at("seed6_static"), StaticSeed6(*program));
}

TEST(TasmVectors, EveryProgramHasItsOutputCrashAndHeights) {
  const char* shared = std::getenv("TXVM_SHARED");
  const std::filesystem::path folder =
      shared != nullptr ? shared : std::filesystem::path(TXVM_SOURCE_DIR) / ".." / "shared";
  std::ifstream file(folder / "data" / "triton_vectors.json");
  if (!file) GTEST_SKIP() << "no triton_vectors.json under " << folder << " (set TXVM_SHARED)";
  const json vectors = json::parse(file);
  ASSERT_FALSE(vectors.at("programs").empty());
  for (const json& program : vectors.at("programs")) {
    SCOPED_TRACE(program.at("name").get<std::string>());
    ExpectProgram(program);
  }
  const auto constants = Words(vectors.at("poseidon2_round_constants"));
  EXPECT_TRUE(std::ranges::equal(constants, Poseidon2RoundConstants()));
  EXPECT_TRUE(std::ranges::equal(Words(vectors.at("tip5_hash_varlen_123")),
                                 Tip5HashVarlen(std::vector<std::uint64_t>{1, 2, 3})));
}

}  // namespace
}  // namespace txvm::triton
