// The house rules a compiler does not check: which folders there are, who includes whom, where
// heavy headers appear, how long a file may be. docs/ARCHITECTURE.md states them in tables, which
// are read from there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cli/support/exit_code.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TXVM_SOURCE_DIR;
constexpr std::size_t kMostLines = 800;  // of a file that does not say why it has more
constexpr std::size_t kHeadLines = 20;   // where it says so

// Folders at the top that hold code.
const std::set<std::string> kCode = {"isa",    "asm",       "weights", "vm",
                                     "neural", "frontends", "bench",   "tests"};

// Headers that cost seconds of compilation, and the only places outside tests/ that may include
// them: a prefix of the path.
const std::map<std::string, std::vector<std::string>> kHeavy = {
    {"hwy/", {"vm/tensor/", "vm/engines/attention", "bench/"}},
    {"dnnl", {"vm/tensor/"}},
    {"asmjit/", {"vm/folded/"}},
    {"wabt/", {"bench/reader_bench.cc"}},
    {"CLI/", {"frontends/cli/support/arguments.cc", "bench/nl/main.cc"}},
    {"toml++/", {"frontends/cli/support/config_file.cc", "bench/scenario.cc"}},
    {"nlohmann/", {"weights/", "neural/", "frontends/", "bench/nl/items.cc"}},
    {"boost/", {"neural/"}},
};

// Tables may be longer.
bool MayBeLong(const fs::path& path) { return path.extension() == ".def"; }

// What git would not list: builds, caches, what is beside the project.
bool IsForeign(const fs::path& path) {
  const std::string name = path.filename().string();
  return (name.starts_with('.') && name != ".ci") || name.starts_with("build") ||
         name == "shared" || name == "__pycache__" || name == "target";
}

struct SourceFile {
  std::string path;  // below the root
  std::vector<std::string> lines;
};

std::vector<SourceFile> SourceFiles() {
  std::vector<SourceFile> files;
  for (const std::string& folder : kCode) {
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
    if (line.find("include") == std::string::npos) continue;  // far quicker than the form
    std::smatch match;
    if (std::regex_search(line, match, form)) found.push_back(match[1]);
  }
  return found;
}

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// The cells of the table below a heading of docs/ARCHITECTURE.md, without its head.
std::vector<std::vector<std::string>> TableBelow(std::string_view heading) {
  std::ifstream stream(kRoot / "docs" / "ARCHITECTURE.md");
  std::vector<std::vector<std::string>> rows;
  bool here = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("## ")) here = line == heading;
    if (!here || !line.starts_with("| ")) continue;
    std::vector<std::string> cells;
    std::istringstream text(line.substr(2));
    for (std::string cell; std::getline(text, cell, '|');) {
      cell.erase(0, cell.find_first_not_of(' '));
      cell.erase(cell.find_last_not_of(' ') + 1);
      cells.push_back(cell);
    }
    rows.push_back(std::move(cells));
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

