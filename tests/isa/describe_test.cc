// docs/ISA.md is the opcode table. TXVM_BLESS=1 rewrites it.
#include "isa/describe.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace txvm::isa {
namespace {

TEST(Describe, DocumentationIsGeneratedFromTheTable) {
  const std::string path = std::string(TXVM_SOURCE_DIR) + "/docs/ISA.md";
  if (std::getenv("TXVM_BLESS") != nullptr) std::ofstream(path, std::ios::binary) << IsaMarkdown();
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " cannot be read";
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, IsaMarkdown()) << "TXVM_BLESS=1 rewrites docs/ISA.md";
}

TEST(Describe, ShowsARowAsTheTableStatesIt) {
  EXPECT_NE(IsaMarkdown().find("| 46 | I32.LOAD | offset | 1 | 1 | M4 | memory | addr -> 4 bytes"),
            std::string::npos);
  EXPECT_NE(
      IsaMarkdown().find("| 40 | ABS | none | 1 | 1 | - | arithmetic | a -> \\|a\\| mod 2^32"),
      std::string::npos);
  EXPECT_NE(IsaMarkdown().find("| 1 | DivideByZero | integer divide by zero |"), std::string::npos);
}

}  // namespace
}  // namespace txvm::isa
