// What assembles, and to what.
#include "asm/assembler.h"

#include <gtest/gtest.h>

#include <string>

#include "isa/disassemble.h"
#include "isa/limits.h"
#include "isa/trap.h"
#include "isa/verify.h"
#include "tests/asm/small_machine.h"

namespace txvm::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Program;
using Words = std::vector<std::uint32_t>;

Program Assembled(std::string_view text) {
  auto program = Assemble(text, "test.txa");
  EXPECT_TRUE(program.has_value()) << program.error().ToString();
  return program.value_or(Program{});
}

// Assembled, accepted by the validator, and equal to its own listing assembled again.
Program Valid(std::string_view text) {
  Program program = Assembled(text);
  const auto verified = isa::Verify(program);
  EXPECT_TRUE(verified.has_value()) << verified.error().ToString();
  const auto listing = isa::Disassemble(program);
  EXPECT_TRUE(listing.has_value()) << listing.error().ToString();
  if (listing) {
    EXPECT_EQ(Assembled(*listing), program) << *listing;
  }
  return program;
}

Words ResultsOf(const Program& program, const Words& arguments = {}) {
  return RunSmall(program, program.entry, arguments).stack;
}

TEST(Assemble, PlainFileIsOneFunctionWithoutAName) {
  const Program program = Valid("PUSH 3\nPUSH 5\nADD\nHALT\n");
  ASSERT_EQ(program.functions.size(), 1u);
  EXPECT_EQ(program.functions[0], (isa::Function{0, 3, 0, 0, 0, ""}));
  EXPECT_EQ(program.code,
            (std::vector<Instruction>{Instruction(Opcode::kPush, 3), Instruction(Opcode::kPush, 5),
                                      Instruction(Opcode::kAdd), Instruction(Opcode::kHalt)}));
  EXPECT_EQ(program.entry, 0u);
  EXPECT_TRUE(program.exports.empty());
}

TEST(Assemble, PlainFileHasAsManyLocalsAsItUses) {
  const Program program = Valid("PUSH 1\nLOCAL.TEE 7\nLOCAL.SET 2\nHALT");
  EXPECT_EQ(program.functions[0].locals, 8u);
}

TEST(Assemble, GlobalsAreNoLocals) {
  const Program program =
      Valid(".global 5\n.global -1\nGLOBAL.GET 1\nGLOBAL.TEE 0\nglobal.set 1\nHALT");
  EXPECT_EQ(program.functions[0].locals, 0u);
  EXPECT_EQ(program.globals, (Words{5, 0xFFFFFFFF}));
  EXPECT_EQ(program.code[0], Instruction(Opcode::kLocalGet, 1, 1));
  EXPECT_EQ(program.code[1], Instruction(Opcode::kLocalTee, 0, 1));
  EXPECT_EQ(program.code[2], Instruction(Opcode::kLocalSet, 1, 1));
}

TEST(Assemble, NumbersAreDecimalHexadecimalAndNegative) {
  const Program program = Valid(
      "PUSH 0\nPUSH 4294967295\nPUSH -1\nPUSH -2147483648\nPUSH 0xdeadBEEF\nPUSH -0x10\nHALT");
  EXPECT_EQ(ResultsOf(program),
            (Words{0, 0xFFFFFFFF, 0xFFFFFFFF, 0x80000000, 0xDEADBEEF, 0xFFFFFFF0}));
}

TEST(Assemble, LabelsStandAloneOrBeforeAnInstruction) {
  const Program program = Valid(
      "PUSH 3\nagain: second: PUSH 1 ; one less\nSUB\nDUP\n"
      "JNZ again\nend:\nHALT\n");
  EXPECT_EQ(program.code[4], Instruction(Opcode::kJnz, 1));
  EXPECT_EQ(ResultsOf(program), Words{0});
}

TEST(Assemble, TargetsMayBeInstructionIndices) {
  EXPECT_EQ(ResultsOf(Valid("PUSH 3\nPUSH 1\nSUB\nDUP\nJNZ 1\nHALT")), Words{0});
}

