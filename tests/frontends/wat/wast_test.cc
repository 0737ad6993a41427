// The script runner, on scripts of this project and on the official suite where it is present.
#include "frontends/wat/wast.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace txvm::frontends::wat {
namespace {

std::string ReadScriptFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// How a script runs: on which engine, and whether its modules are optimised.
struct Way {
  vm::EngineKind engine;
  bool optimize;
};

class Wast : public testing::TestWithParam<Way> {
 protected:
  static WastReport Run(const std::filesystem::path& path) {
    WastOptions options;
    options.engine = GetParam().engine;
    options.optimize = GetParam().optimize;
    const auto report = RunWast(ReadScriptFile(path), path.filename().string(), options);
    EXPECT_TRUE(report) << report.error().ToString();
    return report ? *report : WastReport{};
  }
  static WastReport RunOwn(const char* name) {
    return Run(std::filesystem::path(TXVM_SOURCE_DIR) / "tests/wast" / name);
  }
  /// "kind passed/failed/unsupported" of every kind that occurs.
  static std::string Text(const WastReport& report) {
    std::string text;
    for (std::size_t i = 0; i < kWastKindCount; ++i) {
      const WastCount& count = report.counts[i];
      if (count.passed + count.failed + count.unsupported == 0) continue;
      text += fmt::format("{} {}/{}/{}; ", WastKindText(static_cast<WastKind>(i)), count.passed,
                          count.failed, count.unsupported);
    }
    for (const WastNote& note : report.notes) {
      if (note.failed) text += fmt::format("\n{}: {}", note.line, note.text);
    }
    return text;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Ways, Wast,
    testing::Values(Way{vm::EngineKind::kNative, true}, Way{vm::EngineKind::kNative, false},
                    Way{vm::EngineKind::kAttention, true}, Way{vm::EngineKind::kAttention, false},
                    Way{vm::EngineKind::kFolded, true}, Way{vm::EngineKind::kFolded, false}),
    [](const auto& way) {
      return std::string(vm::EngineName(way.param.engine)) +
             (way.param.optimize ? "" : "_not_optimised");
    });

TEST_P(Wast, Exceptions) {
  EXPECT_EQ(Text(RunOwn("exceptions.wast")),
            "module 10/0/0; assert_return 29/0/0; assert_trap 2/0/0; assert_invalid 8/0/0; "
            "assert_malformed 1/0/0; assert_unlinkable 4/0/0; assert_exception 4/0/0; ");
}

TEST_P(Wast, Control) {
  EXPECT_EQ(Text(RunOwn("control.wast")),
            "module 1/0/0; assert_return 12/0/0; assert_trap 3/0/0; assert_exhaustion 1/0/0; "
            "assert_invalid 3/0/0; assert_malformed 4/0/0; ");
}

TEST_P(Wast, State) {
  EXPECT_EQ(Text(RunOwn("state.wast")),
            "module 1/0/0; assert_return 14/0/0; assert_trap 6/0/0; assert_uninstantiable 3/0/0; ");
}

TEST_P(Wast, Linking) {
  EXPECT_EQ(Text(RunOwn("linking.wast")),
            "module 2/0/0; assert_return 7/0/0; assert_trap 1/0/0; assert_unlinkable 6/0/0; ");
}

TEST_P(Wast, BulkMemory) {
  EXPECT_EQ(Text(RunOwn("bulk.wast")),
            "module 3/0/0; action 4/0/0; assert_return 23/0/0; assert_trap 17/0/0; "
            "assert_invalid 2/0/0; ");
}

TEST_P(Wast, WideValues) {
  EXPECT_EQ(Text(RunOwn("wide.wast")),
            "module 2/0/0; assert_return 8/3/0; assert_trap 2/0/0; "
            "\n36: expected 672, got 21474837152"
            "\n37: expected 8589934593, got 1 2"
            "\n38: the arguments are not of the types of the parameters");
}

TEST_P(Wast, TablesThatChange) {
  EXPECT_EQ(Text(RunOwn("tables.wast")),
            "module 3/0/0; action 10/0/0; assert_return 34/0/0; assert_trap 15/0/0; ");
}

TEST_P(Wast, InstancesThatShare) {
  EXPECT_EQ(Text(RunOwn("sharing.wast")),
            "module 6/0/0; action 4/0/0; assert_return 19/0/0; assert_trap 3/0/0; "
            "assert_unlinkable 3/0/0; assert_uninstantiable 2/0/0; ");
}

TEST_P(Wast, TailCalls) {
  EXPECT_EQ(Text(RunOwn("tail_calls.wast")),
            "module 1/0/0; assert_return 9/0/0; assert_trap 3/0/0; ");
}

TEST_P(Wast, SeveralMemories) {
  EXPECT_EQ(Text(RunOwn("memories.wast")),
            "module 2/0/0; assert_return 34/0/0; assert_trap 14/0/0; assert_invalid 1/0/0; "
            "assert_unlinkable 2/0/0; ");
}

TEST_P(Wast, AddressesOf64Bits) {
  EXPECT_EQ(Text(RunOwn("addresses64.wast")),
            "module 1/0/0; assert_return 19/0/0; assert_trap 11/0/0; assert_invalid 2/0/0; ");
}

TEST_P(Wast, FunctionReferences) {
  EXPECT_EQ(Text(RunOwn("function_references.wast")),
            "module 2/0/0; assert_return 15/0/0; assert_trap 3/0/0; assert_invalid 6/0/0; ");
}

TEST_P(Wast, UnsupportedIsCountedApart) {
  EXPECT_EQ(Text(RunOwn("unsupported.wast")), "module 3/0/1; action 1/0/0; assert_return 10/0/1; ");
}

TEST_P(Wast, WrongExpectationsFail) {
  EXPECT_EQ(Text(RunOwn("wrong.wast")),
            "module 1/0/0; assert_return 0/2/0; assert_trap 0/2/0; assert_invalid 0/1/0; "
            "assert_unlinkable 0/1/0; "
            "\n4: expected 2, got 1"
            "\n5: expected nothing, got trap: unreachable"
            "\n6: expected trap: unreachable, got 1"
            "\n7: expected trap: integer overflow, got trap: unreachable"
            "\n8: accepted, expected: type mismatch"
            "\n9: linked, expected: unknown import");
}

/// A script with the last expected i32 of each line one greater, and no trap that exists.
struct Mutated {
  std::string text;
  std::set<std::uint32_t> lines;  // those that changed
};

Mutated MutateExpectations(const std::string& script) {
  static const std::regex kReturn(R"(^(\(assert_return \(invoke .*\(i32\.const )(-?[0-9]+)\)\)$)");
  static const std::regex kTrap(R"(^(\(assert_trap \(invoke .*\) ")[^"]*"\)$)");
  Mutated out;
  std::istringstream in(script);
  std::uint32_t number = 0;
  for (std::string line; std::getline(in, line); out.text += line + "\n") {
    ++number;
    std::smatch match;
    const bool is_return = std::regex_match(line, match, kReturn);
    if (!is_return && !std::regex_match(line, match, kTrap)) continue;
    out.lines.insert(number);
    const std::string begin = match[1];
    line = is_return ? fmt::format("{}{}))", begin, std::stoll(match[2]) + 1)
                     : begin + "no such trap\")";
  }
  return out;
}

TEST_P(Wast, MutatedExpectationsFail) {
  std::size_t mutations = 0;
  for (const char* name : {"bulk.wast", "control.wast", "linking.wast", "sharing.wast",
                           "state.wast", "tables.wast", "tail_calls.wast"}) {
    const Mutated mutated = MutateExpectations(
        ReadScriptFile(std::filesystem::path(TXVM_SOURCE_DIR) / "tests/wast" / name));
    const auto report =
        RunWast(mutated.text, name,
                {.engine = GetParam().engine, .optimize = GetParam().optimize, .limits = {}});
    ASSERT_TRUE(report) << report.error().ToString();
    std::set<std::uint32_t> failed;
    for (const WastNote& note : report->notes) failed.insert(note.line);
    EXPECT_EQ(failed, mutated.lines) << name;
    mutations += mutated.lines.size();
  }
  EXPECT_GE(mutations, 116u);
}

TEST_P(Wast, AModuleThatIsRefusedIsAFailure) {
  const auto report = RunWast("(module (func (result i32)))", "m.wast", {});
  ASSERT_TRUE(report);
  EXPECT_EQ((*report)[WastKind::kModule].failed, 1u);
}

TEST_P(Wast, FuelEndsACallThatDoesNot) {
  const auto report =
      RunWast("(module (func (export \"f\") (loop (br 0)))) (assert_return (invoke \"f\"))",
              "m.wast", {.engine = GetParam().engine, .limits = {}, .fuel = 1'000});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->notes.size(), 1u);
  EXPECT_EQ(report->notes[0].text, "ended as out of fuel");
}

/// Where things shared between checkouts lie: TXVM_SHARED, or next to the source.
std::filesystem::path Shared() {
  const char* given = std::getenv("TXVM_SHARED");
  return given != nullptr ? std::filesystem::path(given)
                          : std::filesystem::path(TXVM_SOURCE_DIR).parent_path() / "shared";
}

TEST_P(Wast, Floats) {
  EXPECT_EQ(Text(RunOwn("floats.wast")),
            "module 2/0/0; action 1/0/0; assert_return 27/4/0; assert_trap 5/0/0; "
            "\n63: expected -0 (0x80000000), got 0 (0x00000000)"
            "\n64: expected nan:canonical, got 1.5 (0x3ff8000000000000)"
            "\n65: expected 1 (0x3f800000), got 1 (0x3ff0000000000000)"
            "\n66: expected nan:canonical, got nan (0x7fc00001)");
}

TEST_P(Wast, OfficialSuite) {
  const std::filesystem::path folder = Shared() / "data/wasm-testsuite";
  if (!std::filesystem::is_directory(folder)) {
    GTEST_SKIP() << "the official WebAssembly suite is not at " << folder
                 << " (set TXVM_SHARED to the folder that holds data/wasm-testsuite)";
  }
  std::vector<std::filesystem::path> scripts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".wast") scripts.push_back(entry.path());
  }
  std::ranges::sort(scripts);
  WastReport total;
  for (const auto& path : scripts) {
    const WastReport report = Run(path);
    EXPECT_EQ(report.failed(), 0u) << path << Text(report);
    total.Add(report);
  }
  // 80 scripts: 78 of the suite and one of each of two proposals; 23,505 commands.
  EXPECT_EQ(scripts.size(), 80u);
  EXPECT_EQ(Text(total),
            "module 967/0/0; action 126/0/0; assert_return 17800/0/0; assert_trap 1739/0/0; "
            "assert_exhaustion 15/0/0; assert_invalid 1431/0/0; assert_malformed 1310/0/0; "
            "assert_unlinkable 83/0/0; assert_uninstantiable 34/0/0; ");
}

// Lanes of every shape, NaN patterns by lane, either, globals, blocks, calls, traps, edges of
// memory.
TEST_P(Wast, Vectors) {
  EXPECT_EQ(Text(RunOwn("vectors.wast")),
            "module 1/0/0; assert_return 28/0/0; assert_trap 4/0/0; assert_invalid 3/0/0; ");
}

// Nothing in a script about floats goes without a judgement.
TEST_P(Wast, OfficialFloats) {
  const std::filesystem::path folder = Shared() / "data/wasm-testsuite";
  if (!std::filesystem::is_directory(folder)) {
    GTEST_SKIP() << "the official WebAssembly suite is not at " << folder;
  }
  WastReport total;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool is_about_floats = name.starts_with("f32") || name.starts_with("f64") ||
                                 name.starts_with("float") || name == "conversions.wast" ||
                                 name == "const.wast" || name == "endianness.wast";
    if (!is_about_floats) continue;
    const WastReport report = Run(entry.path());
    EXPECT_TRUE(report.notes.empty())
        << name << ":" << report.notes[0].line << ": " << report.notes[0].text;
    total.Add(report);
  }
  EXPECT_EQ(Text(total),
            "module 418/0/0; action 24/0/0; assert_return 9597/0/0; assert_trap 67/0/0; "
            "assert_invalid 59/0/0; assert_malformed 156/0/0; ");
}

}  // namespace
}  // namespace txvm::frontends::wat
