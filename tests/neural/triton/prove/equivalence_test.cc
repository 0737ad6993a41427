#include "neural/triton/prove/equivalence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "neural/triton/lower/lower.h"
#include "neural/triton/random/programs.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/known_heights.h"
#include "neural/triton/tir/parser.h"
#include "tests/neural/triton/prove/mutate.h"
#include "tests/neural/triton/support/corpus_files.h"

namespace txvm::triton {
namespace {

Subject Tasm(std::string_view text) { return Subject::FromTasm(*AssembleTasm(text)); }
Subject Tir(std::string_view text) { return *Subject::FromTir(*ParseTir(text)); }

Verdict Compare(const Subject& a, const Subject& b) {
  VerifyOptions options;
  options.trials = 400;
  const auto report = Verify(a, b, options);
  EXPECT_TRUE(report.has_value());
  if (!report) return Verdict::kUnknown;
  EXPECT_EQ(report->verdict == Verdict::kRefuted, report->counterexample.has_value());
  return report->verdict;
}

Verdict Compare(std::string_view a, std::string_view b) { return Compare(Tasm(a), Tasm(b)); }

TEST(Equivalence, ProvesAlgebra) {
  EXPECT_EQ(Compare("add", "swap 1 add"), Verdict::kProved);
  EXPECT_EQ(Compare("push -1 mul push -1 mul", ""), Verdict::kProved);
  EXPECT_EQ(Compare("dup 1 dup 1 add dup 0 mul pick 2 pick 2 push -1 mul add dup 0 mul",
                    "dup 1 dup 1 add dup 0 mul pick 2 pick 2 swap 1 push -1 mul add dup 0 mul"),
            Verdict::kProved);  // (a-b)^2 = (b-a)^2
  EXPECT_EQ(Compare("eq", "push -1 mul add push 0 eq"), Verdict::kProved);
  EXPECT_EQ(Compare("split swap 1 push 4294967296 mul add", ""), Verdict::kProved);
  EXPECT_EQ(Compare("dup 0 invert invert eq assert", "invert pop 1"), Verdict::kProved);
  EXPECT_EQ(Compare("xor", "dup 1 dup 1 and push -2 mul add add"), Verdict::kProved);
}

std::string Repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

VerifyReport Report(std::string_view a, std::string_view b) {
  VerifyOptions options;
  options.trials = 50;
  const auto report = Verify(Tasm(a), Tasm(b), options);
  EXPECT_TRUE(report.has_value());
  return report.value_or(VerifyReport{});
}

// An exponent of 32 bits would come back to 0, and x^(2^32) be 1.
TEST(Equivalence, HighPowersDoNotWrapAround) {
  const std::string squared = Repeated("dup 0 mul ", 32), to_32 = "push 32 swap 1 pow ";
  EXPECT_EQ(
      Compare("read_io 1 " + squared + "write_io 1 halt", "read_io 1 pop 1 push 1 write_io 1 halt"),
      Verdict::kRefuted);
  EXPECT_EQ(Compare("read_io 1 " + Repeated(to_32, 6) + "dup 0 mul dup 0 mul write_io 1 halt",
                    "read_io 1 pop 1 push 1 write_io 1 halt"),
            Verdict::kRefuted);
  EXPECT_EQ(Compare(Repeated(to_32, 2), Repeated("dup 0 mul ", 10)), Verdict::kProved);
}

// (2^32 - 1)^4 is more than a bound of 128 bits holds, and its square root squared no u32.
TEST(Equivalence, BoundsOfProductsDoNotWrapAround) {
  const std::string product = "read_io 4 and place 2 and mul dup 0 mul ";
  EXPECT_EQ(Compare(product + "split swap 1 pop 1 write_io 1 halt", product + "write_io 1 halt"),
            Verdict::kRefuted);
}

TEST(Equivalence, InvertsHighPowersAtOnce) {
  const std::string power = Repeated("push 32 swap 1 pow ", 6);
  EXPECT_NE(Compare("read_io 1 " + power + "invert write_io 1 halt",
                    "read_io 1 pop 1 push 1 write_io 1 halt"),
            Verdict::kProved);
  EXPECT_EQ(Compare("push 32 swap 1 pow invert", "invert push 32 swap 1 pow"), Verdict::kProved);
}

TEST(Equivalence, FragmentsThatTakeTooManyWordsAreNotProved) {
  const std::string deep = Repeated("pop 5 ", 620);
  EXPECT_NE(Compare(deep, deep + "push 1 write_io 1"), Verdict::kProved);
}

TEST(Equivalence, LongSumsEndUndecided) {
  const auto summing = [](std::string_view then) {
    return "push 0 push 30000 call l pop 1 " + std::string(then) +
           " write_io 1 halt l: dup 0 push 0 eq skiz return push -1 add swap 1 read_io 1 add "
           "swap 1 recurse";
  };
  const VerifyReport report = Report(summing("push 1 add"), summing("push 1 add nop"));
  EXPECT_TRUE(report.verdict == Verdict::kProved || report.bounded) << report.reason;
}

TEST(Equivalence, AProbableVerdictCountsItsPath) {
  const std::string sum = "read_io 1 " + Repeated("read_io 1 add ", 49);
  const VerifyReport report = Report(sum + sum + "mul write_io 1 halt",
                                     sum + sum + "dup 1 mul swap 1 pop 1 write_io 1 halt");
  EXPECT_EQ(report.verdict, Verdict::kProved) << report.reason;
  const VerifyReport spread =
      Report(sum + sum + "mul write_io 1 halt",
             sum + sum + "push 1 add dup 1 push -1 mul pick 2 pick 2 mul add write_io 1 halt");
  EXPECT_EQ(spread.verdict, Verdict::kProbable) << spread.reason;
  EXPECT_EQ(spread.paths, 1u);
  EXPECT_GT(spread.error_bits, 50);
  EXPECT_LT(spread.error_bits, 400);
}

TEST(Equivalence, RefutesWhatAnInputTellsApart) {
  EXPECT_EQ(Compare("add", "mul"), Verdict::kRefuted);
  EXPECT_EQ(Compare("lt", "swap 1 lt"), Verdict::kRefuted);
  EXPECT_EQ(Compare("assert", "pop 1"), Verdict::kRefuted);
  EXPECT_EQ(Compare("dup 0 split pop 2", "nop"), Verdict::kProved);
  EXPECT_EQ(Compare("dup 0 push 0 lt pop 1", "nop"), Verdict::kRefuted);  // lost u32 check
  EXPECT_EQ(Compare("dup 0 invert pop 1", "nop"), Verdict::kRefuted);
  EXPECT_EQ(Compare("write_io 1", "pop 1"), Verdict::kRefuted);
  EXPECT_EQ(Compare("divine 2", "divine 2 swap 1"), Verdict::kRefuted);
  EXPECT_EQ(Compare("read_io 1 divine 1", "divine 1 read_io 1 swap 1"), Verdict::kProved);
  EXPECT_EQ(Compare("push 5 write_mem 1", "pop 1 push 6"), Verdict::kRefuted);
  EXPECT_EQ(Compare("push 123456789 eq assert", "pop 1"), Verdict::kRefuted);
  EXPECT_EQ(Compare("sponge_init sponge_squeeze pop 5 pop 5", "sponge_init"), Verdict::kRefuted);
  EXPECT_EQ(Compare("hash", "swap 9 hash"), Verdict::kRefuted);
}

// Fragments may leave the same top of the stack and differ all the same.
TEST(Equivalence, CounterexamplesShowWhatDiffers) {
  const auto ends = [](std::string_view a, std::string_view b) {
    const auto found = Report(a, b).counterexample;
    if (!found) return std::pair<std::string, std::string>();
    EXPECT_NE(found->first, found->second);
    return std::pair(found->first.substr(found->first.rfind(']') + 1),
                     found->second.substr(found->second.rfind(']') + 1));
  };
  EXPECT_EQ(ends("push 1 push 5 write_mem 1 pop 1 push 3 push 9 write_mem 1 pop 1",
                 "push 3 push 9 write_mem 1 pop 1 push 2 push 5 write_mem 1 pop 1"),
            std::pair(std::string(" = 1"), std::string(" = 2")));
  EXPECT_EQ(ends("read_io 1 pop 1 nop", "read_io 2 pop 2"),
            std::pair(std::string(", reads 1 word, 0 secret ones and 0 digests"),
                      std::string(", reads 2 words, 0 secret ones and 0 digests")));
  EXPECT_EQ(ends("nop", "sponge_init").first, ", leaves the sponge as it was");
  EXPECT_NE(ends("pick 9 addi 1 place 9", "nop").first.find(", st9 = "), std::string::npos);
}

TEST(Equivalence, StackLengthMattersUnlessItIsKnown) {
  EXPECT_EQ(Compare("pop 2 push 1 push 2", "pop 1 push 1 swap 1 pop 1 push 2"), Verdict::kRefuted);
  const auto a = AssembleTasm("pop 2 push 1 push 2")->code;
  const auto b = AssembleTasm("pop 1 push 1 swap 1 pop 1 push 2")->code;
  EXPECT_FALSE(ProveStraight(a, b));
  EXPECT_TRUE(ProveStraight(a, b, 2));
}

TEST(Equivalence, MemoryIsALog) {
  EXPECT_EQ(
      Compare("push 5 write_mem 1 push 6 add write_mem 1", "push 5 write_mem 1 addi 6 write_mem 1"),
      Verdict::kProved);
  // Two stores to different constants commute; to unknown addresses they do not.
  EXPECT_EQ(Compare("push 1 push 8 write_mem 1 pop 1 push 2 push 9 write_mem 1 pop 1",
                    "push 2 push 9 write_mem 1 pop 1 push 1 push 8 write_mem 1 pop 1"),
            Verdict::kProved);
  EXPECT_EQ(Compare("push 1 dup 1 write_mem 1 pop 1 push 2 dup 2 write_mem 1 pop 1",
                    "push 2 dup 2 write_mem 1 pop 1 push 1 dup 1 write_mem 1 pop 1"),
            Verdict::kRefuted);
  EXPECT_EQ(Compare("push 8 read_mem 1 pop 1", "push 0"), Verdict::kRefuted);  // RAM is free
  EXPECT_EQ(Compare("push 8 read_mem 1 pop 1 push 8 write_mem 1 pop 1", ""), Verdict::kProved);
}

TEST(Equivalence, TirMeansWhatItsLoweringMeans) {
  for (const char* text :
       {"lt", "sub", "or", "xor", "div_mod", "shl", "shr", "ram_read 7", "ram_write 7",
        "reveal R tag=1 fields=6", "seal S tag=2 fields=3", "merkle_load", "fold_ext",
        "if_else { push 1 add } else { neg }", "if_only { push 3 mul }",
        "push 4 call l pop 1 loop l { swap 1 dup 0 mul swap 1 }"}) {
    const TirModule module = *ParseTir(text);
    const Subject tir = *Subject::FromTir(module);
    if (text[0] == 'i' || std::string_view(text).starts_with("push 4")) {
      const std::string program = std::string("entry m fn m { read_io 3 ") + text + " write_io 2 }";
      const Subject whole = Tir(program);
      EXPECT_EQ(Compare(whole, Subject::FromTasm(*LowerTir(whole.tir()))), Verdict::kProved)
          << text;
      continue;
    }
    EXPECT_EQ(Compare(tir, Subject::FromTasm(*LowerTir(module))), Verdict::kProved) << text;
  }
  EXPECT_EQ(Compare(Tir("lt"), Tasm("lt")), Verdict::kRefuted);
  EXPECT_EQ(Compare(Tir("add sub"), Tir("push -1 mul sub neg neg")), Verdict::kRefuted);
}

TEST(Equivalence, LoopsOfTheSameShapeAreProvedForAllCounts) {
  const char* before =
      "read_io 1 push 0 swap 1 call l pop 1 write_io 1 halt "
      "l: dup 0 push 0 eq skiz return push -1 add swap 1 push 2 add swap 1 recurse";
  const char* after =
      "read_io 1 push 0 swap 1 call l pop 1 write_io 1 halt "
      "l: dup 0 push 0 eq skiz return addi -1 swap 1 addi 2 swap 1 recurse";
  const char* wrong =
      "read_io 1 push 0 swap 1 call l pop 1 write_io 1 halt "
      "l: dup 0 push 0 eq skiz return addi -1 swap 1 addi 3 swap 1 recurse";
  EXPECT_EQ(Compare(before, after), Verdict::kProved);
  EXPECT_EQ(Compare(before, wrong), Verdict::kRefuted);
}

TEST(Equivalence, LoopsThatMeetAreProvedByInduction) {
  const Subject tir =
      Tir("entry m fn m { push 0 push 1 read_io 1 call l pop 1 pop 1 write_io 1 "
          "loop l { dup 1 dup 3 dup 3 add swap 3 pop 1 swap 3 pop 1 } }");
  EXPECT_EQ(Compare(tir, Subject::FromTasm(*LowerTir(tir.tir()))), Verdict::kProved);
  const char* inlined =
      "push 0 push 1 read_io 1 call l pop 2 write_io 1 halt "
      "l: dup 0 push 0 eq skiz return pick 2 dup 2 add swap 1 addi -1 recurse";
  EXPECT_EQ(Compare(tir, Tasm(inlined)), Verdict::kProved);
  const char* wrong =
      "push 0 push 1 read_io 1 call l pop 2 write_io 1 halt "
      "l: dup 0 push 0 eq skiz return dup 2 pick 3 add swap 1 addi -1 recurse";
  EXPECT_NE(Compare(tir, Tasm(wrong)), Verdict::kProved);
  // Dips below the stack of the TIR program and comes back: crashes on the real machine.
  const char* too_deep =
      "push 7 write_mem 1 addi -1 read_mem 1 pop 1 push 0 push 1 read_io 1 call l pop 2 write_io 1 "
      "halt l: dup 0 push 0 eq skiz return pick 2 dup 2 add swap 1 addi -1 recurse";
  EXPECT_NE(Compare(tir, Tasm(too_deep)), Verdict::kProved);
}

TEST(Equivalence, HandWrittenFilesAreProvedEqualToTheirTir) {
  std::size_t all = 0, proved = 0;
  for (const CorpusFunction& function : ReadCorpus()) {
    VerifyOptions options;
    options.trials = 0;
    options.steps = 5'000;
    options.paths = 64;
    const auto report = Verify(Tir(function.tir), Tasm(function.tasm), options);
    ASSERT_TRUE(report.has_value());
    EXPECT_NE(report->verdict, Verdict::kRefuted) << function.name;
    ++all;
    proved += report->verdict == Verdict::kProved ? 1 : 0;
  }
  RecordProperty("proved", static_cast<int>(proved));
  EXPECT_GE(proved * 100, all * 97);
}

TEST(Equivalence, LoopsOfAnotherShapeAreOnlyBounded) {
  const char* before =
      "read_io 1 call l write_io 1 halt l: dup 0 push 0 eq skiz return addi -1 recurse";
  const char* after = "read_io 1 push 0 mul write_io 1 halt";
  VerifyOptions options;
  options.steps = 500;
  options.paths = 20;
  options.trials = 50;
  const auto report = Verify(Tasm(before), Tasm(after), options);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict, Verdict::kUnknown);
  EXPECT_TRUE(report->bounded);
}

TEST(Equivalence, OwnDigestMakesProgramsDifferent) {
  EXPECT_NE(Compare("dup 15 write_io 1 halt", "push 0 pop 1 dup 15 write_io 1 halt"),
            Verdict::kProved);
  EXPECT_NE(Compare("push 0 dup 12 write_io 1 halt", "push 0 nop dup 12 write_io 1 halt"),
            Verdict::kProved);
  EXPECT_EQ(Compare("push 0 dup 11 write_io 1 halt", "push 0 nop dup 11 write_io 1 halt"),
            Verdict::kProved);
  EXPECT_FALSE(IgnoresOwnDigest(*AssembleTasm("push 0 dup 12 halt")));
  EXPECT_TRUE(IgnoresOwnDigest(*AssembleTasm("push 0 dup 11 halt")));
}

// `h` runs at two heights, so nothing is known of what it pops: the digest may be among it.
TEST(Equivalence, RoutinesOfNoKnownHeightProveNothing) {
  constexpr std::string_view kBefore =
      "call h halt call g g: push 0 push 0 push 0 push 0 push 0 h: pop 1 push 5 read_io 1 skiz "
      "return pop 5 recurse";
  constexpr std::string_view kAfter =
      "call h halt call g g: push 0 push 0 push 0 push 0 push 0 h: push 5 swap 1 pop 1 read_io 1 "
      "skiz return pop 5 recurse";
  EXPECT_NE(Compare(kBefore, kAfter), Verdict::kProved);
  for (const std::size_t height : KnownHeights(*AssembleTasm(kBefore))) EXPECT_EQ(height, 0u);
}

TEST(Equivalence, DeepTermsEndUndecided) {
  const std::string deep = Repeated("invert addi 1 ", 60'000);
  EXPECT_EQ(Compare(deep + "assert", deep + "addi 0 assert"), Verdict::kUnknown);
}

TEST(Equivalence, AsmCountsItsInstructionsAsSteps) {
  const std::string body = Repeated("push 1\npop 1\n", 5'000);
  VerifyOptions options;
  options.steps = 1'000;
  options.trials = 3;
  const auto report = Verify(Tir("asm effect=0 { " + body + " }"),
                             Tir("asm effect=0 {\n push 1\n pop 1 }"), options);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict, Verdict::kUnknown);
  EXPECT_TRUE(report->bounded);
}

TEST(Equivalence, NoBrokenRewriteIsProvedAndNoRightOneRefuted) {
  // 10,000 and more of each by hand: txvm_check_equivalence --cases 10000 --seed 77
  constexpr int kCases = 400;
  int broken = 0, refuted = 0, rewrites = 0, proved = 0;
  for (std::uint64_t seed = 0; broken < kCases; ++seed) {
    TirRng rng(500'000 + seed);
    const auto code = RandomCode(rng);
    TasmProgram base;
    base.code = code;
    if (const auto mutation = BreakCode(code, rng);
        mutation && TellApart(code, mutation->code, rng)) {
      ++broken;
      TasmProgram other;
      other.code = mutation->code;
      const Verdict verdict = Verify(Subject::FromTasm(base), Subject::FromTasm(other))->verdict;
      ASSERT_NE(verdict, Verdict::kProved) << mutation->what << "\n" << DisassembleTasm(base);
      refuted += verdict == Verdict::kRefuted ? 1 : 0;
    }
    const Mutation rewrite = RewriteCode(code, rng);
    ++rewrites;
    proved += ProveStraight(code, rewrite.code) ? 1 : 0;
  }
  EXPECT_GE(refuted, kCases * 99 / 100);
  EXPECT_GE(proved, rewrites * 99 / 100);
}

TEST(Equivalence, PeepholesOnTheCorpusAreProved) {
  int checked = 0;
  for (const CorpusFunction& function : ReadCorpus()) {
    if (++checked % 10 != 0) continue;
    const TirModule module = *ParseTir(function.tir);
    const TasmProgram plain = *LowerTir(module, {.peepholes = false});
    const TasmProgram shorter = *LowerTir(module);
    VerifyOptions options;
    options.trials = 50;
    const auto report = Verify(Subject::FromTasm(plain), Subject::FromTasm(shorter), options);
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->verdict, Verdict::kProved) << function.name << ": " << report->reason;
  }
}

// The lowering ends in a halt; the bodies follow it.
TEST(Equivalence, AFragmentOfArmsAndLoopsIsItsLowering) {
  constexpr std::string_view kArms = "swap 1 if_else { push 3 add } else { push 7 add } write_io 1";
  for (const std::string_view text :
       {kArms, std::string_view("if_only { push 3 add }"),
        std::string_view("push 3 call l pop 1 loop l bound=3 { swap 1 push 2 mul swap 1 }")}) {
    const TasmProgram lowered = *LowerTir(*ParseTir(text));
    ASSERT_TRUE(lowered.HasHalt());
    EXPECT_EQ(Compare(Tir(text), Subject::FromTasm(lowered)), Verdict::kProved) << text;
    EXPECT_EQ(Compare(Subject::FromTasm(lowered), Tir(text)), Verdict::kProved) << text;
  }
  const Subject other = Subject::FromTasm(
      *LowerTir(*ParseTir("swap 1 if_else { push 3 add } else { push 8 add } write_io 1")));
  EXPECT_EQ(Compare(Tir(kArms), other), Verdict::kRefuted);
  EXPECT_EQ(Compare(other, Tir(kArms)), Verdict::kRefuted);
  // The end of its text is none.
  EXPECT_EQ(Compare(Tir("add"), Tasm("add push 1 skiz halt")), Verdict::kProved);
  EXPECT_EQ(Compare(Tir("add"), Tasm("add push 0 skiz halt")), Verdict::kRefuted);
  EXPECT_FALSE(Verify(Tasm("add"), Tasm("add halt")).has_value());
}

TEST(Equivalence, HugeProductsAreProbableAndSaySo) {
  // The fourth power of a sum of 16 words has more monomials than are written out.
  std::string sum = "dup 0";
  for (int i = 2; i < 16; ++i) sum += fmt::format(" dup {} add", i);
  const std::string power = " dup 0 mul dup 0 mul ";
  const std::string a = sum + power + "write_io 1";
  // s^4 = (s^2 - 1)(s^2 + 1) + 1
  const std::string b = sum + " dup 0 mul dup 0 addi 1 swap 1 addi -1 mul addi 1 write_io 1";
  const std::string c = sum + " dup 0 mul dup 0 addi 1 swap 1 addi -1 mul addi 2 write_io 1";
  const auto report = Verify(Tasm(a), Tasm(b));
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict, Verdict::kProbable) << report->reason;
  EXPECT_GT(report->error_bits, 300);
  EXPECT_EQ(Compare(a, c), Verdict::kRefuted);
}

TEST(Equivalence, HugePolynomialsStayBounded) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "dup 1 dup 3 add mul swap 1 ";
  const Verdict verdict = Compare(text + "add", text + "swap 1 add");
  EXPECT_EQ(verdict, Verdict::kProved);
}

}  // namespace
}  // namespace txvm::triton
