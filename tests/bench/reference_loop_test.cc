// The yardstick computes what the machine computes.
#include "bench/reference_loop.h"

#include <gtest/gtest.h>

#include <memory>

#include "asm/assembler.h"
#include "vm/machine.h"

namespace txvm::bench {
namespace {

isa::Program Assembled(std::string_view text) {
  auto program = assembler::Assemble(text, "test.txa");
  EXPECT_TRUE(program) << program.error().ToString();
  return program.value_or(isa::Program{});
}

// Edge values folded through every opcode that only computes: r = r * 31 + op(a, b).
std::string EveryPureOpcode() {
  const std::vector<std::string> values = {"0",  "1",          "-1",         "31",
                                           "32", "0x80000000", "0x7fffffff", "1000003"};
  std::string text;
  for (const isa::OpcodeInfo& info : isa::kOpcodes) {
    if (info.pushes != 1 || info.operand != isa::Operand::kNone || info.pops > 2) continue;
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
  }
  return text + "HALT\n";
}

void ExpectSameAsNative(std::string_view text, std::vector<isa::Word> args = {}) {
  const isa::Program program = Assembled(text);
  auto loop = ReferenceLoop::Load(program);
  ASSERT_TRUE(loop) << loop.error().message;
  vm::MachineOptions options;
  options.engine = vm::EngineKind::kNative;
  auto machine = vm::Machine::Load(std::make_shared<const isa::Program>(program), {}, options);
  ASSERT_TRUE(machine) << machine.error().message;
  const vm::RunResult native = machine->CallStub(program.entry, args);
  ASSERT_EQ(native.outcome, vm::Outcome::kHalted);
  const auto results = loop->Run(program.entry, args);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(*results, native.results);
}

TEST(ReferenceLoop, PureOpcodes) { ExpectSameAsNative(EveryPureOpcode()); }

TEST(ReferenceLoop, StackLocalsAndGlobals) {
  ExpectSameAsNative(
      ".global 5\nPUSH 1\nPUSH 2\nPUSH 3\nROT\nSWAP\nOVER\nDUP\nPUSH 0\nSELECT\nLOCAL.TEE 1\n"
      "LOCAL.SET 0\nLOCAL.GET 1\nGLOBAL.GET 0\nGLOBAL.TEE 0\nPUSH 9\nGLOBAL.SET 0\nNOP\nPOP\n"
      "GLOBAL.GET 0\nHALT\n");
}

TEST(ReferenceLoop, Memory) {
  ExpectSameAsNative(
      ".memory 1 1\n.data 8 \"\\80\\ff\\01\\7f\"\n"
      "PUSH 8\nI32.LOAD\nPUSH 8\nI32.LOAD8_S\nPUSH 8\nI32.LOAD8_U\nPUSH 7\nI32.LOAD16_S 1\n"
      "PUSH 8\nI32.LOAD16_U\nPUSH 65532\nPUSH -2\nI32.STORE\nPUSH 65534\nI32.LOAD16_U\n"
      "PUSH 65531\nPUSH 0x1ff\nI32.STORE8\nPUSH 65530\nI32.LOAD16_U\n"
      "PUSH 3\nPUSH 0x12345\nI32.STORE16 2\nPUSH 5\nI32.LOAD\nHALT\n");
}

TEST(ReferenceLoop, CallsAndJumps) {
  ExpectSameAsNative(
      ".func fact params=1 results=1\nLOCAL.SET 0\nLOCAL.GET 0\nif results=1\nLOCAL.GET 0\n"
      "LOCAL.GET 0\nPUSH 1\nSUB\nCALL fact\nMUL\nelse\nPUSH 1\nend\n.end\n"
      ".export \"fact\" fact\n",
      {10});
}

TEST(ReferenceLoop, AnEmptyStackHalts) { ExpectSameAsNative("HALT\n"); }

TEST(ReferenceLoop, StopsAtTrapsAndDivisionByZero) {
  for (const char* text : {"TRAP Unreachable\n", "PUSH 1\nPUSH 0\nDIV_U\nHALT\n"}) {
    auto loop = ReferenceLoop::Load(Assembled(text));
    ASSERT_TRUE(loop);
    const auto results = loop->Run(0, {});
    ASSERT_FALSE(results);
    EXPECT_EQ(results.error().message, "the reference loop met a trap");
  }
}

TEST(ReferenceLoop, RefusesWhatItCannotRun) {
  EXPECT_EQ(
      ReferenceLoop::Load(Assembled(".import f \"env\" \"f\"\nCALL f\nHALT\n")).error().message,
      "the reference loop has no host functions");
  EXPECT_EQ(ReferenceLoop::Load(Assembled(".raw 200 0\nHALT\n")).error().message,
            "the reference loop has no opcode 200");
}

}  // namespace
}  // namespace txvm::bench
