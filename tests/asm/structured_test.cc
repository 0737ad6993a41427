// What structured control flow does, and in how many steps.
#include "asm/structured.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "asm/assembler.h"
#include "asm/program_builder.h"
#include "isa/verify.h"
#include "tests/asm/small_machine.h"

namespace txvm::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Program;
using Words = std::vector<std::uint32_t>;

// A program whose entry is a function with this head and body.
Program Function(const std::string& head, const std::string& body) {
  auto program = Assemble(".func f " + head + "\n" + body + "\n.end\n", "test.txa");
  EXPECT_TRUE(program.has_value()) << program.error().ToString();
  if (!program) return {};
  program->exports.push_back(
      {"f", program->entry, program->functions[0].params, program->functions[0].results});
  const auto verified = isa::Verify(*program);
  EXPECT_TRUE(verified.has_value()) << verified.error().ToString();
  return *program;
}

Words Results(const std::string& head, const std::string& body, const Words& arguments = {}) {
  const Program program = Function(head, body);
  if (program.code.empty()) return {};
  const SmallRun run = RunSmall(program, program.entry, arguments);
  EXPECT_EQ(run.ending, Ending::kHalted);
  return run.stack;
}

std::vector<std::uint8_t> Codes(const Program& program) {
  std::vector<std::uint8_t> codes;
  for (const Instruction instruction : program.code) codes.push_back(instruction.code());
  return codes;
}

std::vector<std::uint8_t> Codes(const std::vector<Opcode>& ops) {
  std::vector<std::uint8_t> codes;
  for (const Opcode op : ops) codes.push_back(static_cast<std::uint8_t>(op));
  return codes;
}

TEST(Structured, IfTakesTheFirstArmWhenTheConditionIsNotZero) {
  const std::string body = "if results=1\nPUSH 100\nelse\nPUSH 200\nend";
  EXPECT_EQ(Results("params=1 results=1", body, {5}), Words{100});
  EXPECT_EQ(Results("params=1 results=1", body, {0}), Words{200});
}

TEST(Structured, IfWithoutElseSkipsItsArm) {
  const std::string body = "PUSH 7\nSWAP\nif params=1 results=1\nPUSH 1\nADD\nend";
  EXPECT_EQ(Results("params=1 results=1", body, {1}), Words{8});
  EXPECT_EQ(Results("params=1 results=1", body, {0}), Words{7});
}

TEST(Structured, BranchLeavesTheBlock) {
  EXPECT_EQ(Results("results=1", "PUSH 5\nblock out\nbr out\nPUSH 9\nADD\nend"), Words{5});
}

TEST(Structured, BranchCarriesOneResultOverWhatLiesBelow) {
  // The original machine's lowering leaves the 1 and the 2 on the stack and gives 9.
  EXPECT_EQ(
      Results("results=1", "PUSH 100\nblock results=1\nPUSH 1\nPUSH 2\nPUSH 7\nbr 0\nend\nADD"),
      Words{107});
}

TEST(Structured, BranchCarriesOneResultOverManyValues) {
  std::string body = "PUSH 100\nblock results=1\n";
  for (int i = 0; i < 9; ++i) body += "PUSH 3\n";
  EXPECT_EQ(Results("results=1", body + "PUSH 7\nbr 0\nend\nADD"), Words{107});
}

TEST(Structured, BranchCarriesSeveralResultsInOrder) {
  EXPECT_EQ(Results("results=4",
                    "PUSH 9\nblock results=3\nPUSH 50\nPUSH 60\nPUSH 1\nPUSH 2\nPUSH 3\nbr 0\nend"),
            (Words{9, 1, 2, 3}));
}

TEST(Structured, BranchIfKeepsTheStackWhenItIsNotTaken) {
  const std::string body =
      "block out params=1 results=1\nPUSH 10\nPUSH 20\nROT\nbr_if out\nADD\nend";
  EXPECT_EQ(Results("params=1 results=1", body, {1}), Words{20});
  EXPECT_EQ(Results("params=1 results=1", body, {0}), Words{30});
}

TEST(Structured, LoopParametersComeBackWithTheBranch) {
  // (n, sum) -> sum of 1..n
  EXPECT_EQ(
      Results("params=1 results=1",
              "PUSH 0\nloop again params=2 results=2\nOVER\nADD\nSWAP\nPUSH 1\nSUB\nSWAP\nOVER\n"
              "br_if again\nend\nSWAP\nPOP",
              {10}),
      Words{55});
}

