// Values as text: every edge of every type, that what is written reads back as the same bits, and
// hostile text.
#include "isa/value_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace txvm::isa {
namespace {

using enum ValueType;

// The value's bits, or "none".
std::string Bits(ValueType type, std::string_view text) {
  const std::optional<Value> value = ReadValue(type, text);
  if (!value) return "none";
  EXPECT_EQ(value->type, type);
  char bits[32];
  std::snprintf(bits, sizeof bits, "%llx", static_cast<unsigned long long>(value->bits));
  return bits;
}

std::string Message(ValueType type, std::string_view text) {
  const Result<Value> value = ParseValue(2, type, text);
  return value ? ValueText(*value) : value.error().message;
}

TEST(ValueType, RowsAreWhatTheyAreCalled) {
  EXPECT_EQ(TypeText(kF64), "f64");
  EXPECT_EQ(TypeLetter(kI64), 'l');
  EXPECT_EQ(FindType("i64"), kI64);
  EXPECT_EQ(FindType("I64"), std::nullopt);
  EXPECT_EQ(FindType(""), std::nullopt);
  EXPECT_EQ(FindTypeOfLetter('d'), kF64);
  EXPECT_EQ(FindTypeOfLetter('x'), std::nullopt);
  EXPECT_EQ(FindTypeOfCode(3), kF64);
  EXPECT_EQ(FindTypeOfCode(4), ValueType::kV128);
  EXPECT_EQ(FindTypeOfLetter('v'), ValueType::kV128);
  EXPECT_EQ(WordsOf(ValueType::kV128), 4u);
  EXPECT_EQ(FindTypeOfCode(5), std::nullopt);
  EXPECT_EQ(FindTypeOfCode(0xFFFFFFFF), std::nullopt);
  const std::vector<ValueType> types = {kI32, kI64, kF32, kF64};
  EXPECT_EQ(WordsOf(types), 6u);
  EXPECT_EQ(KnownTypes({}, 2), (std::vector<ValueType>{kI32, kI32}));
  EXPECT_EQ(KnownTypes(types, 6), types);
}

TEST(Value, IsItsWordsLowFirst) {
  const std::vector<Value> values = {Value::I64(0x0123456789ABCDEF), Value::F32(1.5f),
                                     Value::I32(-1), Value::F64(-2.5)};
  const std::vector<Word> words = {0x89ABCDEF, 0x01234567, 0x3FC00000, 0xFFFFFFFF, 0, 0xC0040000};
  EXPECT_EQ(WordsOfValues(values), words);
  const std::vector<ValueType> types = {kI64, kF32, kI32, kF64};
  EXPECT_EQ(ValuesOfWords(types, words), values);
}

TEST(Value, SameResultTakesAllNansForOne) {
  const Value quiet = *ReadValue(kF32, "nan"), other = *ReadValue(kF32, "-nan:0x1");
  EXPECT_NE(quiet, other);
  EXPECT_TRUE(SameResult(quiet, other));
  EXPECT_FALSE(SameResult(Value::F64(0.0), Value::F64(-0.0)));
  EXPECT_FALSE(SameResult(Value::I32(0), Value::F32(0)));
  EXPECT_FALSE(SameResult(quiet, *ReadValue(kF64, "nan")));
}

TEST(ReadValue, ReadsIntegersSignedAndUnsigned) {
  EXPECT_EQ(Bits(kI32, "-2147483648"), "80000000");
  EXPECT_EQ(Bits(kI32, "4294967295"), "ffffffff");
  EXPECT_EQ(Bits(kI32, "-2147483649"), "none");
  EXPECT_EQ(Bits(kI32, "4294967296"), "none");
  EXPECT_EQ(Bits(kI64, "-9223372036854775808"), "8000000000000000");
  EXPECT_EQ(Bits(kI64, "9223372036854775808"), "8000000000000000");
  EXPECT_EQ(Bits(kI64, "18446744073709551615"), "ffffffffffffffff");
  EXPECT_EQ(Bits(kI64, "9007199254740993"), "20000000000001");
  EXPECT_EQ(Bits(kI64, "-9223372036854775809"), "none");
  EXPECT_EQ(Bits(kI64, "18446744073709551616"), "none");
  EXPECT_EQ(Bits(kI64, "0xFfFfffffffffffff"), "ffffffffffffffff");
  EXPECT_EQ(Bits(kI64, "0x10000000000000000"), "none");
  EXPECT_EQ(Bits(kI64, "-0x8000000000000000"), "8000000000000000");
  EXPECT_EQ(Bits(kI64, "-0x8000000000000001"), "none");
  EXPECT_EQ(Bits(kI64, "+7"), "7");
  EXPECT_EQ(Bits(kI64, "-0"), "0");
}

TEST(ReadValue, RefusesWhatIsNoInteger) {
  for (const ValueType type : {kI32, kI64}) {
    for (const char* text :
         {"",   "-",  "+",     "--1", "+-1", "-+1", "0x",    "-0x", "0x-1", "1.0", "1e3",
          "1 ", " 1", "1_000", "inf", "nan", "0b1", "0x0x1", "1\n", "e",    "."}) {
      EXPECT_EQ(Bits(type, text), "none") << text;
    }
    EXPECT_EQ(Bits(type, std::string_view("1\0", 2)), "none");
  }
}

TEST(ReadValue, ReadsDecimalFloats) {
  EXPECT_EQ(Bits(kF64, "2.5"), "4004000000000000");
  EXPECT_EQ(Bits(kF64, "-7"), "c01c000000000000");
  EXPECT_EQ(Bits(kF64, "-0"), "8000000000000000");
  EXPECT_EQ(Bits(kF64, "-0.0"), "8000000000000000");
  EXPECT_EQ(Bits(kF64, "0.1"), "3fb999999999999a");
  EXPECT_EQ(Bits(kF32, "0.1"), "3dcccccd");
  EXPECT_EQ(Bits(kF64, ".5"), "3fe0000000000000");
  EXPECT_EQ(Bits(kF64, "5."), "4014000000000000");
  EXPECT_EQ(Bits(kF64, "+1e3"), "408f400000000000");
  EXPECT_EQ(Bits(kF64, "1E-3"), "3f50624dd2f1a9fc");
  EXPECT_EQ(Bits(kF64, "9007199254740993"), "4340000000000000");  // ties to even
  EXPECT_EQ(Bits(kF32, "16777217"), "4b800000");
  EXPECT_EQ(Bits(kF64, "1.7976931348623157e308"), "7fefffffffffffff");
  EXPECT_EQ(Bits(kF32, "3.4028235e38"), "7f7fffff");
}

TEST(ReadValue, RoundsSmallNumbersAndRefusesLargeOnes) {
  EXPECT_EQ(Bits(kF64, "5e-324"), "1");
  EXPECT_EQ(Bits(kF64, "2.2250738585072009e-308"), "fffffffffffff");  // the largest subnormal
  EXPECT_EQ(Bits(kF32, "1e-45"), "1");
  EXPECT_EQ(Bits(kF32, "1e-46"), "0");
  EXPECT_EQ(Bits(kF64, "1e-400"), "0");
  EXPECT_EQ(Bits(kF64, "-1e-400"), "8000000000000000");
  EXPECT_EQ(Bits(kF64, "1e-99999999999999999999999"), "0");
  EXPECT_EQ(Bits(kF64, "0." + std::string(500, '0') + "1"), "0");
  EXPECT_EQ(Bits(kF64, "0." + std::string(500, '0') + "1e400"), "2af665bf1d3e6a8d");
  EXPECT_EQ(Bits(kF64, std::string(500, '9') + "e-900"), "0");
  EXPECT_EQ(Bits(kF64, "1e400"), "none");
  EXPECT_EQ(Bits(kF64, "-1e400"), "none");
  EXPECT_EQ(Bits(kF64, "1e99999999999999999999999"), "none");
  EXPECT_EQ(Bits(kF64, std::string(400, '9')), "none");
  EXPECT_EQ(Bits(kF64, "0.001e400"), "none");
  EXPECT_EQ(Bits(kF64, "1.7976931348623159e308"), "none");
  EXPECT_EQ(Bits(kF32, "1e39"), "none");
  EXPECT_EQ(Bits(kF32, "3.4028236e38"), "none");
  EXPECT_EQ(Bits(kF64, "0e99999"), "0");
}

TEST(ReadValue, ReadsHexFloats) {
  EXPECT_EQ(Bits(kF64, "0x1.8p3"), "4028000000000000");
  EXPECT_EQ(Bits(kF64, "-0X1.8P+3"), "c028000000000000");
  EXPECT_EQ(Bits(kF64, "0x10"), "4030000000000000");
  EXPECT_EQ(Bits(kF64, "0x.8"), "3fe0000000000000");
  EXPECT_EQ(Bits(kF64, "0xfp-1"), "401e000000000000");
  EXPECT_EQ(Bits(kF64, "0x1p-1074"), "1");
  EXPECT_EQ(Bits(kF64, "0x1.fffffffffffffp1023"), "7fefffffffffffff");
  EXPECT_EQ(Bits(kF64, "0x1p1024"), "none");
  EXPECT_EQ(Bits(kF64, "0x1p-1080"), "0");
  EXPECT_EQ(Bits(kF64, "0x0.00001p-1060"), "0");
  EXPECT_EQ(Bits(kF32, "0x1p-149"), "1");
  EXPECT_EQ(Bits(kF32, "0x1.000001p0"), "3f800000");  // a tie, to even
  EXPECT_EQ(Bits(kF32, "0x1.000003p0"), "3f800002");  // a tie, to even
  EXPECT_EQ(Bits(kF32, "0x1.fffffep127"), "7f7fffff");
  EXPECT_EQ(Bits(kF32, "0x1.ffffffp127"), "none");
  EXPECT_EQ(Bits(kF64, "0x0p0"), "0");
}

TEST(ReadValue, ReadsInfinitiesAndNans) {
  EXPECT_EQ(Bits(kF32, "inf"), "7f800000");
  EXPECT_EQ(Bits(kF64, "-inf"), "fff0000000000000");
  EXPECT_EQ(Bits(kF64, "+infinity"), "7ff0000000000000");
  EXPECT_EQ(Bits(kF32, "nan"), "7fc00000");
  EXPECT_EQ(Bits(kF64, "-nan"), "fff8000000000000");
  EXPECT_EQ(Bits(kF32, "nan:0x1"), "7f800001");
  EXPECT_EQ(Bits(kF32, "-nan:0x7fffff"), "ffffffff");
  EXPECT_EQ(Bits(kF64, "nan:0xfffffffffffff"), "7fffffffffffffff");
  EXPECT_EQ(Bits(kF32, "nan:0x0"), "none");
  EXPECT_EQ(Bits(kF32, "nan:0x800000"), "none");
  EXPECT_EQ(Bits(kF64, "nan:0x10000000000000"), "none");
}

TEST(ReadValue, RefusesWhatIsNoFloat) {
  for (const ValueType type : {kF32, kF64}) {
    for (const char* text :
         {"",    "-",    "+",      ".",    "e",      "e5",       "1e",       "1e+",     "--1",
          "+-1", "0x",   "0x.",    "0xp1", "0x1p",   "0x-1",     "0xg",      "0xinf",   "0xnan",
          "INF", "NaN",  "nan(1)", "nan:", "nan:0x", "nan:1",    "nan:0x-1", "infinit", "inf ",
          "1,5", "1.5f", "1 ",     " 1",   "1_0",    "0x1.8p3.", "1e1.5"}) {
      EXPECT_EQ(Bits(type, text), "none") << text;
    }
    EXPECT_EQ(Bits(type, std::string_view("1\0", 2)), "none");
  }
}

// The oracle is the C library's strtod and strtof, which round correctly.
TEST(ReadValue, AgreesWithTheCLibrary) {
  constexpr std::uint64_t kSeed = 5;
  constexpr int kCases = 20'000;
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < kCases; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    for (const char* format : {"%.17g", "%.9g", "%a", "%.20e", "%.4a"}) {
      char text[64];
      std::snprintf(text, sizeof text, format, value);
      const double expected = std::strtod(text, nullptr);
      const std::optional<Value> read = ReadValue(kF64, text);
      ASSERT_EQ(read.has_value(), std::isfinite(expected)) << text;
      if (read) {
        EXPECT_EQ(read->bits, std::bit_cast<std::uint64_t>(expected)) << text;
      }
      const float narrow = std::strtof(text, nullptr);
      const std::optional<Value> read_narrow = ReadValue(kF32, text);
      ASSERT_EQ(read_narrow.has_value(), std::isfinite(narrow)) << text;
      if (read_narrow) {
        EXPECT_EQ(read_narrow->bits, std::bit_cast<std::uint32_t>(narrow)) << text;
      }
    }
  }
}

