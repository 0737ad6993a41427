// The listing, line by line. That it assembles back is tests/asm's and the fuzz tests' part.
#include "isa/disassemble.h"

#include <gtest/gtest.h>

#include <string>

#include "isa/limits.h"
#include "isa/opcode.h"

namespace txvm::isa {
namespace {

using I = Instruction;
using enum Opcode;

TEST(Disassemble, StatesEverythingThatIsInAProgram) {
  Program program;
  program.code = {I(kCall, 2),
                  I(kHalt),
                  I(kLocalSet, 0),
                  I(kLocalGet, 1, 1),
                  I(kJz, 6),
                  I(kTrap, 4),
                  I(kPush, 0xFFFFFFFF),
                  I(kCall, kHostCallBit),
                  I(kLoad, 4),
                  I(kCall, 2, 3),
                  I(kReturn)};
  program.functions = {{0, 1, 1, 1, 0, ""}, {2, 10, 1, 1, 3, "f \"x\""}};
  program.globals = {7, 0x80000000};
  program.memory = MemorySpec{1, 2};
  program.data = {{16, {'h', 'i', 0, 255}}, {9, {}}, {0, std::vector<std::uint8_t>(33, 'a')}};
  program.imports = {{"txvm", "memory.grow", 1, 1}};
  program.exports = {{"run\n", 0, 1, 1}};
  program.init = 0;
  program.entry = 2;
  program.source = "a.wat";
  program.lines = {{0, 0}, {3, 12}};
  program.notes = {{5, "i64.add"}};
  program.init.reset();
  program.functions[1].local_types = {ValueType::kI64, ValueType::kF32};
  program.imports[0].param_types = {ValueType::kI32};
  program.imports[0].result_types = {ValueType::kF32};
  const Result<std::string> text = Disassemble(program);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text, R"(.flat
.source "a.wat"
.memory 1 2
.data 16 "hi\00\ff"
.data 9
.data 0 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
.bytes "a"
.global 7
.global -2147483648
.import i0 "txvm" "memory.grow" params=i32 results=f32
.export "run\0a" f0 params=1 results=1
.entry f1

.func "" params=1 results=1 locals=0
f0:
.line 0
  CALL f1                         ; 0  "f \"x\""
  HALT                            ; 1
.end

.func "f \"x\"" params=1 results=1 locals=3 types=i64,f32
f1:
  LOCAL.SET 0                     ; 2
.line 12
  GLOBAL.GET 1                    ; 3
  JZ L6                           ; 4
.note "i64.add"
  TRAP Unreachable                ; 5
L6:
  PUSH -1                         ; 6
  CALL i0                         ; 7  "txvm.memory.grow"
  I32.LOAD 4                      ; 8
  CALL f1                         ; 9  "f \"x\""
  RETURN                          ; 10
.end
)");
}

TEST(Disassemble, WritesWhatNoMnemonicSaysAsWords) {
  Program program;
  program.code = {I(static_cast<Opcode>(200), 7),
                  I(kNop, 1),
                  I(kAdd, 0, 2),
                  I(kLocalGet, 0, 2),
                  I(kTrap, 17),
                  I(kCall, 1),
                  I(kCall, 0, 5),
                  I(kCall, kHostCallBit),
                  I(kJz, 99)};
  program.functions = {{0, 8, 0, 0, 0, ""}};
  const Result<std::string> text = Disassemble(program);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text, R"(.flat
.entry f0

.func "" params=0 results=0 locals=0
f0:
  .raw 0xc8 0x7                   ; 0
  .raw 0x9 0x1                    ; 1
  .raw 0x203 0x0                  ; 2
  .raw 0x22b 0x0                  ; 3
  .raw 0x63 0x11                  ; 4
  .raw 0x36 0x1                   ; 5
  .raw 0x536 0x0                  ; 6
  .raw 0x36 0x80000000            ; 7
  JZ 99                           ; 8
.end
)");
}

TEST(Disassemble, RefusesMalformedTables) {
  Program program;
  program.code = {I(kHalt)};
  const Result<std::string> text = Disassemble(program);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "instruction 0 belongs to no function");
}

TEST(InstructionText, CallsAnImportByItsName) {
  Program program;
  program.imports = {{"env", "putchar", 1, 0}, {"m", "\x1b[2J", 0, 0}};
  EXPECT_EQ(InstructionText(program, I(kCall, kHostCallBit)), "CALL env.putchar");
  EXPECT_EQ(InstructionText(program, I(kCall, kHostCallBit | 1)), "CALL m.\\1b[2J");
  EXPECT_EQ(InstructionText(program, I(kCall, kHostCallBit | 2)), "CALL 2147483650");
  EXPECT_EQ(InstructionText(program, I(kCall, kHostCallBit, 1)), "CALL 2147483648");
  EXPECT_EQ(InstructionText(program, I(kCall, 5, 3)), "CALL 5");
  EXPECT_EQ(InstructionText(program, I(kPush, kHostCallBit)), "PUSH -2147483648");
}

TEST(InstructionText, NeedsNoProgram) {
  EXPECT_EQ(InstructionText(I(kPush, 0xFFFFFFFE)), "PUSH -2");
  EXPECT_EQ(InstructionText(I(kJnz, 5)), "JNZ 5");
  EXPECT_EQ(InstructionText(I(kCall, 5, 3)), "CALL 5");
  EXPECT_EQ(InstructionText(I(kLocalTee, 5, 1)), "GLOBAL.TEE 5");
  EXPECT_EQ(InstructionText(I(kTrap, 12)), "TRAP Unsupported");
  EXPECT_EQ(InstructionText(I(kLocalSet, 16'777'214)), "LOCAL.SET 16777214");
  EXPECT_EQ(InstructionText(I(kLocalSet, 16'777'215)), ".raw 0x2c 0xffffff");
  EXPECT_EQ(InstructionText(I(kPop, 0, 1)), ".raw 0x102 0x0");
}

}  // namespace
}  // namespace txvm::isa
