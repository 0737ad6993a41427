// Numbers whose spelling goes on after their digits.
#include "frontends/nl/numbers/spelling.h"

#include <gtest/gtest.h>

#include "tests/frontends/nl/numbers/lexed_values.h"

namespace txvm::frontends::nl {
namespace {

// "1/2 million" is half a million, not a half of a millionth.
TEST(Spelling, AScaleAfterAFractionScalesAllOfIt) {
  EXPECT_EQ(Values("1/2 million"), (Texts{"500000"}));
  EXPECT_EQ(Values("add 3/4 thousand and -1/4 million"), (Texts{"750", "-250000"}));
  EXPECT_EQ(Values("1 1/2 million"), (Texts{"1500000"}));
  EXPECT_EQ(Values("2/4 hundred"), (Texts{"50"}));
  EXPECT_EQ(Values("5/2 million"), (Texts{"5", "2000000"}));
  EXPECT_EQ(Values("8/1/2 million"), (Texts{"8", "1", "2000000"}));
  EXPECT_EQ(Values("100/300 million"), (Texts{"100", "300000000"}));
  EXPECT_EQ(Values("1/2 a million"), (Texts{"1", "2", "1000000"}));
}

TEST(Spelling, WhatIsBelowAScaleBelongsToIt) {
  EXPECT_EQ(Values("3 thousand five hundred times 2"), (Texts{"3500", "2"}));
  EXPECT_EQ(Values("3 thousand 500 times 2"), (Texts{"3500", "2"}));
  EXPECT_EQ(Values("2 hundred and 5"), (Texts{"205"}));
  EXPECT_EQ(Values("2 hundred and 50 cows in each of 4 barns"), (Texts{"250", "4"}));
  EXPECT_EQ(Values("3 hundred fifty, minus 4 million and twelve"), (Texts{"350", "4000012"}));
  EXPECT_EQ(Values("3 million two hundred thousand"), (Texts{"3200000"}));
  EXPECT_EQ(Values("15 hundred"), (Texts{"1500"}));
  EXPECT_EQ(Values("3 million 500 thousand, 3 million 5 thousand 200, 3 million 4 hundred"),
            (Texts{"3500000", "3005200", "3000400"}));
}

TEST(Spelling, ScalesMayBePlurals) {
  EXPECT_EQ(Values("5 millions plus three thousands, 2 Hundreds of 2.5 billions"),
            (Texts{"5000000", "3000", "200", "2500000000"}));
  EXPECT_EQ(Values("5 seconds, many thousands, 3 thousandss"), (Texts{"5", "3"}));
  EXPECT_EQ(Values("5 quintillions"),
            (Texts{"error: '5 quintillions' is no number: the words for scales are hundred to "
                   "quadrillion; write it in digits"}));
}

TEST(Spelling, AHalfAfterALargeScaleMayBeHalfOfThat) {
  const std::string why =
      "' is no number: the part may be of the scale or of one; write it as 1.5 million, or in "
      "digits";
  EXPECT_EQ(Values("two million and a half"), (Texts{"error: 'two million and a half" + why}));
  EXPECT_EQ(Values("3 thousand and a quarter"), (Texts{"error: '3 thousand and a quarter" + why}));
  EXPECT_EQ(Values("one hundred and a half, two and a half million, 2 million and a half of it"),
            (Texts{"201/2", "2500000", "2000000"}));
}

TEST(Spelling, AMinusAfterAMixedNumberIsADifference) {
  EXPECT_EQ(Values("3 1/2-1"), (Texts{"7/2", "1"}));
  EXPECT_EQ(Values("5 ½-.5, 5 1/2-(2), 5 1/2-inch"),
            (Texts{"11/2", "1/2", "11/2", "2", "5", "1", "2"}));
}

TEST(Spelling, AnXBetweenNumbersMultipliesWhateverTheyAre) {
  EXPECT_EQ(Values("10x.5, 5x½ and 4x3"), (Texts{"10", "1/2", "5", "1/2", "4", "3"}));
  EXPECT_EQ(Values("10x .5 and 0x3"), (Texts{"10", "1/2", "0"}));
}

TEST(Spelling, AMinusAfterWhatIsSaidOfAnOperandIsADifference) {
  EXPECT_EQ(Values("5 cubed -3, 3 factorial -2, 2 ! -3, 4 squared -1, 5 per cent -2"),
            (Texts{"5", "3", "3", "2", "2", "3", "4", "1", "5", "2"}));
  EXPECT_EQ(Values("5 birds -3"), (Texts{"5", "-3"}));
}

TEST(Spelling, WhatMayBeAnotherNumberStaysOne) {
  EXPECT_EQ(Values("2 thousand and 15 were sold"), (Texts{"2000", "15"}));
  EXPECT_EQ(Values("3 thousand and 500"), (Texts{"3000", "500"}));
  EXPECT_EQ(Values("2 hundred 500"), (Texts{"200", "500"}));
  EXPECT_EQ(Values("2 hundred and 05"), (Texts{"200", "5"}));
  EXPECT_EQ(Values("2 hundred and 5.5"), (Texts{"200", "11/2"}));
  EXPECT_EQ(Values("2 hundred and 50k"), (Texts{"200", "50000"}));
  EXPECT_EQ(Values("2 hundred, 5"), (Texts{"200", "5"}));
  EXPECT_EQ(Values("3 million and 500 thousand"), (Texts{"3000000", "500000"}));
  EXPECT_EQ(Values("3 thousand 500 million"), (Texts{"3000", "500000000"}));
  EXPECT_EQ(Values("3 thousands, 2 hundreds and 5"), (Texts{"3000", "200", "5"}));
  EXPECT_EQ(Values("2.5 thousand five hundred"), (Texts{"2500", "500"}));
  EXPECT_EQ(Values("10k five"), (Texts{"10000", "5"}));
  EXPECT_EQ(Values("2 hundred first"), (Texts{"200"}));
  EXPECT_EQ(Values("2 hundred and"), (Texts{"200"}));
}

TEST(Spelling, ZerosAfterACommaAndABlankAreNoElementOfAList) {
  const std::string why =
      " is no number: thousands are separated as in 1,000,000, and the numbers of a list by a "
      "comma and a blank";
  EXPECT_EQ(Values("the sum of 10, 000 and 5"), (Texts{"error: '10, 000'" + why}));
  EXPECT_EQ(Values("1,000, 050"), (Texts{"error: '1,000, 050'" + why}));
  EXPECT_EQ(Values("10 ,000"), (Texts{"error: '10 ,000'" + why}));
  EXPECT_EQ(Values("10, 0, 5, 0.125, 00, 0000"), (Texts{"10", "0", "5", "1/8", "0", "0"}));
}

TEST(Spelling, LettersThatMayScaleMoneyAreRefused) {
  for (const std::string spelling :
       {"10M",         "$3m",   "$3M",   "$2.5b", "$3bn",   "$5bil",  "$5mil", "$5Mm",
        "$2tn",        "$4mn",  "$4mio", "$1t",   "$1tr",   "$3 m",   "$3 M",  "$3 bn",
        "$3\u00a0mil", "$4 tr", "$1½m",  "$-3m",  "-$3m",   "3m€",    "3 m€",  "3m €",
        "2.5 bil $",   "$5 k",  "$ 3m",  "$5mln", "$5 mln", "$5 bln", "$2bln"}) {
    const auto lexed = Lex("Add " + spelling + " to 3.");
    ASSERT_FALSE(lexed) << spelling;
    EXPECT_TRUE(lexed.error().message.ends_with(
        "is no number: write thousand, million, billion or trillion in full if that is meant, else "
        "name the unit"))
        << lexed.error().message;
  }
  EXPECT_EQ(Values("$3 m"), Values("$3 m."));
  EXPECT_TRUE(Values("$3 m")[0].starts_with("error: '3 m' is no number")) << Values("$3 m")[0];
}

TEST(Spelling, LettersBesideMoneyMayBeUnits) {
  EXPECT_EQ(Values("3m, 5 m, 4b, 2 mm, 6t, 7mil, 8tr, 10 M"),
            (Texts{"3", "5", "4", "2", "6", "7", "8", "10"}));
  EXPECT_EQ(Values("a $5 T-shirt and a $6 t shirt, $5 M&Ms, $2 mice, $4 b-day cards"),
            (Texts{"5", "6", "5", "2", "4"}));
  EXPECT_EQ(Values("a 3m €5 rope, 4 m $2 boards"), (Texts{"3", "5", "4", "2"}));
}

TEST(Spelling, APowerOfTenAfterAFractionScalesAllOfIt) {
  EXPECT_EQ(Values("What is $1½k plus $1?"), (Texts{"1500", "1"}));
  EXPECT_EQ(Values("½K, -1½k"), (Texts{"500", "-1500"}));
  EXPECT_EQ(Values("2¼e-1"),
            (Texts{"error: '2¼e' is no number: a fraction stands alone or ends an integer"}));
  EXPECT_EQ(Values("1 ½k plus 1, 2 1/2k plus 1"), (Texts{"1500", "1", "2500", "1"}));
  EXPECT_EQ(Values("½km, 1½kg, 1 ½km"), (Texts{"1/2", "3/2", "1", "1/2"}));
}

TEST(Spelling, LettersAfterAFractionWithASlashAreRefused) {
  const std::string why =
      "' is no number: letters after a fraction may scale all of it or its divisor alone; write "
      "thousand or million in full, or blanks around the /";
  EXPECT_EQ(Values("1/2k plus 1"), (Texts{"error: '1/2k" + why}));
  EXPECT_EQ(Values("add -10/20K to 3"), (Texts{"error: '-10/20K" + why}));
  EXPECT_EQ(Values("$1/2m"), (Texts{"error: '1/2m" + why}));
  EXPECT_EQ(Values("3/4M"), (Texts{"error: '3/4M" + why}));
  EXPECT_EQ(Values("1 / 2k, 5/2k, 8/1/2k, 1/2km, 1/2m"),
            (Texts{"1", "2000", "5", "2000", "8", "1", "2000", "1", "2", "1", "2"}));
}

TEST(Spelling, ACommaAfterAZeroJoinsNoThousands) {
  const std::string why =
      "' is no number: a point stands before a fraction and commas between thousands, as in "
      "1,234.56; write a blank after each comma of a list";
  EXPECT_EQ(Values("What is 0,750 times 2?"), (Texts{"error: '0,750" + why}));
  EXPECT_EQ(Values("0,75 times 2"), (Texts{"error: '0,75" + why}));
  EXPECT_EQ(Values("-$0,5"), (Texts{"error: '0,5" + why}));
  EXPECT_EQ(Values("0,05 and 3"), (Texts{"error: '0,05" + why}));
  EXPECT_EQ(Values("00,500"), (Texts{"error: '00,500" + why}));
  EXPECT_EQ(Values("[0,100], {0,5}, max(0,750)"), (Texts{"0", "100", "0", "5", "0", "750"}));
  EXPECT_EQ(Values("0,100,200 and 5,0,750"), (Texts{"0", "100", "200", "5", "0", "750"}));
  EXPECT_EQ(Values("0,2.5 and 0, 75"), (Texts{"0", "5/2", "0", "75"}));
}

}  // namespace
}  // namespace txvm::frontends::nl