TEST(ValueText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(ValueText(Value::I32(-1)), "-1");
  EXPECT_EQ(ValueText(Value::I64(std::numeric_limits<std::int64_t>::min())),
            "-9223372036854775808");
  EXPECT_EQ(ValueText(Value::F64(0.1)), "0.1");
  EXPECT_EQ(ValueText(Value::F32(0.1f)), "0.1");
  EXPECT_EQ(ValueText(Value::F64(0.1f)), "0.10000000149011612");
  EXPECT_EQ(ValueText(Value::F64(1e30)), "1e+30");
  EXPECT_EQ(ValueText(Value::F64(1)), "1");
  EXPECT_EQ(ValueText(Value::F64(-0.0)), "-0");
  EXPECT_EQ(ValueText(Value::F64(123456)), "123456");
  EXPECT_EQ(ValueText(Value::F64(5e-324)), "5e-324");
  EXPECT_EQ(ValueText(Value::F64(std::numeric_limits<double>::lowest())),
            "-1.7976931348623157e+308");
  EXPECT_EQ(ValueText(Value::F64(std::numeric_limits<double>::infinity())), "inf");
  EXPECT_EQ(ValueText(Value::F32(-std::numeric_limits<float>::infinity())), "-inf");
  EXPECT_EQ(ValueText({kF32, 0x7FC00000}), "nan");
  EXPECT_EQ(ValueText({kF64, 0xFFF8000000000000}), "-nan");
  EXPECT_EQ(ValueText({kF32, 0x7FA00000}), "nan:0x200000");
  EXPECT_EQ(ValueText({kF64, 0xFFF0000000000001}), "-nan:0x1");
}