const std::regex kQuoted(R"re(^\s*#\s*include\s+"([^"]+)")re");

// The folders of the project that hold a file, each with '/' at its end.
std::set<std::string> FoldersWithFiles() {
  std::set<std::string> folders;
  for (fs::recursive_directory_iterator it(kRoot), end; it != end; ++it) {
    if (IsForeign(it->path())) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file() && it->path().parent_path() != kRoot) {
      folders.insert(fs::relative(it->path().parent_path(), kRoot).string() + "/");
    }
  }
  return folders;
}

// "a/*/" stands for "a/b/".
bool IsNamed(const std::string& folder, const std::set<std::string>& named) {
  if (named.contains(folder)) return true;
  const std::size_t slash = folder.rfind('/', folder.size() - 2);
  return slash != std::string::npos && named.contains(folder.substr(0, slash) + "/*/");
}

TEST(Layers, FilesAreFound) { EXPECT_GT(SourceFiles().size(), 50u); }

TEST(Layers, TheMapNamesEveryFolderWithAVerb) {
  const std::string tests = "tests/";
  std::set<std::string> named;
  for (const std::vector<std::string>& row : TableBelow("## Rooms (*enforced*)")) {
    ASSERT_EQ(row.size(), 3u) << row.front();
    EXPECT_TRUE(named.insert(row[0]).second) << row[0] << " has two rows";
    EXPECT_TRUE(std::regex_match(row[1], std::regex("[a-z]+"))) << row[0] << ": no verb";
    EXPECT_FALSE(row[2].empty()) << row[0];
    if (!row[0].ends_with("*/")) {
      EXPECT_TRUE(fs::is_directory(kRoot / row[0])) << row[0] << " is no folder";
    }
  }
  for (const std::string& folder : FoldersWithFiles()) {
    const bool mirrors = folder.starts_with(tests) && IsNamed(folder.substr(tests.size()), named);
    EXPECT_TRUE(mirrors || IsNamed(folder, named)) << folder << " has no row";
  }
}

// A row of "who may include whom".
struct Rule {
  std::string folder;
  std::vector<std::string> may;  // prefixes of paths
  bool may_all = false;
};

std::vector<Rule> Rules() {
  std::vector<Rule> rules;
  for (const auto& row : TableBelow("## Who may include whom (*enforced*)")) {
    Rule rule{row.at(0), {}, row.at(1) == "*"};
    std::istringstream text(row[1]);
    for (std::string folder; std::getline(text >> std::ws, folder, ',');) {
      if (folder != "nothing" && folder != "*") rule.may.push_back(folder);
    }
    rule.may.push_back(rule.folder);
    rules.push_back(std::move(rule));
  }
  return rules;
}

const Rule* RuleFor(const std::vector<Rule>& rules, const std::string& path) {
  const Rule* best = nullptr;
  for (const Rule& rule : rules) {
    if (!path.starts_with(rule.folder)) continue;
    if (best == nullptr || rule.folder.size() > best->folder.size()) best = &rule;
  }
  return best;
}

TEST(Layers, IncludesGoDownTheHouseOnly) {
  const std::vector<Rule> rules = Rules();
  ASSERT_GT(rules.size(), 10u);
  for (const SourceFile& file : SourceFiles()) {
    const Rule* rule = RuleFor(rules, file.path);
    ASSERT_NE(rule, nullptr) << file.path << ": its folder has no row";
    for (const std::string& include : Includes(file, kQuoted)) {
      if (rule->may_all || !kCode.contains(TopFolder(include))) continue;
      EXPECT_TRUE(std::ranges::any_of(
          rule->may, [&](const std::string& may) { return include.starts_with(may); }))
          << file.path << " includes " << include;
    }
  }
}

TEST(Layers, NoFoldersIncludeEachOtherInACircle) {
  struct Edges {
    std::map<std::string, std::string> to;  // folder, and an include that leads there
  };
  std::map<std::string, Edges> graph;
  for (const SourceFile& file : SourceFiles()) {
    const std::string from = FolderOf(file.path);
    for (const std::string& include : Includes(file, kQuoted)) {
      const std::string to = FolderOf(include);
      const bool is_nested = from.starts_with(to) || to.starts_with(from);
      if (is_nested || !kCode.contains(TopFolder(include))) continue;
      graph[from].to.emplace(to, file.path + " includes " + include);
    }
  }
  std::map<std::string, int> state;  // 1: on the path that is being followed, 2: done
  const std::function<void(const std::string&, const std::string&)> visit =
      [&](const std::string& folder, const std::string& path) {
        state[folder] = 1;
        for (const auto& [to, include] : graph[folder].to) {
          const std::string longer = path + "\n" + include;
          EXPECT_NE(state[to], 1) << "a circle through " << to << ":" << longer;
          if (state[to] == 0) visit(to, longer);
        }
        state[folder] = 2;
      };
  std::vector<std::string> folders;
  for (const auto& [folder, edges] : graph) folders.push_back(folder);
  for (const std::string& folder : folders) {
    if (state[folder] == 0) visit(folder, "");
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

// "long" in the comment at the head of a file is where it says why it is.
TEST(Layers, FilesAreShortOrSayWhyNot) {
  for (const SourceFile& file : SourceFiles()) {
    if (MayBeLong(file.path) || file.lines.size() <= kMostLines) continue;
    const bool says_why =
        std::any_of(file.lines.begin(), file.lines.begin() + kHeadLines, [](const auto& line) {
          return line.starts_with("//") && line.find("long") != std::string::npos;
        });
    EXPECT_TRUE(says_why) << file.path << " has " << file.lines.size() << " lines";
  }
}

// Where is it declared? In the header of the same name; else the source's head says where, or it is
// a program or a command, which is declared in a table of commands.
TEST(Layers, SourcesSayWhereTheyAreDeclared) {
  const std::vector<std::string> not_yet = {
      "neural/",         "frontends/wat/", "frontends/wasi/",      "frontends/provable/",
      "frontends/capi/", "frontends/js/",  "frontends/c/runtime/", "tests/"};
  const std::regex declared(R"re(^// .*\bDeclared in ([a-z_/0-9.]+\.h)\.)re");
  const std::regex command(R"re(^// txvm [a-z]+)re");
  for (const SourceFile& file : SourceFiles()) {
    if (!file.path.ends_with(".cc") || std::ranges::any_of(not_yet, [&](const auto& room) {
          return file.path.starts_with(room);
        })) {
      continue;
    }
    const fs::path stem = kRoot / file.path.substr(0, file.path.size() - 3);
    if (fs::exists(stem.string() + ".h") || fs::exists(stem.string() + "-inl.h")) continue;
    bool says_so = std::ranges::any_of(
        file.lines, [](const std::string& line) { return line.starts_with("int main("); });
    for (std::size_t i = 0; i < std::min(kHeadLines, file.lines.size()); ++i) {
      std::smatch match;
      says_so |= std::regex_search(file.lines[i], command);
      says_so |=
          std::regex_search(file.lines[i], match, declared) && fs::exists(kRoot / match[1].str());
    }
    EXPECT_TRUE(says_so) << file.path << " has no header of its name and does not say \"Declared in"
                         << " path.h.\" at its head";
  }
}

TEST(Layers, HeadersGuardAgainstASecondInclude) {
  for (const SourceFile& file : SourceFiles()) {
    if (!file.path.ends_with(".h") || file.path.ends_with("-inl.h")) continue;
    if (file.path.ends_with("/runtime/include/assert.h")) continue;  // each include defines anew
    const auto refuses = [](const std::string& line) { return line.starts_with("#error "); };
    if (std::ranges::any_of(file.lines, refuses)) continue;  // nobody gets past it
    EXPECT_NE(std::ranges::find(file.lines, "#pragma once"), file.lines.end()) << file.path;
  }
}

// docs/CLI.md marks options as code; the table of exit codes is plain text.
TEST(Docs, CliPageListsEveryExitCode) {
  std::ifstream stream(kRoot / "docs/CLI.md");
  std::string page{std::istreambuf_iterator<char>(stream), {}};
  std::erase(page, '`');
#define TXVM_EXIT(code, Name, meaning) \
  EXPECT_NE(page.find("| " #code " | " meaning " |"), std::string::npos) << meaning;
#include "frontends/cli/support/exit_codes.def"
#undef TXVM_EXIT
  EXPECT_NE(page.find(fmt::format("| n | {} |", kOwnExitCode)), std::string::npos);
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
