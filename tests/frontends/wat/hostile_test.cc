// Mutated modules: whatever the bytes, loading answers with a program or an error.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wat/load.h"
#include "frontends/wat/wast.h"
#include "isa/verify.h"
#include "tests/support/random_wasm.h"
#include "tests/support/wabt_interp.h"
#include "vm/machine.h"

namespace txvm::frontends::wat {
namespace {

/// Calls through one table with `types` x `types` signatures, none of which an element has but
/// those of no parameters and one result.
std::string ManyDispatchers(int types, int elements) {
  std::string text = "(module (func $f (result i32) (i32.const 7)) (table funcref (elem";
  for (int i = 0; i < elements; ++i) text += " 0";
  text += "))\n(func (export \"f\")\n";
  for (int params = 0; params < types; ++params) {
    for (int results = 0; results < types; ++results) {
      for (int i = 0; i <= params; ++i) text += "i32.const 0 ";
      text += "call_indirect";
      for (int i = 0; i < params; ++i) text += " (param i32)";
      for (int i = 0; i < results; ++i) text += " (result i32)";
      for (int i = 0; i < results; ++i) text += " drop";
      text += "\n";
    }
  }
  return text + "))";
}

// A dispatcher costs what it matches: 900 of them for a table of 200,000 elements took a minute
// when each looked at the whole table.
TEST(WatHostile, ManyTypesTimesALargeTableAreLoweredInTime) {
  constexpr std::chrono::seconds kMost(10);
  constexpr int kTypes = 30, kElements = 200'000;
  const std::string text = ManyDispatchers(kTypes, kElements);
  const auto start = std::chrono::steady_clock::now();
  const auto program = LoadWat(text, "hostile.wat");
  EXPECT_LT(std::chrono::steady_clock::now() - start, kMost);
  ASSERT_TRUE(program) << program.error().ToString();
  EXPECT_TRUE(isa::Verify(*program));
}

// Zeroing locals adds instructions when the body is done; past the limit, what was left of it
// wrapped around and the next function could be of any size.
TEST(WatHostile, ZeroedLocalsCountTowardsTheLimitOfCode) {
  constexpr int kLocals = 900, kUnwound = 2'000, kBranches = 4'183;  // 8'388'533 instructions
  std::string text = "(module (func (local";
  for (int i = 0; i < kLocals; ++i) text += " i32";
  text += ")\n";
  for (int i = 0; i < kLocals; ++i) text += "local.get " + std::to_string(i) + " drop\n";
  text += "block\n";
  for (int i = 0; i < kUnwound; ++i) text += "i32.const 1\n";
  for (int i = 0; i < kBranches; ++i) text += "i32.const 1 br_if 0\n";
  for (int i = 0; i < kUnwound; ++i) text += "drop\n";
  text += "end) (func (export \"f\")))";
  const auto program = LoadWat(text, "hostile.wat");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, isa::ErrorCode::kLimit);
  EXPECT_EQ(program.error().message, "the module needs more than 8388608 instructions");
}

constexpr int kTextCases = 3'000;
constexpr int kBinaryCases = 3'000;
constexpr int kScriptCases = 600;

constexpr auto kTokens = std::to_array<std::string_view>({"(",
                                                          ")",
                                                          "(elem",
                                                          "funcref",
                                                          "externref",
                                                          "(item",
                                                          "(offset",
                                                          "declare",
                                                          "(func",
                                                          "(module",
                                                          "binary",
                                                          "quote",
                                                          "\"a\"",
                                                          "(table",
                                                          "(memory",
                                                          "(data",
                                                          "(global",
                                                          "(mut",
                                                          "i32",
                                                          "i64",
                                                          "block",
                                                          "loop",
                                                          "if",
                                                          "else",
                                                          "end",
                                                          "(then",
                                                          "try",
                                                          "catch",
                                                          "delegate",
                                                          "(do",
                                                          "br",
                                                          "br_table",
                                                          "(type",
                                                          "(param",
                                                          "(result",
                                                          "(local",
                                                          "(import",
                                                          "(export",
                                                          "(start",
                                                          "ref.null",
                                                          "ref.func",
                                                          "0",
                                                          "1",
                                                          "-1",
                                                          "0x",
                                                          "$x",
                                                          "4294967295",
                                                          "i32.const",
                                                          "v128.const",
                                                          "i8x16",
                                                          "select",
                                                          "offset=1",
                                                          "align=3",
                                                          "table.init",
                                                          "elem.drop",
                                                          "nan:canonical",
                                                          "(;",
                                                          ";)",
                                                          ";;",
                                                          "\"\\ff",
                                                          "\"",
                                                          "(@a",
                                                          "(either",
                                                          "(invoke",
                                                          "register",
                                                          "(field",
                                                          "(ref",
                                                          "(tag",
                                                          "throw",
                                                          "return_call",
                                                          "shared",
                                                          "\\",
                                                          "(assert_invalid",
                                                          "call_indirect",
                                                          "i8x16.shuffle"});

constexpr std::string_view kSmall = R"((module $m
  (import "env" "f" (func $h (param i32) (result i32)))
  (type $t (func (param i32) (result i32)))
  (table $tab 4 8 funcref) (memory 1 2) (global $g (mut i32) (i32.const 1))
  (elem (i32.const 0) $a $a) (elem declare funcref (ref.func $a)) (elem funcref (item ref.func $a))
  (data (i32.const 3) "\00abc") (data "passive")
  (func $a (type $t) (local $x i32) (block (result i32) (br_table 0 0 (local.get 0) (i32.const 1))))
  (func (export "run") (result i32) (loop $l (br_if $l (i32.const 0)))
    (call_indirect (type $t) (i32.const 2) (i32.const 0)))
  (start 3) (func)))";