TEST(ValueText, ReadsBackAsTheSameBits) {
  constexpr std::uint64_t kSeed = 6;
  constexpr int kCases = 50'000;
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < kCases; ++i) {
    for (const ValueType type : {kI32, kI64, kF32, kF64}) {
      std::uint64_t bits = random();
      if (i % 4 == 0) bits |= IsFloat(type) ? (type == kF32 ? 0x7F800000u : 0x7FF0ull << 48) : 0;
      if (WordsOf(type) == 1) bits &= 0xFFFFFFFF;
      const Value value{type, bits};
      ASSERT_EQ(ReadValue(type, ValueText(value)), value) << ValueText(value);
    }
  }
}

TEST(ValueText, VectorsAreReadInEveryShapeAndWrittenInOne) {
  const auto read = [](std::string_view text) {
    const std::optional<Value> value = ReadValue(ValueType::kV128, text);
    return value ? ValueText(*value) : "no";
  };
  EXPECT_EQ(read("v128:i32x4:1,2,3,-4"), "v128:i32x4:1,2,3,-4");
  EXPECT_EQ(read("i8x16:1,0,0,0,0xff,-1,255,0,0,0,0,0,0,0,0,-128"),
            "v128:i32x4:1,16777215,0,-2147483648");
  EXPECT_EQ(read("i16x8:1,2,0,0,0,0,0,-1"), "v128:i32x4:131073,0,0,-65536");
  EXPECT_EQ(read("v128:i64x2:4294967296,-1"), "v128:i32x4:0,1,-1,-1");
  EXPECT_EQ(read("f32x4:1,-0,inf,nan:0x1"),
            "v128:i32x4:1065353216,-2147483648,2139095040,2139095041");
  EXPECT_EQ(read("f64x2:1,nan"), "v128:i32x4:0,1072693248,0,2146959360");
  for (const std::string_view text :
       {"", "1", "v128:", "i32x4:1,2,3", "i32x4:1,2,3,4,5", "i32x4:1,2,3,", "i8x16:256",
        "i32x4:1,2,3,x", "i8x8:1,2,3,4,5,6,7,8", "v128:v128:i64x2:1,2", "i64x2: 1,2"}) {
    EXPECT_EQ(read(text), "no") << text;
  }
  const std::vector<Word> words = {1, 2, 3, 4, 5};
  const ValueType types[] = {ValueType::kV128, ValueType::kI32};
  const std::vector<Value> values = ValuesOfWords(types, words);
  EXPECT_EQ(values[0], Value::V128({1, 2, 3, 4}));
  EXPECT_EQ(WordsOfValues(values), words);
}

