#include "frontends/screen/stage.h"

#include <gtest/gtest.h>

#include <vector>

namespace txvm::frontends::screen {
namespace {

TEST(Stage, TimeWithoutAWindowIsThatOfFramesAndSleeps) {
  StageOptions options;
  options.rate = 35;
  options.frames = 70;
  Stage stage = Stage::Make(options).value();
  EXPECT_EQ(stage.Ticks(), 0);
  ASSERT_TRUE(stage.Show({1, 1, {0}}));
  EXPECT_EQ(stage.Ticks(), 28);
  stage.Sleep(100);
  EXPECT_EQ(stage.Ticks(), 128);
  while (!stage.is_over()) ASSERT_TRUE(stage.Show({1, 1, {0}}));
  EXPECT_EQ(stage.frames(), 70);
  EXPECT_EQ(stage.Ticks(), 2100);
}

std::vector<int> KeysOf(std::uint64_t seed) {
  StageOptions options;
  options.keys = seed;
  Stage stage = Stage::Make(options).value();
  std::vector<int> keys;
  for (int frame = 0; frame < 100; ++frame) {
    EXPECT_TRUE(stage.Show({4, 4, std::vector<std::uint32_t>(16)}));
    while (const std::optional<KeyEvent> event = stage.NextKey()) {
      keys.push_back(event->is_down ? event->key : -event->key);
    }
    EXPECT_LT(stage.mouse().x, 4);
  }
  return keys;
}

TEST(Stage, InputAtRandomIsThatOfItsSeed) {
  EXPECT_GT(KeysOf(1).size(), 20);
  EXPECT_EQ(KeysOf(1), KeysOf(1));
  EXPECT_NE(KeysOf(1), KeysOf(2));
}

TEST(Stage, HashesEachFrameAndTheFilm) {
  std::vector<std::uint64_t> hashes;
  StageOptions options;
  options.each_frame = [&](std::uint64_t, std::uint64_t hash) { hashes.push_back(hash); };
  Stage stage = Stage::Make(options).value();
  ASSERT_TRUE(stage.Show({1, 1, {5}}));
  ASSERT_TRUE(stage.Show({1, 1, {6}}));
  EXPECT_EQ(hashes, (std::vector{HashPicture({1, 1, {5}}), HashPicture({1, 1, {6}})}));
  EXPECT_EQ(stage.hash(), HashFilm(HashFilm(0, hashes[0]), hashes[1]));
}

TEST(Stage, AFolderThatIsNotThereIsRefused) {
  StageOptions options;
  options.png = "/nowhere/at/all";
  const isa::Result<Stage> stage = Stage::Make(options);
  ASSERT_FALSE(stage);
#ifdef TXVM_HAS_PNG
  EXPECT_EQ(stage.error().message, "--png '/nowhere/at/all' is no folder: make it first");
#endif
}

}  // namespace
}  // namespace txvm::frontends::screen