TEST(Assemble, KeysAndCausesHaveNoCase) {
  const Program program = Valid(
      ".func main\nTRAP unREACHABLE\n.end\n.func f PARAMS=1 Results=2 LOCALS=3\nPUSH 1\n.end\n");
  EXPECT_EQ(program.functions[1].params, 1u);
  EXPECT_EQ(program.functions[1].results, 2u);
  EXPECT_EQ(program.functions[1].locals, 3u);
}

TEST(Assemble, MnemonicsHaveNoCaseAndLabelsDo) {
  const Program program = Valid("push 1\nPuSh 2\nlocal.set 0\nx: JNZ X\nX: HALT");
  EXPECT_EQ(program.code[3], Instruction(Opcode::kJnz, 4));
}

TEST(Assemble, EveryMnemonicOfTheTableAssembles) {
  for (const isa::OpcodeInfo& row : isa::kOpcodes) {
    std::string text = ".flat\nhere: " + std::string(row.text);
    const bool is_jump =
        row.operand == isa::Operand::kTarget || row.operand == isa::Operand::kCallee;
    if (is_jump) text += " here";
    const bool has_number =
        row.operand == isa::Operand::kValue || row.operand == isa::Operand::kLocal ||
        row.operand == isa::Operand::kOffset || row.operand == isa::Operand::kCause;
    if (has_number) text += " 9";
    const Program program = Assembled(text);
    ASSERT_EQ(program.code.size(), 1u) << text;
    EXPECT_EQ(program.code[0], Instruction(row.op, has_number ? 9 : 0)) << text;
  }
}

TEST(Assemble, TrapTakesACauseByNameOrNumber) {
  const Program program = Assembled(".flat\nTRAP Unreachable\nTRAP 4\nTRAP divideByZero");
  EXPECT_EQ(program.code[0].arg, 4u);
  EXPECT_EQ(program.code[1].arg, 4u);
  EXPECT_EQ(program.code[2].arg, 1u);
}

TEST(Assemble, LoadsAndStoresHaveAnOptionalOffset) {
  const Program program = Assembled(".memory 1\nPUSH 0\nI32.LOAD\nI32.LOAD8_U 5\nHALT");
  EXPECT_EQ(program.code[1], Instruction(Opcode::kLoad, 0));
  EXPECT_EQ(program.code[2], Instruction(Opcode::kLoad8U, 5));
}

