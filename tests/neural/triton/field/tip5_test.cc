#include "neural/triton/field/tip5.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "neural/triton/field/tip5_blake3.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
namespace {

// Published digests of Triton VM's Tip5.
constexpr Digest kHashOfZeros = {941080798860502477u, 5295886365985465639u, 14728839126885177993u,
                                 10358449902914633406u, 14220746792122877272u};
constexpr Digest kHashOfCounting = {3110372704410120700u, 8302474967766940368u,
                                    7132587465497701049u, 4643011738479212626u,
                                    8384034896017378691u};
constexpr Digest kHashOf123 = {1037267703022364995u, 3063942090192050073u, 10598035914747203430u,
                               12841041985295660792u, 1267185559365897270u};

TEST(Blake3, HashesTheEmptyAndAShortMessage) {
  EXPECT_EQ(Blake3SmallHash("")[0], 0xB94913AFu);     // af1349b9 ... little endian
  EXPECT_EQ(Blake3SmallHash("abc")[0], 0xACB33764u);  // 6437b3ac ...
}

TEST(Tip5, RoundConstantsAreThePublishedOnes) {
  EXPECT_EQ(Tip5RoundConstant(0), 13630775303355457758u);
  EXPECT_EQ(Tip5RoundConstant(1), 16896927574093233874u);
  EXPECT_EQ(Tip5RoundConstant(79), 6024642864597845108u);
}

TEST(Tip5, HashesTenElements) {
  std::array<std::uint64_t, kTip5Rate> values{};
  EXPECT_EQ(Tip5Hash10(values), kHashOfZeros);
  std::iota(values.begin(), values.end(), 0);
  EXPECT_EQ(Tip5Hash10(values), kHashOfCounting);
}

TEST(Tip5, HashOfAPairIsTheHashOfBothHalves) {
  EXPECT_EQ(Tip5HashPair({0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}), kHashOfCounting);
}

TEST(Tip5, HashesAnyLength) {
  EXPECT_EQ(Tip5HashVarlen(std::vector<std::uint64_t>{1, 2, 3}), kHashOf123);
}

TEST(Tip5, PaddingTellsLengthsApart) {
  const Digest nine = Tip5HashVarlen(std::vector<std::uint64_t>(9, 0));
  const Digest ten = Tip5HashVarlen(std::vector<std::uint64_t>(10, 0));
  const Digest none = Tip5HashVarlen({});
  EXPECT_NE(nine, ten);
  EXPECT_NE(none, nine);
}

TEST(Tip5, PaddedInputEqualsAbsorbingByHand) {
  std::vector<std::uint64_t> values(12);
  std::iota(values.begin(), values.end(), 1);
  Tip5 sponge = Tip5::VariableLength();
  sponge.SetRate(std::array<std::uint64_t, kTip5Rate>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  sponge.Permute();
  sponge.SetRate(std::array<std::uint64_t, kTip5Rate>{11, 12, 1});
  sponge.Permute();
  EXPECT_EQ(Tip5HashVarlen(values), sponge.TakeDigest());
}

TEST(Tip5, CascadeCountsDistinctLimbsOfTheTableLanes) {
  CascadeSet set;
  set.Add(0x0001'0002'0001'0003);
  EXPECT_EQ(set.size(), 3u);
  set.Add(0x0003'0002'0001'0004);
  EXPECT_EQ(set.size(), 4u);
  CascadeSet permutation;
  std::array<std::uint64_t, kTip5Rate> values{};
  (void)Tip5Hash10(values, &permutation);
  // Four lanes of four limbs in five rounds; the first round looks up only 0 here.
  EXPECT_LE(permutation.size(), 65u);
  EXPECT_GT(permutation.size(), 55u);
}

TEST(Tip5, RecordingDoesNotChangeTheDigest) {
  CascadeSet set;
  EXPECT_EQ(Tip5HashVarlen(std::vector<std::uint64_t>{1, 2, 3}, &set), kHashOf123);
}

}  // namespace
}  // namespace txvm::triton
