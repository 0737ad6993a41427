// docs/TASM.md holds the tables that the .def files generate. TXVM_BLESS=1 rewrites them.
#include "tests/neural/triton/support/tasm_describe.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace txvm::triton {
namespace {

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

TEST(TasmPage, HasTheInstructionTable) { ExpectSection("instructions", TasmInstructionTable()); }

TEST(TasmPage, HasTheCrashTable) { ExpectSection("crashes", TasmCrashTable()); }

}  // namespace
}  // namespace txvm::triton