TEST(Structured, BranchToALoopRemovesWhatItPushed) {
  EXPECT_EQ(Results("results=1 locals=1",
                    "PUSH 3\nLOCAL.SET 0\nloop again\nPUSH 77\nPUSH 78\nLOCAL.GET 0\nPUSH 1\nSUB\n"
                    "LOCAL.TEE 0\nbr_if again\nPOP\nPOP\nend\nLOCAL.GET 0"),
            Words{0});
}

TEST(Structured, BranchToTheFunctionReturns) {
  EXPECT_EQ(Results("results=1", "PUSH 1\nPUSH 2\nblock\nPUSH 3\nbr 1\nend\nADD"), Words{3});
}

TEST(Structured, ReturnLeavesFromAnyDepthWithItsResults) {
  EXPECT_EQ(
      Results("results=2", "PUSH 1\nblock\nloop\nPUSH 2\nPUSH 3\nPUSH 4\nRETURN\nend\nend\nPUSH 9"),
      (Words{3, 4}));
}

TEST(Structured, NamesHideOuterNamesUntilTheirEnd) {
  EXPECT_EQ(Results("results=1", "block x results=1\nblock x\nbr x\nend\nPUSH 1\nbr x\nend"),
            Words{1});
}

TEST(Structured, ElseOfAnUnreachableIfIsUnreachable) {
  EXPECT_EQ(Results("results=1", "PUSH 4\nRETURN\nif\nPUSH 1\nelse\nADD\nend\nPOP"), Words{4});
}

TEST(Structured, CodeAfterABranchIsLeftOut) {
  const Program program = Function("results=1", "PUSH 4\nRETURN\nblock\nADD\nROT\nbr 0\nend\nADD");
  EXPECT_EQ(Codes(program), Codes({Opcode::kPush, Opcode::kReturn, Opcode::kCall, Opcode::kHalt}));
}

TEST(Structured, CodeAfterAnEndlessLoopIsLeftOut) {
  const Program program = Function("results=1", "loop\nbr 0\nend\nADD");
  EXPECT_EQ(Codes(program), Codes({Opcode::kPush, Opcode::kJnz, Opcode::kCall, Opcode::kHalt}));
}

TEST(Structured, BranchIfWithoutUnwindingIsOneJump) {
  const Program program = Function("params=1", "block params=1\nbr_if 0\nNOP\nend");
  EXPECT_EQ(Codes(program),
            Codes({Opcode::kJnz, Opcode::kNop, Opcode::kReturn, Opcode::kCall, Opcode::kHalt}));
  EXPECT_EQ(program.code[0].arg, 2u);
}

TEST(Structured, TableTakesItsIndexOrTheLastTarget) {
  const std::string body =
      "LOCAL.SET 0\nblock d\nblock c\nblock b\nblock a\nLOCAL.GET 0\nbr_table a b c d\nend\nPUSH "
      "10\nRETURN\nend\nPUSH 20\n"
      "RETURN\nend\nPUSH 30\nRETURN\nend\nPUSH 99";
  for (const auto& [index, result] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {0, 10}, {1, 20}, {2, 30}, {3, 99}, {4, 99}, {0x7FFFFFFF, 99}, {0xFFFFFFFF, 99}}) {
    EXPECT_EQ(Results("params=1 results=1", body, {index}), Words{result}) << index;
  }
}

TEST(Structured, TableWithOnlyADefaultDropsTheIndex) {
  EXPECT_EQ(Results("params=1 results=1", "block params=1\nbr_table 0\nend\nPUSH 3", {5}),
            Words{3});
}

TEST(Structured, TableUnwindsEachTarget) {
  const std::string body =
      "LOCAL.SET 0\nPUSH 1000\nblock outer results=1\nPUSH 1\nblock inner results=1\nPUSH 2\nPUSH "
      "3\n"
      "PUSH 40\nLOCAL.GET 0\nbr_table inner outer inner outer\nend\nADD\nend\nADD";
  EXPECT_EQ(Results("params=1 results=1", body, {0}), Words{1041});
  EXPECT_EQ(Results("params=1 results=1", body, {1}), Words{1040});
  EXPECT_EQ(Results("params=1 results=1", body, {2}), Words{1041});
  EXPECT_EQ(Results("params=1 results=1", body, {3}), Words{1040});
  EXPECT_EQ(Results("params=1 results=1", body, {50}), Words{1040});
}

// A table of n targets, each of which pushes its number and returns; the last is the default.
Program BigTable(std::uint32_t n) {
  std::string body = "LOCAL.SET 0\n";
  for (std::uint32_t i = 0; i < n; ++i) body += "block\n";
  body += "LOCAL.GET 0\nbr_table";
  for (std::uint32_t i = 0; i < n; ++i) body += fmt::format(" {}", i);
  for (std::uint32_t i = 0; i < n; ++i) body += fmt::format("\nend\nPUSH {}\nRETURN", i);
  return Function("params=1 results=1", body);
}

