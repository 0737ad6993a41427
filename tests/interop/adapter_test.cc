// Adapters beside PyTorch's: what this project trains and writes, transformers and peft read.
#include "neural/llm/adapter.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "neural/llm/context.h"
#include "neural/llm/save.h"
#include "neural/train/adapter_trainer.h"
#include "tests/neural/llm/random_model.h"

namespace txvm::neural::train {
namespace {

constexpr double kBound = 1e-4;  // max |difference| / max |logit|

/// A Python with torch, transformers and peft: $TXVM_TORCH_PYTHON, or the usual one.
std::optional<std::string> FindTorch() {
  const char* chosen = std::getenv("TXVM_TORCH_PYTHON");
  const std::string python = chosen == nullptr ? "python3" : chosen;
  const std::string probe = python + " -c 'import torch, transformers, peft' 2>/dev/null";
  if (std::system(probe.c_str()) != 0) return std::nullopt;
  return python;
}

std::vector<double> Numbers(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::array<char, 4096> part;
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) {
    text += part.data();
  }
  pclose(pipe);
  std::istringstream in(text);
  std::vector<double> numbers;
  for (double value; in >> value;) numbers.push_back(value);
  return numbers;
}

TEST(AdapterInterop, PeftReadsWhatIsTrainedHere) {
  const std::optional<std::string> python = FindTorch();
  if (!python) {
    GTEST_SKIP() << "no Python with torch, transformers and peft (TXVM_TORCH_PYTHON names one)";
  }
  const llm::TemporaryFolder folder;
  const auto model = llm::RandomModel(llm::SmallConfig(2, true), 5);
  ASSERT_TRUE(llm::SaveSafetensors(*model, folder / "base"));
  auto lora = LoraLayoutOf(TrainingLayout(model->config), {.rank = 4, .alpha = 8});
  ASSERT_TRUE(lora);
  AdamWOptions adam;
  adam.rate = 1e-2;
  adam.warmup = 1;
  adam.decay = 0;
  AdapterTrainer trainer(model, *lora, {0, 0}, adam, 1, Precision::kFloat, 1);
  const std::vector<llm::Token> tokens = {1, 50, 3, 96, 17, 17, 0, 42, 8, 61, 5, 90};
  for (int step = 0; step < 5; ++step) ASSERT_TRUE(trainer.Step({{Sequence{tokens, 4}}}));
  std::string list;
  for (const llm::Token token : tokens) list += (list.empty() ? "" : ",") + std::to_string(token);
  llm::Workers workers(1);
  for (const llm::Element type : {llm::Element::kF32, llm::Element::kBF16}) {
    llm::Adapter adapter = trainer.adapter();
    adapter.base = llm::NormsHash(*model);
    ASSERT_TRUE(llm::SaveAdapter(adapter, folder / "adapter", type));
    const std::vector<double> theirs =
        Numbers(*python + " " TXVM_SOURCE_DIR "/tests/interop/adapter_peft.py " +
                (folder / "base") + " " + (folder / "adapter") + " " + list);
    const auto adapted = llm::WithAdapter(*model, folder / "adapter");
    ASSERT_TRUE(adapted) << adapted.error().message;
    llm::Context context(*adapted, workers);
    const auto ours = context.FeedForAll(tokens);
    ASSERT_TRUE(ours);
    ASSERT_EQ(theirs.size(), ours->size());
    EXPECT_LE(llm::RelativeError(*ours, theirs), kBound) << llm::Info(type).name;
    // The adapter does something.
    llm::Context plain(model, workers);
    EXPECT_GT(llm::RelativeError(*plain.FeedForAll(tokens), theirs), 100 * kBound);
  }
}

}  // namespace
}  // namespace txvm::neural::train
