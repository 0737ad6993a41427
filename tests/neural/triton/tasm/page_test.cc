// docs/TASM.md holds the tables that the .def files generate. TXVM_BLESS=1 rewrites them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "neural/triton/tasm/machine.h"
#include "neural/triton/tasm/op.h"

namespace txvm::triton {
namespace {

std::string_view ArgumentText(TasmArg arg) {
  switch (arg) {
    case TasmArg::kNone:
      return "";
    case TasmArg::kElement:
      return " a";
    case TasmArg::kCount:
      return " n";
    case TasmArg::kRegister:
      return " i";
    case TasmArg::kLabel:
      return " label";
  }
  return "";
}

std::string_view SetText(TasmSet set) {
  switch (set) {
    case TasmSet::kAll:
      return "";
    case TasmSet::kDot:
      return "dot";
    case TasmSet::kHorner:
      return "horner";
  }
  return "";
}

// "+n", "-1", "0"
std::string NetText(const TasmOpInfo& info) {
  if (info.net_per_unit != 0) return info.net_per_unit > 0 ? "+n" : "-n";
  return info.net == 0 ? "0" : fmt::format("{:+}", info.net);
}

std::string RamText(const TasmOpInfo& info) {
  return info.ram_per_unit ? "n" : fmt::format("{}", info.ram_rows);
}

// The instructions as a table, in the order of their codes.
std::string InstructionTable() {
  std::vector<TasmOpInfo> rows(kTasmOps.begin(), kTasmOps.end());
  std::ranges::stable_sort(rows, {}, &TasmOpInfo::code);
  std::string text =
      "| code | instruction | set | stack | ram | hash | effect |\n|--|--|--|--|--|--|--|\n";
  for (const TasmOpInfo& info : rows) {
    text += fmt::format("| {} | `{}{}` | {} | {} | {} | {} | {} |\n", info.code, info.text,
                        ArgumentText(info.arg), SetText(info.set), NetText(info), RamText(info),
                        info.hash_rows, info.effect);
  }
  return text;
}

// Why a run may stop, as a table.
std::string CrashTable() {
  std::string text = "| crash | meaning |\n|--|--|\n";
#define TXVM_TASM_CRASH(Name, short_text, detail) \
  text += fmt::format("| `{}` | {} |\n", short_text, detail);
#include "neural/triton/tasm/crashes.def"
#undef TXVM_TASM_CRASH
  return text;
}

const std::string kPath = std::string(TXVM_SOURCE_DIR) + "/docs/TASM.md";

std::string ReadPage() {
  std::ifstream file(kPath);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void ExpectSection(const std::string& name, const std::string& table) {
  const std::string begin = "<!-- " + name + " -->\n";
  const std::string end = "<!-- end -->\n";
  std::string page = ReadPage();
  const std::size_t from = page.find(begin);
  ASSERT_NE(from, std::string::npos) << "docs/TASM.md has no section " << name;
  const std::size_t first = from + begin.size();
  const std::size_t last = page.find(end, first);
  ASSERT_NE(last, std::string::npos);
  if (std::getenv("TXVM_BLESS") != nullptr) {
    page.replace(first, last - first, table);
    std::ofstream(kPath) << page;
    return;
  }
  EXPECT_EQ(page.substr(first, last - first), table) << "run again with TXVM_BLESS=1";
}

TEST(TasmPage, HasTheInstructionTable) { ExpectSection("instructions", InstructionTable()); }

TEST(TasmPage, HasTheCrashTable) { ExpectSection("crashes", CrashTable()); }

}  // namespace
}  // namespace txvm::triton