constexpr std::string_view kWide = R"((module
  (import "env" "f" (func $h (param i64 f32) (result i64)))
  (memory 1) (global $g (mut i64) (i64.const 5))
  (func $w (export "w") (param i64 i32) (result i64) (local i64 f64 i32)
    (block (result i64)
      (i64.mul (local.get 0) (i64.shl (local.tee 2 (global.get $g)) (i64.const 40)))
      (br_if 0 (local.get 1)) (global.set $g (i64.load offset=8 (local.get 4)))
      (select (i64.const 3) (i64.div_s (local.get 2) (local.get 0)) (i64.eqz (local.get 2)))
      (if (param i64) (result i64) (i64.lt_s (local.get 0) (i64.const -1))
        (then (return)) (else drop (call $h (local.get 0) (f32.const 1)))) i64.add)))
)";

constexpr std::string_view kScript = R"((module (func (export "f") (result i32) (i32.const 1)))
  (assert_return (invoke "f") (i32.const 1))
  (assert_malformed (module quote "(func") "x") (assert_invalid (module (func (result i32))) "y")
  (module $b binary "\00asm" "\01\00\00\00") (register "b" $b) (assert_trap (invoke "f") "z"))";

/// One to six random edits; where they fall and what they are depends on `state` alone.
std::string Mutate(std::string text, std::uint64_t& state, bool is_text) {
  const auto below = [&state](std::size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((state >> 33) % std::max<std::size_t>(n, 1));
  };
  for (std::size_t edit = 1 + below(6); edit > 0; --edit) {
    const std::size_t at = below(text.size());
    switch (below(is_text ? 6 : 4)) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, below(30));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), below(60)));
        break;
      case 3:
        if (below(4) == 0) text.resize(at);
        break;
      default:
        text.insert(at, " " + std::string(kTokens[below(kTokens.size())]) + " ");
        break;
    }
  }
  return text;
}

