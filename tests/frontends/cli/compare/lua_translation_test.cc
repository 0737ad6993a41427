// The Lua translation agrees with the engines, opcode by opcode and on whole programs.
#include "frontends/cli/compare/lua_translation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "asm/assembler.h"
#include "isa/support/system/child_process.h"
#include "frontends/cli/compare/foreign.h"
#include "isa/opcode.h"
#include "vm/machine.h"

namespace txvm::frontends::cli {
namespace {

std::shared_ptr<const isa::Program> Assembled(std::string_view text) {
  isa::Result<isa::Program> program = assembler::Assemble(text, "test.txa");
  EXPECT_TRUE(program) << program.error().ToString();
  return std::make_shared<const isa::Program>(program.value_or(isa::Program{}));
}

bool HasLua() { return !FindProgram("lua").empty() || !FindProgram("lua5.4").empty(); }

void ExpectLuaAgrees(std::string_view text) {
  const auto program = Assembled(text);
  isa::Result<vm::Machine> machine = vm::Machine::Load(program, {});
  ASSERT_TRUE(machine) << machine.error().message;
  const vm::RunResult run = machine->CallStub(program->entry, {});
  ForeignCall call;
  call.program = program.get();
  call.start = program->entry;
  const ForeignAnswer answer = RunForeign("lua", call, 60);
  ASSERT_EQ(answer.problem, "") << text;
  EXPECT_EQ(answer.trapped, run.outcome == vm::Outcome::kTrapped) << text;
  std::vector<isa::Value> results;
  for (const isa::Word word : run.results) results.push_back(isa::Value::I32(isa::Signed(word)));
  EXPECT_EQ(answer.results, results) << text;
}

TEST(Lua, EveryBinaryAndUnaryOpcodeOnEdgeValues) {
  if (!HasLua()) GTEST_SKIP() << "Lua is not installed";
  const std::vector<std::string> values = {"0",  "1",          "-1",         "31",
                                           "32", "0x80000000", "0x7fffffff", "1000003"};
  std::string text;
  int slots = 0;
  for (const isa::OpcodeInfo& info : isa::kOpcodes) {
    const bool pure = info.pushes == 1 && (info.pops == 1 || info.pops == 2) &&
                      info.operand == isa::Operand::kNone;
    if (!pure) continue;
    // Fold all pairs of values into one result: r = r * 31 + op(a, b).
    text += "PUSH 0\n";
    for (const std::string& a : values) {
      for (const std::string& b : values) {
        const bool divides = info.op_class == isa::OpClass::kDivide;
        if (divides && (b == "0" || (a == "0x80000000" && b == "-1"))) continue;
        text += "PUSH 31\nMUL\nPUSH " + a + "\n";
        if (info.pops == 2) text += "PUSH " + b + "\n";
        text += std::string(info.text) + "\nADD\n";
      }
    }
    ++slots;
  }
  EXPECT_GE(slots, 30) << "the table has that many pure opcodes";
  ExpectLuaAgrees(text + "HALT\n");
}

TEST(Lua, StackLocalsGlobalsAndSelect) {
  if (!HasLua()) GTEST_SKIP() << "Lua is not installed";
  ExpectLuaAgrees(
      ".global 5\nPUSH 1\nPUSH 2\nPUSH 3\nROT\nSWAP\nOVER\nDUP\nPUSH 0\nSELECT\nLOCAL.TEE 1\n"
      "LOCAL.SET 0\nLOCAL.GET 1\nGLOBAL.GET 0\nGLOBAL.TEE 0\nNOP\nPOP\nHALT\n");
}

TEST(Lua, MemoryOfAllWidths) {
  if (!HasLua()) GTEST_SKIP() << "Lua is not installed";
  ExpectLuaAgrees(
      ".memory 1 1\n.data 8 \"\\80\\ff\\01\\7f\"\n"
      "PUSH 8\nI32.LOAD\nPUSH 8\nI32.LOAD8_S\nPUSH 8\nI32.LOAD8_U\nPUSH 7\nI32.LOAD16_S 1\n"
      "PUSH 8\nI32.LOAD16_U\nPUSH 65532\nPUSH -2\nI32.STORE\nPUSH 65534\nI32.LOAD16_U\n"
      "PUSH 65531\nPUSH 0x1ff\nI32.STORE8\nPUSH 65530\nI32.LOAD16_U\n"
      "PUSH 3\nPUSH 0x12345\nI32.STORE16 2\nPUSH 5\nI32.LOAD\nHALT\n");
}

TEST(Lua, Traps) {
  if (!HasLua()) GTEST_SKIP() << "Lua is not installed";
  ExpectLuaAgrees("PUSH 1\nPUSH 0\nDIV_S\nHALT\n");
  ExpectLuaAgrees("PUSH 0x80000000\nPUSH -1\nDIV_S\nHALT\n");
  ExpectLuaAgrees("PUSH 1\nPUSH 0\nREM_U\nHALT\n");
  ExpectLuaAgrees(".memory 1 1\nPUSH 65533\nI32.LOAD\nHALT\n");
  ExpectLuaAgrees(".memory 1 1\nPUSH -1\nI32.LOAD8_U 1\nHALT\n");
  ExpectLuaAgrees("TRAP Unreachable\n");
}

TEST(Lua, LoopsCallsAndConstantJumps) {
  if (!HasLua()) GTEST_SKIP() << "Lua is not installed";
  ExpectLuaAgrees(
      ".func fact params=1 results=1\nLOCAL.SET 0\nLOCAL.GET 0\nif results=1\nLOCAL.GET 0\n"
      "LOCAL.GET 0\nPUSH 1\nSUB\nCALL fact\nMUL\nelse\nPUSH 1\nend\n.end\n"
      ".func main results=2\nPUSH 10\nCALL fact\nPUSH 5\nLOCAL.SET 0\nblock out\nloop next\n"
      "LOCAL.GET 0\nEQZ\nbr_if out\nLOCAL.GET 0\nPUSH 1\nSUB\nLOCAL.SET 0\nbr next\nend\nend\n"
      "LOCAL.GET 0\n.end\n.export \"main\" main\n");
}

TEST(Lua, SaysWhatItCannotTranslate) {
  const auto problem = [](std::string_view text) {
    const auto program = Assembled(text);
    const auto script = TranslateToLua(*program, program->entry, {});
    return script ? std::string("translated") : script.error().message;
  };
  EXPECT_EQ(problem("PUSH 1\nADD\nHALT\n"), "the validator rejects it");
  EXPECT_EQ(problem("LOCAL.GET 190\nHALT\n"),
            "a function has 192 slots and locals, Lua allows 180");
  EXPECT_EQ(problem(".import f \"env\" \"launch\"\nCALL f\nHALT\n"), "imports env.launch");
  EXPECT_EQ(problem(".func f\nHALT\n.end\n.export \"f\" f\n"), "halts inside a function");
}

}  // namespace
}  // namespace txvm::frontends::cli
