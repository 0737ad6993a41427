#include "neural/triton/field/poseidon2.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace txvm::triton {
namespace {

std::string HexOfBytes(std::string_view text) {
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  std::string hex;
  for (const std::uint8_t byte : Poseidon2HashBytes(bytes)) hex += fmt::format("{:02x}", byte);
  return hex;
}

TEST(Poseidon2, ConstantsBeginAndEndAsTheOriginals) {
  EXPECT_EQ(Poseidon2RoundConstants().size(), 86u);
  EXPECT_EQ(Poseidon2RoundConstants().front(), 5112053732956317697u);
  EXPECT_EQ(Poseidon2RoundConstants().back(), 2618977002729543425u);
}

TEST(Poseidon2, PermutesZerosAndCounting) {
  const Poseidon2State zeros = Poseidon2Permute({});
  EXPECT_EQ(zeros,
            (Poseidon2State{15418276681040673804u, 12360115312806001175u, 1503201971664012496u,
                            6420982487566891060u, 11111592944892977405u, 3878394344119183007u,
                            799493575626522521u, 11375346971901684479u}));
  const Poseidon2State counting = Poseidon2Permute({0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(counting,
            (Poseidon2State{11506093132976372865u, 12517269055347975217u, 10299766003194464374u,
                            10491439983549396639u, 3258612649213655885u, 11798787810857090259u,
                            8870281483613968530u, 5061791844519743766u}));
}

TEST(Poseidon2, HashesFields) {
  const std::vector<std::uint64_t> values = {1, 2, 3, 4, 5};
  EXPECT_EQ(Poseidon2HashFields(values),
            (std::array<std::uint64_t, 4>{17420328605887539401u, 2455506820997320710u,
                                          6567140797868492397u, 17469390686313256757u}));
}

TEST(Poseidon2, HashesMultiplesOfTheRateAsTheOriginal) {
  EXPECT_EQ(Poseidon2HashFields(std::vector<std::uint64_t>{1, 2, 3, 4}),
            (std::array<std::uint64_t, 4>{2539991677739379118u, 7230952342100995959u,
                                          17541414285112943583u, 5469414380406912164u}));
}

TEST(Poseidon2, HashesBytes) {
  EXPECT_EQ(HexOfBytes(""), "0c3c1eaef3b8f8d517faaaea63f387abd044b39a3a72dc1434b86d788de91b59");
  EXPECT_EQ(HexOfBytes("trident"),
            "0027d32685465f66390a178ac59c1b5bcc3b1a13ab30830015ad2c3f26026a86");
  EXPECT_EQ(HexOfBytes("fn main() { pub_write(42) }"),
            "5f4ccf1c8d38936cdbd572ca45afb7024cc9ec36495b6e2cb66c4db45864e2dd");
}

TEST(Poseidon2, SumsCarryNoLengthAsTheHeaderWarns) {
  const std::vector<std::uint64_t> three = {1, 2, 3};
  const std::vector<std::uint64_t> padded = {1, 2, 3, 0};
  // A full block is permuted by the squeeze alone, as in the original.
  EXPECT_EQ(Poseidon2HashFields(three), Poseidon2HashFields(padded));
  EXPECT_EQ(Poseidon2HashFields(std::vector<std::uint64_t>{1, 2}),
            Poseidon2HashFields(std::vector<std::uint64_t>{1, 2, 0}));
}

}  // namespace
}  // namespace txvm::triton
