// Numbers of questions become slots, exactly.
#include "frontends/nl/numbers/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/frontends/nl/language/random_canonical.h"
#include "tests/frontends/nl/numbers/lexed_values.h"

namespace txvm::frontends::nl {
namespace {

/// The English words of a number below 10^9.
std::string Spell(std::uint64_t n) {
  const Texts small = {"zero",    "one",     "two",       "three",    "four",
                       "five",    "six",     "seven",     "eight",    "nine",
                       "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                       "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  const Texts tens = {"",      "",      "twenty",  "thirty", "forty",
                      "fifty", "sixty", "seventy", "eighty", "ninety"};
  if (n < 20) return small[n];
  if (n < 100) return tens[n / 10] + (n % 10 == 0 ? "" : "-" + small[n % 10]);
  for (const auto& [scale, word, joint] : {std::tuple{1'000'000u, "million", " "},
                                           {1'000u, "thousand", " "},
                                           {100u, "hundred", " and "}}) {
    if (n < scale) continue;
    return Spell(n / scale) + " " + word + (n % scale == 0 ? "" : joint + Spell(n % scale));
  }
  return {};
}

TEST(Lexer, ReadsDigits) {
  EXPECT_EQ(Values("Add 11 and 94"), (Texts{"11", "94"}));
  EXPECT_EQ(Values("7"), (Texts{"7"}));
  EXPECT_EQ(Values("007 agents, 5kg"), (Texts{"7", "5"}));
  EXPECT_EQ(Values(""), Texts{});
}

TEST(Lexer, SignsBeyondAsciiEndWords) {
  EXPECT_EQ(Values("180÷28"), (Texts{"180", "28"}));
  EXPECT_EQ(Values("5×3"), (Texts{"5", "3"}));
  EXPECT_EQ(Values("55÷-21"), (Texts{"55", "-21"}));
  EXPECT_EQ(Values("£5 and 7€, 9°, “4”"), (Texts{"5", "7", "9", "4"}));
  EXPECT_EQ(Values("café5 and 6"), (Texts{"6"}));
  EXPECT_EQ(Values("five×six"), (Texts{"5", "6"}));
}

TEST(Lexer, ReadsAnXBetweenDigitsAsATimesSign) {
  EXPECT_EQ(Values("5x3"), (Texts{"5", "3"}));
  EXPECT_EQ(Values("a 2x4x8 box, 1.5X1,000"), (Texts{"2", "4", "8", "3/2", "1000"}));
  EXPECT_EQ(Values("12x, 5 x3, 0x10, A4x5, 2xy3"), (Texts{"12", "5", "0", "2"}));
}

TEST(Lexer, ReadsThousandsSeparators) {
  EXPECT_EQ(Values("1,000 and 12,345,678"), (Texts{"1000", "12345678"}));
  EXPECT_EQ(Values("3, 5, 9"), (Texts{"3", "5", "9"}));
  EXPECT_EQ(Values("1,2 and 1,2345 and 1234,567"), (Texts{"1", "2", "1", "2345", "1234", "567"}));
}

TEST(Lexer, ReadsDecimalsAsFractions) {
  EXPECT_EQ(Values("2.50 and .5 and 1,000.125"), (Texts{"5/2", "1/2", "8001/8"}));
  EXPECT_EQ(Values("He has 5. She has 3.0."), (Texts{"5", "3"}));
  EXPECT_EQ(Values("Sum 11..26"), (Texts{"11", "26"}));
}

TEST(Lexer, ReadsSignsOnlyWhereAnOperandMayStand) {
  EXPECT_EQ(Values("-5 plus 3"), (Texts{"-5", "3"}));
  EXPECT_EQ(Values("7 - -5"), (Texts{"7", "-5"}));
  EXPECT_EQ(Values("100 -37"), (Texts{"100", "37"}));
  EXPECT_EQ(Values("100-37"), (Texts{"100", "37"}));
  EXPECT_EQ(Values("(8 + 4) -3"), (Texts{"8", "4", "3"}));
}

/// The error of a text that is refused.
isa::Error ErrorOf(std::string_view text) {
  auto lexed = Lex(text);
  return lexed ? isa::Error{} : std::move(lexed).error();
}

TEST(Lexer, ReadsPowersOfTen) {
  EXPECT_EQ(Values("2e3 times 4"), (Texts{"2000", "4"}));
  EXPECT_EQ(Values("1.5E-2 and 1e+2 and 1e\u22121 and -2e3"),
            (Texts{"3/200", "100", "1/10", "-2000"}));
  EXPECT_EQ(Values("10k plus 5 and 2.5K"), (Texts{"10000", "5", "2500"}));
  EXPECT_EQ(Values("5km, 3 k, 2e, 4m, 7b"), (Texts{"5", "3", "2", "4", "7"}));
  EXPECT_NE(ErrorOf("1 + 1e999").message.find("1 times 10^999 does not fit"), std::string::npos);
  EXPECT_EQ(ErrorOf("1e-99999999999999999999").code, isa::ErrorCode::kLimit);
}

TEST(Lexer, ReadsFractionSigns) {
  EXPECT_EQ(Values("1½ plus 1"), (Texts{"3/2", "1"}));
  EXPECT_EQ(Values("½ of ¾ and -⅓, 7 -½"), (Texts{"1/2", "3/4", "-1/3", "7", "1/2"}));
  EXPECT_EQ(Values("½ million and -2¼ hundred and ⅓ thousand"),
            (Texts{"500000", "-225", "1000/3"}));
  EXPECT_EQ(Values("A½"), Texts{});
  for (const char* text : {"2.5½", "½½", "½5", "½.5"}) {
    EXPECT_EQ(ErrorOf(text).code, isa::ErrorCode::kSyntax) << text;
  }
}

TEST(Lexer, ReadsMixedNumbers) {
  EXPECT_EQ(Values("1 3/4 cups and 2 1/2, -1 1/8"), (Texts{"7/4", "5/2", "-9/8"}));
  EXPECT_EQ(Values("1,000 1/2 miles, 2 1/2 million"), (Texts{"2001/2", "2500000"}));
  EXPECT_EQ(Values("1 ½ cups, -2 ¼ million, 5 ½-inch"), (Texts{"3/2", "-2250000", "5", "1/2"}));
  EXPECT_EQ(Values("He ran 3 1/2. Then 1 10/16"), (Texts{"7/2", "13/8"}));
  EXPECT_EQ(Slotted(*Lex("ate 1 1/2 pies")), "ate N0 pies");
}

TEST(Lexer, LeavesOtherSlashesAlone) {
  EXPECT_EQ(Values("3/4 of 8"), (Texts{"3", "4", "8"}));
  EXPECT_EQ(Values("5 6/3, 5 3/3 and 5 0/3"), (Texts{"5", "6", "3", "5", "3", "3", "5", "0", "3"}));
  EXPECT_EQ(
      Values("5 1/2-inch, 5 1/2/3, 5  1/2, 5, 1/2 and 5 1 /2"),
      (Texts{"5", "1", "2", "5", "1", "2", "3", "5", "1", "2", "5", "1", "2", "5", "1", "2"}));
  EXPECT_EQ(
      Values("2.5 1/2, 5 1/200, 5 1/x, 5 1/2.5, 5 1/2^3"),
      (Texts{"5/2", "1", "2", "5", "1", "200", "5", "1", "5", "1", "5/2", "5", "1", "2", "3"}));
}

TEST(Lexer, RefusesDigitsWithoutOnePlainMeaning) {
  for (const char* spelling : {"1.000.000", "1.2.3", "192.168.0.1", ".5.5", "1e5.5", "1000,000",
                               "1,05", "12,34,567", "12,34,000", "1'000", "1_000", "10M",
                               "1\u2019234.5", "1.234,56", "12.500,5", "1.234,567"}) {
    const isa::Error error = ErrorOf("Add\n 1 to " + std::string(spelling) + " now");
    EXPECT_EQ(error.code, isa::ErrorCode::kSyntax) << spelling;
    EXPECT_TRUE(error.message.starts_with("'" + std::string(spelling) + "' is no number: "))
        << error.message;
    EXPECT_EQ(error.place.line, 2u);
    EXPECT_EQ(error.place.column, 7u);
    EXPECT_TRUE(error.ToString().starts_with("question:2:7: error: ")) << error.ToString();
  }
  for (const char* text : {"$3m", "$3M", "-$2.5b", "$3bn", "£3m", "€3bn", "5 quintillion",
                           "2.5 Lakh", "three crores", "two hundred-lakh"}) {
    EXPECT_EQ(ErrorOf(text).code, isa::ErrorCode::kSyntax) << text;
  }
  EXPECT_EQ(Values("5 lakhish trees, 3 in a crore"), (Texts{"5", "3"}));
  EXPECT_LT(ErrorOf(std::string(100'000, '7') + ".2.3").message.size(), 200u);
  EXPECT_TRUE(ErrorOf("1.2.3\xFF").message.starts_with("'1.2.3\uFFFD' is no number"));
}

TEST(Lexer, KeepsListsWithoutBlanks) {
  EXPECT_EQ(Values("5,6 and [3,4,5] and 1,2,3"), (Texts{"5", "6", "3", "4", "5", "1", "2", "3"}));
  EXPECT_EQ(Values("1000,2000"), (Texts{"1000", "2000"}));
  EXPECT_EQ(Values("1.25,2.5"), (Texts{"5/4", "5/2"}));
  EXPECT_EQ(Values("[1.125,2.5], [0.125,5], [4,1.125,5] and 1.125,5,6; (1.125,5)"),
            (Texts{"9/8", "5/2", "1/8", "5", "4", "9/8", "5", "9/8", "5", "6", "9/8", "5"}));
  EXPECT_EQ(Values("3000,100,200 and 100,200,3000"),
            (Texts{"3000", "100", "200", "100", "200", "3000"}));
  EXPECT_EQ(Values("=IF(1<2, 28,179,75,373)"), (Texts{"1", "2", "28179", "75373"}));
  EXPECT_EQ(Values("=IF(1<2, 28,179,1985)"), (Texts{"1", "2", "28179", "1985"}));
}

TEST(Lexer, ReadsTheMinusSignBeyondAsciiAsAMinus) {
  EXPECT_EQ(Values("\u22125 plus 3"), (Texts{"-5", "3"}));
  EXPECT_EQ(Values("7 \u2212 \u22125"), (Texts{"7", "-5"}));
  EXPECT_EQ(Values("7 \u22125, 7\u22125, (8) \u22123"), (Texts{"7", "5", "7", "5", "8", "3"}));
}

TEST(Lexer, ReadsSignsBeforeMoney) {
  const auto lexed = Lex("-$5 plus $-5 and $7 -$3 and $7-$3");
  ASSERT_TRUE(lexed);
  EXPECT_EQ(Slotted(*lexed), "N0 plus $N1 and $N2 -$N3 and $N4-$N5");
  EXPECT_EQ(Values(lexed->text), (Texts{"-5", "-5", "7", "3", "7", "3"}));
  EXPECT_EQ(Values("-£5 plus £-5, (-€2.50), 7 -£3"), (Texts{"-5", "-5", "-5/2", "7", "3"}));
  EXPECT_EQ(Slotted(*Lex("negative £5")), "N0");
}

TEST(Lexer, ReadsAMinusAfterAnyNumberAsAnOperator) {
  EXPECT_EQ(Values("twenty -5"), (Texts{"20", "5"}));
  EXPECT_EQ(Values("5 hundred -3, 2.5 million -4"), (Texts{"500", "3", "2500000", "4"}));
  EXPECT_EQ(Values("20% -5, 20 percent -5, {8} -3"), (Texts{"20", "5", "20", "5", "8", "3"}));
  EXPECT_EQ(Values("3 * -4, (-3), twenty, -5"), (Texts{"3", "-4", "-3", "20", "-5"}));
}

TEST(Lexer, ReadsNegativeBeforeANumberAsItsSign) {
  EXPECT_EQ(Values("negative five"), Texts{"-5"});
  EXPECT_EQ(Values("What is Negative 5 plus 3 minus negative $4?"), (Texts{"-5", "3", "-4"}));
  EXPECT_EQ(Values("negative twenty-five hundred and negative point five"),
            (Texts{"-2500", "-1/2"}));
  EXPECT_EQ(Values("the negative of 5, non-negative five, negative, 6, negative -7"),
            (Texts{"5", "5", "6", "-7"}));
  EXPECT_EQ(Values("If 7 is negative 5 otherwise 6"), (Texts{"7", "5", "6"}));
  EXPECT_EQ(Values("negative first, negative 21st, negatives 5"), Texts{"5"});
}

TEST(Lexer, ReadsMinusAsASignWhereNoDifferenceMayStand) {
  EXPECT_EQ(Values("What is minus 5 plus 8?"), (Texts{"-5", "8"}));
  EXPECT_EQ(Values("8 plus minus five, 3 * minus 4, (minus 6)"),
            (Texts{"8", "-5", "3", "-4", "-6"}));
  EXPECT_EQ(Values("It was minus $5 and fell from minus 3.5 to minus one hundred"),
            (Texts{"-5", "-7/2", "-100"}));
  EXPECT_EQ(Values("8 minus 5, eight minus five, 8 apples minus 5, the sum, minus 4"),
            (Texts{"8", "5", "8", "5", "8", "5", "4"}));
  EXPECT_EQ(Values("Minus 5 from 10, 7 -> minus 5, times 4 and minus 3"),
            (Texts{"5", "10", "7", "5", "4", "3"}));
  EXPECT_EQ(Values("is minus first, plus minus"), Texts{});
}

TEST(Lexer, ReadsHalvesAndQuartersInWordsAfterIntegers) {
  EXPECT_EQ(Values("two and a half hours, 3 and a half, one and one half"),
            (Texts{"5/2", "7/2", "3/2"}));
  EXPECT_EQ(Values("Two-and-a-half million, minus twelve; it is negative 2 and a quarter"),
            (Texts{"2500000", "12", "-9/4"}));
  EXPECT_EQ(Values("5 and three quarters, $1 and three-quarters, 2 and a half percent"),
            (Texts{"23/4", "7/4", "5/2"}));
  EXPECT_EQ(Values("3 and a half of the rest, 3 and half, 4 and a halfpenny, 5 and a third"),
            (Texts{"3", "3", "4", "5"}));
  EXPECT_EQ(Values("2.5 and a half, 1 1/2 and a half"), (Texts{"5/2", "3/2"}));
  EXPECT_EQ(Values("5 and three and 3 and"), (Texts{"5", "3", "3"}));
}

TEST(Lexer, ReadsOrdinalsThatAreExponentsOrPlaces) {
  EXPECT_EQ(Values("2 to the 5th power, 3 raised to the fourth power, to the Tenth power"),
            (Texts{"2", "5", "3", "4", "10"}));
  EXPECT_EQ(Values("the 10th Fibonacci number, fifteenth fibonacci, the first Fibonacci number"),
            (Texts{"10", "15", "1"}));
  EXPECT_EQ(Values("7th term of the Fibonacci sequence, ninth member in Fibonacci's sequence"),
            (Texts{"7", "9"}));
  EXPECT_EQ(Values("2 to the third power, the 5th power plant, to the 5th floor"), Texts{"2"});
  EXPECT_EQ(Values("the 5th number of the list, tenth term, hundredth"), Texts{});
}

TEST(Lexer, LeavesMoneyAndPercentInTheText) {
  const auto lexed = Lex("A $4.50 book is 20% off, then 5 percent more than 3");
  ASSERT_TRUE(lexed);
  EXPECT_EQ(Slotted(*lexed), "A $N0 book is N1% off, then N2 percent more than N3");
}

TEST(Lexer, ReadsNumberWords) {
  EXPECT_EQ(Values("Twenty-five and thirty two"), (Texts{"25", "32"}));
  EXPECT_EQ(Values("one hundred and three"), (Texts{"103"}));
  EXPECT_EQ(Values("two thousand five hundred sixty-seven"), (Texts{"2567"}));
  EXPECT_EQ(Values("three million and five"), (Texts{"3000005"}));
  EXPECT_EQ(Values("fifteen hundred"), (Texts{"1500"}));
  EXPECT_EQ(Values("five hundred thousand"), (Texts{"500000"}));
  EXPECT_EQ(Values("a hundred apples, zero pears"), (Texts{"100", "0"}));
  EXPECT_EQ(Values("nine hundred ninety-nine trillion"), (Texts{"999000000000000"}));
  EXPECT_EQ(Values("ninety-nine hundred ninety-nine quadrillion and five trillion"),
            (Texts{"9999005000000000000"}));
  EXPECT_EQ(Values("3 quadrillion, 1.5 quadrillion"),
            (Texts{"3000000000000000", "1500000000000000"}));
  EXPECT_EQ(Values("three point one four"), (Texts{"157/50"}));
}

TEST(Lexer, KeepsNeighbouringNumbersApart) {
  EXPECT_EQ(Values("five six"), (Texts{"5", "6"}));
  EXPECT_EQ(Values("five and six"), (Texts{"5", "6"}));
  EXPECT_EQ(Values("twenty and five"), (Texts{"20", "5"}));
  EXPECT_EQ(Values("nineteen ninety"), (Texts{"19", "90"}));
  EXPECT_EQ(Values("one hundred and two hundred"), (Texts{"100", "200"}));
  EXPECT_EQ(Values("one thousand and two thousand"), (Texts{"1000", "2000"}));
  EXPECT_EQ(Values("thirty plus twenty"), (Texts{"30", "20"}));
}

TEST(Lexer, ScalesDigits) {
  EXPECT_EQ(Values("2.5 million and 5 hundred and 0.125 thousand"),
            (Texts{"2500000", "500", "125"}));
  EXPECT_EQ(Values("5 hundred thousand and 3 million million"), (Texts{"500000", "3000000000000"}));
}

TEST(Lexer, ScalesWords) {
  EXPECT_EQ(Values("two point five million"), Texts{"2500000"});
  EXPECT_EQ(Values("Two Point Five Million"), Texts{"2500000"});
  EXPECT_EQ(Values("three million million"), Texts{"3000000000000"});
  EXPECT_EQ(Values("one thousand, five hundred, and two"), (Texts{"1000", "500", "2"}));
}

TEST(Lexer, ReadsPointBeforeDigitsInWords) {
  EXPECT_EQ(Values("point five"), Texts{"1/2"});
  EXPECT_EQ(Values("add point five to 3 * point two five (point one)"),
            (Texts{"1/2", "3", "1/4", "1/10"}));
  EXPECT_EQ(Values("the point five, at this point 5 birds, Cedar Point six, point 7"),
            (Texts{"5", "5", "6", "7"}));
}

// A reader sees one blank for each of them.
TEST(Lexer, JoinsOverAnyBlank) {
  for (const std::string blank : {" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u2009", "\u202f"}) {
    const auto values = [&blank](std::string text) {
      for (std::size_t at; (at = text.find('_')) != std::string::npos;) text.replace(at, 1, blank);
      return Values(text);
    };
    EXPECT_EQ(values("5_million"), Texts{"5000000"}) << blank;
    EXPECT_EQ(values("twenty_five_hundred"), Texts{"2500"}) << blank;
    EXPECT_EQ(values("one_hundred_and_three"), Texts{"103"}) << blank;
    EXPECT_EQ(values("three_point_one_four"), Texts{"157/50"}) << blank;
    EXPECT_EQ(values("plus_point_five"), Texts{"1/2"}) << blank;
    EXPECT_EQ(values("negative_5"), Texts{"-5"}) << blank;
    EXPECT_EQ(values("7_is_negative 5"), (Texts{"7", "5"})) << blank;
    EXPECT_EQ(values("20_percent_-5"), (Texts{"20", "5"})) << blank;
    EXPECT_EQ(values("twenty_-5"), (Texts{"20", "5"})) << blank;
    EXPECT_EQ(values("1_3/4"), blank == "  " ? (Texts{"1", "3", "4"}) : Texts{"7/4"}) << blank;
  }
}

// Quadratic time would be that of 4 * 10^9 steps.
TEST(Lexer, TakesLinearTimeForSignsAfterBlanks) {
  constexpr int kSigns = 20'000;
  const std::string blanks(200'000, ' ');
  std::string signs;
  for (int i = 0; i < kSigns; ++i) signs += "-1st,";
  EXPECT_EQ(Values("5" + blanks + "," + signs), Texts{"5"});
  EXPECT_EQ(Values("5" + blanks + "percent," + signs), Texts{"5"});
  std::string negatives;
  for (int i = 0; i < kSigns; ++i) negatives += "negative ";
  EXPECT_EQ(Values("5" + blanks + "," + negatives), Texts{"5"});
  std::string words;
  for (int i = 0; i < kSigns; ++i) words += "plus minus tenth and a half ";
  EXPECT_EQ(Values("5" + blanks + "and" + blanks + words), Texts{"5"});
}

TEST(Lexer, JoinsDigitsToAScaleByAHyphen) {
  EXPECT_EQ(Values("3-thousand, a 2-million dollar house and 2.5-hundred"),
            (Texts{"3000", "2000000", "250"}));
  EXPECT_EQ(Values("5-3, 5 - 3, 5 -3, 5-three"), (Texts{"5", "3", "5", "3", "5", "3", "5", "3"}));
  EXPECT_EQ(Values("5 millioné, 5-million2"), (Texts{"5", "5"}));
}

TEST(Lexer, RefusesBlanksBetweenThousands) {
  for (const char* spelling :
       {"10 000", "1 000 000", "5 007", "10\u00a0500", "10\u2009000", "10\u202f500", "2,500 000"}) {
    const isa::Error error = ErrorOf("Add " + std::string(spelling) + " now");
    EXPECT_EQ(error.code, isa::ErrorCode::kSyntax) << spelling;
    EXPECT_TRUE(error.message.starts_with("'" + std::string(spelling) +
                                          "' is no number: thousands "
                                          "are separated as in 1,000,000"))
        << error.message;
  }
  EXPECT_EQ(Values("10 500, 10 0000, 10 00 and 10  000"),
            (Texts{"10", "500", "10", "0", "10", "0", "10", "0"}));
}

TEST(Lexer, APointAfterAWordIsNoDecimalPoint) {
  EXPECT_EQ(Values("Tom has 10 apples.4 are rotten."), (Texts{"10", "4"}));
  EXPECT_EQ(Values("5kg.5 and the 21st.3 and ten.7"), (Texts{"5", "5", "3", "10", "7"}));
  EXPECT_EQ(Values("-.5 and $.5 (.25)"), (Texts{"-1/2", "1/2", "1/4"}));
}

TEST(Lexer, ReadsPointAfterAndBeforeDigits) {
  EXPECT_EQ(Values("3 point five, 2 point 5 and three point 14"), (Texts{"7/2", "5/2", "157/50"}));
  EXPECT_EQ(Values("2 point 5 million and -1,000 point two five"), (Texts{"2500000", "-4001/4"}));
  EXPECT_EQ(Values("2.5 point 5, a 3 point shot, 2 point 5th, 2e3 point 7"),
            (Texts{"5/2", "5", "3", "2", "2000", "7"}));
  EXPECT_EQ(Values("2 point 5.5, 2 point 1,000, two point 5k, 2 point five2"),
            (Texts{"2", "11/2", "2", "1000", "2", "5000", "2"}));
}

TEST(Lexer, ABareScaleAfterALargerOneMultiplies) {
  EXPECT_EQ(Values("two million thousand, 2 million thousand and two-million-thousand"),
            (Texts{"2000000000", "2000000000", "2000000000"}));
  EXPECT_EQ(Values("three thousand hundred, a million thousand"), (Texts{"300000", "1000000000"}));
  EXPECT_EQ(Values("two million one thousand, two thousand one hundred"),
            (Texts{"2001000", "2100"}));
}

TEST(Lexer, ReadsAMinusAfterFactorialsAndPowersAsAnOperator) {
  EXPECT_EQ(Values("5!-3, (2 + 3)! -4"), (Texts{"5", "3", "2", "3", "4"}));
  EXPECT_EQ(Values("5²-3, 10³-5, x² -$7"), (Texts{"5", "3", "10", "5", "7"}));
  EXPECT_EQ(Values("Cold! -3 degrees"), Texts{"-3"});
}

TEST(Lexer, ReadsAnEnDashAsAMinusWhereAnOperandMayStand) {
  EXPECT_EQ(Values("\u20135 plus \u2013$3 and 4 * \u2013.5"), (Texts{"-5", "-3", "4", "-1/2"}));
  EXPECT_EQ(Values("5\u20133, 7 \u20135, 7 \u2013 5, 20%\u201330%"),
            (Texts{"5", "3", "7", "5", "7", "5", "20", "30"}));
  EXPECT_EQ(Values("the best \u2013 5 of them, A\u20135"), (Texts{"5", "5"}));
}

TEST(Lexer, LeavesWordsThatAreNoNumbers) {
  for (const char* text : {"half of it", "twice", "a dozen", "the third", "twenty-first",
                           "thirty second", "one hundred first", "21st", "the 3rd", "A4", "x2",
                           "someone", "hundreds", "tenth", "none", "forty-first"}) {
    EXPECT_EQ(Values(text), Texts{}) << text;
  }
}

TEST(Lexer, CopiesAnyMagnitudeOrRefuses) {
  const std::string largest =
      "57896044618658097711785492504343953926634992332820282019728792003956564819967";  // 2^255 - 1
  EXPECT_EQ(Values(largest), Texts{largest});
  EXPECT_EQ(Values("1 + " + largest + "0").front().substr(0, 6), "error:");
  const auto refused = Lex("1 + " + largest + "0");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, isa::ErrorCode::kLimit);
  EXPECT_EQ(refused.error().place.column, 5u);
  EXPECT_NE(refused.error().message.find("does not fit in 256 bits"), std::string::npos);
}

TEST(Lexer, RefusesATextBeyondTheLimit) {
  EXPECT_TRUE(Lex(std::string(kMostQuestionBytes, 'a')));
  const isa::Error error = ErrorOf(std::string(kMostQuestionBytes + 1, 'a'));
  EXPECT_EQ(error.code, isa::ErrorCode::kLimit);
  EXPECT_EQ(error.message, "the question has 1048577 bytes, more than the limit of 1048576");
}

TEST(Lexer, HoldsThirtyTwoNumbersAndRefusesMore) {
  std::string text = "sum of";
  for (int i = 0; i < 32; ++i) text += " " + std::to_string(i);
  EXPECT_EQ(Values(text).size(), 32u);
  const auto refused = Lex(text + " 77");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("more than 32 numbers"), std::string::npos);
  EXPECT_NE(refused.error().message.find("77"), std::string::npos);
}

TEST(Lexer, PiecesJoinToTheText) {
  const std::string text = "Tom's 3 caf\xC3\xA9s \xE2\x82\xAC 2,500 and twelve \xFF 9";
  const auto lexed = Lex(text);
  ASSERT_TRUE(lexed);
  std::string joined;
  std::size_t slots = 0;
  for (const Piece& piece : Pieces(*lexed)) {
    joined += piece.text;
    slots += piece.is_slot ? 1 : 0;
  }
  EXPECT_EQ(joined, text);
  EXPECT_EQ(slots, 4u);
}

// Any bytes: an answer or an error, never a crash, and the pieces are the text.
TEST(Lexer, SurvivesHostileText) {
  const std::string alphabet = "0123456789.,-$%+ ()aehkntdx\xFF\xC3\xA9\xC2\xBD\n'";
  const std::vector<std::string> words = {
      "twenty", "hundred", "and",      "million",  "first",     "point",
      "one",    "-",       " ",        "zero",     "negative ", "plus minus ",
      "a half", "fifth ",  " to the ", "th power", "fibonacci"};
  Rng rng(11);
  std::size_t numbers = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t length = rng.Below(30); length > 0; --length) {
      text += rng.Below(4) == 0 ? words[rng.Below(words.size())]
                                : std::string(1, alphabet[rng.Below(alphabet.size())]);
    }
    const auto lexed = Lex(text);
    if (!lexed) continue;
    numbers += lexed->numbers.size();
    std::string joined;
    for (const Piece& piece : Pieces(*lexed)) joined += piece.text;
    ASSERT_EQ(joined, text);
  }
  EXPECT_GT(numbers, 10'000u);
  EXPECT_FALSE(Lex(std::string(100'000, '7')));
  std::string scales = "5";
  for (int i = 0; i < 100'000; ++i) scales += " million";
  EXPECT_EQ(ErrorOf(scales).code, isa::ErrorCode::kLimit);
  EXPECT_TRUE(Lex(std::string(100'000, '-')));
}

// Words for n, lexed, are n.
TEST(Lexer, ReadsBackEveryNumberItCanSpell) {
  for (std::uint64_t n = 0; n < 2'000'000; n += n < 1'300 ? 1 : 9'973) {
    ASSERT_EQ(Values("about " + Spell(n) + " of them"), Texts{std::to_string(n)}) << Spell(n);
  }
}

TEST(Number, JudgesItsSizeInLowestTermsAndWithItsSign) {
  const std::string least =
      "-57896044618658097711785492504343953926634992332820282019728792003956564819968";  // -2^255
  ASSERT_TRUE(ParseDecimal(least));
  EXPECT_EQ(ToText(*ParseDecimal(least)), least);
  EXPECT_EQ(Values(least), Texts{least});
  EXPECT_FALSE(ParseDecimal(least.substr(1)));
  const std::string zeros(76, '0');
  ASSERT_TRUE(ParseDecimal("." + zeros + "5"));
  EXPECT_EQ(ToText(*ParseDecimal("." + zeros + "5")), "1/2" + zeros);
  EXPECT_FALSE(ParseDecimal("." + zeros + "3"));
  // 2^-254 and 2^-255, which have as many digits as a number that fits.
  std::string half = "5";
  for (int power = 1; power < 254; ++power) {
    int carry = 0;
    for (auto digit = half.rbegin(); digit != half.rend(); ++digit) {
      const int product = (*digit - '0') * 5 + carry;
      *digit = static_cast<char>('0' + product % 10);
      carry = product / 10;
    }
    if (carry != 0) half.insert(0, std::to_string(carry));
  }
  ASSERT_TRUE(ParseDecimal(half, -254));
  EXPECT_EQ(ParseDecimal(half, -254)->numerator, Limbs{1});
  EXPECT_FALSE(ParseDecimal(half, -255));
}

}  // namespace
}  // namespace txvm::frontends::nl
