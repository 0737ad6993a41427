#include "weights/onnx.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/weights/model_run.h"

namespace txvm::weights {
namespace {

bool Contains(const std::vector<std::uint8_t>& file, std::string_view text) {
  return !std::ranges::search(file, text).empty();
}

// The file's meaning is tested by running it (tests/interop); here its frame.
TEST(Onnx, FileNamesInputsOutputsAndStandardOperators) {
  const std::vector<std::uint8_t> file = WriteOnnx(TheModel());
  ASSERT_GT(file.size(), Describe(TheModel()).parameters * sizeof(float) / 2);
  EXPECT_EQ(file[0], 1u << 3);  // ir_version, a varint
  EXPECT_EQ(file[1], 8u);
  for (const std::string_view text :
       {"state", "memory", "out", "tokens", "MatMul", "ArgMax", "select_last_index", "Gather"}) {
    EXPECT_TRUE(Contains(file, text)) << text;
  }
  EXPECT_EQ(file, WriteOnnx(TheModel()));
}

}  // namespace
}  // namespace txvm::weights
