// Every way a module is refused, with its exact words.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/wat/load.h"
#include "frontends/wat/reader.h"

namespace txvm::frontends::wat {
namespace {

using isa::ErrorCode;

struct Refusal {
  std::string text;
  ErrorCode code = ErrorCode::kInternal;
};

Refusal Refuse(const isa::Result<isa::Program>& program) {
  if (program) return {"accepted", ErrorCode::kInternal};
  return {program.error().ToString(), program.error().code};
}

std::string WatError(std::string_view text, ErrorCode code) {
  const Refusal refusal = Refuse(LoadWat(text, "e.wat"));
  EXPECT_EQ(static_cast<int>(refusal.code), static_cast<int>(code)) << refusal.text;
  return refusal.text;
}

std::string WasmError(const std::vector<std::uint8_t>& bytes, ErrorCode code) {
  const Refusal refusal = Refuse(LoadWasm(bytes, "e.wasm"));
  EXPECT_EQ(static_cast<int>(refusal.code), static_cast<int>(code)) << refusal.text;
  return refusal.text;
}

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

void AppendLeb(std::vector<std::uint8_t>& out, std::size_t value) {
  do {
    const auto low = static_cast<std::uint8_t>(value & 0x7F);
    value >>= 7;
    out.push_back(value == 0 ? low : low | 0x80);
  } while (value != 0);
}

void AppendSection(std::vector<std::uint8_t>& out, std::uint8_t id,
                   const std::vector<std::uint8_t>& section) {
  out.push_back(id);
  AppendLeb(out, section.size());
  out.insert(out.end(), section.begin(), section.end());
}

/// A binary module with `count` functions [] -> [] of this body (local declarations included).
std::vector<std::uint8_t> WithBodies(std::size_t count, const std::vector<std::uint8_t>& body) {
  std::vector<std::uint8_t> out = {0, 'a', 's', 'm', 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0};
  std::vector<std::uint8_t> types, bodies;
  AppendLeb(types, count);
  types.insert(types.end(), count, 0);
  AppendLeb(bodies, count);
  for (std::size_t i = 0; i < count; ++i) {
    AppendLeb(bodies, body.size());
    bodies.insert(bodies.end(), body.begin(), body.end());
  }
  AppendSection(out, 3, types);
  AppendSection(out, 10, bodies);
  return out;
}

std::vector<std::uint8_t> WithBody(const std::vector<std::uint8_t>& body) {
  return WithBodies(1, body);
}

std::vector<std::uint8_t> NestedBlocks(int levels) {
  std::vector<std::uint8_t> body = {0};
  for (int i = 0; i < levels; ++i) body.insert(body.end(), {0x02, 0x40});
  body.insert(body.end(), static_cast<std::size_t>(levels) + 1, 0x0B);
  return WithBody(body);
}

TEST(WatError, SyntaxShowsLineAndCaret) {
  EXPECT_EQ(
      WatError("(module\n  (func (export \"f\")\n    i32.addd))", ErrorCode::kSyntax),
      "e.wat:3:5: error: unknown operator: i32.addd is no instruction (did you mean i32.add?)\n"
      "      i32.addd))\n"
      "      ^");
  EXPECT_EQ(WatError("", ErrorCode::kSyntax),
            "e.wat:1:1: error: unexpected token: expected a module, found the end of the text");
}

TEST(WatError, ValidationShowsLineAndCaret) {
  EXPECT_EQ(
      WatError("(module\n  (func (result i32)\n    i64.const 1))", ErrorCode::kInvalid),
      "e.wat:3:16: error: type mismatch: end needs i32, found i64; the stack before it: i64 of "
      "i64.const at 3:5\n"
      "      i64.const 1))\n"
      "                 ^");
  EXPECT_EQ(WatError("(module (func (local $xyz i32) local.get $xyy))", ErrorCode::kSyntax),
            "e.wat:1:42: error: unknown local $xyy (did you mean xyz?)\n"
            "  (module (func (local $xyz i32) local.get $xyy))\n"
            "                                           ^");
}

TEST(WatError, SizeLimit) {
  EXPECT_EQ(WatError(std::string(kMaxSourceBytes + 1, ' '), ErrorCode::kLimit),
            "e.wat: error: the text has 268435457 bytes; the limit is 268435456");
}

TEST(WatError, NestingLimitFlatAndFolded) {
  const std::string flat =
      "(module (func " + Repeat("block\n", 1'000'001) + Repeat("end ", 1'000'001) + "))";
  EXPECT_EQ(WatError(flat, ErrorCode::kLimit),
            "e.wat:1000001:1: error: nesting is deeper than 1000000 levels\n"
            "  block\n"
            "  ^");
  const std::string folded =
      "(module (func " + Repeat("(block\n", 1'000'001) + Repeat(")", 1'000'001) + "))";
  EXPECT_EQ(WatError(folded, ErrorCode::kLimit),
            "e.wat:1000001:2: error: nesting is deeper than 1000000 levels\n"
            "  (block\n"
            "   ^");
  const std::string comment = Repeat("(;", 100'000) + Repeat(";)", 100'000) + "(module)";
  EXPECT_TRUE(LoadWat(comment, "e.wat"));
}

TEST(WatError, NestingUpToTheLimitIsFine) {
  EXPECT_TRUE(
      ReadText("(module (func " + Repeat("block ", 999'999) + Repeat("end ", 999'999) + "))", "e"));
  EXPECT_TRUE(ReadText(
      "(module (func " + Repeat("(loop (block ", 499'999) + Repeat("))", 499'999) + "))", "e"));
  // Operands in parentheses open no block.
  EXPECT_TRUE(ReadText("(module (func (result i32) " + Repeat("(i32.eqz ", 2'000'000) +
                           "(i32.const 1)" + Repeat(")", 2'000'000) + "))",
                       "e"));
  EXPECT_TRUE(ReadText(Repeat("(@a ", 1'000'000) + Repeat(")", 1'000'000) + "(module)", "e"));
}

TEST(WatError, LocalsLimit) {
  EXPECT_EQ(WatError("(module (func (local" + Repeat(" i32", 50'001) + ")))", ErrorCode::kLimit),
            "e.wat:1:9: error: a function has 50001 locals; the limit is 50000");
}

TEST(WatError, ValuesLimit) {
  EXPECT_EQ(WatError("(module (func (param" + Repeat(" i32", 1'001) + ")))", ErrorCode::kLimit),
            "e.wat:1:15: error: the number of parameters of a type is 1001; the limit is 1000");
}

TEST(WatError, TypeCopiesLimit) {
  const std::string type = "(module (type (func (param" + Repeat(" i32", 1'000) + ")))(func ";
  const std::string error =
      WatError(type + "unreachable " + Repeat("block (type 0) unreachable end ", 20'000) + "))",
               ErrorCode::kLimit);
  EXPECT_NE(error.find("the types of blocks, branches and calls have too many values in all"),
            std::string::npos)
      << error;
}

TEST(WatError, CodeLimit) {
  const std::string deep = "(module (func (result i32) (block (result i32) " +
                           Repeat("i32.const 1 ", 9'000) + Repeat("i32.const 1 br_if 0 ", 2'000) +
                           "return)))";
  EXPECT_EQ(WatError(deep, ErrorCode::kLimit),
            "e.wat: error: the module needs more than 8388608 instructions");
}

TEST(WatError, ManyInstructionsAndLabelsAreNone) {
  EXPECT_TRUE(ReadText("(module (func " + Repeat("nop ", 4'300'000) + "))", "e"));
  EXPECT_TRUE(
      ReadText("(module (func (br_table" + Repeat(" 0", 4'194'304) + " (i32.const 0))))", "e"));
}

TEST(WatError, ElementsAndAnnotations) {
  EXPECT_EQ(WatError("(elem funcref(", ErrorCode::kSyntax),
            "e.wat:1:1: error: unexpected end of the text: this '(' is not closed\n"
            "  (elem funcref(\n"
            "  ^");
  EXPECT_EQ(WatError("(module (table 1 funcref (elem (nop))))", ErrorCode::kSyntax),
            "e.wat:1:27: error: unknown operator: elem is no instruction\n"
            "  (module (table 1 funcref (elem (nop))))\n"
            "                            ^");
  EXPECT_TRUE(LoadWat("(module (@name \"x\"))", "e.wat"));
  EXPECT_TRUE(LoadWat("(module quote \"(func)\")", "e.wat"));
  EXPECT_EQ(WatError("(elem funcref(ref.func $f)(item ref.func)(ref.func $g))", ErrorCode::kSyntax),
            "e.wat:1:24: error: unknown function $f\n"
            "  (elem funcref(ref.func $f)(item ref.func)(ref.func $g))\n"
            "                         ^");
  EXPECT_TRUE(LoadWat("(module (table funcref (elem (ref.func $f))) (func $f))", "e.wat"));
}

TEST(WatError, ImportsThatAreNoFunctions) {
  EXPECT_EQ(WatError("(module (import \"m\" \"mem\" (memory 1)))", ErrorCode::kUnsupported),
            "e.wat: error: memory \"m\" \"mem\" is imported; a program must own it");
  EXPECT_EQ(WatError("(module (import \"m\" \"t\" (table 1 funcref)))", ErrorCode::kUnsupported),
            "e.wat: error: table \"m\" \"t\" is imported; a program must own it");
  EXPECT_EQ(WatError("(module (import \"m\" \"g\" (global i32)))", ErrorCode::kUnsupported),
            "e.wat: error: global \"m\" \"g\" is imported; a program must own it");
}

TEST(WatError, IndirectCallsThroughATableThatHoldsNoFunctions) {
  EXPECT_EQ(WatError("(module (table 1 funcref) (table $e 1 externref)\n"
                     "  (func unreachable (call_indirect $e (i32.const 0))))",
                     ErrorCode::kInvalid),
            "e.wat:2:22: error: type mismatch: call_indirect needs a table of funcref, table 1 is "
            "of externref; the stack before it: i32 of i32.const at 2:40\n"
            "    (func unreachable (call_indirect $e (i32.const 0))))\n"
            "                       ^");
}

TEST(WatError, TagsWithResults) {
  EXPECT_EQ(WatError("(module\n  (import \"m\" \"oops\" (tag (result i32))))", ErrorCode::kInvalid),
            "e.wat:2:3: error: non-empty tag result type: a tag has values, no results\n"
            "    (import \"m\" \"oops\" (tag (result i32))))\n"
            "    ^");
}

TEST(WatError, MemoriesWith64BitAddresses) {
  EXPECT_EQ(WatError("(module\n  (memory i64 65537))", ErrorCode::kLimit),
            "e.wat: error: the 64-bit memory has 65537 pages at first; it can have 65536 (4 GiB)");
  EXPECT_EQ(
      WasmError({0, 'a', 's', 'm', 1, 0, 0, 0, 5, 3, 1, 8, 1}, ErrorCode::kSyntax),
      "e.wasm: error: integer too large: the flags of limits are 0x08: custom page sizes are not "
      "supported (at byte 11)");
}

TEST(WatError, SeveralMemories) {
  EXPECT_EQ(WatError("(module (memory 40000) (memory 30000))", ErrorCode::kLimit),
            "e.wat: error: the memories have 70000 pages at first; together they can have 65535");
  EXPECT_EQ(
      WatError("(module (memory 1) (memory 1) (data (memory 1) (i32.const 65535) \"ab\"))",
               ErrorCode::kInvalid),
      "e.wat: error: out of bounds memory access: data segment 0 of 2 bytes does not fit into "
      "memory 1 of 65536 bytes");
}

TEST(WatError, SegmentsThatDoNotFit) {
  EXPECT_EQ(WatError("(module (table 2 funcref) (func $f) (elem (i32.const 1) $f $f))",
                     ErrorCode::kInvalid),
            "e.wat: error: out of bounds table access: element segment 0 needs 3 elements, table 0 "
            "has 2");
  EXPECT_EQ(WatError("(module (memory 1) (data (offset)))", ErrorCode::kInvalid),
            "e.wat:1:26: error: type mismatch: a constant expression leaves 0 values, expected one "
            "of i32\n"
            "  (module (memory 1) (data (offset)))\n"
            "                           ^");
}

TEST(WasmError, MalformedHeaders) {
  EXPECT_EQ(WasmError({}, ErrorCode::kSyntax),
            "e.wasm: error: unexpected end: no magic header (at byte 0)");
  EXPECT_EQ(WasmError({0, 'a', 's', 'm', 2, 0, 0, 0}, ErrorCode::kSyntax),
            "e.wasm: error: unknown binary version 2, expected 1 (at byte 4)");
  EXPECT_EQ(WasmError({0, 'a', 's', 'm', 1, 0, 0, 0, 0x20, 0}, ErrorCode::kSyntax),
            "e.wasm: error: malformed section id 32 (at byte 8)");
}

TEST(WasmError, HugeCounts) {
  EXPECT_EQ(
      WasmError({0, 'a', 's', 'm', 1, 0, 0, 0, 1, 6, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x60},
                ErrorCode::kSyntax),
      "e.wasm: error: unexpected end: the number of types is 4294967295, and 1 bytes are left "
      "(at byte 10)");
  EXPECT_EQ(WasmError(WithBody({1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x7F, 0x0B}), ErrorCode::kLimit),
            "e.wasm: error: a function has 4294967295 locals; the limit is 50000 (at byte 22 in "
            "function 0)");
  EXPECT_EQ(WasmError(WithBody({1, 0xFF, 0xFF, 0xFF, 0x7F, 0x7F, 0x0B}), ErrorCode::kLimit),
            "e.wasm: error: a function has 268435455 locals; the limit is 50000 (at byte 22 in "
            "function 0)");
}

// 8 bytes of a binary declare 50'000 locals.
TEST(WasmError, LocalsOfAllFunctionsTogether) {
  constexpr std::size_t kFunctions = 335;  // of 50'000 locals: 27'216 below the limit
  const std::vector<std::uint8_t> body = {1, 0xD0, 0x86, 0x03, 0x7F, 0x0B};
  EXPECT_TRUE(LoadWasm(WithBodies(kFunctions, body), "e.wasm"));
  EXPECT_EQ(WasmError(WithBodies(kFunctions + 1, body), ErrorCode::kLimit),
            "e.wasm: error: the functions up to this one have 16800000 locals; the limit is "
            "16777216 (at byte 2706 in function 335)");
}

// What WABT could not have read.
TEST(WasmError, ManyInstructionsAndDeepNestingAreNone) {
  std::vector<std::uint8_t> body = {0};
  body.insert(body.end(), 4'300'000, 0x01);
  body.push_back(0x0B);
  EXPECT_TRUE(LoadWasm(WithBody(body), "e.wasm"));
  EXPECT_TRUE(LoadWasm(NestedBlocks(1'000), "e.wasm"));
  EXPECT_EQ(WasmError(NestedBlocks(2'000'000), ErrorCode::kLimit),
            "e.wasm: error: nesting is deeper than 1000000 levels (at byte 2000029 in function 0)");
}

TEST(WasmError, BlocksInAConstantExpression) {
  EXPECT_EQ(
      WasmError({0, 'a', 's', 'm', 1, 0, 0, 0, 6, 8, 1, 0x7F, 0, 0x02, 0x40, 0x0B, 0x41, 0x0B},
                ErrorCode::kInvalid),
      "e.wasm: error: constant expression required: it has block (at byte 13)");
}

TEST(WasmError, NestingOfAModuleInsideText) {
  std::string text =
      "(module binary \"\\00asm\\01\\00\\00\\00\\01\\04\\01\\60\\00\\00\\03\\02\\01\\00\" \"";
  const std::vector<std::uint8_t> binary = NestedBlocks(1'000'001);
  constexpr std::string_view kHex = "0123456789abcdef";
  for (std::size_t i = 18; i < binary.size(); ++i) {
    text += {'\\', kHex[binary[i] >> 4], kHex[binary[i] & 15]};
  }
  EXPECT_EQ(WatError(text + "\")", ErrorCode::kLimit),
            "e.wat: error: nesting is deeper than 1000000 levels (at byte 2000029 in function 0)");
}

TEST(WasmError, StubsNameTheByte) {
  const auto program = LoadWasm(WithBody({0, 0x42, 0x01, 0x1A, 0x0B}), "e.wasm");
  ASSERT_TRUE(program) << program.error().ToString();
  ASSERT_EQ(program->notes.size(), 1u);
  EXPECT_EQ(program->notes[0].text, "i64.const at byte 23 of e.wasm");
}

/// A module whose function 0, exported as "f", returns 7, between two custom sections.
isa::Result<isa::Program> LoadWithCustom(const std::vector<std::uint8_t>& before,
                                         const std::vector<std::uint8_t>& behind) {
  std::vector<std::uint8_t> bytes = {0, 'a', 's', 'm', 1, 0, 0, 0};
  if (!before.empty()) AppendSection(bytes, 0, before);
  bytes.insert(bytes.end(), {1, 5, 1, 0x60, 0, 1, 0x7F, 3, 2, 1, 0, 7, 5, 1, 1, 'f', 0, 0});
  bytes.insert(bytes.end(), {10, 6, 1, 4, 0, 0x41, 7, 0x0B});
  if (!behind.empty()) AppendSection(bytes, 0, behind);
  return LoadWasm(bytes, "e.wasm");
}

std::vector<std::uint8_t> Custom(std::string_view name, const std::vector<std::uint8_t>& content) {
  std::vector<std::uint8_t> section = {static_cast<std::uint8_t>(name.size())};
  section.insert(section.end(), name.begin(), name.end());
  section.insert(section.end(), content.begin(), content.end());
  return section;
}

// WebAssembly, binary format of modules: an implementation that reads the data of a custom section
// must not let an error there invalidate the module.
TEST(WasmError, WhatACustomSectionSaysIsNoFaultOfTheModule) {
  const std::vector<std::uint8_t> name = Custom("name", {1, 4, 1, 0, 1, 't'});
  const auto plain = LoadWithCustom({}, name);
  ASSERT_TRUE(plain) << plain.error().ToString();
  EXPECT_EQ(plain->functions[0].name, "t");
  const std::vector<std::pair<const char*, std::vector<std::uint8_t>>> faults = {
      {"a function that is not there", Custom("name", {1, 4, 1, 99, 1, 't'})},
      {"a local that is not there", Custom("name", {2, 6, 1, 0, 1, 9, 1, 'x'})},
      {"a name cut off", Custom("name", {1, 4, 1, 0, 9, 't'})},
      {"a name that is no UTF-8", Custom("name", {1, 4, 1, 0, 1, 0xFF})},
      {"a function named twice", Custom("name", {1, 7, 2, 0, 1, 't', 0, 1, 'u'})},
      {"more names than functions", Custom("name", {1, 7, 2, 0, 1, 't', 1, 1, 'u'})},
      {"linking of version 1", Custom("linking", {1})},
      {"target features cut off", Custom("target_features", {1, '+', 9, 's'})},
      {"more than the target features", Custom("target_features", {0, 0})},
      {"relocations of no kind", Custom("reloc.CODE", {0, 1, 99, 0, 0})},
      {"a dylink section cut off", Custom("dylink", {})},
  };
  for (const auto& [what, section] : faults) {
    for (const bool in_front : {false, true}) {
      const std::vector<std::uint8_t> none;
      const auto program = LoadWithCustom(in_front ? section : none, in_front ? none : section);
      ASSERT_TRUE(program) << what << ": " << program.error().ToString();
      EXPECT_EQ(program->exports[0].name, "f") << what;
      EXPECT_NE(program->functions[0].name, "t") << what;
    }
  }
  EXPECT_TRUE(LoadWithCustom(name, name)) << "names in front of what they name, and twice";
}

TEST(WasmError, TheNameOfACustomSectionIsPartOfTheModule) {
  const auto error = [](const std::vector<std::uint8_t>& section) {
    return Refuse(LoadWithCustom({}, section)).text;
  };
  EXPECT_EQ(
      error({5, 'n', 'a'}),
      "e.wasm: error: length out of bounds: the name of a custom section has 5 bytes, and 2 are "
      "left (at byte 37)");
  EXPECT_EQ(error({2, 0xC3, 'a'}),
            "e.wasm: error: malformed UTF-8 encoding: the name of a custom section (at byte 37)");
  EXPECT_EQ(error({0x80}),
            "e.wasm: error: unexpected end: the name of a custom section is missing (at byte 37)");
}

// Not even after a section that the reader skips.
TEST(WasmError, ACustomSectionHidesNothing) {
  std::vector<std::uint8_t> bytes = {0, 'a', 's', 'm', 1, 0, 0, 0};
  AppendSection(bytes, 0, Custom("linking", {1}));
  const std::vector<std::uint8_t> deep = NestedBlocks(2'000'000);
  bytes.insert(bytes.end(), deep.begin() + 8, deep.end());
  EXPECT_EQ(WasmError(bytes, ErrorCode::kLimit),
            "e.wasm: error: nesting is deeper than 1000000 levels (at byte 2000040 in function 0)");
  bytes.resize(8);
  AppendSection(bytes, 0, Custom("linking", {1}));
  AppendSection(bytes, 1, {1, 0x61, 0, 0});
  EXPECT_EQ(WasmError(bytes, ErrorCode::kSyntax),
            "e.wasm: error: malformed type form 0x61 (at byte 22)");
}

// The place is where a disassembler shows the instruction, not where the next one begins.
TEST(WasmError, NotesNameTheFirstByte) {
  const auto note = [](const std::vector<std::uint8_t>& body) -> std::string {
    const auto program = LoadWasm(WithBody(body), "e.wasm", {.lower_i64 = false});
    if (!program) return program.error().ToString();
    return program->notes.empty() ? "" : program->notes[0].text;
  };
  EXPECT_EQ(note({0, 0x01, 0x41, 0, 0xFD, 0x0F, 0x1A, 0x0B}), "i8x16.splat at byte 26 of e.wasm");
  std::vector<std::uint8_t> body = {0, 0x02, 0x40, 0x41, 0, 0x0D, 0, 0xFD, 0x0C};
  body.resize(body.size() + 16);  // the lanes of the v128.const
  body.insert(body.end(), {0x1A, 0x0B, 0x0B});
  EXPECT_EQ(note(body), "v128.const at byte 29 of e.wasm");
  EXPECT_EQ(note({1, 1, 0x7B, 0x20, 0x80, 0x80, 0, 0x1A, 0x0B}),
            "local.get of type v128 at byte 25 of e.wasm");
}

}  // namespace
}  // namespace txvm::frontends::wat
