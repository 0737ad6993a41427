// Modules that call themselves.
#include "frontends/cli/wasm_call.h"

#include <gtest/gtest.h>

#include "frontends/cli/foreign.h"
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

isa::Result<std::vector<isa::Word>> RunCaller(std::string_view wasm) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(wasm.data()), wasm.size());
  TXVM_TRY(isa::Program program, wat::LoadWasm(bytes, "call.wasm"));
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
    const auto module = WithCall(kSub, "sub", args, 1);
    ASSERT_TRUE(module) << module.error().message;
    const auto results = RunCaller(*module);
    ASSERT_TRUE(results) << results.error().message;
    EXPECT_EQ(*results, std::vector<isa::Word>{a - b});
  }
}

TEST(WithCall, RefusesAnUnknownExport) {
  const auto module = WithCall(kSub, "add", {}, 1);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().message, "cannot add a caller to this module");
}

TEST(WithCall, TruncatedModulesAreRefusedOrShort) {
  for (std::size_t size = 0; size < kSub.size(); ++size) {
    const auto module = WithCall(kSub.substr(0, size), "sub", {}, 1);
    // Cut behind the export section, a module still has all that is needed.
    if (module) {
      EXPECT_GE(size, kSub.size() - 11) << size;
    }
  }
}

}  // namespace
}  // namespace txvm::frontends::cli