TEST(Structured, TableIsABalancedTree) {
  for (const std::uint32_t n : {2u, 3u, 5u, 8u, 64u, 1000u}) {
    const Program program = BigTable(n);
    const unsigned levels = static_cast<unsigned>(std::bit_width(n - 1));
    for (std::uint32_t i = 0; i < n + 2; i += n > 64 ? 37 : 1) {
      const SmallRun run = RunSmall(program, program.entry, {i});
      EXPECT_EQ(run.stack, Words{std::min(i, n - 1)});
      // CALL, LOCAL.SET, LOCAL.GET, the tree, PUSH, RETURN, HALT
      EXPECT_LE(run.steps, 4 * levels + 4 + 6) << n << " targets, index " << i;
    }
  }
}

TEST(Structured, TableOfEqualTargetsNeedsNoCompare) {
  const Program program = Function("params=1", "block params=1\nbr_table 0 0 0 0 0\nend");
  EXPECT_EQ(program.code[0], Instruction(Opcode::kPop));
}

TEST(Structured, TableInDeadCodeIsLeftOut) {
  EXPECT_EQ(Results("results=1", "PUSH 1\nRETURN\nbr_table 0 0"), Words{1});
}

TEST(Structured, DeepNestingNeedsNoRecursion) {
  std::string body;
  for (int i = 0; i < 9000; ++i) body += "block\n";
  body += "br 8999\n";
  for (int i = 0; i < 9000; ++i) body += "end\n";
  EXPECT_EQ(Results("results=1", body + "PUSH 1"), Words{1});
}

TEST(Structured, ScratchLocalsComeAfterTheDeclaredOnes) {
  const Program program =
      Function("results=2 locals=5", "PUSH 1\nPUSH 2\nPUSH 3\nPUSH 4\nPUSH 5\nRETURN");
  EXPECT_EQ(program.functions[0].locals, 7u);
  EXPECT_EQ(RunSmall(program, program.entry, {}).stack, (Words{4, 5}));
}

// ------------------------------------------------------------------------------- builder, directly

FunctionCode Built(FunctionBuilder builder) {
  auto code = std::move(builder).Finish();
  EXPECT_TRUE(code.has_value()) << code.error().message;
  return code.value_or(FunctionCode{});
}

std::size_t ZeroedLocals(const FunctionCode& function) {
  std::size_t count = 0;
  for (std::size_t i = function.params; i + 1 < function.code.size(); i += 2) {
    if (function.code[i] != Instruction(Opcode::kPush, 0)) break;
    if (function.code[i + 1].op() != Opcode::kLocalSet) break;
    ++count;
  }
  return count;
}

TEST(FunctionBuilder, PrologueMovesArgumentsIntoLocals) {
  FunctionBuilder builder({"f", 2, 1, 2, true});
  builder.Emit(Opcode::kLocalGet, 0);
  builder.Emit(Opcode::kLocalGet, 1);
  builder.Emit(Opcode::kSub);
  builder.End();
  const FunctionCode code = Built(std::move(builder));
  EXPECT_EQ(code.code[0], Instruction(Opcode::kLocalSet, 1));
  EXPECT_EQ(code.code[1], Instruction(Opcode::kLocalSet, 0));
  ProgramBuilder program;
  program.Export("f", program.AddFunction(code));
  const auto finished = std::move(program).Finish();
  ASSERT_TRUE(finished.has_value());
  EXPECT_EQ(RunSmall(*finished, finished->entry, {10, 3}).stack, Words{7});
}

TEST(FunctionBuilder, OnlyLocalsThatMayBeReadUnwrittenAreZeroed) {
  FunctionBuilder builder({"f", 1, 1, 4, true});
  builder.Emit(Opcode::kPush, 5);
  builder.Emit(Opcode::kLocalSet, 1);  // always written before it is read
  builder.Emit(Opcode::kLocalGet, 0);
  builder.BeginBlock(BlockKind::kIf, 0, 0);
  builder.Emit(Opcode::kPush, 6);
  builder.Emit(Opcode::kLocalSet, 2);  // written on one of two paths
  builder.End();
  builder.Emit(Opcode::kLocalGet, 1);
  builder.Emit(Opcode::kLocalGet, 2);
  builder.Emit(Opcode::kAdd);
  builder.End();
  const FunctionCode code = Built(std::move(builder));
  EXPECT_EQ(ZeroedLocals(code), 1u);
  EXPECT_EQ(code.code[2], Instruction(Opcode::kLocalSet, 2));
}

