// Inference against llama_reference.py, which reads the files and computes the logits on NumPy with
// code of its own.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>

#include "neural/llm/context.h"
#include "neural/llm/save.h"
#include "tests/neural/llm/random_model.h"

namespace txvm::neural::llm {
namespace {

constexpr double kBound = 1e-4;  // max |difference| / max |logit|
constexpr std::string_view kTokens = "1,50,3,96,17,17,0,42,8,61,5,90,33,2,71,12,64,28,9,80";

/// A Python with NumPy: $TXVM_PYTHON, or one of the usual ones.
std::optional<std::string> FindPython() {
  const char* chosen = std::getenv("TXVM_PYTHON");
  for (const std::string python : {chosen == nullptr ? "python3" : chosen, "/usr/bin/python3"}) {
    if (std::system((python + " -c 'import numpy' 2>/dev/null").c_str()) == 0) return python;
  }
  return std::nullopt;
}

std::string Output(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> part;
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) {
    text += part.data();
  }
  pclose(pipe);
  return text;
}

class LlamaReference : public testing::Test {
 protected:
  void SetUp() override {
    python_ = FindPython();
    if (!python_) GTEST_SKIP() << "no Python with numpy found (TXVM_PYTHON names one)";
  }

  /// Relative error of our logits for the model at `path`.
  double ErrorFor(const std::string& path, Gemm gemm = Gemm::kOwn) {
    std::istringstream numbers(Output(*python_ +
                                      " " TXVM_SOURCE_DIR "/tests/interop/llama_reference.py " +
                                      path + " " + std::string(kTokens)));
    std::vector<double> expected;
    for (double value; numbers >> value;) expected.push_back(value);
    std::vector<Token> tokens;
    std::istringstream list{std::string(kTokens)};
    for (std::string token; std::getline(list, token, ',');) tokens.push_back(std::stoi(token));
    const auto checkpoint = OpenCheckpoint(path);
    EXPECT_TRUE(checkpoint) << checkpoint.error().message;
    const auto model = BuildModel(*checkpoint);
    EXPECT_TRUE(model) << model.error().message;
    Workers workers(1);
    Context context(*model, workers, gemm);
    const auto logits = context.FeedForAll(tokens);
    EXPECT_TRUE(logits);
    EXPECT_EQ(logits->size(), expected.size());
    return logits->size() == expected.size() ? RelativeError(*logits, expected) : 1;
  }

  TemporaryFolder folder_;
  std::optional<std::string> python_;
};

TEST_F(LlamaReference, AgreesOnBothFormatsHeadsAndGroups) {
  double worst = 0;
  for (const std::size_t kv_heads : {1u, 2u, 8u}) {
    for (const bool tied : {false, true}) {
      const auto model = RandomModel(SmallConfig(kv_heads, tied), kv_heads + 100);
      ASSERT_TRUE(SaveSafetensors(*model, folder_ / "st"));
      ASSERT_TRUE(SaveGguf(*model, {}, folder_ / "m.gguf"));
      for (const char* name : {"st", "m.gguf"}) {
        const double error = ErrorFor(folder_ / name);
        EXPECT_LE(error, kBound) << name << kv_heads << tied;
        worst = std::max(worst, error);
      }
    }
  }
  std::printf("f32: max |difference| / max |logit| = %.2g\n", worst);
}

// The reference decodes every type with code of its own, so the bound is the same: what narrow
// storage costs is in Context.ConvertedStorageIsClose.
TEST_F(LlamaReference, AgreesOnEveryElementType) {
  for (const Element type : {Element::kF16, Element::kBF16, Element::kQ8_0, Element::kQ4_0,
                             Element::kQ4_K, Element::kQ5_K, Element::kQ6_K}) {
    Config config = SmallConfig(2, false);
    config.hidden = 256;  // rows of whole superblocks
    config.feed_forward = 512;
    config.head_dim = 32;
    ASSERT_TRUE(SaveGguf(*RandomModel(config, 200, type), {}, folder_ / "m.gguf"));
    const double error = ErrorFor(folder_ / "m.gguf");
    EXPECT_LE(error, kBound) << Info(type).name;
    std::printf("%s: %.2g\n", std::string(Info(type).name).c_str(), error);
  }
}

TEST_F(LlamaReference, AgreesWithTheLibrarysProducts) {
  Config config = SmallConfig(2, false);
  config.hidden = 1024;
  config.feed_forward = 1152;
  config.layers = 1;
  ASSERT_TRUE(SaveSafetensors(*RandomModel(config, 300), folder_ / "st"));
  EXPECT_LE(ErrorFor(folder_ / "st", Gemm::kLibrary), kBound);
}

}  // namespace
}  // namespace txvm::neural::llm
