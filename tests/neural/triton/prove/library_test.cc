#include "neural/triton/prove/library.h"

#include <gtest/gtest.h>

#include <string>

#include "neural/triton/tasm/text.h"

namespace txvm::triton {
namespace {

VerifyReport Judge(std::string_view a, std::string_view b) {
  VerifyOptions options;
  options.trials = 400;
  const auto report =
      Verify(Subject::FromTasm(*AssembleTasm(a)), Subject::FromTasm(*AssembleTasm(b)), options);
  EXPECT_TRUE(report.has_value());
  return report.value_or(VerifyReport{});
}

TEST(Library, ARoutineThatDiffersIsFoundAndNamed) {
  const VerifyReport report =
      Judge("f: push 1 add return g: push 1 return", "f: push 1 add return g: push 2 return");
  EXPECT_EQ(report.verdict, Verdict::kRefuted);
  EXPECT_EQ(report.routine, "g");
  ASSERT_TRUE(report.counterexample);
  ASSERT_EQ(report.routines.size(), 2u);
  EXPECT_EQ(report.routines[0].verdict, Verdict::kProved);
}

TEST(Library, RoutinesAreProvedInAnyOrder) {
  const VerifyReport report = Judge("f: push 1 add return g: call f push 3 mul return",
                                    "g: push 3 mul addi 3 return f: addi 1 return");
  EXPECT_EQ(report.verdict, Verdict::kProved) << report.reason;
  EXPECT_EQ(report.routines.size(), 2u);
}

TEST(Library, LoopsOfARoutineAreProvedByInduction) {
  const VerifyReport report = Judge(
      "f: dup 0 push 0 eq skiz return push -1 add swap 1 push 2 mul swap 1 recurse",
      "f: dup 0 push 0 eq skiz return addi -1 pick 1 dup 0 add place 1 recurse g: nop return");
  EXPECT_EQ(report.verdict, Verdict::kUnknown);  // g is on one side only
  EXPECT_NE(report.reason.find("the routine g is on one side only"), std::string::npos);
  const VerifyReport both = Judge(
      "f: dup 0 push 0 eq skiz return push -1 add swap 1 push 2 mul swap 1 recurse",
      "f: dup 0 push 0 eq skiz return call once recurse once: addi -1 pick 1 dup 0 add place 1 "
      "return");
  EXPECT_EQ(both.verdict, Verdict::kProved) << both.reason;
  const VerifyReport wrong =
      Judge("f: dup 0 push 0 eq skiz return push -1 add swap 1 push 2 mul swap 1 recurse",
            "f: dup 0 push 0 eq skiz return push -1 add swap 1 push 3 mul swap 1 recurse");
  EXPECT_EQ(wrong.verdict, Verdict::kRefuted);
}

TEST(Library, WhatIsUnderTheStackOfTheCallerCounts) {
  // The second needs a word less than the first.
  EXPECT_EQ(Judge("f: pop 1 push 5 return", "f: push 5 swap 1 pop 1 return").verdict,
            Verdict::kRefuted);
}

TEST(Library, AProgramWithoutHaltCountsAsOneThatCrashes) {
  const Subject halts = Subject::FromTasm(*AssembleTasm("push 1 write_io 1 halt"));
  const Subject ends = Subject::FromTasm(*AssembleTasm("push 1 write_io 1")).AsProgram();
  EXPECT_EQ(Verify(halts, ends)->verdict, Verdict::kRefuted);
  const Subject crashes = Subject::FromTasm(*AssembleTasm("push 2 assert halt"));
  EXPECT_EQ(Verify(crashes, ends)->verdict, Verdict::kProved);
}

TEST(Equivalence, TheSameDigestMakesItAnInputLikeAnother) {
  VerifyOptions options;
  options.trials = 100;
  options.same_digest = true;
  const auto compare = [&](std::string_view a, std::string_view b) {
    return Verify(Subject::FromTasm(*AssembleTasm(a)), Subject::FromTasm(*AssembleTasm(b)), options)
        ->verdict;
  };
  EXPECT_EQ(compare("dup 15 write_io 1 halt", "push 0 pop 1 dup 15 write_io 1 halt"),
            Verdict::kProved);
  EXPECT_EQ(compare("dup 15 write_io 1 halt", "dup 14 write_io 1 halt"), Verdict::kRefuted);
  // With loops, by the same control flow and by induction.
  constexpr std::string_view kLoop =
      "read_io 1 call l halt l: dup 0 push 0 eq skiz return dup 15 write_io 1 push -1 add recurse";
  constexpr std::string_view kSame =
      "read_io 1 call l halt l: dup 0 push 0 eq skiz return dup 15 write_io 1 addi -1 recurse";
  constexpr std::string_view kOther =
      "read_io 1 call l halt l: push 0 dup 1 eq skiz return addi -1 dup 15 write_io 1 nop recurse";
  EXPECT_EQ(compare(kLoop, kSame), Verdict::kProved);
  EXPECT_EQ(compare(kLoop, kOther), Verdict::kProved);
  options.same_digest = false;
  EXPECT_NE(compare(kLoop, kSame), Verdict::kProved);
}

}  // namespace
}  // namespace txvm::triton