/// Loads and, when that works, runs every export briefly.
void Exercise(const isa::Result<isa::Program>& program) {
  if (!program) {
    EXPECT_FALSE(program.error().message.empty());
    EXPECT_NE(program.error().code, isa::ErrorCode::kInternal) << program.error().message;
    return;
  }
  const auto verified = isa::Verify(*program);
  ASSERT_TRUE(verified) << verified.error().ToString();
  vm::MachineOptions options;
  options.engine = vm::EngineKind::kNative;
  options.limits = {.max_slots = 10'000, .max_depth = 100, .max_locals = 100'000, .max_pages = 4};
  auto machine =
      vm::Machine::Load(std::make_shared<const isa::Program>(*program), vm::Linker(), options);
  if (!machine) return;
  (void)machine->RunInit({.fuel = 10'000, .trace = {}});
  for (const isa::Export& entry : program->exports) {
    const std::vector<vm::Word> args(entry.params);
    (void)machine->Call(entry, args, {.fuel = 10'000, .trace = {}});
  }
}

TEST(Hostile, MutatedText) {
  std::vector<std::string> corpus = {std::string(kSmall), std::string(kWide)};
  for (std::uint64_t seed = 1; seed < 12; ++seed) {
    corpus.push_back(tests::MakeRandomWasm(seed, {.numbers = seed % 2 == 1}).text);
  }
  std::uint64_t state = 7;
  for (int i = 0; i < kTextCases; ++i) {
    SCOPED_TRACE(i);
    const std::size_t number =
        i % 4 < 2 ? static_cast<std::size_t>(i % 4) : static_cast<std::size_t>(i) % corpus.size();
    const std::string& seed = corpus[number];
    Exercise(LoadWat(Mutate(seed, state, /*is_text=*/true), "m.wat",
                     {.optimize = true, .lower_i64 = i % 3 != 0}));
  }
}

TEST(Hostile, MutatedBinary) {
  std::vector<std::string> corpus;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const std::vector<std::uint8_t> bytes =
        tests::WabtBinary(seed == 0   ? std::string(kSmall)
                          : seed == 1 ? std::string(kWide)
                                      : tests::MakeRandomWasm(seed, {.numbers = seed % 2 == 1}).text);
    ASSERT_FALSE(bytes.empty());
    corpus.emplace_back(bytes.begin(), bytes.end());
  }
  std::uint64_t state = 8;
  for (int i = 0; i < kBinaryCases; ++i) {
    SCOPED_TRACE(i);
    const std::string bytes =
        Mutate(corpus[static_cast<std::size_t>(i) % corpus.size()], state, /*is_text=*/false);
    Exercise(LoadWasm({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, "m.wasm",
                      {.optimize = true, .lower_i64 = i % 3 != 0}));
  }
}

TEST(Hostile, EveryTruncationOfABinary) {
  const std::vector<std::uint8_t> bytes = tests::WabtBinary(std::string(kSmall));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Exercise(LoadWasm({bytes.data(), size}, "t.wasm"));
  }
}

TEST(Hostile, MutatedScripts) {
  WastOptions options;
  options.engine = vm::EngineKind::kNative;
  options.fuel = 10'000;
  options.limits.max_pages = 4;
  std::uint64_t state = 9;
  for (int i = 0; i < kScriptCases; ++i) {
    SCOPED_TRACE(i);
    const auto report =
        RunWast(Mutate(std::string(kScript), state, /*is_text=*/true), "m.wast", options);
    EXPECT_TRUE(report || !report.error().message.empty());
  }
}

TEST(Hostile, RandomBytes) {
  std::uint64_t state = 10;
  for (int i = 0; i < 300; ++i) {
    std::string bytes = i % 2 == 0 ? std::string("\0asm\1\0\0\0", 8) : std::string();
    for (int k = 0; k < 100; ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      bytes += static_cast<char>(state >> 56);
    }
    Exercise(LoadWat(bytes, "r.wat"));
    Exercise(LoadWasm({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, "r"));
  }
}

}  // namespace
}  // namespace txvm::frontends::wat
