// The reader of text beside WABT's on every text there is, and what WABT cannot read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wat/number.h"
#include "frontends/wat/reader.h"
#include "frontends/wat/script.h"
#include "tests/frontends/wat/compare_text.h"
#include "tests/frontends/wat/text_modules.h"
#include "tests/support/random.h"
#include "tests/support/random_wasm.h"

namespace txvm::frontends::wat {
namespace {

std::string FirstError(std::string_view text) {
  const auto module = ReadText(text, "t.wat");
  return module ? "accepted" : module.error().message;
}

std::vector<std::uint8_t> Encode(std::string_view text) {
  const auto bytes = EncodeText(text, "t.wat");
  EXPECT_TRUE(bytes) << bytes.error().ToString();
  return bytes ? *bytes : std::vector<std::uint8_t>();
}

TEST(WatText, AgreesWithWabtOnEveryTextOfTheSuite) {
  std::size_t same = 0, equal = 0, refused = 0;
  for (const tests::TextModule& module : tests::SuiteTexts()) {
    if (module.text.empty()) continue;
    const tests::TextComparison comparison = tests::CompareText(module.text);
    if (comparison.own != "accepted") {
      ++refused;
    } else {
      ++(comparison.is_same_bytes ? same : equal);
    }
    if (tests::IsKnownTextDifference(comparison, module.text)) continue;
    EXPECT_TRUE(comparison.agrees())
        << module.place << ": " << comparison.own << " | " << comparison.wabt;
  }
  RecordProperty("same_bytes", static_cast<int>(same));
  RecordProperty("equal", static_cast<int>(equal));
  RecordProperty("refused", static_cast<int>(refused));
  EXPECT_GE(same, 10u);
}

TEST(WatText, EncodesRandomModulesAsWabtDoes) {
  constexpr std::uint64_t kModules = 200;
  for (std::uint64_t seed = 0; seed < kModules; ++seed) {
    const std::string text =
        tests::MakeRandomWasm(seed, {.bulk = seed % 2 == 0, .numbers = seed % 3 != 0}).text;
    const tests::TextComparison comparison = tests::CompareText(text);
    EXPECT_TRUE(comparison.agrees()) << seed << ": " << comparison.own << " | " << comparison.wabt;
  }
}

TEST(WatText, FoldsOfAMillionLevels) {
  constexpr int kLevels = 1'000'000;
  std::string text = "(module (func (result i32) ";
  for (int i = 0; i < kLevels; ++i) text += "(i32.add (i32.const 1) ";
  text += "(i32.const 1)" + std::string(kLevels, ')') + "))";
  const auto module = ReadText(text, "t.wat");
  ASSERT_TRUE(module) << module.error().ToString();
  EXPECT_EQ(module->functions[0].body.size(), 2u * kLevels + 2);
}

TEST(WatText, PlacesAreLines) {
  const auto module =
      ReadText("(module\n (func $f (result i32)\n  (i32.add\n   (i32.const 1)\n   (i32.const 2))))",
               "t.wat");
  ASSERT_TRUE(module);
  const Function& function = module->functions[0];
  EXPECT_EQ(function.name, "f");
  EXPECT_EQ(function.place, 2u);
  ASSERT_EQ(function.body.size(), 4u);
  EXPECT_EQ(function.body[0].place, 4u);
  EXPECT_EQ(function.body[1].place, 5u);
  EXPECT_EQ(function.body[2].place, 3u);
}

// Every error of a text, each at its place.
TEST(WatText, SeveralErrorsOfOneText) {
  const auto errors = TextErrors(
      "(module\n"
      "  (memory 1)\n"
      "  (func $count (param $n i32) (result i32) (local.get $m))\n"
      "  (func (export \"f\") i32.addd)\n"
      "  (func $g (call $cout (i32.const 99999999999)))\n"
      "  (fnc $h))",
      "t.wat");
  std::string text;
  for (const isa::Error& error : errors) {
    text += fmt::format("{}:{} {}\n", error.place.line, error.place.column, error.message);
  }
  EXPECT_EQ(text,
            "3:55 unknown local $m (did you mean n?)\n"
            "4:22 unknown operator: i32.addd is no instruction (did you mean i32.add?)\n"
            "5:18 unknown function $cout (did you mean count?)\n"
            "5:35 constant out of range: 99999999999 is no number of 32 bits\n"
            "6:4 unexpected token: fnc is no field of a module (did you mean func?)\n");
  std::string many = "(module (func";
  for (int i = 0; i < 20; ++i) many += " call $f";
  EXPECT_EQ(TextErrors(many + "))", "t.wat").size(), kMaxTextFaults);
}

TEST(WatText, OldNamesAreGivenTheirNewOnes) {
  const auto errors = TextErrors(
      "(module (table 1 anyfunc)\n"
      "  (func get_local 0)\n"
      "  (func i32.trunc_s:sat/f32)\n"
      "  (func f32.reinterpret/i32)\n"
      "  (func i64.extend_u/i32)\n"
      "  (func i32.no/f32))",
      "t.wat");
  std::string text;
  for (const isa::Error& error : errors) text += error.message + "\n";
  EXPECT_EQ(
      text,
      "unexpected token: expected a reference type, funcref as anyfunc is called today, found "
      "'anyfunc'\n"
      "unknown operator: get_local is called local.get today\n"
      "unknown operator: i32.trunc_s:sat/f32 is called i32.trunc_sat_f32_s today\n"
      "unknown operator: f32.reinterpret/i32 is called f32.reinterpret_i32 today\n"
      "unknown operator: i64.extend_u/i32 is called i64.extend_i32_u today\n"
      "unknown operator: i32.no/f32 is no instruction\n");
}

struct Refused {
  const char* text;
  const char* error;
};

TEST(WatText, EveryKindOfError) {
  constexpr Refused kRefused[] = {
      {"(module (func) \"a\")", "unexpected token: expected '(' of a field, found a string"},
      {"(module) (module)",
       "unexpected token: expected the end of the text after the module, found '('"},
      {"(module (func)",
       "unexpected token: expected ')' at the end of the module, found the end of the text"},
      {"(module (func (nop))",
       "unexpected token: expected ')' at the end of the module, found the end of the text"},
      {"(module (func (nop)", "unexpected end of the text: this '(' is not closed"},
      {"(module (; )", "unclosed comment: (; needs ;)"},
      {"(module (func) ; )", "unexpected ';': a comment begins with ;; or (;"},
      {"(module (export \"a))", "a string has no closing quote"},
      {"(module (data \"a\nb\"))",
       "a string ends in the line it begins in: a closing quote is missing"},
      {"(module (data \"\\q\"))",
       "malformed escape in a string: a backslash needs n, t, r, a quote, a backslash, "
       "u{...} or two hexadecimal digits"},
      {"(module (data \"\\u{110000}\"))",
       "malformed escape: \\u{...} needs the hexadecimal number of a character"},
      {"(module (func (export \"\\ff\")))", "malformed UTF-8 encoding: the name of an export"},
      {"(module (func br 0drop))", "unexpected token: expected a label, found '0drop'"},
      {"(module (data \"a\"\"b\"))", "a space is missing between two tokens"},
      {"(module {})", "unexpected '{'"},
      {"(module (@))", "empty annotation id: a name follows (@"},
      {"(module (@a ()", "unclosed annotation: (@ needs a closing parenthesis"},
      {"(module (func $))", "empty identifier: a name follows '$'"},
      {"(module (func $a) (func $a))", "duplicate func $a"},
      {"(module (func (param $a i32) (local $a i32)))", "duplicate local $a"},
      {"(module (type (struct (field $a i32) (field $a i32))))", "duplicate field $a"},
      {"(module (func) (import \"a\" \"b\" (func)))",
       "import after a function, table, memory, global or tag: imports stand before the "
       "definitions"},
      {"(module (start 0) (start 0) (func))", "multiple start sections: a module has one (start"},
      {"(module (func (local i32) (param i32)))",
       "unexpected token: (param stands in front of the instructions, in the order export, import, "
       "type, param, "
       "result, local"},
      {"(module (type $t (func (param i32))) (func (type $t) (param i64)))",
       "inline function type: the parameters and results are not those of type 0"},
      {"(module (func block $a end $b))", "mismatching label $b: the block is $a"},
      {"(module (func block end $b))", "mismatching label $b: the block has no name"},
      {"(module (func block))", "unexpected token: expected 'end', found ')'"},
      {"(module (func end))",
       "unexpected token: expected an instruction: there is no block that end is a part of, "
       "found ')'"},
      {"(module (func (if (i32.const 1))))", "unexpected token: expected (then, found ')'"},
      {"(module (func (i32.add i32.const 1)))",
       "unexpected token: expected an operand in parentheses or ')', found 'i32.const'"},
      {"(module (func (br $l)))", "unknown label $l"},
      {"(module (func (f32.const 1e39)))",
       "constant out of range: 1e39 is too large for an f32, or no payload of a NaN"},
      {"(module (func (i32.const 1__0)))", "unexpected token: expected an i32, found '1__0'"},
      {"(module (memory 1) (func (i32.load align=3 (i32.const 0))))",
       "alignment must be a power of two: 3"},
      {"(module (func (v128.const i7x2 1)))",
       "unexpected token: expected the shape of a vector (i8x16, i16x8, i32x4, i64x2, f32x4 or "
       "f64x2), found "
       "'i7x2'"},
      {"(module (table 1 i32))", "unexpected token: expected a reference type, found 'i32'"},
      {"(module (func (i32.const 1)))",
       "type mismatch: values remaining on stack at end of block: 1; the stack before it: i32 of "
       "i32.const at 1:16"},
      {"(module (func (param f64) (result i32) (i32.add (i32.const 1) (local.get 0))))",
       "type mismatch: i32.add needs i32, found f64; the stack before it: i32 of i32.const at "
       "1:50, f64 "
       "of local.get "
       "at 1:64"},
      {"(module (func (throw_ref)))", "type mismatch: throw_ref needs exnref, the stack is empty"},
      {"(module (type (struct)))", "uses garbage collection (type form 0x5f): not supported"},
      {"(module (table 0 anyref))",
       "uses a reference type of garbage collection (0x6e): not supported"},
  };
  for (const Refused& refused : kRefused) {
    EXPECT_EQ(FirstError(refused.text), refused.error) << refused.text;
  }
  EXPECT_EQ(FirstError("(module) \xFF"), "malformed UTF-8 encoding: byte 0xff");
}

// What the machine lacks is parsed and encoded all the same.
TEST(WatText, EverythingOfWebAssembly3IsEncoded) {
  EXPECT_FALSE(Encode(R"((module
    (rec (type $a (sub (struct (field $x (mut i32)) (field i8)))) (type $b (sub final $a (struct
      (field $x (mut i32)) (field i8) (field $y (ref null $a))))))
    (type $v (array (mut i16))) (type $f (func (param (ref $a)) (result (ref null $b))))
    (tag $e (export "e") (param i32)) (memory $m i64 1 2 shared) (memory $n 1)
    (table $t 1 (ref null $f) (ref.null $f)) (global $g (ref i31) (ref.i31 (i32.const 1)))
    (elem $s (ref null $f) (ref.func $h)) (data $d (memory $n) (i32.const 0) "a\u{1F600}")
    (func $h (type $f) (local $l (ref null $a))
      (block $o (result (ref null $b))
        (try_table (result (ref null $b)) (catch $e 0) (catch_all $o)
          (ref.cast (ref null $b) (local.get 0))))
      (drop (struct.get $a $x (local.get 0))) (drop (struct.get_s 0 1 (local.get 0)))
      (struct.set $a $x (local.get 0) (i32.const 1)) (drop (array.new_data $v $d (i32.const 0)
      (i32.const 1))) (drop (br_on_cast 0 anyref (ref $a) (local.get 0)))
      (drop (call_ref $f (local.get 0) (ref.func $h))) (return_call_ref $f)
      (i64.store $n offset=8 align=1 (i32.const 0) (i64.const 1))
      (memory.copy $m $n (i64.const 0) (i32.const 0) (i32.const 1))
      (drop (i32.atomic.rmw8.add_u $m (i64.const 0) (i32.const 1))) (atomic.fence)
      (drop (f32x4.relaxed_max (v128.const f32x4 1 2 nan inf) (v128.const i64x2 1 -1)))
      (v128.store8_lane $n 3 (i32.const 0) (v128.const i8x16 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15))
      (try (do (throw $e (i32.const 1))) (catch $e (drop)) (catch_all (rethrow 0)))
      (try (do) (delegate 0)) (drop (ref.test i31ref (global.get $g))) (throw_ref))))")
                   .empty());
}

TEST(WatText, CustomSectionsAndAnnotations) {
  const auto plain = Encode("(module (func $f (@name \"x\") (nop (@a (b) \"c\"))))");
  EXPECT_EQ(plain, Encode("(module (func $f (nop)))"));
  const auto custom = Encode("(module (@custom \"c\" (before type) \"\\01\") (func))");
  ASSERT_GE(custom.size(), 13u);
  EXPECT_EQ(std::vector<std::uint8_t>(custom.begin() + 8, custom.begin() + 13),
            (std::vector<std::uint8_t>{0, 3, 1, 'c', 1}));
}

// Numbers.

double F64(std::string_view text) {
  const Number number = ParseF64(text);
  EXPECT_EQ(number.fault, NumberFault::kNone) << text;
  return std::bit_cast<double>(number.bits);
}

float F32(std::string_view text) {
  const Number number = ParseF32(text);
  EXPECT_EQ(number.fault, NumberFault::kNone) << text;
  return std::bit_cast<float>(static_cast<std::uint32_t>(number.bits));
}

// Decimal and hexadecimal floats are what the C library makes of them.
TEST(WatNumbers, FloatsAreRoundedAsTheCLibraryDoes) {
  constexpr int kCases = 20'000;
  support::Random random(1);
  for (int i = 0; i < kCases; ++i) {
    const auto bits = random.Next();
    const double value = std::bit_cast<double>(bits);
    if (value - value != 0) continue;  // no number
    for (const std::string& text :
         {fmt::format("{}", value), fmt::format("{:.{}e}", value, random.Below(25)),
          fmt::format("{:a}", value),
          fmt::format("{}0x{:x}.{:x}p{}{}", random.OneIn(2) ? "-" : "", random.Next(),
                      random.Next() | 1, random.OneIn(2) ? "+" : "-", random.Below(1100))}) {
      const double wide = std::strtod(text.c_str(), nullptr);
      const float narrow = std::strtof(text.c_str(), nullptr);
      if (wide - wide == 0) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(F64(text)), std::bit_cast<std::uint64_t>(wide))
            << text;
      } else {
        EXPECT_EQ(ParseF64(text).fault, NumberFault::kOutOfRange) << text;
      }
      if (narrow - narrow == 0) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(F32(text)), std::bit_cast<std::uint32_t>(narrow))
            << text;
      } else {
        EXPECT_EQ(ParseF32(text).fault, NumberFault::kOutOfRange) << text;
      }
    }
  }
}

