// Modules that call themselves.
#include "frontends/cli/compare/wasm_call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "frontends/wat/load.h"
#include "vm/machine.h"

namespace txvm::frontends::cli {
namespace {

// (module (func (export "sub") (param i32 i32) (result i32) local.get 0 local.get 1 i32.sub))
constexpr std::string_view kSub(
    "\0asm\1\0\0\0"
    "\1\7\1\x60\2\x7f\x7f\1\x7f"
    "\3\2\1\0"
    "\7\7\1\3sub\0\0"
    "\n\11\1\7\0 \0 \1\x6b\x0b",
    41);

const std::vector<isa::Word> kTwo = {7, 5};

isa::Result<std::vector<isa::Word>> RunCaller(std::string_view wasm) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(wasm.data()), wasm.size());
  TXVM_TRY(isa::Program program,
           wat::LoadWasm(bytes, "call.wasm", {.optimize = true, .lower_i64 = true}));
  TXVM_TRY(vm::Machine machine,
           vm::Machine::Load(std::make_shared<const isa::Program>(std::move(program)), {}));
  TXVM_TRY(const isa::Export* entry, vm::ChooseEntry(machine.program(), "txvm_call"));
  TXVM_TRY(const vm::RunResult run, machine.Call(*entry, {}));
  return run.results;
}

TEST(WithCall, TheCallerPassesItsArguments) {
  for (const auto& [a, b] : std::vector<std::pair<isa::Word, isa::Word>>{
           {7, 5}, {0, 63}, {0, 64}, {0x80000000u, 1}, {0xFFFFFFFFu, 0x7FFFFFFFu}}) {
    const std::vector<isa::Word> args = {a, b};
    const auto module = WithCall(kSub, "sub", args);
    ASSERT_TRUE(module) << module.error().message;
    const auto results = RunCaller(*module);
    ASSERT_TRUE(results) << results.error().message;
    EXPECT_EQ(*results, std::vector<isa::Word>{a - b});
  }
}

TEST(WithCall, CallsAnotherExportBefore) {
  // A global of 1; `up` adds 4 to it, `sub` takes its argument off.
  const std::string_view wasm(
      "\0asm\1\0\0\0\1\11\2\x60\0\0\x60\1\x7f\1\x7f\3\3\2\0\1\6\6\1\x7f\1\x41\1\x0b"
      "\7\14\2\2up\0\0\3sub\0\1\n\23\2\11\0\x23\0\x41\4\x6a\x24\0\x0b\7\0\x23\0\x20\0\x6b\x0b",
      67);
  const std::vector<isa::Word> args = {3};
  const auto module = WithCall(wasm, "sub", args, "up");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(RunCaller(*module).value(), std::vector<isa::Word>{2});
  EXPECT_EQ(RunCaller(WithCall(wasm, "sub", args).value()).value(),
            std::vector<isa::Word>{0xFFFFFFFE});
  EXPECT_FALSE(WithCall(wasm, "sub", args, "down"));
}

// The same of another type; `sub` is its instruction.
std::string SubOf(char type, char sub) {
  std::string wasm(kSub);
  std::ranges::replace(wasm, kI32Type, type);
  wasm[wasm.size() - 2] = sub;
  return wasm;
}

TEST(WithCall, AnI64IsTwoWords) {
  const std::string wide = SubOf(kI64Type, '\x7d');
  const std::vector<isa::Word> args = {1, 0x80000000u, 0xFFFFFFFFu, 0};
  const auto module = WithCall(wide, "sub", args);
  ASSERT_TRUE(module) << module.error().message;
  const auto results = RunCaller(*module);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(*results, (std::vector<isa::Word>{2, 0x7FFFFFFFu}));
  const auto signature = SignatureOf(wide, "sub");
  ASSERT_TRUE(signature);
  EXPECT_EQ(signature->params, "\x7e\x7e");
  EXPECT_EQ(signature->results, "\x7e");
  EXPECT_FALSE(WithCall(wide, "sub", kTwo)) << "as many words as the arguments have";
}

TEST(WithCall, OtherTypesAreRefused) {
  const auto module = WithCall(SubOf('\x7b', '\x93'), "sub", kTwo);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().message,
            "its signature has a type that is none of i32, i64, f32 and f64");
}

// (func (export "sub") (param f64 f64) (result f64)): the caller has the constants and one local,
// takes the result through it and returns its bits.
TEST(WithCall, FloatsArePassedExactlyAndReturnedAsBits) {
  const std::string floats = SubOf(kF64Type, '\xa1');
  const std::vector<isa::Word> args = {1, 0x7FF00000u, 0, 0x80000000u};  // nan:0x1, -0.0
  const auto module = WithCall(floats, "sub", args);
  ASSERT_TRUE(module) << module.error().message;
  const std::string code(
      "\1\1\x7c\x44\1\0\0\0\0\0\xf0\x7f\x44\0\0\0\0\0\0\0\x80\x10\0\x21\0\x20\0\xbd\x0b", 29);
  EXPECT_EQ(module->substr(module->size() - code.size()), code);
  const auto signature = SignatureOf(*module, kCallName);
  ASSERT_TRUE(signature);
  EXPECT_EQ(signature->params, "");
  EXPECT_EQ(signature->results, "\x7e");
  EXPECT_FALSE(WithCall(floats, "sub", kTwo)) << "as many words as the arguments have";
}

TEST(WithCall, RefusesAnUnknownExport) {
  const auto module = WithCall(kSub, "add", {});
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().message, "cannot read its signature in the module");
}

TEST(WithCall, TruncatedModulesAreRefusedOrShort) {
  for (std::size_t size = 0; size < kSub.size(); ++size) {
    const auto module = WithCall(kSub.substr(0, size), "sub", kTwo);
    // Cut behind the export section, a module still has all that is needed.
    if (module) {
      EXPECT_GE(size, kSub.size() - 11) << size;
    }
  }
}

TEST(ImportsFrom, FindsAModuleByItsWholeName) {
  // (module (import "env" "memory" (memory 1)) (import "wasi" "f" (func)))
  const std::string_view wasm(
      "\0asm\1\0\0\0\1\4\1\x60\0\0"
      "\2\30\2\3env\6memory\2\0\1\4wasi\1f\0\0",
      40);
  EXPECT_TRUE(ImportsFrom(wasm, "env"));
  EXPECT_TRUE(ImportsFrom(wasm, "wasi"));
  EXPECT_FALSE(ImportsFrom(wasm, "was"));
  EXPECT_FALSE(ImportsFrom(wasm, "memory"));
  EXPECT_FALSE(ImportsFrom(wasm.substr(0, wasm.size() - 1), "wasi"));
  EXPECT_FALSE(ImportsFrom(kSub, "wasi"));
}

}  // namespace
}  // namespace txvm::frontends::cli
