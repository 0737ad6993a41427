// Look-ups in a Program, errors as text, and the trace digest.
#include "isa/program.h"

#include <gtest/gtest.h>

#include "isa/trace.h"

namespace txvm::isa {
namespace {

TEST(Program, FindsFunctionsExportsLinesAndNotes) {
  Program program;
  program.functions = {{0, 1, 0, 0, 3, "a"}, {2, 5, 0, 0, 9, "b"}};
  program.exports = {{"x", 0, 0, 0}, {"", 2, 0, 0}};
  program.lines = {{1, 10}, {3, 12}};
  program.notes = {{1, "one"}, {4, "four"}};
  EXPECT_EQ(program.FunctionAt(0)->name, "a");
  EXPECT_EQ(program.FunctionAt(1)->name, "a");
  EXPECT_EQ(program.FunctionAt(2)->name, "b");
  EXPECT_EQ(program.FunctionAt(5)->name, "b");
  EXPECT_EQ(program.FunctionAt(6), nullptr);
  EXPECT_EQ(program.FindExport("")->start, 2u);
  EXPECT_EQ(program.FindExport("y"), nullptr);
  EXPECT_EQ(program.LineAt(0), 0u);
  EXPECT_EQ(program.LineAt(1), 10u);
  EXPECT_EQ(program.LineAt(2), 10u);
  EXPECT_EQ(program.LineAt(99), 12u);
  EXPECT_EQ(program.NoteAt(4), "four");
  EXPECT_EQ(program.NoteAt(3), "");
  EXPECT_EQ(LargestFrame(program), 9u);
  EXPECT_EQ(LargestFrame(Program{}), 0u);
  EXPECT_EQ(Program{}.FunctionAt(0), nullptr);
}

TEST(Instruction, PacksItsFields) {
  const Instruction instruction(Opcode::kCall, 0x80000001, 0xFFFFFF);
  EXPECT_EQ(instruction.head, 0xFFFFFF36u);
  EXPECT_EQ(instruction.op(), Opcode::kCall);
  EXPECT_EQ(instruction.aux(), 0xFFFFFFu);
  EXPECT_EQ(instruction.arg, 0x80000001u);
}

TEST(Error, ShowsItsPlaceAndACaretUnderTheCharacter) {
  EXPECT_EQ((Error{ErrorCode::kUsage, "no", {}, {}}.ToString()), "error: no");
  EXPECT_EQ((Error{ErrorCode::kUsage, "no", {"a.txa", 0, 0}, {}}.ToString()), "a.txa: error: no");
  EXPECT_EQ((Error{ErrorCode::kUsage, "no", {"a.txa", 3, 0}, {}}.ToString()), "a.txa:3: error: no");
  EXPECT_EQ((Error{ErrorCode::kSyntax, "no", {"a.txa", 3, 4}, "\tx  y"}.ToString()),
            "a.txa:3:4: error: no\n  \tx  y\n  \t  ^");
  EXPECT_EQ((Error{ErrorCode::kSyntax, "no", {"a.wat", 3, 8}, "\"\u00f6\u20ac\"y"}.ToString()),
            "a.wat:3:8: error: no\n  \"\u00f6\u20ac\"y\n      ^");
}

// Names, options and tokens of others stand in messages as well as in lines.
TEST(Error, HasNoByteThatATerminalObeys) {
  EXPECT_EQ(
      (Error{ErrorCode::kUsage, "no \x1b[31m\x7f\t\u00f6\u20ac\U0001F600\nb", {}, {}}.ToString()),
      "error: no ?[31m?\t\u00f6\u20ac\U0001F600\nb");
  EXPECT_EQ((Error{ErrorCode::kUsage, "\u009b0m \x9b\xe2\x82 \xff\xc3", {}, {}}.ToString()),
            "error: ??0m ??? ??");
  EXPECT_EQ((Error{ErrorCode::kSyntax, "no", {"\x1b\n", 1, 4}, "\x1b\x9b\ny"}.ToString()),
            "??:1:4: error: no\n  ???y\n     ^");
}

// docs/ISA.md: PUSH 3; PUSH 5; ADD; HALT gives 13e1978966cc965b.
TEST(Trace, DigestOfTheKnownProgram) {
  std::uint64_t digest = kDigestSeed;
  digest = ExtendDigest(digest, 0, Instruction(Opcode::kPush, 3), 1, 3);
  digest = ExtendDigest(digest, 1, Instruction(Opcode::kPush, 5), 2, 5);
  digest = ExtendDigest(digest, 2, Instruction(Opcode::kAdd), 1, 8);
  digest = ExtendDigest(digest, 3, Instruction(Opcode::kHalt), 1, 8);
  EXPECT_EQ(DigestText(digest), "13e1978966cc965b");
}

TEST(Trace, EveryFieldOfARecordMatters) {
  const Instruction base(Opcode::kPush, 3, 0);
  const std::uint64_t digest = ExtendDigest(kDigestSeed, 1, base, 2, 4);
  EXPECT_NE(digest, ExtendDigest(kDigestSeed + 1, 1, base, 2, 4));
  EXPECT_NE(digest, ExtendDigest(kDigestSeed, 2, base, 2, 4));
  EXPECT_NE(digest, ExtendDigest(kDigestSeed, 1, Instruction(Opcode::kPush, 4), 2, 4));
  EXPECT_NE(digest, ExtendDigest(kDigestSeed, 1, Instruction(Opcode::kPush, 3, 1), 2, 4));
  EXPECT_NE(digest, ExtendDigest(kDigestSeed, 1, Instruction(Opcode::kPop, 3), 2, 4));
  EXPECT_NE(digest, ExtendDigest(kDigestSeed, 1, base, 3, 4));
  EXPECT_NE(digest, ExtendDigest(kDigestSeed, 1, base, 2, 5));
  EXPECT_EQ(DigestText(0x1F), "000000000000001f");
}

}  // namespace
}  // namespace txvm::isa
