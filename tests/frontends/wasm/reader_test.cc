// What the reader makes of modules, and how it says what is wrong with one.
#include "frontends/wasm/reader.h"

#include <gtest/gtest.h>

#include <string>

#include "frontends/wasm/cursor.h"
#include "frontends/wasm/opcodes.h"
#include "tests/frontends/wasm/module_builder.h"
#include "tests/support/wabt_interp.h"

namespace txvm::tests {
namespace {

using frontends::wasm::ReadModule;
using frontends::wat::InstrKind;
using isa::ErrorCode;

std::string Message(const Bytes& bytes) {
  const auto read = ReadModule(bytes, "r.wasm");
  return read ? "accepted" : read.error().message;
}

TEST(WasmReader, ErrorsNameTheFunction) {
  const Bytes bad = {0, 0x6A, 0x0B};  // i32.add of nothing
  ModuleBuilder plain;
  plain.Functions(1).Code(1, bad);
  EXPECT_EQ(Message(plain.bytes()),
            "type mismatch: i32.add needs i32, the stack is empty (at byte 23 in function 0)");
  ModuleBuilder exported;
  exported.Functions(1).Section(7, {1, 1, 'e', 0, 0}).Code(1, bad);
  EXPECT_EQ(Message(exported.bytes()),
            "type mismatch: i32.add needs i32, the stack is empty (at byte 30 in function 'e')");
  ModuleBuilder named;
  named.Functions(1).Code(1, bad).Custom("name", {1, 4, 1, 0, 1, 'n'});
  EXPECT_EQ(Message(named.bytes()),
            "type mismatch: i32.add needs i32, the stack is empty (at byte 23 in function 'n')");
  const auto read = ReadModule(named.bytes(), "r.wasm");
  EXPECT_EQ(read.error().place.file, "r.wasm");
}

TEST(WasmReader, LaterProposalsAreRefusedByName) {
  EXPECT_EQ(Message(WithCode({0x08, 0x00})),
            "unknown tag 0: the module has 0 (at byte 23 in function 0)");
  EXPECT_EQ(Message(WithCode({0xFB, 0x00})),
            "uses garbage collection (struct.new): not supported (at byte 23 in function 0)");
  EXPECT_EQ(Message(WithCode({0x14, 0x00})),
            "type mismatch: call_ref needs (ref null type), the stack is empty (at byte 23 in "
            "function 0)");
  EXPECT_EQ(Message(WithCode({0xFD, 0x80, 0x02})),
            "type mismatch: i8x16.relaxed_swizzle needs v128, the stack is empty (at byte 23 in "
            "function 0)");
  EXPECT_EQ(Message(WithCode({0xFD, 0xFF, 0x7F})),
            "illegal opcode 0xfd 0x3fff (at byte 23 in function 0)");
  EXPECT_EQ(Message(WithCode({0x27})), "illegal opcode 0x27 (at byte 23 in function 0)");
  EXPECT_EQ(Message(ModuleBuilder().Section(5, {1, 8, 1}).bytes()),
            "integer too large: the flags of limits are 0x08: custom page sizes are not supported "
            "(at byte 11)");
  EXPECT_EQ(Message(ModuleBuilder().Section(13, {1, 1, 0}).bytes()),
            "malformed tag attribute 1 (at byte 11)");
  EXPECT_EQ(Message({0, 'a', 's', 'm', 0x0D, 0, 1, 0}),
            "unknown binary version 0x1000d: a component, not a module (at byte 4)");
}

TEST(WasmReader, VectorsAreInstructionsOfTheirOwn) {
  Bytes code = {0xFD, 0x0C};  // v128.const
  Append(code, Bytes(16));
  Append(code, {0xFD, 0x4D, 0x1A});  // v128.not drop
  const auto read = ReadModule(WithCode(code), "r.wasm");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->unsupported.empty());
  const auto& body = read->functions[0].body;
  ASSERT_EQ(body.size(), 5u);
  EXPECT_EQ(body[0].kind, InstrKind::kV128Const);
  EXPECT_EQ(body[1].kind, InstrKind::kV128Upper);
  EXPECT_EQ(body[2].kind, InstrKind::kVector);
  const auto op = static_cast<frontends::wasm::Op>(body[2].b);
  EXPECT_EQ(InfoOf(op).text, "v128.not");
  EXPECT_EQ(Message(WithCode({0xFD, 0x4D, 0x1A})),
            "type mismatch: v128.not needs v128, the stack is empty (at byte 23 in function 0)");
}

TEST(WasmReader, ATailCallIsAnInstructionOfItsOwn) {
  const auto read = ReadModule(WithCode({0x12, 0}), "r.wasm");
  ASSERT_TRUE(read) << read.error().message;
  const auto& body = read->functions[0].body;
  ASSERT_EQ(body.size(), 2u);
  EXPECT_EQ(body[0].kind, InstrKind::kReturnCall);
  EXPECT_EQ(body[1].kind, InstrKind::kEnd);
}

TEST(WasmReader, ConstantExpressionsAreComputed) {
  const auto value = [](const Bytes& code, std::uint8_t type) {
    Bytes global = {1, type, 0};
    Append(global, code);
    global.push_back(0x0B);
    return ReadModule(ModuleBuilder().Section(6, global).bytes(), "r.wasm");
  };
  const auto word = value({0x41, 7, 0x41, 3, 0x6B, 0x41, 5, 0x6C}, 0x7F);  // (7 - 3) * 5
  ASSERT_TRUE(word) << word.error().message;
  EXPECT_EQ(word->globals[0].init.value, 20u);
  const auto pair = value({0x42, 0x7F, 0x42, 0x02, 0x7C}, 0x7E);  // -1 + 2
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_EQ(pair->globals[0].init.value, 1u);
  EXPECT_EQ(pair->globals[0].init.high, 0u);
  const auto mixed = value({0x41, 1, 0x42, 1, 0x6A}, 0x7F);
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().message, "type mismatch: i32.add needs two values of i32 (at byte 17)");
}

