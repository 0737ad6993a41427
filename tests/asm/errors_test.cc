// Every error of the assembler: its exact message, its place, its caret.
#include <gtest/gtest.h>

#include <string>

#include "asm/assembler.h"
#include "asm/suggest.h"
#include "isa/support/edit_distance.h"

namespace txvm::assembler {
namespace {

struct BadText {
  std::string text;
  std::string message;  // whole report
};

void PrintTo(const BadText& bad, std::ostream* out) { *out << bad.message; }

class BadTexts : public testing::TestWithParam<BadText> {};

TEST_P(BadTexts, AreReportedWithTheirPlace) {
  const auto program = Assemble(GetParam().text, "p.txa");
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().ToString(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Words, BadTexts,
    testing::Values(
        BadText{"PUSH 1\n  SWPA\n",
                "p.txa:2:3: error: unknown instruction 'SWPA' (did you mean "
                "SWAP?)\n    SWPA\n    ^"},
        BadText{"\tfrobnicate 3",
                "p.txa:1:2: error: unknown instruction 'frobnicate'\n  "
                "\tfrobnicate 3\n  \t^"},
        BadText{"GLOBAL.GE 0",
                "p.txa:1:1: error: unknown instruction 'GLOBAL.GE' (did you mean "
                "GLOBAL.GET?)\n  GLOBAL.GE 0\n  ^"},
        BadText{".func f\nblok\n.end",
                "p.txa:2:1: error: unknown instruction 'blok' (did you mean "
                "block?)\n  blok\n  ^"},
        BadText{".fnuc f",
                "p.txa:1:1: error: unknown directive '.fnuc' (did you mean .func?)\n  "
                ".fnuc f\n  ^"},
        BadText{"12 PUSH", "p.txa:1:1: error: expected an instruction, found '12'\n  12 PUSH\n  ^"},
        BadText{"PUSH #1", "p.txa:1:6: error: unexpected character '#'\n  PUSH #1\n       ^"},
        BadText{"\x01", "p.txa:1:1: error: unexpected character '\\01'\n  ?\n  ^"}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, BadTexts,
    testing::Values(
        BadText{"PUSH 4294967296",
                "p.txa:1:6: error: number '4294967296' out of range "
                "-2147483648..4294967295\n  PUSH 4294967296\n       ^"},
        BadText{"PUSH -2147483649",
                "p.txa:1:6: error: number '-2147483649' out of range "
                "-2147483648..4294967295\n  PUSH -2147483649\n       ^"},
        BadText{"PUSH 0x100000000",
                "p.txa:1:6: error: number '0x100000000' out of range "
                "-2147483648..4294967295\n  PUSH 0x100000000\n       ^"},
        BadText{"PUSH 12ab", "p.txa:1:6: error: number '12ab' is malformed\n  PUSH 12ab\n       ^"},
        BadText{"PUSH 0xg", "p.txa:1:6: error: number '0xg' is malformed\n  PUSH 0xg\n       ^"},
        BadText{"PUSH -", "p.txa:1:6: error: expected a number\n  PUSH -\n       ^"},
        BadText{"PUSH 0x", "p.txa:1:6: error: expected a number\n  PUSH 0x\n       ^"},
        BadText{"LOCAL.GET 16777215",
                "p.txa:1:11: error: '16777215' out of range 0..16777214\n  "
                "LOCAL.GET 16777215\n            ^"}));

INSTANTIATE_TEST_SUITE_P(
    Strings, BadTexts,
    testing::Values(
        BadText{".source \"abc",
                "p.txa:1:9: error: string is not closed\n  .source \"abc\n          ^"},
        BadText{".source \"a\\q\"",
                "p.txa:1:11: error: unknown escape '\\q' (use \\n \\t \\r \\\" \\\\ or two hex "
                "digits)\n  .source \"a\\q\"\n            ^"}));

INSTANTIATE_TEST_SUITE_P(
    Operands, BadTexts,
    testing::Values(
        BadText{"PUSH", "p.txa:1:1: error: PUSH needs a number\n  PUSH\n  ^"},
        BadText{"PUSH x", "p.txa:1:6: error: PUSH needs a number, found 'x'\n  PUSH x\n       ^"},
        BadText{"ADD 1", "p.txa:1:5: error: unexpected '1' after ADD\n  ADD 1\n      ^"},
        BadText{"PUSH 1 2", "p.txa:1:8: error: unexpected '2' after PUSH\n  PUSH 1 2\n         ^"},
        BadText{"JNZ", "p.txa:1:1: error: JNZ needs a label\n  JNZ\n  ^"},
        BadText{"JZ \"x\"",
                "p.txa:1:4: error: expected a label, found '\"x\"'\n  JZ \"x\"\n     ^"},
        BadText{"TRAP Unreachabel",
                "p.txa:1:6: error: unknown trap cause 'Unreachabel' (did you "
                "mean Unreachable?)\n  TRAP Unreachabel\n       ^"},
        BadText{"TRAP", "p.txa:1:1: error: TRAP needs a cause\n  TRAP\n  ^"},
        BadText{".raw 5", "p.txa:1:1: error: .raw needs two numbers\n  .raw 5\n  ^"},
        BadText{".func f\n.raw 5\n.end",
                "p.txa:2:1: error: .raw needs two numbers\n  .raw 5\n  ^"}));

INSTANTIATE_TEST_SUITE_P(
    Labels, BadTexts,
    testing::Values(
        BadText{"loop: NOP\nJNZ lop",
                "p.txa:2:5: error: unknown label 'lop' (did you mean loop?)\n "
                " JNZ lop\n      ^"},
        BadText{"JNZ x\nHALT", "p.txa:1:5: error: unknown label 'x'\n  JNZ x\n      ^"},
        BadText{"x: NOP\nNOP\nx: HALT",
                "p.txa:3:1: error: label 'x' is defined twice (first on "
                "line 1)\n  x: HALT\n  ^"},
        BadText{".func f\nx: NOP\nx: RETURN\n.end",
                "p.txa:3:1: error: label 'x' is defined twice "
                "(first on line 2)\n  x: RETURN\n  ^"},
        BadText{".func f\nagain: PUSH 1\nJNZ agian\n.end",
                "p.txa:3:5: error: unknown label 'agian' (did you mean again?)\n  JNZ agian\n      "
                "^"},
        BadText{".func f\nx: PUSH 1\nJNZ 0\n.end",
                "p.txa:3:5: error: JNZ needs a label, found '0'\n  JNZ 0\n      ^"}));

INSTANTIATE_TEST_SUITE_P(
    Tables, BadTexts,
    testing::Values(
        BadText{".memory 1\n.memory 1",
                "p.txa:2:1: error: a program has at most one .memory\n  .memory 1\n  ^"},
        BadText{".func f\n.end\n.func g\n.end\n.init f\n.INIT g",
                "p.txa:6:1: error: a program has at most one .INIT\n  .INIT g\n  ^"},
        BadText{".flat\n.entry 0\n.entry 0\nHALT",
                "p.txa:3:1: error: a program has at most one .entry\n  .entry 0\n  ^"},
        BadText{".source \"a\"\n.source \"b\"\nHALT",
                "p.txa:2:1: error: a program has at most one .source\n  .source \"b\"\n  ^"},
        BadText{".memory", "p.txa:1:1: error: .memory needs a number of pages\n  .memory\n  ^"},
        BadText{".global", "p.txa:1:1: error: .global needs its initial value\n  .global\n  ^"},
        BadText{".bytes 1", "p.txa:1:1: error: .bytes needs a .data before it\n  .bytes 1\n  ^"},
        BadText{".words 1", "p.txa:1:1: error: .words needs a .data before it\n  .words 1\n  ^"},
        BadText{".data", "p.txa:1:1: error: .data needs an offset\n  .data\n  ^"},
        BadText{".data 0 256",
                "p.txa:1:9: error: byte 256 out of range -128..255\n  .data 0 256\n          ^"},
        BadText{".data 0 -129",
                "p.txa:1:9: error: byte -129 out of range -128..255\n  .data 0 -129\n          ^"},
        BadText{".data 0 x",
                "p.txa:1:9: error: expected a byte or a string, found 'x'\n  .data 0 "
                "x\n          ^"},
        BadText{".import a \"m\"",
                "p.txa:1:1: error: .import needs a name in quotes\n  .import a "
                "\"m\"\n  ^"},
        BadText{".import a \"m\" \"n\"\n.import a \"m\" \"o\"",
                "p.txa:2:9: error: import 'a' is defined twice\n  .import a \"m\" \"o\"\n          "
                "^"},
        BadText{".import a \"m\" \"n\" parms=1",
                "p.txa:1:19: error: unknown key 'parms' (expected params or results)\n  .import a "
                "\"m\" \"n\" parms=1\n                    ^"},
        BadText{".func f locales=1\n.end",
                "p.txa:1:9: error: unknown key 'locales' (expected params, locals, types or "
                "results)\n  "
                ".func f locales=1\n          ^"},
        BadText{".import a \"m\" \"n\" params=i64,f63",
                "p.txa:1:30: error: unknown type 'f63' (expected i32, i64, f32, f64 or v128)\n  "
                ".import a "
                "\"m\" \"n\" params=i64,f63\n                               ^"},
        BadText{".import a \"m\" \"n\" params=f63",
                "p.txa:1:26: error: number 'f63' is malformed\n  .import a "
                "\"m\" \"n\" params=f63\n                           ^"},
        BadText{
            ".func f params=i64, results=1\n.end",
            "p.txa:1:20: error: unknown type '' (expected i32, i64, f32, f64 or v128)\n  .func f "
            "params=i64, results=1\n                     ^"},
        BadText{
            ".func f params=i64,-1\n.end",
            "p.txa:1:20: error: unknown type '' (expected i32, i64, f32, f64 or v128)\n  .func f "
            "params=i64,-1\n                     ^"},
        BadText{".func f params=i64 results=1\n.end",
                "p.txa:1:20: error: results needs types too, because params has them\n  .func f "
                "params=i64 results=1\n                     ^"},
        BadText{".func f params=1 results=f32\n.end",
                "p.txa:1:9: error: params needs types too, because results has them\n  .func f "
                "params=1 results=f32\n          ^"},
        BadText{".func f locals=f32\n.end",
                "p.txa:1:9: error: locals is a count; the types of locals are given by types\n  "
                ".func f locals=f32\n          ^"},
        BadText{".func f types=3\n.end",
                "p.txa:1:9: error: types is a list of types, such as types=i32,f64\n  "
                ".func f types=3\n          ^"},
        BadText{".func f types=f64,i32 locals=2\n.end",
                "p.txa:1:9: error: types of 3 words do not fit 2 locals\n  "
                ".func f types=f64,i32 locals=2\n          ^"},
        BadText{".func f params=1 results=1 PARAMS=2\n.end",
                "p.txa:1:28: error: PARAMS is given twice\n  "
                ".func f params=1 results=1 PARAMS=2\n                             ^"},
        BadText{".flat\n.func f locals=1 locals=1\nHALT\n.end",
                "p.txa:2:18: error: locals is given twice\n  "
                ".func f locals=1 locals=1\n                   ^"},
        BadText{".line\nHALT", "p.txa:1:1: error: .line needs a line\n  .line\n  ^"},
        BadText{".note 3\nHALT",
                "p.txa:1:7: error: .note needs a text in quotes, found '3'\n  .note 3\n        ^"},
        BadText{".source x",
                "p.txa:1:9: error: .source needs a name in quotes, found 'x'\n  "
                ".source x\n          ^"},
        BadText{"HALT\n.entry 0",
                "p.txa:2:1: error: .entry needs a .func in the file\n  .entry 0\n  ^"},
        BadText{"HALT\n.flat",
                "p.txa:2:1: error: .flat must come before everything else\n  "
                ".flat\n  ^"},
        BadText{".flat 1", "p.txa:1:7: error: unexpected '1' after .flat\n  .flat 1\n        ^"},
        BadText{"; nothing", "p.txa: error: the text has no instructions"}));

INSTANTIATE_TEST_SUITE_P(
    Functions, BadTexts,
    testing::Values(
        BadText{".func", "p.txa:1:1: error: .func needs a name\n  .func\n  ^"},
        BadText{".func 3", "p.txa:1:7: error: .func needs a name, found '3'\n  .func 3\n        ^"},
        BadText{".flat\n.func 3",
                "p.txa:2:7: error: .func needs a name, found '3'\n  .func 3\n        ^"},
        BadText{".func f params=1001\n.end",
                "p.txa:1:9: error: params 1001 out of range 0..1000\n  .func f params=1001\n       "
                "   ^"},
        BadText{
            ".func f params=-1\n.end",
            "p.txa:1:9: error: params -1 out of range 0..1000\n  .func f params=-1\n          ^"},
        BadText{".func f results=0x3e9 locals=1\n.end",
                "p.txa:1:9: error: results 0x3e9 out of range 0..1000\n  .func f results=0x3e9 "
                "locals=1\n          ^"},
        BadText{".func f locals=16777216\n.end",
                "p.txa:1:9: error: locals 16777216 out of range 0..16777215\n  .func f "
                "locals=16777216\n          ^"},
        BadText{".func f\n.end\n.func f\n.end",
                "p.txa:3:7: error: function 'f' is defined twice\n  .func f\n        ^"},
        BadText{".func f\n.end\n.export \"a\" f\n.export \"b\" f\n  .export \"a\" f",
                "p.txa:5:11: error: export 'a' is defined twice (first on line 3)\n  "
                "  .export \"a\" f\n            ^"},
        BadText{".func f\nNOP",
                "p.txa:1:1: error: the function is not closed by .end\n  .func f\n "
                " ^"},
        BadText{".flat\n.func f\nNOP",
                "p.txa:2:1: error: the function is not closed by .end\n  .func f\n  ^"},
        BadText{".func f\n.func g",
                "p.txa:2:1: error: .func inside of the function of line 1\n  .func g\n  ^"},
        BadText{".flat\n.func f\n.func g",
                "p.txa:3:1: error: .func inside of the function of line 2\n  .func g\n  ^"},
        BadText{".flat\n.func f\n.end",
                "p.txa:2:1: error: the function has no instructions\n  .func f\n  ^"},
        BadText{".func f\nx:\n.end",
                "p.txa:1:1: error: the function has no instructions\n  .func f\n  ^"},
        BadText{".flat\n.end", "p.txa:2:1: error: .end without .func\n  .end\n  ^"},
        BadText{".func f\n.end\n.end", "p.txa:3:1: error: .end without .func\n  .end\n  ^"},
        BadText{".func f\n.end 1",
                "p.txa:2:6: error: unexpected '1' after .end\n  .end 1\n       ^"},
        BadText{".func f\n.end\nADD",
                "p.txa:3:1: error: 'ADD' stands outside of every .func\n  ADD\n  ^"},
        BadText{".func f\n.global 1\n.end",
                "p.txa:2:1: error: '.global' stands inside of a function\n  .global 1\n  ^"},
        BadText{".func main\nCALL mian\n.end",
                "p.txa:2:6: error: unknown function 'mian' (did you "
                "mean main?)\n  CALL mian\n       ^"},
        BadText{".func f\nCALL\n.end", "p.txa:2:1: error: CALL needs a function\n  CALL\n  ^"},
        BadText{".func f\nCALL 3\n.end",
                "p.txa:2:6: error: expected the name of a function, found "
                "'3'\n  CALL 3\n       ^"},
        BadText{".func main\n.end\n.export \"x\" man",
                "p.txa:3:13: error: unknown function 'man' (did you mean main?)\n  .export \"x\" "
                "man\n              ^"},
        BadText{".func main\n.end\n.entry 0",
                "p.txa:3:8: error: expected the name of a function, "
                "found '0'\n  .entry 0\n         ^"},
        BadText{".import f \"m\" \"n\"\n.func f\n.end",
                "p.txa:2:1: error: function 'f' has the name of an import\n  .func f\n  ^"}));

INSTANTIATE_TEST_SUITE_P(
    Blocks, BadTexts,
    testing::Values(
        BadText{"block\nend", "p.txa:1:1: error: 'block' needs a .func around it\n  block\n  ^"},
        BadText{".func f\nblock\n.end",
                "p.txa:2:1: error: 'block' is not closed by end\n  block\n  ^"},
        BadText{".func f\nend\n.end", "p.txa:2:1: error: end without a block\n  end\n  ^"},
        BadText{".func f\nelse\n.end", "p.txa:2:1: error: else without an if\n  else\n  ^"},
        BadText{".func f\nblock\nelse\nend\n.end",
                "p.txa:3:1: error: else without an if\n  else\n  ^"},
        BadText{".func f params=1\nif\nelse\nelse\nend\n.end",
                "p.txa:4:1: error: else without an if\n  else\n  ^"},
        BadText{".func f\nblock out\nbr ot\nend\n.end",
                "p.txa:3:4: error: unknown block 'ot' (did "
                "you mean out?)\n  br ot\n     ^"},
        BadText{".func f\nblock\nbr 2\nend\n.end",
                "p.txa:3:4: error: level 2 out of range 0..1\n  br 2\n     ^"},
        BadText{".func f\nbr\n.end", "p.txa:2:1: error: br needs a target\n  br\n  ^"},
        BadText{".func f\nblock\nbr_table\nend\n.end",
                "p.txa:3:1: error: br_table needs a target\n  br_table\n  ^"},
        BadText{".func f\nx: NOP\nblock\nend\n.end",
                "p.txa:3:1: error: 'block' cannot stand in a function with labels, JZ, JNZ or "
                ".raw\n  block\n  ^"},
        BadText{".func f\nblock params=1001\nend\n.end",
                "p.txa:2:7: error: params 1001 out of range 0..1000\n  block params=1001\n        "
                "^"},
        BadText{".func f\nend 1\n.end",
                "p.txa:2:5: error: unexpected '1' after end\n  end 1\n      ^"}));

INSTANTIATE_TEST_SUITE_P(
    Heights, BadTexts,
    testing::Values(
        BadText{".func f\nPUSH 1\nADD\n.end",
                "p.txa:3:1: error: ADD needs 2 operands, the block has 1\n  ADD\n  ^"},
        BadText{".func f\nPOP\n.end",
                "p.txa:2:1: error: POP needs 1 operand, the block has 0\n  POP\n  ^"},
        BadText{".func f\nPUSH 1\nblock\nPOP\nend\n.end",
                "p.txa:4:1: error: POP needs 1 operand, the block has 0\n  POP\n  ^"},
        BadText{".func f\nif\nend\n.end",
                "p.txa:2:1: error: if needs 1 operand, the block has 0\n  if\n  ^"},
        BadText{".func f\nblock params=2\nend\n.end",
                "p.txa:2:1: error: block needs 2 operands, the block has 0\n  block params=2\n "
                " ^"},
        BadText{".func f\nblock\nPUSH 1\nend\n.end",
                "p.txa:4:1: error: the block leaves 1 value, expected 0\n  end\n  ^"},
        BadText{".func f params=1\nif results=2\nPUSH 1\nelse\nend\n.end",
                "p.txa:4:1: error: the block leaves 1 value, expected 2\n  else\n  ^"},
        BadText{".func f results=1\nPUSH 1\nPUSH 2\n.end",
                "p.txa:4:1: error: the function leaves 2 values, expected 1\n  .end\n  ^"},
        BadText{".func f params=1\nif results=1\nPUSH 1\nend\n.end",
                "p.txa:4:1: error: an if without else takes 0 and leaves 1 value, expected equal "
                "counts\n  end\n  ^"},
        BadText{".func f\nblock results=1\nbr 0\nend\n.end",
                "p.txa:3:1: error: br needs 1 operand, the block has 0\n  br 0\n  ^"},
        BadText{".func f\nblock results=1\nPUSH 1\nbr_if 0\nend\n.end",
                "p.txa:4:1: error: br_if needs 2 operands, the block has 1\n  br_if 0\n  ^"},
        BadText{".func f\nblock\nbr_table 0\nend\n.end",
                "p.txa:3:1: error: br_table needs 1 operand, the block has 0\n  br_table 0\n  ^"},
        BadText{
            ".func f\nblock\nblock results=1\nPUSH 1\nPUSH 1\nbr_table 0 1\nend\nPOP\nend\n.end",
            "p.txa:6:1: error: target 0 of br_table takes 1 value, the last one takes 0\n  "
            "br_table "
            "0 1\n  ^"},
        BadText{".func f results=1\nRETURN\n.end",
                "p.txa:2:1: error: RETURN needs 1 operand, the block has 0\n  RETURN\n  ^"},
        BadText{".func f\nCALL g\n.end\n.func g params=3\nPOP\nPOP\nPOP\n.end",
                "p.txa:2:1: error: CALL needs 3 operands, the block has 0\n  CALL g\n  ^"},
        BadText{".func f locals=4\nLOCAL.GET 9\n.end",
                "p.txa:2:1: error: local 9 out of range (function has 4 locals)\n  LOCAL.GET 9\n  "
                "^"}));

TEST(Errors, LongLinesAreNotPrinted) {
  const std::string text = "PUSH 1\nPUSH " + std::string(5000, '9');
  const auto program = Assemble(text, "p.txa");
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().ToString(),
            "p.txa:2:6: error: number '9999999999999999999999999999999999999999...' out of range "
            "-2147483648..4294967295");
}

TEST(Errors, TextBeyondTheLimitIsRefused) {
  const std::string text(kMaxTextBytes + 1, '\n');
  const auto program = Assemble(text, "p.txa");
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().code, isa::ErrorCode::kLimit);
  EXPECT_EQ(program.error().ToString(),
            "p.txa: error: the text has 67108865 bytes, at most 67108864 are read");
}

TEST(Errors, TextWithTooManyWordsIsRefused) {
  std::string numbers = ".data 0";
  for (int i = 0; i < (1 << 22) - 1; ++i) numbers += " 1";
  const auto one_line = Assemble(numbers, "p.txa");
  ASSERT_FALSE(one_line.has_value());
  EXPECT_EQ(one_line.error().code, isa::ErrorCode::kLimit);
  EXPECT_EQ(one_line.error().ToString(),
            "p.txa:1:8388613: error: the text has more than 4194304 words");
  std::string lines;
  for (int i = 0; i < (1 << 22) + 1; ++i) lines += "NOP\n";
  const auto many_lines = Assemble(lines, "p.txa");
  ASSERT_FALSE(many_lines.has_value());
  EXPECT_EQ(many_lines.error().ToString(),
            "p.txa:4194305:1: error: the text has more than 4194304 words\n  NOP\n  ^");
}

TEST(Errors, NestingBeyondTheLimitIsRefused) {
  std::string text = ".func f\n";
  for (int i = 0; i < 10'001; ++i) text += "block\n";
  const auto program = Assemble(text, "p.txa");
  ASSERT_FALSE(program.has_value());
  // The function is not closed either; that comes first.
  EXPECT_EQ(program.error().message, "the function is not closed by .end");
  const auto closed = Assemble(text + ".end", "p.txa");
  ASSERT_FALSE(closed.has_value());
  EXPECT_EQ(closed.error().code, isa::ErrorCode::kLimit);
  EXPECT_EQ(closed.error().ToString(),
            "p.txa:10002:1: error: blocks are nested deeper than 10000\n  block\n  ^");
}

// Unwinding a branch takes slots after the declared locals: they are no locals of the text.
TEST(Errors, ScratchSlotsOfABranchAreNoLocals) {
  const auto program = Assemble(
      ".func main results=1 locals=1\nblock results=1\nPUSH 7\nPUSH 8\nPUSH 9\nPUSH 10\n"
      "br 0\nend\nLOCAL.SET 0\nLOCAL.GET 1\nRETURN\n.end\n",
      "p.txa");
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().ToString(),
            "p.txa:10:1: error: local 1 out of range (function has 1 local)\n  LOCAL.GET 1\n  ^");
}

TEST(Errors, NotesThatNoInstructionFollowsAreRefused) {
  const std::string expected =
      "p.txa:5:3: error: no instruction follows the note\n    .note \"lost\"\n    ^";
  for (const char* body : {"M: PUSH 1\nJNZ M\nRETURN\n", "block\nPUSH 1\nbr_if 0 end\n"}) {
    const auto program = Assemble(
        ".func f\n" + std::string(body) + "  .note \"lost\"\n.end\n.func g\nNOP\n.end\n", "p.txa");
    ASSERT_FALSE(program.has_value()) << body;
    EXPECT_EQ(program.error().ToString(), expected);
  }
}

TEST(Errors, ASecondNoteOfAnInstructionIsRefused) {
  const std::string notes = ".note \"a\"\n.note \"b\"\n";
  const auto message = [](const std::string& text) {
    const auto program = Assemble(text, "p.txa");
    return program ? "accepted" : program.error().ToString();
  };
  EXPECT_EQ(message(notes + "HALT\n"),
            "p.txa:2:1: error: the instruction has a note already (on line 1)\n  .note \"b\"\n  ^");
  const std::string in_function =
      "p.txa:3:1: error: the instruction has a note already (on line 2)\n  .note \"b\"\n  ^";
  EXPECT_EQ(message(".func f\n" + notes + "NOP\n.end\n"), in_function);
  EXPECT_EQ(message(".func f\n" + notes + "x: NOP\nRETURN\n.end\n"), in_function);
  // No code comes of block, loop and end: what follows them carries the note.
  EXPECT_EQ(message(".func f\n.note \"a\"\nloop\n.note \"b\"\nNOP\nend\n.end\n"),
            "p.txa:4:1: error: the instruction has a note already (on line 2)\n  .note \"b\"\n  ^");
  EXPECT_EQ(message(".func f\n.note \"a\"\nblock\nend\n.end\n"),
            "p.txa:2:1: error: no instruction follows the note\n  .note \"a\"\n  ^");
  EXPECT_EQ(message(".func f\n.note \"a\"\nblock\nNOP\n.note \"b\"\nNOP\nend\n.end\n"), "accepted");
}

TEST(Errors, LoweringThatExplodesIsRefused) {
  // Each br_if removes all that the calls before it have pushed: quadratic code, from little text.
  std::string text = ".import many \"m\" \"n\" results=1000\n.func f results=0\nblock out\n";
  for (int i = 0; i < 100; ++i) text += "CALL many\nPUSH 0\nbr_if out\n";
  text += "br out\nend\n.end\n";
  const auto program = Assemble(text, "p.txa");
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().code, isa::ErrorCode::kLimit);
  EXPECT_EQ(program.error().message, "the function needs more than 1053472 instructions");
}

TEST(Suggest, CountsEditsOfOneByte) {
  constexpr std::size_t kMost = 10;
  EXPECT_EQ(isa::TypingSlips("", "", kMost), 0u);
  EXPECT_EQ(isa::TypingSlips("abc", "", kMost), 3u);
  EXPECT_EQ(isa::TypingSlips("SWPA", "swap", kMost), 1u);  // two neighbours swapped
  EXPECT_EQ(isa::TypingSlips("kitten", "sitting", kMost), 3u);
}

TEST(Suggest, NothingNearMeansNoSuggestion) {
  EXPECT_EQ(DidYouMean("xyz", {"PUSH", "POP"}), "");
  EXPECT_EQ(DidYouMean("PSH", {"POP", "PUSH"}), " (did you mean PUSH?)");
  EXPECT_EQ(DidYouMean(std::string(41, 'a'), {std::string_view("aaaa")}), "");
}

}  // namespace
}  // namespace txvm::assembler