TEST(WatNumbers, EdgesOfFloats) {
  EXPECT_EQ(F64("1e-400"), 0.0);
  EXPECT_EQ(F64("0x1p-1075"), 0.0);
  EXPECT_EQ(F64("0x1.8p-1075"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(F64("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(F32("0x1.fffffefp127"), std::numeric_limits<float>::max());
  EXPECT_EQ(ParseF32("0x1.ffffffp127").fault, NumberFault::kOutOfRange);
  EXPECT_EQ(ParseF64("1" + std::string(400, '0')).fault, NumberFault::kOutOfRange);
  EXPECT_EQ(F64("0." + std::string(400, '0') + "1e401"), 1.0);
  EXPECT_EQ(F64("1_0.2_5e0_1"), 102.5);
  EXPECT_EQ(ParseF32("-nan:0x200000").bits, 0xFFA00000u);
  EXPECT_EQ(ParseF64("nan").bits, 0x7FF8000000000000u);
  EXPECT_EQ(ParseF32("nan:0x0").fault, NumberFault::kOutOfRange);
  EXPECT_EQ(ParseF32("nan:0x800000").fault, NumberFault::kOutOfRange);
  for (const char* text : {"", "+", ".5", "1.e", "1e", "0x", "0x.1", "1_", "_1", "1__0", "nan:1",
                           "inff", "0x1p", "1.5.5", "1._5", "0x1_p1", "1f"}) {
    EXPECT_EQ(ParseF64(text).fault, NumberFault::kNoNumber) << text;
  }
}

TEST(WatNumbers, EdgesOfIntegers) {
  EXPECT_EQ(ParseInteger("-2147483648", 32).bits, 0x80000000u);
  EXPECT_EQ(ParseInteger("4294967295", 32).bits, 0xFFFFFFFFu);
  EXPECT_EQ(ParseInteger("-0x1", 8).bits, 0xFFu);
  EXPECT_EQ(ParseInteger("4294967296", 32).fault, NumberFault::kOutOfRange);
  EXPECT_EQ(ParseInteger("-2147483649", 32).fault, NumberFault::kOutOfRange);
  EXPECT_EQ(ParseUnsigned("18446744073709551615", 64).bits, ~std::uint64_t{0});
  EXPECT_EQ(ParseUnsigned("18446744073709551616", 64).fault, NumberFault::kOutOfRange);
  EXPECT_EQ(ParseUnsigned("+1", 32).fault, NumberFault::kNoNumber);
  EXPECT_EQ(ParseInteger("1_000_000", 32).bits, 1'000'000u);
}

// Scripts.

TEST(WatScript, DefinitionsAndInstances) {
  const auto commands = ReadScript(
      "(module definition $D (func (export \"f\") (result i32) (i32.const 1)))"
      "(module instance $I $D) (assert_return (invoke $I \"f\") (i32.const 1))",
      "t.wast");
  ASSERT_TRUE(commands) << commands.error().ToString();
  ASSERT_EQ(commands->size(), 2u);
  EXPECT_EQ((*commands)[0].name, "$I");
  EXPECT_TRUE((*commands)[0].module->has_value());
}

TEST(WatScript, AModuleWithAFaultIsAnErrorOfItsCommand) {
  const auto commands = ReadScript("(module (func i32.ad))\n(module (func))", "t.wast");
  ASSERT_TRUE(commands) << commands.error().ToString();
  ASSERT_EQ(commands->size(), 2u);
  EXPECT_FALSE((*commands)[0].module->has_value());
  EXPECT_EQ((*commands)[1].line, 2u);
  const auto broken = ReadScript("(module)\n(asert_return)", "t.wast");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().place.line, 2u);
}

}  // namespace
}  // namespace txvm::frontends::wat