TEST(WasmReader, CustomSectionsMayStandAnywhere) {
  ModuleBuilder module;
  module.Custom("a", {1, 2, 3})
      .Functions(1)
      .Custom("name", {0xFF})
      .Code(1, {0, 0x0B})
      .Custom("b", {});
  EXPECT_EQ(Message(module.bytes()), "accepted");
}

TEST(WasmCursor, NumbersAreStrict) {
  const auto message = [](const Bytes& bytes, auto read) -> std::string {
    std::optional<frontends::wasm::Fault> fault;
    frontends::wasm::Cursor cursor(bytes, 0, fault);
    read(cursor);
    return fault ? fault->message : "";
  };
  const auto u32 = [](auto& cursor) { (void)cursor.U32("n"); };
  const auto s32 = [](auto& cursor) { (void)cursor.S32("n"); };
  const auto s64 = [](auto& cursor) { (void)cursor.S64("n"); };
  EXPECT_EQ(message({0xFF, 0xFF, 0xFF, 0xFF, 0x0F}, u32), "");
  EXPECT_EQ(message({0x80, 0x80, 0x80, 0x80, 0x00}, u32), "");
  EXPECT_EQ(message({0xFF, 0xFF, 0xFF, 0xFF, 0x1F}, u32), "integer too large: n");
  EXPECT_EQ(message({0x80, 0x80, 0x80, 0x80, 0x80, 0}, u32), "integer representation too long: n");
  EXPECT_EQ(message({0x80}, u32), "unexpected end: n is missing");
  EXPECT_EQ(message({0xFF, 0xFF, 0xFF, 0xFF, 0x7F}, s32), "");
  EXPECT_EQ(message({0xFF, 0xFF, 0xFF, 0xFF, 0x4F}, s32), "integer too large: n");
  Bytes longest(9, 0x80);
  longest.push_back(0x7F);
  EXPECT_EQ(message(longest, s64), "");
  longest.back() = 0x7E;
  EXPECT_EQ(message(longest, s64), "integer too large: n");
  longest.back() = 0x80;
  EXPECT_EQ(message(longest, s64), "integer representation too long: n");
}

TEST(WasmCursor, SignedNumbersKeepTheirValue) {
  const auto s64 = [](const Bytes& bytes) {
    std::optional<frontends::wasm::Fault> fault;
    return frontends::wasm::Cursor(bytes, 0, fault).S64("n");
  };
  EXPECT_EQ(s64({0x3F}), 63);
  EXPECT_EQ(s64({0x40}), -64);
  EXPECT_EQ(s64({0xC0, 0x00}), 64);
  EXPECT_EQ(s64({0x80, 0x7F}), -128);
  EXPECT_EQ(s64({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7F}),
            std::numeric_limits<std::int64_t>::min());
}

TEST(WasmCursor, Utf8IsStrict) {
  using frontends::wasm::IsUtf8;
  EXPECT_TRUE(IsUtf8("plain"));
  EXPECT_TRUE(IsUtf8("\xC2\x80\xE0\xA0\x80\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"));
  EXPECT_FALSE(IsUtf8("\x80"));
  EXPECT_FALSE(IsUtf8("\xC1\xBF"));          // overlong
  EXPECT_FALSE(IsUtf8("\xE0\x9F\xBF"));      // overlong
  EXPECT_FALSE(IsUtf8("\xED\xA0\x80"));      // a surrogate
  EXPECT_FALSE(IsUtf8("\xF4\x90\x80\x80"));  // above U+10FFFF
  EXPECT_FALSE(IsUtf8("\xE2\x82"));          // cut off
}

TEST(WasmOpcodes, EveryRowIsFoundByItsCode) {
  using namespace frontends::wasm;
  for (std::size_t i = 0; i < kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    const OpInfo& info = InfoOf(op);
    EXPECT_EQ(info.prefix == 0 ? OpOf(static_cast<std::uint8_t>(info.code))
                               : OpOf(info.prefix, info.code),
              op)
        << info.text;
  }
}

}  // namespace
}  // namespace txvm::tests
