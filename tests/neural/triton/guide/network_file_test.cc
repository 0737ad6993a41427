#include "neural/triton/guide/network_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "isa/support/random.h"
#include "neural/triton/guide/default_network.h"
#include "tests/neural/triton/guide/samples.h"

namespace txvm::triton::guide {
namespace {

TEST(NetworkFile, GivesBackWhatWasWritten) {
  const Network network = RandomNetwork(1);
  const std::vector<std::uint8_t> file = WriteNetwork(network);
  const auto read = ReadNetwork(file);
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_TRUE(std::ranges::equal(read->weights(), network.weights()));
  EXPECT_EQ(HashOf(*read), HashOf(network));
  EXPECT_NE(HashOf(*read), HashOf(RandomNetwork(2)));
  EXPECT_EQ(WriteNetwork(*read), file);
}

TEST(NetworkFile, TheBuiltInNetworkIsWhole) {
  EXPECT_EQ(DefaultNetwork().weights().size(), kParameters);
  const auto read = ReadNetwork(DefaultNetworkFile());  // with its hash
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_TRUE(std::ranges::equal(read->weights(), DefaultNetwork().weights()));
}

// Every byte says something: the header's are JSON that is compared, the weights' are hashed.
TEST(NetworkFile, OneWrongByteIsNoticed) {
  const std::vector<std::uint8_t> file = WriteNetwork(RandomNetwork(3));
  isa::Random random(8);
  std::size_t refused = 0;
  for (int i = 0; i < 120; ++i) {
    std::vector<std::uint8_t> bad = file;
    // Half of them in the first 2 KB, where the header is.
    const std::size_t at = random.Below(i % 2 == 0 ? 2'048 : bad.size());
    bad[at] = static_cast<std::uint8_t>(bad[at] ^ (1U << random.Below(8)));
    const auto read = ReadNetwork(bad);
    // A blank of the header may become another blank, which changes nothing.
    refused += read ? 0 : 1;
    if (read) {
      EXPECT_TRUE(std::ranges::equal(read->weights(), RandomNetwork(3).weights()));
    }
  }
  EXPECT_GT(refused, 110U);
}

TEST(NetworkFile, CutAndForeignFilesAreRefused) {
  const std::vector<std::uint8_t> file = WriteNetwork(RandomNetwork(3));
  for (std::size_t length = 0; length < file.size(); length += 997) {
    EXPECT_FALSE(ReadNetwork(std::span(file).first(length))) << length;
  }
  std::vector<std::uint8_t> longer = file;
  longer.push_back(0);
  EXPECT_FALSE(ReadNetwork(longer));
  const std::string text = "not a network";
  EXPECT_EQ(
      ReadNetwork({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}).error().code,
      isa::ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace txvm::triton::guide