TEST(ParseValue, NamesPositionTextTypeAndRange) {
  EXPECT_EQ(Message(kI32, "2.5"),
            "argument 2 '2.5' is not an i32 (-2147483648..4294967295, or hex 0x0..0xffffffff)");
  EXPECT_EQ(Message(kI64, "99999999999999999999"),
            "argument 2 '99999999999999999999' is not an i64 (-9223372036854775808.."
            "18446744073709551615, or hex 0x0..0xffffffffffffffff)");
  EXPECT_EQ(Message(kF32, "1e39"),
            "argument 2 '1e39' is not an f32 (a number such as 2.5, 1e-3 or 0x1.8p3 up to "
            "3.4028235e+38, inf, nan, or nan:0x1..nan:0x7fffff)");
  EXPECT_EQ(Message(kF64, "1e400"),
            "argument 2 '1e400' is not an f64 (a number such as 2.5, 1e-3 or 0x1.8p3 up to "
            "1.7976931348623157e+308, inf, nan, or nan:0x1..nan:0xfffffffffffff)");
  EXPECT_EQ(Message(kI32, "\x1b[2J" + std::string(100, '1')),
            "argument 2 '\\1b[2J" + std::string(60, '1') +
                "...' is not an i32 (-2147483648..4294967295, or hex 0x0..0xffffffff)");
}

TEST(SignatureText, ShowsTypesOrWords) {
  EXPECT_EQ(SignatureText(Export{"f", 0, 4, 1, {kI64, kF64}, {kF32}}), "f(i64, f64) -> f32");
  EXPECT_EQ(SignatureText(Export{"g", 0, 0, 3, {}, {kI64, kI32}}), "g() -> (i64, i32)");
  EXPECT_EQ(SignatureText(Export{"h", 0, 0, 0}), "h()");
  EXPECT_EQ(SignatureText(Export{"k", 0, 2, 1}), "k(word, word) -> word");
  EXPECT_EQ(SignatureText(Import{"env", "p", 2, 0, {kF64}, {}}), "env.p(f64)");
}

}  // namespace
}  // namespace txvm::isa