TEST(FunctionBuilder, LoopThatReadsBeforeItWritesIsZeroed) {
  FunctionBuilder builder({"f", 0, 0, 1, true});
  builder.BeginBlock(BlockKind::kLoop, 0, 0);
  builder.Emit(Opcode::kLocalGet, 0);
  builder.Emit(Opcode::kPush, 1);
  builder.Emit(Opcode::kAdd);
  builder.Emit(Opcode::kLocalTee, 0);
  builder.Emit(Opcode::kPush, 10);
  builder.Emit(Opcode::kLtU);
  builder.BrIf(0);
  builder.End();
  builder.End();
  const FunctionCode code = Built(std::move(builder));
  EXPECT_EQ(ZeroedLocals(code), 1u);
  EXPECT_EQ(code.code[8], Instruction(Opcode::kJnz, 2));  // the loop starts after the zeroing
}

TEST(FunctionBuilder, FunctionTooLargeForTheAnalysisZeroesEveryLocalItReads) {
  constexpr std::uint32_t kLocals = 2'000;
  constexpr std::uint32_t kBlocks = 40'000;  // times 2,000 bits: more than kMaxFlowWords
  FunctionBuilder builder({"f", 0, 0, kLocals, true});
  for (std::uint32_t i = 0; i < kLocals; ++i) {
    builder.Emit(Opcode::kPush, 1);
    builder.Emit(Opcode::kLocalSet, i);
  }
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    builder.BeginBlock(BlockKind::kBlock, 0, 0);
    builder.Emit(Opcode::kLocalGet, i % kLocals);
    builder.BrIf(0);
    builder.End();
  }
  builder.End();
  EXPECT_EQ(ZeroedLocals(Built(std::move(builder))), kLocals);
}

TEST(FunctionBuilder, MarksAndNotesMoveWithTheCode) {
  FunctionBuilder builder({"f", 0, 0, 1, true});
  builder.SetLine(3);
  builder.Emit(Opcode::kLocalGet, 0);
  builder.SetLine(4);
  builder.Emit(Opcode::kPop);
  builder.Trap(isa::Trap::kUnsupported, "i64.add");
  builder.End();
  const FunctionCode code = Built(std::move(builder));
  EXPECT_EQ(code.lines, (std::vector<isa::LineMark>{{0, 3}, {3, 4}}));
  EXPECT_EQ(code.notes, (std::vector<isa::TrapNote>{{4, "i64.add"}}));
}

TEST(FunctionBuilder, NotesOfDeadCodeGoWithIt) {
  FunctionBuilder builder({"f", 0, 1, 0, false});
  builder.BeginBlock(BlockKind::kBlock, 0, 0);
  builder.Br(0);
  builder.SetNote("dead ADD");
  builder.Emit(Opcode::kAdd);
  builder.End();
  builder.Emit(Opcode::kPush, 1);
  builder.BeginBlock(BlockKind::kIf, 0, 0);
  builder.Br(0);
  builder.SetNote("dead else");
  builder.Else();
  builder.Br(0);
  builder.SetNote("live PUSH");
  builder.End();
  builder.Emit(Opcode::kPush, 2);
  builder.End();
  const FunctionCode code = Built(std::move(builder));
  ASSERT_EQ(code.notes.size(), 1u);
  EXPECT_EQ(code.notes[0].text, "live PUSH");
  EXPECT_EQ(code.code[code.notes[0].ip].arg, 2u);
}

TEST(FunctionBuilder, TooMuchCodeIsALimitError) {
  FunctionBuilder builder({"f", 0, 0, 0, false, 2});
  for (int i = 0; i < 3; ++i) builder.Emit(Opcode::kNop);
  ASSERT_TRUE(builder.error().has_value());
  EXPECT_EQ(builder.error()->code, isa::ErrorCode::kLimit);
  EXPECT_EQ(builder.error()->message, "the function needs more than 2 instructions");
}

TEST(ProgramBuilder, CallsOfUnknownFunctionsAreErrors) {
  FunctionBuilder builder({"f", 0, 0, 0, false});
  builder.Call(7, 0, 0);
  builder.End();
  ProgramBuilder program;
  program.AddFunction(Built(std::move(builder)));
  const auto finished = std::move(program).Finish();
  ASSERT_FALSE(finished.has_value());
  EXPECT_EQ(finished.error().message, "function f calls function 7, but there are 1");
}

TEST(ProgramBuilder, ProgramWithoutFunctionsIsAnError) {
  const auto finished = ProgramBuilder().Finish();
  ASSERT_FALSE(finished.has_value());
  EXPECT_EQ(finished.error().message, "an entry names function 0, but there are 0");
}

}  // namespace
}  // namespace txvm::assembler
