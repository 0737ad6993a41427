#include <gtest/gtest.h>

#include <string>

#include "neural/triton/random/programs.h"
#include "neural/triton/tir/parser.h"
#include "neural/triton/tir/printer.h"
#include "neural/triton/tir/validate.h"

namespace txvm::triton {
namespace {

// One line of text per row of tir/ops.def, but for the parts of functions.
constexpr const char* kEveryOperation = R"(
// a remark
entry main
fn helper {
  return
}
fn main {
  push 18446744069414584320 pop 5 dup 15 swap 15 add sub mul neg invert eq lt and or xor pop_count
  split div_mod shl shr log2 pow read_io 1 write_io 5 read_mem 2 write_mem 3 assert 1 assert 5
  hash 10 reveal Paid tag=7 fields=3 seal Paid tag=0 fields=9 ram_read 15 ram_write 1 hint 5
  sponge_init sponge_absorb sponge_squeeze sponge_load merkle_step merkle_load
  ext_mul ext_invert fold_ext fold_base
  proof_block 00ff { push 1 }
  asm effect=1 { push 1
    // remark in asm
    addi 2 }
  if_else { push 1 } else { push 2 }
  if_only { }
  loop l bound=9 { } loop m { if_only { add } }
  call helper
  halt
}
)";

isa::Error ErrorOf(std::string_view text) {
  const auto module = ParseTir(text, "f.tir");
  EXPECT_FALSE(module.has_value()) << text;
  return module ? isa::Error{} : module.error();
}

void CountCodes(const std::vector<TirOp>& ops, std::vector<int>& counts) {
  for (const TirOp& op : ops) {
    ++counts[static_cast<std::size_t>(op.code)];
    CountCodes(op.body, counts);
    CountCodes(op.other, counts);
  }
}

TEST(TirText, EveryOperationSurvivesPrintingAndParsing) {
  const auto module = ParseTir(kEveryOperation);
  ASSERT_TRUE(module.has_value()) << module.error().ToString();
  std::vector<int> counts(kTirOps, 0);
  CountCodes(module->ops, counts);
  for (std::size_t i = 0; i < kTirOps; ++i) {
    EXPECT_GT(counts[i], 0) << Info(static_cast<TirCode>(i)).name;
  }
  const std::string text = PrintTir(*module);
  const auto again = ParseTir(text);
  ASSERT_TRUE(again.has_value()) << again.error().ToString();
  EXPECT_EQ(*again, *module);
  EXPECT_EQ(PrintTir(*again), text);
}

TEST(TirText, NegativeNumbersAreFieldElements) {
  const auto module = ParseTir("push -1 push -0");
  ASSERT_TRUE(module.has_value());
  EXPECT_EQ(module->ops[0].value, 18446744069414584320u);
  EXPECT_EQ(module->ops[1].value, 0u);
}

TEST(TirText, ErrorsNameThingLimitAndPlace) {
  const isa::Error unknown = ErrorOf("push 1\n  sawp 1\n");
  EXPECT_EQ(unknown.ToString(), "f.tir:2:3: error: unknown operation 'sawp'\n    sawp 1\n    ^");
  EXPECT_EQ(ErrorOf("dup 16").message, "dup takes a number in 0..15, found '16'");
  EXPECT_EQ(ErrorOf("pop 0").message, "pop takes a number in 1..5, found '0'");
  EXPECT_EQ(ErrorOf("assert 2").message, "assert takes a number in 1 or 5, found '2'");
  EXPECT_EQ(ErrorOf("push 18446744069414584321").message,
            "push takes a number in -18446744069414584320..18446744069414584320, found "
            "'18446744069414584321'");
  EXPECT_EQ(ErrorOf("if_only").message, "expected '{', found the end of the text");
  EXPECT_EQ(ErrorOf("hash").message, "hash takes a number in 1..15, found the end of the text");
  EXPECT_EQ(ErrorOf("seal S tag=1 fields=10").message,
            "fields= takes a number in 0..9, found '10'");
  EXPECT_EQ(ErrorOf("fn __f { }").message,
            "'__f': names that start with __ belong to the lowering");
}

TEST(TirText, AnErrorShowsLinesAsOtherErrorsDo) {
  const auto line = [](std::size_t before) { return std::string(before, ' ') + "sawp\r\n"; };
  EXPECT_EQ(ErrorOf(line(196)).source_line, std::string(196, ' ') + "sawp");
  EXPECT_EQ(ErrorOf(line(197)).source_line, "");
}

TEST(TirText, ABraceInACommentDoesNotEndAsm) {
  const auto module =
      ParseTir("asm effect=2 {\n push 1 // a } b\n /* } // */ push 2\n /* }\n } */ } // } }\n add");
  ASSERT_TRUE(module.has_value()) << module.error().ToString();
  ASSERT_EQ(module->ops.size(), 3u);
  EXPECT_EQ(module->ops[0].lines.size(), 4u);
  EXPECT_TRUE(ValidateTir(*module).has_value());
  EXPECT_EQ(*ParseTir(PrintTir(*module)), *module);
}

TEST(TirText, EveryTruncationIsAnErrorOrAModule) {
  const std::string text = kEveryOperation;
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto module = ParseTir(std::string_view(text).substr(0, length));
    if (!module) {
      EXPECT_GE(module.error().place.line, 1u);
      continue;
    }
    EXPECT_EQ(*ParseTir(PrintTir(*module)), *module);
  }
}

TEST(TirText, NestingAndSizeAreLimited) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "if_only { ";
  EXPECT_EQ(ErrorOf(deep).code, isa::ErrorCode::kLimit);
  std::string many;
  for (int i = 0; i < 1'000'001; ++i) many += "add ";
  EXPECT_EQ(ErrorOf(many).code, isa::ErrorCode::kLimit);
  EXPECT_EQ(ErrorOf(std::string((std::size_t{16} << 20) + 1, ' ')).code, isa::ErrorCode::kLimit);
}

TEST(TirText, RandomBytesNeverCrashTheParser) {
  TirRng rng(7);
  const std::string source = kEveryOperation;
  for (int round = 0; round < 3000; ++round) {
    std::string text = source.substr(rng.Below(source.size() / 2));
    for (int edits = 0; edits < 6; ++edits) {
      text[rng.Below(text.size())] = static_cast<char>(rng.Below(256));
    }
    const auto module = ParseTir(text);
    if (module) static_cast<void>(ValidateTir(*module));
  }
}

}  // namespace
}  // namespace txvm::triton