TEST(Assemble, MemoryAndData) {
  const Program program = Valid(
      ".memory 1 4\n.data 16 \"a;\\22\\\\\\n\\ff\" 1 -1 255\n.bytes \"xyz\" 7\n.words 0x11223344 "
      "-2\n"
      ".data 4294967295\nHALT");
  ASSERT_TRUE(program.memory.has_value());
  EXPECT_EQ(*program.memory, (isa::MemorySpec{1, 4}));
  ASSERT_EQ(program.data.size(), 2u);
  EXPECT_EQ(program.data[0].offset, 16u);
  EXPECT_EQ(program.data[0].bytes,
            (std::vector<std::uint8_t>{'a', ';', '"',  '\\', '\n', 0xFF, 1,    255,  255,  'x', 'y',
                                       'z', 7,   0x44, 0x33, 0x22, 0x11, 0xFE, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(program.data[1], (isa::DataSegment{0xFFFFFFFF, {}}));
}

TEST(Assemble, MemoryMaximumDefaultsToFourGigabytes) {
  EXPECT_EQ(Valid(".memory 2\nHALT").memory->maximum, isa::kMaxPages);
}

TEST(Assemble, ImportsAreCalledByAlias) {
  const Program program = Valid(".import size \"txvm\" \"memory.size\" results=1\nCALL size\nHALT");
  EXPECT_EQ(program.imports[0], (isa::Import{"txvm", "memory.size", 0, 1}));
  EXPECT_EQ(program.code[0], Instruction(Opcode::kCall, isa::kHostCallBit));
}

TEST(Assemble, TextIsItsOwnSourceUnlessItNamesOne) {
  const Program own = Valid("; first\nPUSH 1\n\nHALT");
  EXPECT_EQ(own.source, "test.txa");
  EXPECT_EQ(own.lines, (std::vector<isa::LineMark>{{0, 2}, {1, 4}}));
  const Program other = Valid(".source \"sum.wat\"\n.line 7\nPUSH 1\nPUSH 2\n.line 9\nHALT");
  EXPECT_EQ(other.source, "sum.wat");
  EXPECT_EQ(other.lines, (std::vector<isa::LineMark>{{0, 7}, {2, 9}}));
}

TEST(Assemble, NotesBelongToTheNextInstruction) {
  const Program program = Valid("PUSH 1\n.note \"i64.add at 3:1\"\nTRAP Unsupported");
  EXPECT_EQ(program.notes, (std::vector<isa::TrapNote>{{1, "i64.add at 3:1"}}));
}

TEST(Assemble, FlatFileStatesEverything) {
  const Program program = Valid(
      ".flat\n.func \"a b\" params=1 results=1 locals=3\nbody: LOCAL.TEE 0\nCALL "
      "body\nRETURN\n.end\n"
      ".func \"\" params=1 results=1 locals=0\nstub: CALL body\nHALT\n.end\n"
      ".export \"run\" stub params=1 results=1\n.entry 3\n.source \"x\"\n");
  EXPECT_EQ(program.functions[0], (isa::Function{0, 2, 1, 1, 3, "a b"}));
  EXPECT_EQ(program.functions[1], (isa::Function{3, 4, 1, 1, 0, ""}));
  EXPECT_EQ(program.code[1], Instruction(Opcode::kCall, 0, 3));
  EXPECT_EQ(program.code[3], Instruction(Opcode::kCall, 0, 0));
  EXPECT_EQ(program.exports[0], (isa::Export{"run", 3, 1, 1}));
  EXPECT_EQ(program.entry, 3u);
  EXPECT_TRUE(program.lines.empty());
}

TEST(Assemble, FlatFileStatesTypes) {
  const Program program = Valid(
      ".flat\n.import half \"m\" \"half\" params=f64 results=F32\n.func f params=2 results=1 "
      "locals=7 types=i64,f64\nCALL half\nRETURN\n.end\n.func \"\" params=2 results=1\nstub: CALL "
      "0\n"
      "HALT\n.end\n.export \"run\" stub params=f64 results=f32\n.entry stub\n");
  using enum isa::ValueType;
  EXPECT_EQ(program.imports[0], (isa::Import{"m", "half", 2, 1, {kF64}, {kF32}}));
  EXPECT_EQ(program.functions[0], (isa::Function{0, 1, 2, 1, 7, "f", {kI64, kF64}}));
  EXPECT_EQ(program.exports[0], (isa::Export{"run", 2, 2, 1, {kF64}, {kF32}}));
}

TEST(Assemble, ModuleExportsHaveTheTypesOfTheirFunctions) {
  const Program program = Valid(
      ".import print \"env\" \"print\" params=i64\n"
      ".func f params=i64,f32 results=i64 types=i64,f32,f64\nPOP\n.end\n"
      ".func g params=i64\nCALL print\n.end\n.func h params=2\nPOP\nPOP\n.end\n"
      ".export \"f\" f\n.export \"g\" g\n.export \"h\" h\n");
  using enum isa::ValueType;
  EXPECT_EQ(program.imports[0], (isa::Import{"env", "print", 2, 0, {kI64}, {}}));
  EXPECT_EQ(program.functions[0].local_types, (std::vector<isa::ValueType>{kI64, kF32, kF64}));
  EXPECT_EQ(program.functions[0].locals, 5u);
  EXPECT_EQ(program.exports[0].params, 3u);
  EXPECT_EQ(program.exports[0].param_types, (std::vector<isa::ValueType>{kI64, kF32}));
  EXPECT_EQ(program.exports[0].result_types, (std::vector<isa::ValueType>{kI64}));
  EXPECT_EQ(program.exports[1].param_types, (std::vector<isa::ValueType>{kI64}));
  EXPECT_FALSE(isa::IsTyped(program.exports[2]));
}

TEST(Assemble, FlatFileMayHoldAnyInstruction) {
  const Program program = Assembled(".flat\n.raw 0x1234C8 9\n.init 0\nHALT");
  EXPECT_EQ(program.code[0].code(), 0xC8);
  EXPECT_EQ(program.code[0].aux(), 0x1234u);
  EXPECT_EQ(program.code[0].arg, 9u);
  EXPECT_EQ(program.init, 0u);
  EXPECT_TRUE(program.functions.empty());
}

TEST(Assemble, ModuleMakesOneStubForEachFunctionThatIsEntered) {
  const Program program = Valid(
      ".func f params=2 results=1\nADD\n.end\n"
      ".func setup\nPUSH 7\nGLOBAL.SET 0\n.end\n.global 0\n"
      ".export \"add\" f\n.export \"plus\" f\n.init setup\n");
  ASSERT_EQ(program.functions.size(), 4u);
  EXPECT_EQ(program.functions[2], (isa::Function{5, 6, 2, 1, 0, ""}));
  EXPECT_EQ(program.functions[3], (isa::Function{7, 8, 0, 0, 0, ""}));
  EXPECT_EQ(program.exports[0].start, 5u);
  EXPECT_EQ(program.exports[1].start, 5u);
  EXPECT_EQ(program.entry, 5u);
  EXPECT_EQ(program.init, 7u);
  EXPECT_EQ(RunSmall(program, 5, {30, 12}).stack, Words{42});
}

TEST(Assemble, ModuleEntryIsStartThenMainThenTheFirstExportThenTheFirstFunction) {
  const std::string functions = ".func a\nRETURN\n.end\n.func b\nRETURN\n.end\n";
  const auto callee = [](const Program& program) { return program.code[program.entry].arg; };
  EXPECT_EQ(callee(Valid(functions)), 0u);
  EXPECT_EQ(callee(Valid(functions + ".export \"x\" b\n.export \"y\" a")), 1u);
  EXPECT_EQ(callee(Valid(functions + ".export \"x\" b\n.export \"main\" a")), 0u);
  EXPECT_EQ(callee(Valid(functions + ".export \"main\" a\n.export \"_start\" b")), 1u);
  EXPECT_EQ(callee(Valid(functions + ".export \"main\" a\n.entry b")), 1u);
}

TEST(Assemble, FunctionsMayBeUsedBeforeTheyAreDefined) {
  const Program program = Valid(
      ".export \"main\" main\n"
      ".func main results=1 locals=2\nPUSH 6\nCALL fact\n.end\n"
      ".func fact params=1 results=1\nLOCAL.TEE 0\nif results=1\nLOCAL.GET 0\nLOCAL.GET 0\nPUSH 1\n"
      "SUB\nCALL fact\nMUL\nelse\nPUSH 1\nend\n.end");
  EXPECT_EQ(program.code[1].aux(), 2u);  // the caller's locals
  EXPECT_EQ(ResultsOf(program), Words{720});
}

TEST(Assemble, RawBodiesKeepEveryInstruction) {
  const Program program =
      Valid(".func f results=1\nPUSH 0\nPUSH 1\nJNZ out\nPUSH 9\nout: PUSH 5\nADD\nRETURN\n.end");
  EXPECT_EQ(program.functions[0].last, 6u);
  EXPECT_EQ(ResultsOf(program), Words{5});
}

TEST(Assemble, LabelsOfRawBodiesAreLocalToThem) {
  const Program program = Valid(
      ".func f results=1\nPUSH 0\nx: JZ y\ny: PUSH 1\nRETURN\n.end\n"
      ".func g results=1\nPUSH 0\nx: JZ y\ny: PUSH 2\nRETURN\n.end\n.entry g");
  EXPECT_EQ(program.code[5].arg, 6u);
  EXPECT_EQ(ResultsOf(program), Words{2});
}

TEST(Assemble, CarriageReturnsAreSpaces) {
  EXPECT_EQ(Assembled("PUSH 1\r\nHALT\r\n").code.size(), 2u);
}

TEST(Assemble, TheTextMayEndWithoutANewline) { EXPECT_EQ(Assembled("HALT").code.size(), 1u); }

TEST(Assemble, BytesOfTheUpperHalfMayStandInStringsAndComments) {
  const Program program = Assembled(".source \"\xC3\xA9\"\nHALT ; \xE2\x82\xAC");
  EXPECT_EQ(program.source, "\xC3\xA9");
}

}  // namespace
}  // namespace txvm::assembler
