// The house rules a compiler does not check: who includes whom, where heavy headers appear, how
// long a file may be. docs/ARCHITECTURE.md states them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "frontends/cli/support/exit_code.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TXVM_SOURCE_DIR;
constexpr int kMostLines = 500;

// Folders at the top and whom each may include, itself aside.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"isa", {}},
    {"asm", {"isa"}},
    {"weights", {"isa"}},
    {"vm", {"isa", "weights"}},
    {"neural", {"isa", "weights", "vm"}},
    {"frontends", {"isa", "asm", "weights", "vm", "neural", "bench"}},
    {"bench", {"isa", "asm", "weights", "vm", "neural", "frontends"}},
    {"tests", {"isa", "asm", "weights", "vm", "neural", "frontends", "bench"}},
};

// Headers that cost seconds of compilation, and the only places outside tests/ that may include
// them: a prefix of the path.
const std::map<std::string, std::vector<std::string>> kHeavy = {
    {"hwy/", {"vm/tensor/", "vm/engines/attention", "bench/"}},
    {"dnnl", {"vm/tensor/"}},
    {"asmjit/", {"vm/folded/"}},
    {"wabt/", {"frontends/wat/"}},
    {"CLI/", {"frontends/cli/support/arguments.cc", "bench/nl/main.cc"}},
    {"toml++/", {"frontends/cli/support/config_file.cc", "bench/scenario.cc"}},
    {"nlohmann/", {"weights/", "neural/", "frontends/", "bench/nl/items.cc"}},
    {"boost/", {"neural/"}},
};

// Tables may be longer.
bool MayBeLong(const fs::path& path) { return path.extension() == ".def"; }

struct SourceFile {
  std::string path;  // below the root
  std::vector<std::string> lines;
};

std::vector<SourceFile> SourceFiles() {
  std::vector<SourceFile> files;
  for (const auto& [folder, allowed] : kMayInclude) {
    if (!fs::exists(kRoot / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const std::set<std::string> extensions = {".h", ".cc", ".def"};
      if (!extensions.contains(entry.path().extension().string())) continue;
      SourceFile file{fs::relative(entry.path(), kRoot).string(), {}};
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
      files.push_back(std::move(file));
    }
  }
  return files;
}

std::string TopFolder(const std::string& path) { return path.substr(0, path.find('/')); }

std::vector<std::string> Includes(const SourceFile& file, const std::regex& form) {
  std::vector<std::string> found;
  for (const std::string& line : file.lines) {
    std::smatch match;
    if (std::regex_search(line, match, form)) found.push_back(match[1]);
  }
  return found;
}

TEST(Layers, FilesAreFound) { EXPECT_GT(SourceFiles().size(), 50u); }

TEST(Layers, IncludesGoDownTheHouseOnly) {
  const std::regex quoted(R"re(^\s*#\s*include\s+"([^"]+)")re");
  for (const SourceFile& file : SourceFiles()) {
    const std::string from = TopFolder(file.path);
    for (const std::string& include : Includes(file, quoted)) {
      const std::string to = TopFolder(include);
      if (to == from || !kMayInclude.contains(to)) continue;
      EXPECT_TRUE(kMayInclude.at(from).contains(to)) << file.path << " includes " << include;
    }
  }
}

TEST(Layers, HeavyHeadersStayInTheirPlaces) {
  const std::regex any(R"re(^\s*#\s*include\s+[<"]([^>"]+)[>"])re");
  for (const SourceFile& file : SourceFiles()) {
    if (TopFolder(file.path) == "tests") continue;
    for (const std::string& include : Includes(file, any)) {
      for (const auto& [header, places] : kHeavy) {
        if (!include.starts_with(header)) continue;
        const bool allowed = std::ranges::any_of(
            places, [&](const std::string& place) { return file.path.starts_with(place); });
        EXPECT_TRUE(allowed) << file.path << " includes " << include;
      }
    }
  }
}

TEST(Layers, FilesAreShort) {
  for (const SourceFile& file : SourceFiles()) {
    if (MayBeLong(file.path)) continue;
    EXPECT_LE(file.lines.size(), static_cast<std::size_t>(kMostLines)) << file.path;
  }
}

TEST(Layers, HeadersGuardAgainstASecondInclude) {
  for (const SourceFile& file : SourceFiles()) {
    if (!file.path.ends_with(".h") || file.path.ends_with("-inl.h")) continue;
    if (file.path.ends_with("/runtime/include/assert.h")) continue;  // each include defines anew
    EXPECT_NE(std::ranges::find(file.lines, "#pragma once"), file.lines.end()) << file.path;
  }
}

// README.md marks options as code; the table of exit codes is plain text.
TEST(Docs, ReadmeListsEveryExitCode) {
  std::ifstream stream(kRoot / "README.md");
  std::string readme{std::istreambuf_iterator<char>(stream), {}};
  std::erase(readme, '`');
#define TXVM_EXIT(code, Name, meaning) \
  EXPECT_NE(readme.find("| " #code " | " meaning " |"), std::string::npos) << meaning;
#include "frontends/cli/support/exit_codes.def"
#undef TXVM_EXIT
  EXPECT_NE(readme.find(fmt::format("| n | {} |", kOwnExitCode)), std::string::npos);
}

TEST(Docs, HelpAndManualListEveryExitCode) {
  const std::string help = RunTxvm({"--help"}).out;
  std::string manual = RunTxvm({"manual"}).out;
  std::erase(manual, '\\');
#define TXVM_EXIT(code, Name, meaning)                                                        \
  EXPECT_NE(help.find(fmt::format("{:>5}  {}\n", code, meaning)), std::string::npos) << help; \
  EXPECT_NE(manual.find(fmt::format(".B {}\n{}\n", code, meaning)), std::string::npos) << manual;
#include "frontends/cli/support/exit_codes.def"
#undef TXVM_EXIT
  EXPECT_NE(help.find(fmt::format("    n  {}\n", kOwnExitCode)), std::string::npos) << help;
  EXPECT_NE(manual.find(fmt::format(".I n\n{}\n", kOwnExitCode)), std::string::npos) << manual;
}

}  // namespace
}  // namespace txvm::frontends::cli
