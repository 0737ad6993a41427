#include "neural/triton/tasm/text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>

#include "neural/triton/field/field_text.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
namespace {

TasmProgram Assembled(const std::string& text, TasmIsa isa = TasmIsa::kDot) {
  auto program = AssembleTasm(text, isa);
  EXPECT_TRUE(program) << program.error().ToString();
  return program ? *program : TasmProgram{};
}

std::string ErrorOf(const std::string& text, TasmIsa isa = TasmIsa::kDot) {
  const auto program = AssembleTasm(text, isa, "f.tasm");
  return program ? "no error" : program.error().ToString();
}

// Every instruction of a set once, with an argument where it takes one.
TasmProgram EveryInstruction(TasmIsa isa) {
  TasmProgram program;
  program.isa = isa;
  program.labels = {{"start", 0}, {"end-of_it2", 0}};
  for (const TasmOpInfo& info : kTasmOps) {
    if (!IsInIsa(info.op, isa)) continue;
    const bool has_arg = info.arg != TasmArg::kNone;
    program.code.push_back({info.op, has_arg ? std::uint64_t{1} : 0});
  }
  program.labels[1].index = program.code.size();
  return program;
}

TEST(TasmTable, HasFortySixInstructionsPerSet) {
  for (const TasmIsa isa : {TasmIsa::kDot, TasmIsa::kHorner}) {
    EXPECT_EQ(EveryInstruction(isa).code.size(), 46u);
  }
}

TEST(TasmTable, OpcodeBitsSayWordsShrinkingAndU32) {
  for (const TasmOpInfo& info : kTasmOps) {
    EXPECT_EQ((info.code & 1) != 0, TasmSize(info.op) == 2) << info.text;
    const bool shrinks = TasmNet(info.op, 1) < 0;
    EXPECT_EQ((info.code & 2) != 0, shrinks) << info.text;
    const bool is_u32 = (info.code & 4) != 0;
    constexpr std::size_t kSeedU32 = 2;
    // The six-table view leaves split out of the u32 table.
    EXPECT_EQ(is_u32, info.seed[kSeedU32] != 0 || info.op == TasmOp::kSplit) << info.text;
  }
}

TEST(TasmText, EveryInstructionSurvivesTextAndWords) {
  for (const TasmIsa isa : {TasmIsa::kDot, TasmIsa::kHorner}) {
    const TasmProgram program = EveryInstruction(isa);
    ASSERT_TRUE(CheckTasmProgram(program));
    TasmProgram read = Assembled(DisassembleTasm(program), isa);
    read.lines.clear();
    EXPECT_EQ(read, program);
    const auto words = TasmWords(program);
    const auto decoded = TasmFromWords(words, isa);
    ASSERT_TRUE(decoded) << decoded.error().ToString();
    EXPECT_EQ(TasmWords(*decoded), words);
  }
}

TEST(TasmText, ReadsOneLineProgramsCommentsAndTightColons) {
  const TasmProgram program = Assembled(
      "/* a\n comment */ push 1//x\ncall f halt f:nop g : return // end without a newline");
  ASSERT_EQ(program.code.size(), 5u);
  EXPECT_EQ(program.code[1], (TasmInstruction{TasmOp::kCall, 0}));
  EXPECT_EQ(program.labels[0], (TasmLabel{"f", 3}));
  EXPECT_EQ(program.labels[1], (TasmLabel{"g", 4}));
  EXPECT_EQ(program.lines[0], 2u);
  EXPECT_EQ(program.lines[4], 3u);
}

TEST(TasmText, ReadsHintsBreaksAndErrorIds) {
  const TasmProgram good = Assembled(
      "hint x = stack[0]\nhint y_2 : *Vec<u32, Digest> = stack [ 1 .. 3 ]\nbreak\n"
      "assert error_id 17 assert_vector error_id -170141183460469231731687303715884105728 halt");
  ASSERT_EQ(good.code.size(), 3u);
  EXPECT_EQ(good.error_ids.size(), 2u);
  TasmProgram again = Assembled(DisassembleTasm(good));
  EXPECT_EQ(again.error_ids, good.error_ids);
}

TEST(TasmText, ALabelMayBeNamedBreak) {
  const TasmProgram program = Assembled("call break halt break: break return");
  EXPECT_EQ(program.labels[0], (TasmLabel{"break", 2}));
  EXPECT_EQ(program.code.size(), 3u);
}

TEST(TasmText, ACarriageReturnEndsAComment) {
  EXPECT_EQ(Assembled("nop // a\rnop // b\r\nhalt").code.size(), 3u);
}

// What the parser of triton-isa 7.0.0 and 9.0.1 says of the same texts.
TEST(TasmText, StrictIsWhatReleasedVersionsTake) {
  const std::pair<const char*, bool> cases[] = {
      {"nop //\nhalt", false},
      {"nop //", false},
      {"nop // \nhalt", true},
      {"nop /**/ halt", true},
      {"nop//x\nhalt", true},
      {"break: nop", true},
      {"error_message: nop", false},
      {"hint x = stack[0] halt", true},
      {"hint x = stack[0]halt", true},
      {"hint x=stack[0]", true},
      {"hint x : u32 = stack[ 1 .. 3 ]", true},
      {"hint x = stack [0]", false},
      {"hint x = stack[1..1]", false},
      {"hint x = stack[0 ..]", false},
      {"hint 1x = stack[0]", false},
      {"hint _x1: **Vec<u32, Digest> = stack[0]", true},
      {"hint x: Vec<> = stack[0]", false},
      {"hint x: Vec< > = stack[0]", true},
      {"hint x: Vec<u32,> = stack[0]", true},
      {"hint x: Vec<,> = stack[0]", false},
      {"hint x: Vec<u32 = stack[0]", false},
      {"hint x: a_1 /* c */ = stack[0]", false},
      {"hint x: /* c */ a = /* c */ stack[/* c */0] nop", true},
      {"hint x /* c */ = stack[0]", false},
      {"hint x: Vec /* c */ <A /* c */, B> = stack[0]", true},
      {"hint x: * = stack[0]", false},
      {"hint x: (A, B) = stack[0]", false},
      {"hint x = stack[18446744073709551615]", true},
      {"hint x = stack[18446744073709551616]", false},
      {"hint", false},
  };
  for (const auto& [text, taken] : cases) {
    const auto read = AssembleTasm(text, TasmIsa::kDot, "f.tasm", TasmDialect::kReleased);
    EXPECT_EQ(read.has_value(), taken) << text << (read ? "" : "\n" + read.error().ToString());
  }
}

TEST(TasmText, PushTakesTheOpenIntervalOfThePrime) {
  const TasmProgram program =
      Assembled("push -1 push 18446744069414584320 push -18446744069414584320 push +7 addi -0");
  EXPECT_EQ(program.code[0].arg, vm::goldilocks::kPrime - 1);
  EXPECT_EQ(program.code[1].arg, vm::goldilocks::kPrime - 1);
  EXPECT_EQ(program.code[2].arg, 1u);
  EXPECT_EQ(program.code[3].arg, 7u);
  EXPECT_EQ(program.code[4].arg, 0u);
}

TEST(TasmText, ErrorsNameThePlaceAndTheThing) {
  const std::pair<const char*, const char*> cases[] = {
      {"nop\n  pusj 1",
       "f.tasm:2:3: error: unknown instruction 'pusj' (did you mean push?)\n"
       "    pusj 1\n    ^"},
      {"push 18446744069414584321", "f.tasm:1:6: error: push needs an integer a with -p < a < p"},
      {"push -18446744069414584321", "push needs an integer"},
      {"push", "f.tasm:1:5: error: push needs an integer"},
      {"push x", "f.tasm:1:6: error: push needs an integer"},
      {"push 1x", "f.tasm:1:7: error: expected a space after the argument of push"},
      {"push 1 2", "f.tasm:1:8: error: expected a label, an instruction or the end of the text"},
      {"pop 0", "f.tasm:1:5: error: pop needs a number of words, 1 .. 5"},
      {"pop 6", "pop needs a number of words"},
      {"pop 01", "pop needs a number of words"},
      {"dup 16", "f.tasm:1:5: error: dup needs a stack register, 0 .. 15"},
      {"swap -1", "swap needs a stack register"},
      {"call 5", "f.tasm:1:6: error: call needs the name of a label"},
      {"call f", "f.tasm:1:6: error: label 'f' is not defined"},
      {"f: f: halt", "f.tasm:1:4: error: label 'f' is defined twice"},
      {"add: halt", "a label cannot be named add"},
      {"hint: halt", "a label cannot be named hint"},
      {"halt;", "expected a space after halt"},
      {"or", "unknown instruction 'or'"},
      {"/* open", "f.tasm:1:1: error: a /* comment is not closed"},
      {"nop error_id 1", "error_id must directly follow assert"},
      {"assert nop error_id 1", "error_id must directly follow assert"},
      {"assert error_id 1 error_id 2", "error_id must directly follow assert"},
      {"assert error_id 170141183460469231731687303715884105728", "at most 128 bits"},
      {"hint X = stack[0]", "a hint needs the name of a variable"},
      {"hint x stack[0]", "a hint needs '=' here"},
      {"hint x = stack[2..2]", "a hint's range must not be empty"},
      {"hint x = stack[]", "a hint needs a stack position"},
      {"hint x: Vec<u32 = stack[0]", "a hint's type is malformed"},
      {"b_horner_step", "b_horner_step belongs to the horner instruction set"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_NE(ErrorOf(text).find(message), std::string::npos) << text << "\n" << ErrorOf(text);
  }
  EXPECT_NE(ErrorOf("xx_dot_step", TasmIsa::kHorner).find("v2 .. v9 (dot)"), std::string::npos);
}

TEST(TasmText, HostileTextIsAnErrorNotACrash) {
  EXPECT_NE(ErrorOf(std::string(1'000'000, 'a')).find("unknown instruction 'aaaa"),
            std::string::npos);
  EXPECT_NE(ErrorOf("hint x: " + std::string(1'000'000, '<')).find("malformed"), std::string::npos);
  EXPECT_NE(ErrorOf(std::string("push \0 1", 8)).find("error"), std::string::npos);
  EXPECT_NE(ErrorOf("\xFF\xFE:").find("no error"), std::string::npos);  // bytes of a foreign script
  EXPECT_NE(ErrorOf("push 1" + std::string(100'000, ' ') + "?").find("1:100007"),
            std::string::npos);
  std::mt19937_64 rng(1);
  const std::string pieces[] = {"push ", "1",  "-",  "call ", "f",     ":",         "/*",
                                "*/",    "//", "\n", "pop 9", "hint ", "x",         "=",
                                "stack", "[",  "]",  "..",    "<",     "error_id ", "assert "};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::uint64_t n = rng() % 12; n > 0; --n) text += pieces[rng() % std::size(pieces)];
    const auto program = AssembleTasm(text);
    if (program) {
      EXPECT_TRUE(CheckTasmProgram(*program)) << text;
    }
  }
}

TEST(TasmWords, CallArgumentIsTheWordAddress) {
  const TasmProgram program = Assembled("push 3 call f halt f: return");
  EXPECT_EQ(TasmWords(program), (std::vector<std::uint64_t>{1, 3, 49, 5, 0, 16}));
}

TEST(TasmWords, BadWordsAreRefused) {
  EXPECT_FALSE(TasmFromWords({5}, TasmIsa::kDot));         // no such opcode
  EXPECT_FALSE(TasmFromWords({1}, TasmIsa::kDot));         // push without its argument
  EXPECT_FALSE(TasmFromWords({3, 6}, TasmIsa::kDot));      // pop 6
  EXPECT_FALSE(TasmFromWords({49, 1, 0}, TasmIsa::kDot));  // call into an argument
  EXPECT_FALSE(TasmFromWords({1, vm::goldilocks::kPrime}, TasmIsa::kDot));
  EXPECT_TRUE(TasmFromWords({49, 2}, TasmIsa::kDot));  // call to the end
}

TEST(TasmCheck, RefusesWhatTheAssemblerCannotMake) {
  TasmProgram program;
  program.code = {{TasmOp::kPop, 6}};
  EXPECT_FALSE(CheckTasmProgram(program));
  program.code = {{TasmOp::kCall, 0}};
  EXPECT_FALSE(CheckTasmProgram(program));
  program.code = {{TasmOp::kBHornerStep, 0}};
  EXPECT_FALSE(CheckTasmProgram(program));
  program.code = {{TasmOp::kNop, 1}};
  EXPECT_FALSE(CheckTasmProgram(program));
  program.code = {};
  program.labels = {{"a", 0}, {"a", 0}};
  EXPECT_FALSE(CheckTasmProgram(program));
  program.labels = {{"a", 1}};
  EXPECT_FALSE(CheckTasmProgram(program));
}

TEST(FieldText, IsDecimalWithASign) {
  EXPECT_EQ(ParseElement("-1"), vm::goldilocks::kPrime - 1);
  EXPECT_FALSE(ParseElement(""));
  EXPECT_FALSE(ParseElement("-"));
  EXPECT_FALSE(ParseElement("0x1"));
  EXPECT_FALSE(ParseElement("99999999999999999999"));
  EXPECT_EQ(ElementText(vm::goldilocks::kPrime - 5), "-5");
  EXPECT_EQ(ElementText(vm::goldilocks::kHalf), "9223372034707292160");
}

}  // namespace
}  // namespace txvm::triton
