#include "neural/triton/tir/validate.h"

#include <gtest/gtest.h>

#include <string>

#include "neural/triton/tir/parser.h"

namespace txvm::triton {
namespace {

isa::Result<TirSummary> Check(std::string_view text) {
  const auto module = ParseTir(text, "f.tir");
  if (!module) return std::unexpected(module.error());
  return ValidateTir(*module);
}

std::string MessageOf(std::string_view text) {
  const auto summary = Check(text);
  return summary ? "valid" : summary.error().message;
}

TEST(TirValidate, InfersWhatFunctionsNeedAndLeave) {
  const auto summary = Check(
      "entry main fn main { push 3 call f pop 2 } fn f { dup 0 if_else { add push 1 } else { neg "
      "} add return }");
  EXPECT_FALSE(summary.has_value());  // the arms leave different depths
  const auto good = Check(
      "entry main fn main { push 3 push 4 call f pop 1 }"
      "fn f { dup 1 if_else { add } else { pop 1 } }");
  ASSERT_TRUE(good.has_value()) << good.error().ToString();
  EXPECT_EQ(good->kind, TirSummary::Kind::kProgram);
  EXPECT_EQ(good->effects.at("f"), (StackEffect{2, -1, true}));
  EXPECT_EQ(good->effects.at("main"), (StackEffect{0, 0, true}));
}

TEST(TirValidate, RecursionTakesTheEffectOfItsBase) {
  const auto summary =
      Check("fn f { dup 0 if_only { push -1 add call f } } fn g { call h } fn h { call g }");
  ASSERT_TRUE(summary.has_value()) << summary.error().ToString();
  EXPECT_EQ(summary->effects.at("f"), (StackEffect{1, 0, true}));
  EXPECT_FALSE(summary->effects.at("g").ends);
}

TEST(TirValidate, ArmsBehindACallThatNeverReturnsAskForNothing) {
  const auto summary = Check(
      "entry main fn main { push 1 call stop if_else { pop 5 } else { pop 5 } push 2 if_only { add "
      "push 1 } } fn stop { push 0 assert 1 halt }");
  ASSERT_TRUE(summary.has_value()) << summary.error().ToString();
  EXPECT_EQ(summary->effects.at("main").needs, 0);
}

TEST(TirValidate, RejectsWhatCannotRun) {
  EXPECT_EQ(MessageOf("call f"), "call to 'f', which is not defined");
  EXPECT_EQ(MessageOf("fn f { } fn f { }"), "'f' is defined twice");
  EXPECT_EQ(MessageOf("entry f fn f { pop 1 }"),
            "the entry 'f' takes 1 word from the stack, which is empty");
  EXPECT_EQ(MessageOf("entry f"), "the entry 'f' is not a function");
  EXPECT_EQ(MessageOf("entry f entry f fn f { }"), "a program has one entry; this is the second");
  EXPECT_EQ(MessageOf("fn f { } add"), "add stands outside every function");
  EXPECT_EQ(MessageOf("if_only { push 1 }"),
            "the arm of if_only changes the stack by +1 words, not 0");
  EXPECT_EQ(MessageOf("if_else { push 1 } else { }"),
            "the arms of if_else change the stack by +1 and +0 words");
  EXPECT_EQ(MessageOf("loop l { push 1 }"),
            "the body of loop 'l' changes the stack by +1 words, not 0");
  EXPECT_EQ(MessageOf("fn f { if_only { return } }"),
            "return stands inside an arm or a proof block; it may only stand directly in a "
            "function or loop body");
  EXPECT_EQ(MessageOf("return"), "return stands outside every function");
  EXPECT_EQ(MessageOf("fn f { halt add }"), "add cannot be reached: it follows halt");
  EXPECT_EQ(MessageOf("fn f { push 1 call f pop 1 return }"), "valid");  // never returns
  EXPECT_EQ(MessageOf("fn f { dup 0 if_only { pop 1 call f push 1 } }"),
            "the stack that 'f' needs grows with every call of itself");
}

TEST(TirValidate, AGrowingNeedIsBlamedOnTheFunctionThatCallsItself) {
  EXPECT_EQ(MessageOf("entry main fn main { push 1 call f } fn f { pop 1 call f }"),
            "the stack that 'f' needs grows with every call of itself");
  EXPECT_EQ(MessageOf("entry main fn main { call g } fn g { call h } fn h { pop 1 call h }"),
            "the stack that 'h' needs grows with every call of itself");
}

TEST(TirValidate, ErrorsHaveThePlaceOfTheOperation) {
  const auto summary = Check("fn f {\n  push 1\n  call g\n}\n");
  ASSERT_FALSE(summary.has_value());
  EXPECT_EQ(summary.error().place.line, 3u);
  EXPECT_EQ(summary.error().place.column, 3u);
  EXPECT_EQ(summary.error().place.file, "f.tir");
}

TEST(TirValidate, AsmIsStraightAndDeclaresItsEffect) {
  EXPECT_EQ(MessageOf("asm effect=0 { dup 0\n pop 1 }"), "valid");
  EXPECT_EQ(MessageOf("asm effect=1 { dup 0\n pop 1 }"),
            "asm declares effect=1 but its lines change the stack by 0");
  EXPECT_EQ(MessageOf("asm effect=0 { return }"),
            "asm holds 'return'; it may only hold straight-line code");
  EXPECT_EQ(MessageOf("asm effect=0 { l: nop }"),
            "asm defines label 'l'; it may only hold straight-line code");
  EXPECT_NE(MessageOf("asm effect=0 { or }"), "valid");
}

TEST(TirValidate, LongCallChainsSettleQuickly) {
  std::string text;
  constexpr int kFunctions = 20'000;
  for (int i = 0; i + 1 < kFunctions; ++i) {
    text += "fn f" + std::to_string(i) + " { add call f" + std::to_string(i + 1) + " }\n";
  }
  text += "fn f" + std::to_string(kFunctions - 1) + " { add }\n";
  const auto summary = Check(text);
  ASSERT_TRUE(summary.has_value()) << summary.error().ToString();
  EXPECT_EQ(summary->effects.at("f0"), (StackEffect{kFunctions + 1, -kFunctions, true}));
}

}  // namespace
}  // namespace txvm::triton
