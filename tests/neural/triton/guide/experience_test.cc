#include "neural/triton/guide/experience.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "isa/support/file.h"
#include "neural/triton/guide/default_network.h"
#include "neural/triton/guide/weights_store.h"
#include "neural/triton/tasm/text.h"

namespace txvm::triton::guide {
namespace {

// A folder of its own, removed at the end.
class Folder {
 public:
  Folder() : path_(mkdtemp(std::string("/tmp/txvm_experience_XXXXXX").data())) {}
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<TasmInstruction> Code(const std::string& text) {
  return AssembleTasm(text).value().code;
}

Experience Of(const std::string& block, const std::string& result, std::size_t depth = 0) {
  return {Code(block), depth, Code(block), Code(result)};
}

std::size_t InstructionsOf(const std::vector<Experience>& experiences) {
  std::size_t count = 0;
  for (const Experience& experience : experiences) count += experience.result.size();
  return count;
}

TEST(ExperienceBuffer, KeepsEachBlockOnceWithItsShortestResult) {
  const Folder folder;
  ExperienceBuffer buffer = ExperienceBuffer::Open(folder.path()).value();
  const Experience first = Of("push 1 push 2 add", "push 1 addi 2");
  EXPECT_EQ(buffer.Add({first, first, Of("push 1 push 2", "push 3")}),
            1u);  // the last is too short
  EXPECT_EQ(buffer.Add({Of("push 1 push 2 add", "push 3"), first}), 1u);
  EXPECT_EQ(buffer.Add({Of("push 1 push 2 add", "push 3", 4)}),
            1u);  // another depth, another block

  const ExperienceBuffer again = ExperienceBuffer::Open(folder.path()).value();
  ASSERT_EQ(again.experiences().size(), 2u);
  EXPECT_EQ(again.experiences()[0].result, Code("push 3"));
  EXPECT_EQ(again.experiences()[0].baseline, Code("push 1 push 2 add"));
  EXPECT_EQ(again.experiences()[1].known_depth, 4u);
}

TEST(ExperienceBuffer, DropsALineThatAProcessDidNotFinish) {
  const Folder folder;
  const std::string path = folder.path() + "/experience.jsonl";
  ASSERT_EQ(ExperienceBuffer::Open(folder.path()).value().Add({Of("push 1 push 2 add", "push 3")}),
            1u);
  const std::string whole = isa::ReadFile(path).value();
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    ASSERT_TRUE(isa::WriteFile(path, whole + whole.substr(0, cut)));
    EXPECT_EQ(ExperienceBuffer::Open(folder.path()).value().experiences().size(), 1u);
    EXPECT_EQ(isa::ReadFile(path).value(), whole) << "mended";
  }
}

TEST(ExperienceBuffer, RefusesALineThatIsNoExperience) {
  const Folder folder;
  for (const std::string line :
       {"", "{}", "[]", R"({"block":"push 1 push 2 add","baseline":"","result":"push"})",
        R"({"block":"call a a: return","baseline":"","result":"","depth":0})",
        R"({"block":"add add add","baseline":"add","result":"add","depth":-1})"}) {
    ASSERT_TRUE(isa::WriteFile(folder.path() + "/experience.jsonl", line + "\n"));
    const auto buffer = ExperienceBuffer::Open(folder.path());
    ASSERT_FALSE(buffer) << line;
    EXPECT_EQ(buffer.error().code, isa::ErrorCode::kCorrupt) << line;
    EXPECT_TRUE(buffer.error().message.starts_with("line 1 of ")) << buffer.error().message;
  }
}

TEST(ExperienceBuffer, HoldsOutTheSameBlocksForEver) {
  const Folder folder;
  ExperienceBuffer buffer = ExperienceBuffer::Open(folder.path()).value();
  std::vector<Experience> all;
  for (int i = 0; i < 200; ++i) {
    all.push_back(Of("push " + std::to_string(i) + " push 2 add", "push " + std::to_string(i + 2)));
  }
  ASSERT_EQ(buffer.Add(all), 200u);
  const std::vector<Window> held_out = buffer.Windows(true), learnt = buffer.Windows(false);
  EXPECT_EQ(held_out.size() + learnt.size(), 200u);
  EXPECT_GT(held_out.size(), 25u);
  EXPECT_LT(held_out.size(), 75u);
  ASSERT_EQ(buffer.Add({Of("push 1000 push 2 add", "push 1002")}), 1u);
  const std::vector<Window> later = buffer.Windows(true);
  for (std::size_t i = 0; i < held_out.size(); ++i) EXPECT_EQ(later[i].code, held_out[i].code);
}

TEST(ExperienceBuffer, LosesTheOldestBeyondItsLimit) {
  const Folder folder;
  std::vector<Experience> all;
  for (std::size_t i = 0; i <= 2 * kMostExperiences; ++i) {
    const std::string number = std::to_string(i);
    all.push_back(Of("push " + number + " push 2 add", "push " + number));
  }
  ASSERT_EQ(ExperienceBuffer::Open(folder.path()).value().Add(all), all.size());
  for (int reading = 0; reading < 2; ++reading) {
    const ExperienceBuffer buffer = ExperienceBuffer::Open(folder.path()).value();
    ASSERT_EQ(buffer.experiences().size(), kMostExperiences);
    EXPECT_EQ(buffer.experiences().back().block, all.back().block);
    EXPECT_EQ(InstructionsOf(buffer.experiences()), kMostExperiences);
  }
}

TEST(WeightsStore, ChoosesAmongWhatWasPromoted) {
  const Folder folder;
  const WeightsStore store(folder.path());
  EXPECT_FALSE(store.Current().value());
  EXPECT_EQ(HashText(store.Load().value()), HashText(DefaultNetwork()));

  std::vector<std::int32_t> weights(DefaultNetwork().weights().begin(),
                                    DefaultNetwork().weights().end());
  weights[7] += 1;
  const Network other = Network::Make(weights).value();
  ASSERT_TRUE(store.Promote(other));
  EXPECT_EQ(store.Current().value(), HashText(other));
  EXPECT_EQ(HashText(store.Load().value()), HashText(other));
  EXPECT_EQ(store.Names(), std::vector{HashText(other)});

  ASSERT_TRUE(store.Use("shipped"));
  EXPECT_EQ(HashText(store.Load().value()), HashText(DefaultNetwork()));
  ASSERT_TRUE(store.Use(HashText(other).substr(0, 4)));
  EXPECT_EQ(HashText(store.Load().value()), HashText(other));
  EXPECT_EQ(store.Use("zzz").error().code, isa::ErrorCode::kUsage);
  EXPECT_EQ(store.Use("").error().code, isa::ErrorCode::kUsage);
}

TEST(WeightsStore, RefusesANetworkUnderAnotherName) {
  const Folder folder;
  const WeightsStore store(folder.path());
  ASSERT_TRUE(store.Promote(DefaultNetwork()));
  const std::string name = HashText(DefaultNetwork()), other(name.size(), '0');
  const std::string bytes =
      isa::ReadFile(folder.path() + "/weights/" + name + ".safetensors").value();
  ASSERT_TRUE(isa::WriteFile(folder.path() + "/weights/" + other + ".safetensors", bytes));
  ASSERT_TRUE(store.Use(other));
  EXPECT_EQ(store.Load().error().code, isa::ErrorCode::kCorrupt);
  ASSERT_TRUE(isa::WriteFile(folder.path() + "/current", "../../etc/passwd\n"));
  EXPECT_EQ(store.Load().error().code, isa::ErrorCode::kCorrupt);
}

TEST(LearnFromExperience, PromotesOnlyWhatGainsOnHeldOutBlocks) {
  const Folder folder;
  ExperienceBuffer buffer = ExperienceBuffer::Open(folder.path()).value();
  neural::llm::Workers workers(2);
  ExperienceOptions options;
  options.seconds = 0;  // one pass
  options.fragments = 10;
  EXPECT_EQ(LearnFromExperience(buffer, DefaultNetwork(), options, workers).error().code,
            isa::ErrorCode::kInvalid);
  std::vector<Experience> all;
  for (int i = 0; i < 24; ++i) {
    all.push_back(Of("push " + std::to_string(i) + " push 2 add", "push " + std::to_string(i + 2)));
  }
  ASSERT_EQ(buffer.Add(all), 24u);
  const auto learnt = LearnFromExperience(buffer, DefaultNetwork(), options, workers);
  ASSERT_TRUE(learnt) << learnt.error().message;
  const TrainingRecord& record = learnt->second;
  EXPECT_EQ(record.hash, HashText(learnt->first));
  EXPECT_NE(record.hash, HashText(DefaultNetwork()));
  EXPECT_EQ(record.learnt + record.held_out, 24u);
  // Every search finds these whole, so no network gains.
  EXPECT_EQ(record.after, record.before);
  EXPECT_FALSE(record.promoted);
  const WeightsStore store(folder.path());
  ASSERT_TRUE(store.Record(record));
  ASSERT_EQ(store.History().value().size(), 1u);
  EXPECT_EQ(store.History().value()[0].hash, record.hash);
  EXPECT_EQ(store.History().value()[0].before, record.before);
}

}  // namespace
}  // namespace txvm::triton::guide
