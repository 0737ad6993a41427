// Every rule of the validator: what it accepts at the limit, and its message one past it.
#include "isa/verify.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "isa/limits.h"
#include "isa/opcode.h"
#include "isa/support/text.h"
#include "isa/trap.h"

namespace txvm::isa {
namespace {

using I = Instruction;
using enum Opcode;

constexpr std::uint32_t kHost = kHostCallBit;

// One function over all of the code.
Program Flat(std::vector<I> code, std::uint32_t locals = 0, std::uint32_t params = 0,
             std::uint32_t results = 0) {
  Program program;
  const auto last = static_cast<std::uint32_t>(code.size() - 1);
  program.code = std::move(code);
  program.functions = {{0, last, params, results, locals, ""}};
  // A function with params is not an entry: exporting it says who gives it its arguments.
  if (params != 0) program.exports = {{"f", 0, params, results}};
  return program;
}

// 0: CALL 2; 1: HALT;  2..last: `body`, a function of the given signature.
Program Stubbed(std::vector<I> body, std::uint32_t params, std::uint32_t results,
                std::uint32_t locals = 0) {
  Program program;
  program.code = {I(kCall, 2), I(kHalt)};
  program.code.insert(program.code.end(), body.begin(), body.end());
  const auto last = static_cast<std::uint32_t>(program.code.size() - 1);
  program.functions = {{0, 1, params, results, 0, "stub"}, {2, last, params, results, locals, "f"}};
  program.exports = {{"f", 0, params, results}};
  return program;
}

std::string Message(const Program& program) {
  const Result<Verified> result = Verify(program);
  return result ? "accepted" : result.error().message;
}

std::vector<std::uint32_t> Heights(const Program& program) {
  const Result<Verified> result = Verify(program);
  EXPECT_TRUE(result) << result.error().message;
  return result ? result->max_height : std::vector<std::uint32_t>{};
}

// ---------------------------------------------------------------------------------------- tables

TEST(VerifyTables, RejectsNoCode) { EXPECT_EQ(Message(Program{}), "program has no instructions"); }

TEST(VerifyTables, RejectsCodeOutsideFunctions) {
  Program program = Flat({I(kNop), I(kHalt)});
  program.functions.clear();
  EXPECT_EQ(Message(program), "instruction 0 belongs to no function");
  program.functions = {{0, 0, 0, 0, 0, ""}};
  EXPECT_EQ(Message(program), "instruction 1 belongs to no function");
}

TEST(VerifyTables, RejectsGapAndOverlapOfFunctions) {
  Program program = Flat({I(kHalt), I(kHalt), I(kHalt)});
  program.functions = {{0, 0, 0, 0, 0, "a"}, {2, 2, 0, 0, 0, "b"}};
  EXPECT_EQ(Message(program),
            "function 1 \"b\" starts at instruction 2, expected 1: functions must follow each "
            "other without gaps");
  program.functions = {{0, 1, 0, 0, 0, "a"}, {1, 2, 0, 0, 0, ""}};
  EXPECT_EQ(Message(program),
            "function 1 starts at instruction 1, expected 2: functions must follow each other "
            "without gaps");
  program.functions = {{0, 1, 0, 0, 0, "a"}, {2, 2, 0, 0, 0, ""}};
  EXPECT_EQ(Message(program), "accepted");
}

TEST(VerifyTables, RejectsFunctionPastTheCodeOrBackwards) {
  Program program = Flat({I(kHalt), I(kHalt)});
  program.functions = {{0, 2, 0, 0, 0, "a"}};
  EXPECT_EQ(Message(program), "function 0 \"a\" ends at instruction 2, expected 0..1");
  program.functions = {{0, 0, 0, 0, 0, "a"}, {1, 0, 0, 0, 0, "b"}};
  EXPECT_EQ(Message(program), "function 1 \"b\" ends at instruction 0, expected 1..1");
}

TEST(VerifyTables, RejectsMemoryAboveItsMaximumOrThePageLimit) {
  Program program = Flat({I(kHalt)});
  program.memory = MemorySpec{65'536, 65'536};
  EXPECT_EQ(Message(program), "accepted");
  program.memory = MemorySpec{2, 1};
  EXPECT_EQ(Message(program), "memory of 2 pages is above its maximum of 1 page");
  program.memory = MemorySpec{0, 65'537};
  EXPECT_EQ(Message(program), "memory maximum of 65537 pages is above 65536");
}

TEST(VerifyTables, RejectsExportThatIsNoFunctionStart) {
  Program program = Flat({I(kNop), I(kHalt)});
  program.exports = {{"f", 1, 0, 0}};
  EXPECT_EQ(Message(program),
            "export \"f\" at instruction 1 is not the first instruction of a function (the nearest "
            "begins at 0)");
  program.exports = {{"f", 2, 0, 0}};
  EXPECT_EQ(Message(program),
            "export \"f\" at instruction 2 is outside the program (it has 2 instructions)");
}

TEST(VerifyTables, RejectsExportWithAnotherSignatureThanItsStub) {
  Program program = Stubbed({I(kReturn)}, 1, 1);
  EXPECT_EQ(Message(program), "accepted");
  program.exports[0].params = 2;
  EXPECT_EQ(Message(program),
            "export \"f\" has 2 params and 1 result, but its stub at instruction 0 has 1 param "
            "and 1 result");
  program.exports[0].params = 1;
  program.exports[0].results = 0;
  EXPECT_EQ(Message(program),
            "export \"f\" has 1 param and 0 results, but its stub at instruction 0 has 1 param "
            "and 1 result");
}

TEST(VerifyTables, RejectsTypesOfOtherSizesThanTheSignature) {
  Program program = Stubbed({I(kReturn)}, 2, 2);
  program.exports[0].param_types = {ValueType::kF64};
  program.exports[0].result_types = {ValueType::kF32, ValueType::kI32};
  EXPECT_EQ(Message(program), "accepted");
  program.exports[0].result_types = {ValueType::kI64, ValueType::kI32};
  EXPECT_EQ(Message(program),
            "the types of export \"f\" are of 2 and 3 words, but it has 2 params and 2 results");
  program.exports[0].result_types = {};
  EXPECT_EQ(Message(program),
            "the types of export \"f\" are of 2 and 0 words, but it has 2 params and 2 results");
  program.exports[0].param_types = {};
  program.imports = {{"a", "b", 1, 0, {ValueType::kI64}, {}}};
  EXPECT_EQ(Message(program),
            "the types of import \"a.b\" are of 2 and 0 words, but it has 1 param and 0 results");
}

TEST(VerifyTables, RejectsMoreLocalsTypedThanThereAre) {
  Program program = Flat({I(kNop), I(kHalt)});
  program.functions[0].locals = 3;
  program.functions[0].local_types = {ValueType::kF64, ValueType::kF32};
  EXPECT_EQ(Message(program), "accepted");
  program.functions[0].local_types.push_back(ValueType::kF64);
  EXPECT_EQ(Message(program), "the types of function 0 are of 5 words, but it has 3 locals");
}

TEST(VerifyTables, RejectsTwoExportsOfOneName) {
  Program program = Stubbed({I(kReturn)}, 0, 0);
  program.exports.push_back(program.exports[0]);
  EXPECT_EQ(Message(program), "export \"f\" is defined twice: exports 0 and 1 have its name");
}

TEST(VerifyTables, ShowsHostileNamesEscapedAndCut) {
  Program program = Stubbed({I(kReturn)}, 0, 0);
  program.exports[0].name = "\x1b[2J\"" + std::string(100, 'x');
  program.exports.push_back(program.exports[0]);
  EXPECT_EQ(Message(program), "export \"\\1b[2J\\\"" + std::string(59, 'x') +
                                  "...\" is defined twice: exports 0 and 1 have its name");
}

TEST(VerifyTables, RejectsInitThatIsNoFunctionStartOrTakesParams) {
  Program program = Stubbed({I(kReturn)}, 0, 0);
  program.init = 0;
  EXPECT_EQ(Message(program), "accepted");
  program.init = 1;
  EXPECT_EQ(Message(program),
            "init at instruction 1 is not the first instruction of a function (the nearest begins "
            "at 0)");
  program.init = 9;
  EXPECT_EQ(Message(program),
            "init at instruction 9 is outside the program (it has 3 instructions)");
  program = Stubbed({I(kReturn)}, 1, 1);
  program.init = 0;
  EXPECT_EQ(Message(program), "init at instruction 0 takes 1 param, expected 0");
}

TEST(VerifyTables, RejectsEntryThatIsNoFunctionStartOrTakesParamsWithoutExports) {
  Program program = Flat({I(kNop), I(kHalt)});
  program.entry = 1;
  EXPECT_EQ(Message(program),
            "entry at instruction 1 is not the first instruction of a function (the nearest begins "
            "at 0)");
  program.entry = 2;
  EXPECT_EQ(Message(program),
            "entry at instruction 2 is outside the program (it has 2 instructions)");
  program = Flat({I(kPop), I(kHalt)}, 0, 1);
  EXPECT_EQ(Message(program), "accepted");
  program.exports.clear();
  EXPECT_EQ(Message(program), "entry at instruction 0 takes 1 param, expected 0");
}

TEST(VerifyTables, RejectsLineMarksAndNotesOutOfOrderOrRange) {
  Program program = Flat({I(kNop), I(kTrap, 4)});
  program.lines = {{0, 1}, {1, 2}};
  program.notes = {{1, "x"}};
  EXPECT_EQ(Message(program), "accepted");
  program.lines = {{1, 1}, {1, 2}};
  EXPECT_EQ(Message(program),
            "line mark 1 at instruction 1 does not come after the one before it, at 1");
  program.lines = {{2, 1}};
  EXPECT_EQ(Message(program),
            "line mark 0 is at instruction 2, outside the program (it has 2 instructions)");
  program.lines.clear();
  program.notes = {{1, "x"}, {0, "y"}};
  EXPECT_EQ(Message(program),
            "trap note 1 at instruction 0 does not come after the one before it, at 1");
  program.notes = {{7, "x"}};
  EXPECT_EQ(Message(program),
            "trap note 0 is at instruction 7, outside the program (it has 2 instructions)");
}

// ---------------------------------------------------------------------------------- instructions

TEST(VerifyInstructions, RejectsEveryUnknownOpcode) {
  for (std::uint32_t code = 0; code <= 255; ++code) {
    Program program = Flat({I(kHalt), I(static_cast<Opcode>(code))});
    const std::string message = Message(program);
    const std::string unknown =
        "instruction 1 (function 0): unknown opcode " + std::to_string(code);
    if (IsOpcode(static_cast<std::uint8_t>(code))) {
      EXPECT_NE(message, unknown);
    } else {
      EXPECT_EQ(message, unknown);
    }
  }
}

TEST(VerifyInstructions, RejectsUnusedImmediatesOfEveryRow) {
  for (const OpcodeInfo& row : kOpcodes) {
    const std::string at = "instruction 1 (" + std::string(row.text) + " in function 0): ";
    if (row.operand == Operand::kNone) {
      EXPECT_EQ(Message(Flat({I(kHalt), I(row.op, 7)})), at + "unused arg is 7, expected 0");
    }
    if (row.operand != Operand::kLocal && row.operand != Operand::kCallee) {
      EXPECT_EQ(Message(Flat({I(kHalt), I(row.op, 0, 3)})), at + "unused aux is 3, expected 0");
    }
  }
}

TEST(VerifyInstructions, AcceptsAnyValueAndOffset) {
  for (const OpcodeInfo& row : kOpcodes) {
    if (row.operand != Operand::kValue && row.operand != Operand::kOffset) continue;
    EXPECT_EQ(Message(Flat({I(kHalt), I(row.op, 0xFFFFFFFF)})), "accepted") << row.text;
  }
}

TEST(VerifyInstructions, RejectsLocalsAndGlobalsOutOfRange) {
  for (const Opcode op : {kLocalGet, kLocalSet, kLocalTee}) {
    const std::string name(Info(op).text), rest = " in function 0): ";
    const std::string at = "instruction 1 (" + name + rest;
    Program program = Flat({I(kHalt), I(op, 3)}, 4);
    EXPECT_EQ(Message(program), "accepted");
    program.functions[0].locals = 3;
    EXPECT_EQ(Message(program), at + "local 3 out of range (function has 3 locals)");
    program.code[1] = I(op, 1, 1);
    program.globals = {5, 6};
    EXPECT_EQ(Message(program), "accepted");
    program.globals = {5};
    EXPECT_EQ(Message(program), "instruction 1 (GLOBAL" + name.substr(name.find('.')) + rest +
                                    "global 1 out of range (program has 1 global)");
    program.code[1] = I(op, 0, 2);
    EXPECT_EQ(Message(program), at + "aux is 2, expected 0 (local) or 1 (global)");
  }
}

TEST(VerifyInstructions, RejectsJumpOutOfItsFunction) {
  for (const Opcode op : {kJz, kJnz}) {
    Program program = Flat({I(kHalt), I(kHalt), I(op, 3), I(kHalt), I(kHalt)});
    program.functions = {{0, 0, 0, 0, 0, ""}, {1, 3, 0, 0, 0, "f"}, {4, 4, 0, 0, 0, ""}};
    EXPECT_EQ(Message(program), "accepted");
    const std::string at =
        "instruction 2 (" + std::string(Info(op).text) + " in function 1 \"f\"): ";
    program.code[2].arg = 4;
    EXPECT_EQ(Message(program), at + "jump to instruction 4 leaves its function (1..3)");
    program.code[2].arg = 0;
    EXPECT_EQ(Message(program), at + "jump to instruction 0 leaves its function (1..3)");
    program.code[2].arg = 0xFFFFFFFF;
    EXPECT_EQ(Message(program), at + "jump to instruction 4294967295 leaves its function (1..3)");
  }
}

TEST(VerifyInstructions, RejectsCallTargetsThatAreNoFunctionStart) {
  Program program = Stubbed({I(kNop), I(kReturn)}, 0, 0);
  EXPECT_EQ(Message(program), "accepted");
  for (const std::uint32_t target : {1u, 3u, 4u, 0x7FFFFFFFu}) {
    program.code[0].arg = target;
    EXPECT_EQ(Message(program), "instruction 0 (CALL in function 0 \"stub\"): call target " +
                                    std::to_string(target) +
                                    " is not the first instruction of a function");
  }
}

TEST(VerifyInstructions, RejectsAuxOfCallThatIsNotTheCallersLocals) {
  Program program = Stubbed({I(kCall, 2, 5), I(kReturn)}, 0, 0, 5);
  EXPECT_EQ(Message(program), "accepted");
  program.code[2] = I(kCall, 2, 4);
  EXPECT_EQ(Message(program),
            "instruction 2 (CALL in function 1 \"f\"): aux is 4, expected 5 (the caller's locals)");
  program.code[0] = I(kCall, 2, 1);
  EXPECT_EQ(
      Message(program),
      "instruction 0 (CALL in function 0 \"stub\"): aux is 1, expected 0 (the caller's locals)");
}

TEST(VerifyInstructions, RejectsHostCallOutOfRangeOrWithAux) {
  Program program = Flat({I(kCall, kHost | 1), I(kHalt)}, 9);
  program.imports = {{"m", "a", 0, 0}, {"m", "b", 0, 0}};
  EXPECT_EQ(Message(program), "accepted");
  program.code[0] = I(kCall, kHost | 2);
  EXPECT_EQ(Message(program),
            "instruction 0 (CALL in function 0): import 2 out of range (program has 2 imports)");
  program.code[0] = I(kCall, kHost | 1, 9);
  EXPECT_EQ(Message(program),
            "instruction 0 (CALL in function 0): aux of a host call is 9, expected 0");
}

TEST(VerifyInstructions, RejectsUnknownTrapCause) {
  for (std::uint32_t cause = 1; cause <= kTrapCount; ++cause) {
    EXPECT_EQ(Message(Flat({I(kTrap, cause)})), "accepted");
  }
  for (const std::uint32_t cause : {0u, kTrapCount + 1, 0xFFFFFFFFu}) {
    EXPECT_EQ(Message(Flat({I(kTrap, cause)})),
              "instruction 0 (TRAP in function 0): unknown trap cause " + std::to_string(cause) +
                  ", expected 1.." + std::to_string(kTrapCount));
  }
}

TEST(VerifyInstructions, NamesTheSourceAndItsLine) {
  Program program = Flat({I(kNop), I(kPop), I(kHalt)});
  program.source = "bad.txa";
  program.lines = {{0, 1}, {1, 12}};
  const Result<Verified> result = Verify(program);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(result.error().ToString(),
            "bad.txa:12: error: instruction 1 (POP in function 0): needs 1 operand, height is 0");
}

TEST(VerifyInstructions, ReportsTablesBeforeInstructionsBeforePaths) {
  Program program = Flat({I(kPop), I(kHalt), I(kNop, 1)});
  program.memory = MemorySpec{1, 0};
  EXPECT_EQ(Message(program), "memory of 1 page is above its maximum of 0 pages");
  program.memory.reset();
  EXPECT_EQ(Message(program), "instruction 2 (NOP in function 0): unused arg is 1, expected 0");
  program.code[2].arg = 0;
  EXPECT_EQ(Message(program), "instruction 0 (POP in function 0): needs 1 operand, height is 0");
}

// ----------------------------------------------------------------------------------------- paths

TEST(VerifyPaths, EveryRowNeedsItsPopsAndMovesTheHeight) {
  for (const OpcodeInfo& row : kOpcodes) {
    if (row.operand == Operand::kCallee || row.op == kReturn) continue;
    const std::uint32_t arg = row.operand == Operand::kCause ? 4 : 0;
    for (std::uint32_t height = 0; height <= 3; ++height) {
      std::vector<I> code(height, I(kPush, 1));
      code.push_back(I(row.op, row.operand == Operand::kTarget ? height + 1 : arg));
      code.push_back(I(kHalt));
      const Program program = Flat(code, 1);
      if (height < row.pops) {
        EXPECT_EQ(Message(program), "instruction " + std::to_string(height) + " (" +
                                        std::string(row.text) + " in function 0): needs " +
                                        CountText(row.pops, "operand") + ", height is " +
                                        std::to_string(height));
      } else {
        const std::uint32_t after = height - row.pops + row.pushes;
        EXPECT_EQ(Heights(program), std::vector{std::max(height, after)}) << row.text;
      }
    }
  }
}

TEST(VerifyPaths, CallMovesTheHeightByItsSignature) {
  Program program = Stubbed({I(kPop), I(kPop), I(kPush, 1), I(kReturn)}, 2, 1);
  EXPECT_EQ(Heights(program), (std::vector<std::uint32_t>{2, 2}));
  program = Flat({I(kPush, 1), I(kCall, kHost), I(kHalt)});
  program.imports = {{"m", "f", 1, 5}};
  EXPECT_EQ(Heights(program), std::vector<std::uint32_t>{5});
  program.imports[0].params = 2;
  EXPECT_EQ(Message(program), "instruction 1 (CALL in function 0): needs 2 operands, height is 1");
}

TEST(VerifyPaths, RejectsHeightsThatDoNotFitAWord) {
  Program program = Flat({I(kCall, kHost), I(kPush, 1), I(kHalt)});
  program.imports = {{"m", "f", 0, 0xFFFFFFFD}};
  EXPECT_EQ(Heights(program), std::vector<std::uint32_t>{0xFFFFFFFE});
  program.imports[0].results = 0xFFFFFFFE;
  EXPECT_EQ(Message(program),
            "instruction 1 (PUSH in function 0): height 4294967295 after it is above 4294967294");
  program = Flat({I(kHalt)}, 0, 0xFFFFFFFF);
  EXPECT_EQ(Message(program),
            "instruction 0 (HALT in function 0): height 4294967295 at entry is above 4294967294");
}

TEST(VerifyPaths, RejectsTwoHeightsAtOneInstruction) {
  // c -> ; one side pushes, the other does not.
  const std::vector<I> code = {I(kPush, 1), I(kEqz), I(kJz, 4), I(kPush, 7), I(kHalt)};
  EXPECT_EQ(Message(Flat(code)),
            "instruction 4 (HALT in function 0): reached at height 1 and, from instruction 2, at "
            "height 0");
  // A loop that grows.
  EXPECT_EQ(Message(Flat({I(kPush, 1), I(kPush, 0), I(kEqz), I(kJnz, 0), I(kHalt)})),
            "instruction 0 (PUSH in function 0): reached at height 0 and, from instruction 3, at "
            "height 1");
}

TEST(VerifyPaths, ReturnNeedsExactlyTheResults) {
  EXPECT_EQ(Message(Stubbed({I(kPush, 1), I(kReturn)}, 0, 1)), "accepted");
  EXPECT_EQ(Message(Stubbed({I(kReturn)}, 0, 1)),
            "instruction 2 (RETURN in function 1 \"f\"): height is 0, expected 1 (the function's "
            "results)");
  EXPECT_EQ(Message(Stubbed({I(kPush, 1), I(kPush, 1), I(kReturn)}, 0, 1)),
            "instruction 4 (RETURN in function 1 \"f\"): height is 2, expected 1 (the function's "
            "results)");
  EXPECT_EQ(Message(Flat({I(kReturn)})), "accepted");  // at the root: it traps
}

TEST(VerifyPaths, HaltAndTrapEndAPathAtAnyHeight) {
  EXPECT_EQ(Heights(Stubbed({I(kPush, 1), I(kPush, 2), I(kHalt)}, 0, 1)),
            (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(Message(Stubbed({I(kPush, 1), I(kTrap, 4)}, 0, 0)), "accepted");
}

TEST(VerifyPaths, RejectsAPathPastTheLastInstruction) {
  EXPECT_EQ(
      Message(Flat({I(kNop)})),
      "instruction 0 (NOP in function 0): the path runs past the function's last instruction");
  EXPECT_EQ(Message(Flat({I(kPush, 1), I(kEqz), I(kJz, 0)})),
            "instruction 2 (JZ in function 0): the path runs past the function's last instruction");
  EXPECT_EQ(Message(Flat({I(kCall, 0)})),
            "instruction 0 (CALL in function 0): the path runs past the function's last "
            "instruction");
}

TEST(VerifyPaths, ConstantJumpsAreUnconditionalOrNone) {
  // Always taken: what follows the jump is not reached, and the function may end with it.
  EXPECT_EQ(Message(Flat({I(kPush, 1), I(kJnz, 0)})), "accepted");
  EXPECT_EQ(Message(Flat({I(kPush, 0), I(kJz, 0)})), "accepted");
  EXPECT_EQ(Message(Flat({I(kPush, 9), I(kJnz, 3), I(kPop), I(kHalt)})), "accepted");
  // Never taken: the target is not reached by it.
  EXPECT_EQ(Message(Flat({I(kPush, 0), I(kJnz, 3), I(kHalt), I(kPop)})), "accepted");
  EXPECT_EQ(Message(Flat({I(kPush, 2), I(kJz, 3), I(kHalt), I(kPop)})), "accepted");
  EXPECT_EQ(
      Message(Flat({I(kPush, 0), I(kJnz, 0)})),
      "instruction 1 (JNZ in function 0): the path runs past the function's last instruction");
}

TEST(VerifyPaths, AJumpThatIsATargetIsConditional) {
  // 1 is reached from 4 too, with a condition that is not the constant of 0.
  const std::vector<I> code = {I(kPush, 1), I(kJnz, 3), I(kPop), I(kPush, 5),
                               I(kDup),     I(kJnz, 1), I(kHalt)};
  EXPECT_EQ(Message(Flat(code)), "instruction 2 (POP in function 0): needs 1 operand, height is 0");
  // So is one that only unreachable code targets.
  EXPECT_EQ(Message(Flat({I(kPush, 1), I(kJnz, 3), I(kPop), I(kHalt), I(kJz, 1)})),
            "instruction 2 (POP in function 0): needs 1 operand, height is 0");
}

TEST(VerifyPaths, APushInAnotherFunctionDecidesNothing) {
  Program program = Flat({I(kPush, 1), I(kJnz, 1), I(kHalt)});
  program.functions = {{0, 0, 0, 0, 0, "a"}, {1, 2, 1, 0, 0, "b"}};
  EXPECT_EQ(Message(program),
            "instruction 0 (PUSH in function 0 \"a\"): the path runs past the function's last "
            "instruction");
}

TEST(VerifyPaths, UnreachableCodeIsCheckedForOpcodesAndRangesOnly) {
  EXPECT_EQ(Message(Flat({I(kHalt), I(kPop), I(kSelect), I(kReturn), I(kNop)})), "accepted");
  EXPECT_EQ(Message(Flat({I(kHalt), I(kLocalGet)})),
            "instruction 1 (LOCAL.GET in function 0): local 0 out of range (function has 0 "
            "locals)");
}

TEST(VerifyPaths, TakesLargeAndDeepProgramsWithoutRecursion) {
  constexpr std::uint32_t kSteps = 200'000;
  std::vector<I> code;
  for (std::uint32_t i = 0; i < kSteps; ++i) {
    code.push_back(I(kLocalGet));
    code.push_back(I(kJz, 2 * kSteps));
  }
  code.push_back(I(kHalt));
  EXPECT_EQ(Heights(Flat(code, 1)), std::vector<std::uint32_t>{1});
}

TEST(PathFacts, GiveTheHeightBeforeEveryInstruction) {
  const PathFacts facts =
      AnalyzePaths(Flat({I(kPush, 1), I(kDup), I(kJnz, 4), I(kNop), I(kPop), I(kHalt), I(kPop)}))
          .value();
  EXPECT_EQ(facts.height, (std::vector<std::uint32_t>{0, 1, 2, 1, 1, 0, PathFacts::kUnreached}));
}

TEST(PathFacts, SayWhereOnlyAPushLeadsTo) {
  const PathFacts facts =
      AnalyzePaths(Flat({I(kPush, 1), I(kPush, 2), I(kJnz, 1), I(kHalt)})).value();
  EXPECT_EQ(facts.after_push, (std::vector<bool>{false, false, true, false}))
      << "instruction 1 is a jump target";
  EXPECT_FALSE(AnalyzePaths(Flat({I(kPop)})).has_value());
}

}  // namespace
}  // namespace txvm::isa
