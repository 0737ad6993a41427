// i64 as pairs of words: every instruction against 64-bit arithmetic in C++, at the values where
// carries, signs and shifts change, by every way an operand can arrive.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "frontends/wasm/wide.h"
#include "frontends/wat/load.h"
#include "isa/verify.h"
#include "tests/support/random.h"
#include "vm/machine.h"

namespace txvm::frontends::wat {
namespace {

using vm::Word;

constexpr std::uint64_t kLeast = 0x8000000000000000;
constexpr int kWordBits = 32;

std::vector<std::uint64_t> EdgeValues() {
  return {0,
          1,
          2,
          10,
          31,
          32,
          33,
          63,
          64,
          0xFFFF,
          0x10000,
          0x7FFFFFFF,
          0x80000000,
          0xFFFFFFFF,
          0x100000000,
          0x123456789ABCDEF0,
          0x7FFFFFFFFFFFFFFF,
          kLeast,
          kLeast + 1,
          0xFFFFFFFF00000000,
          0xFFFFFFFFFFFFFFFF,
          0xFFFFFFFFFFFFFFFE,
          0x0000FFFF0000FFFF,
          0xFFFFFFFF00000001};
}

std::int64_t Signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }
std::uint64_t Unsigned(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// The value of `op`, nothing when it traps.
using Reference = std::function<std::optional<std::uint64_t>(std::uint64_t, std::uint64_t)>;

Reference ReferenceOf(WideOp op) {
  using U = std::uint64_t;
  constexpr U kMask = 63;
  switch (op) {
    case WideOp::kI64Add:
      return [](U a, U b) { return a + b; };
    case WideOp::kI64Sub:
      return [](U a, U b) { return a - b; };
    case WideOp::kI64And:
      return [](U a, U b) { return a & b; };
    case WideOp::kI64Or:
      return [](U a, U b) { return a | b; };
    case WideOp::kI64Xor:
      return [](U a, U b) { return a ^ b; };
    case WideOp::kI64Shl:
      return [](U a, U b) { return a << (b & kMask); };
    case WideOp::kI64ShrU:
      return [](U a, U b) { return a >> (b & kMask); };
    case WideOp::kI64ShrS:
      return [](U a, U b) { return Unsigned(Signed(a) >> (b & kMask)); };
    case WideOp::kI64Rotl:
      return [](U a, U b) { return std::rotl(a, static_cast<int>(b & kMask)); };
    case WideOp::kI64Rotr:
      return [](U a, U b) { return std::rotr(a, static_cast<int>(b & kMask)); };
    case WideOp::kI64Mul:
      return [](U a, U b) { return a * b; };
    case WideOp::kI64DivU:
      return [](U a, U b) { return b == 0 ? std::nullopt : std::optional<U>(a / b); };
    case WideOp::kI64RemU:
      return [](U a, U b) { return b == 0 ? std::nullopt : std::optional<U>(a % b); };
    case WideOp::kI64DivS:
      return [](U a, U b) -> std::optional<U> {
        if (b == 0 || (a == kLeast && Signed(b) == -1)) return std::nullopt;
        return Unsigned(Signed(a) / Signed(b));
      };
    case WideOp::kI64RemS:
      return [](U a, U b) -> std::optional<U> {
        if (b == 0) return std::nullopt;
        return Signed(b) == -1 ? 0 : Unsigned(Signed(a) % Signed(b));
      };
    case WideOp::kI64Eq:
      return [](U a, U b) { return a == b; };
    case WideOp::kI64Ne:
      return [](U a, U b) { return a != b; };
    case WideOp::kI64LtS:
      return [](U a, U b) { return Signed(a) < Signed(b); };
    case WideOp::kI64LtU:
      return [](U a, U b) { return a < b; };
    case WideOp::kI64GtS:
      return [](U a, U b) { return Signed(a) > Signed(b); };
    case WideOp::kI64GtU:
      return [](U a, U b) { return a > b; };
    case WideOp::kI64LeS:
      return [](U a, U b) { return Signed(a) <= Signed(b); };
    case WideOp::kI64LeU:
      return [](U a, U b) { return a <= b; };
    case WideOp::kI64GeS:
      return [](U a, U b) { return Signed(a) >= Signed(b); };
    case WideOp::kI64GeU:
      return [](U a, U b) { return a >= b; };
    case WideOp::kI64Clz:
      return [](U a, U) { return static_cast<U>(std::countl_zero(a)); };
    case WideOp::kI64Ctz:
      return [](U a, U) { return static_cast<U>(std::countr_zero(a)); };
    case WideOp::kI64Popcnt:
      return [](U a, U) { return static_cast<U>(std::popcount(a)); };
    case WideOp::kI64Eqz:
      return [](U a, U) { return a == 0; };
    case WideOp::kI32WrapI64:
      return [](U a, U) { return a & 0xFFFFFFFF; };
    case WideOp::kI64Extend8S:
      return [](U a, U) { return Unsigned(static_cast<std::int8_t>(a)); };
    case WideOp::kI64Extend16S:
      return [](U a, U) { return Unsigned(static_cast<std::int16_t>(a)); };
    case WideOp::kI64Extend32S:
      return [](U a, U) { return Unsigned(static_cast<std::int32_t>(a)); };
    default:
      return {};
  }
}

bool IsBinary(WideForm form) {
  return form == WideForm::kPair || form == WideForm::kShift || form == WideForm::kHelper ||
         form == WideForm::kRoutine || form == WideForm::kCompare;
}

bool LeavesWord(WideForm form) {
  return form == WideForm::kCompare || form == WideForm::kEqz || form == WideForm::kWrap;
}

/// Functions on the same operation: both operands from locals, the right one from the stack under a
/// call, and through a global.
std::string ModuleOf(const WideInfo& info) {
  const std::string type = LeavesWord(info.form) ? "i32" : "i64";
  std::string text =
      "(module (global $g (mut i64) (i64.const 0)) (memory 1)\n"
      "(func $same (param i64) (result i64) local.get 0)\n";
  if (!IsBinary(info.form)) {
    return text + fmt::format(
                      "(func (export \"locals\") (param i64 i64) (result {}) local.get 0 "
                      "{}))",
                      type, info.text);
  }
  text += fmt::format(
      "(func (export \"locals\") (param i64 i64) (result {0}) local.get 0 "
      "local.get 1 {1})\n"
      "(func (export \"stack\") (param i64 i64) (result {0}) local.get 0 call $same "
      "local.get 1 call $same {1})\n"
      "(func (export \"global\") (param i64 i64) (result {0}) local.get 1 global.set "
      "$g local.get 0 global.get $g {1}))",
      type, info.text);
  return text;
}

class Loaded {
 public:
  Loaded(const std::string& text, vm::EngineKind engine) {
    auto program = LoadWat(text, "wide.wat", {.optimize = true, .lower_i64 = true});
    if (!program) {
      ADD_FAILURE() << program.error().ToString() << "\n" << text;
      return;
    }
    const auto shared = std::make_shared<const isa::Program>(*std::move(program));
    if (const auto verified = isa::Verify(*shared); !verified) {
      ADD_FAILURE() << verified.error().ToString();
    }
    vm::MachineOptions options;
    options.engine = engine;
    auto machine = vm::Machine::Load(shared, {}, options);
    if (machine) machine_ = std::move(*machine);
  }

  /// The words an export leaves, nothing when it traps.
  std::optional<std::vector<Word>> Call(std::string_view name, const std::vector<Word>& args) {
    const isa::Export* entry = machine_->program().FindExport(name);
    if (entry == nullptr) {
      ADD_FAILURE() << "no export " << name;
      return std::nullopt;
    }
    const auto result = machine_->Call(*entry, args);
    if (!result || result->outcome != vm::Outcome::kHalted) return std::nullopt;
    return result->results;
  }
  bool ok() const { return machine_.has_value(); }
  const isa::Program& program() const { return machine_->program(); }
  vm::Machine& machine() { return *machine_; }

 private:
  std::optional<vm::Machine> machine_;
};

std::vector<Word> Words(std::uint64_t a, std::uint64_t b) {
  return {static_cast<Word>(a), static_cast<Word>(a >> kWordBits), static_cast<Word>(b),
          static_cast<Word>(b >> kWordBits)};
}

std::uint64_t ValueOf(const std::vector<Word>& words) {
  return words.size() == 1 ? words[0] : words[0] | std::uint64_t{words[1]} << kWordBits;
}

class EveryWideOp : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryWideOp, EqualsSixtyFourBitArithmetic) {
  const WideInfo& info = kWideOps[GetParam()];
  const Reference reference = ReferenceOf(static_cast<WideOp>(GetParam()));
  ASSERT_TRUE(reference) << info.text;
  Loaded loaded(ModuleOf(info), vm::EngineKind::kNative);
  ASSERT_TRUE(loaded.ok());
  std::vector<std::uint64_t> values = EdgeValues();
  support::Random random(GetParam());
  constexpr int kRandomValues = 24;
  for (int i = 0; i < kRandomValues; ++i) values.push_back(random.Next() >> random.Below(64));
  for (const std::uint64_t a : values) {
    for (const std::uint64_t b : values) {
      const std::optional<std::uint64_t> expected = reference(a, b);
      for (const isa::Export& item : loaded.program().exports) {
        const auto found = loaded.Call(item.name, Words(a, b));
        ASSERT_EQ(found.has_value(), expected.has_value()) << info.text << ' ' << a << ' ' << b;
        if (found) {
          ASSERT_EQ(ValueOf(*found), *expected)
              << info.text << ' ' << item.name << ' ' << a << ' ' << b;
        }
      }
      if (!IsBinary(info.form)) break;
    }
  }
}

std::vector<std::size_t> RowsWithReference() {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < kWideOps.size(); ++i) {
    if (ReferenceOf(static_cast<WideOp>(i))) rows.push_back(i);
  }
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Wide, EveryWideOp, testing::ValuesIn(RowsWithReference()),
                         [](const auto& row) {
                           std::string name(kWideOps[row.param].text);
                           for (char& c : name) c = c == '.' ? '_' : c;
                           return name;
                         });

TEST(Wide, EveryRowIsTested) {
  for (std::size_t i = 0; i < kWideOps.size(); ++i) {
    const WideForm form = kWideOps[i].form;
    const bool elsewhere =
        form == WideForm::kLoad || form == WideForm::kStore || form == WideForm::kWiden;
    EXPECT_NE(elsewhere, static_cast<bool>(ReferenceOf(static_cast<WideOp>(i))))
        << kWideOps[i].text;
  }
}

// An operand that is a constant takes another path: immediate shifts, neutral words.
TEST(Wide, ConstantOperands) {
  for (std::size_t row = 0; row < kWideOps.size(); ++row) {
    const WideInfo& info = kWideOps[row];
    if (!IsBinary(info.form)) continue;
    const Reference reference = ReferenceOf(static_cast<WideOp>(row));
    std::string text = "(module\n";
    const std::vector<std::uint64_t> values = EdgeValues();
    for (std::size_t i = 0; i < values.size(); ++i) {
      text += fmt::format(
          "(func (export \"c{}\") (param i64) (result {}) local.get 0 i64.const {} "
          "{})\n",
          i, LeavesWord(info.form) ? "i32" : "i64", Signed(values[i]), info.text);
    }
    Loaded loaded(text + ")", vm::EngineKind::kNative);
    ASSERT_TRUE(loaded.ok());
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (const std::uint64_t a : values) {
        const std::vector<Word> words = Words(a, 0);
        const auto found = loaded.Call(fmt::format("c{}", i), {words[0], words[1]});
        const std::optional<std::uint64_t> expected = reference(a, values[i]);
        ASSERT_EQ(found.has_value(), expected.has_value()) << info.text << a << ' ' << values[i];
        if (found) {
          ASSERT_EQ(ValueOf(*found), *expected) << info.text << a << ' ' << values[i];
        }
      }
    }
  }
}

TEST(Wide, LoadsAndStores) {
  Loaded loaded(R"((module (memory 1)
    (data (i32.const 8) "\80\81\82\83\84\85\86\87")
    (func (export "load") (param i32) (result i64) local.get 0 i64.load offset=8)
    (func (export "load8_s") (param i32) (result i64) local.get 0 i64.load8_s offset=8)
    (func (export "load8_u") (param i32) (result i64) local.get 0 i64.load8_u offset=8)
    (func (export "load16_s") (param i32) (result i64) local.get 0 i64.load16_s offset=8)
    (func (export "load16_u") (param i32) (result i64) local.get 0 i64.load16_u offset=8)
    (func (export "load32_s") (param i32) (result i64) local.get 0 i64.load32_s offset=8)
    (func (export "load32_u") (param i32) (result i64) local.get 0 i64.load32_u offset=8)
    (func (export "far") (param i32) (result i64) local.get 0 i64.load offset=0xFFFFFFFE)
    (func (export "store") (param i32 i64) local.get 0 local.get 1 i64.store)
    (func (export "store_const") (param i32) local.get 0 i64.const 0x1122334455667788 i64.store)
    (func (export "store8") (param i32 i64) local.get 0 local.get 1 i64.store8)
    (func (export "store16") (param i32 i64) local.get 0 local.get 1 i64.store16)
    (func (export "store32") (param i32 i64) local.get 0 local.get 1 i64.store32)
    (func (export "far_store") (param i32 i64)
      local.get 0 local.get 1 i64.store offset=0xFFFFFFFD)))",
                vm::EngineKind::kNative);
  ASSERT_TRUE(loaded.ok());
  const auto load = [&](const char* name, Word address) {
    const auto words = loaded.Call(name, {address});
    return words ? std::optional(ValueOf(*words)) : std::nullopt;
  };
  EXPECT_EQ(load("load", 0), 0x8786858483828180u);
  EXPECT_EQ(load("load8_s", 0), 0xFFFFFFFFFFFFFF80u);
  EXPECT_EQ(load("load8_u", 0), 0x80u);
  EXPECT_EQ(load("load16_s", 0), 0xFFFFFFFFFFFF8180u);
  EXPECT_EQ(load("load16_u", 0), 0x8180u);
  EXPECT_EQ(load("load32_s", 0), 0xFFFFFFFF83828180u);
  EXPECT_EQ(load("load32_u", 0), 0x83828180u);
  constexpr Word kLastFit = isa::kPageBytes - 16;
  EXPECT_TRUE(load("load", kLastFit));
  EXPECT_FALSE(load("load", kLastFit + 1));
  EXPECT_FALSE(load("far", 0));
  EXPECT_FALSE(load("far", 2));
  EXPECT_FALSE(loaded.Call("far_store", {3, 1, 1}));
  constexpr Word kLow = 0xAABBCCDD, kHigh = 0x01020304;
  EXPECT_TRUE(loaded.Call("store", {64, kLow, kHigh}));
  EXPECT_EQ(load("load", 56), 0x01020304AABBCCDDu);
  EXPECT_TRUE(loaded.Call("store_const", {64}));
  EXPECT_EQ(load("load", 56), 0x1122334455667788u);
  EXPECT_TRUE(loaded.Call("store8", {64, kLow, kHigh}));
  EXPECT_TRUE(loaded.Call("store16", {66, kLow, kHigh}));
  EXPECT_EQ(load("load", 56), 0x11223344CCDD77DDu);
  EXPECT_TRUE(loaded.Call("store32", {68, kLow, kHigh}));
  EXPECT_EQ(load("load", 56), 0xAABBCCDDCCDD77DDu);
  // A store that does not fit writes neither word.
  EXPECT_FALSE(loaded.Call("store", {isa::kPageBytes - 4, kLow, kHigh}));
  EXPECT_EQ(loaded.machine().memory().bytes()[isa::kPageBytes - 4], 0);
}

TEST(Wide, BlocksCallsAndTablesCarryPairs) {
  Loaded loaded(R"((module
    (type $one (func (param i64) (result i64)))
    (type $two (func (param i32 i32) (result i32 i32)))
    (table funcref (elem $double $swap))
    (global $start i64 (i64.const 0x500000006))
    (global $count (mut i64) (i64.const -1))
    (func $double (type $one) local.get 0 local.get 0 i64.add)
    (func $swap (type $two) local.get 1 local.get 0)
    (func (export "fact") (param $n i64) (result i64) (local $r i64)
      i64.const 1 local.set $r
      (block $done (loop $again
        (br_if $done (i64.eqz (local.get $n)))
        (local.set $r (i64.mul (local.get $r) (local.get $n)))
        (local.set $n (i64.sub (local.get $n) (i64.const 1)))
        (br $again)))
      local.get $r)
    (func (export "branch") (param i32) (result i64)
      (block (result i64)
        (i64.const 0x100000002) (local.get 0) br_if 0
        drop i64.const 0x300000004))
    (func (export "table") (param i32) (result i64)
      (block (result i64) (block (result i64)
        i64.const 7 local.get 0 br_table 0 1) i64.const 1 i64.add))
    (func (export "if") (param i32 i64) (result i64)
      local.get 1
      (if (param i64) (result i64) (local.get 0)
        (then i64.const 1 i64.add) (else drop i64.const 9 return i64.const 3 i64.mul)))
    (func (export "select") (param i32) (result i64)
      i64.const 0x100000002 i64.const 0x300000004 local.get 0 select)
    (func (export "indirect") (param i32) (result i64)
      i64.const 0x180000001 local.get 0 call_indirect (type $one))
    (func (export "tee") (param i64) (result i64) (local i64)
      local.get 0 local.tee 1 local.get 1 i64.add)
    (func (export "globals") (result i64)
      global.get $start global.get $count i64.add global.set $count global.get $count)
    (func (export "widen") (param i32) (result i64 i64)
      local.get 0 i64.extend_i32_s local.get 0 i64.extend_i32_u)
    (func (export "dead") (result i64)
      i64.const 5 return unreachable i64.add drop (block (result i64) i64.const 2) i64.mul)))",
                vm::EngineKind::kAttention);
  ASSERT_TRUE(loaded.ok());
  const auto call = [&](const char* name, const std::vector<Word>& args) {
    const auto words = loaded.Call(name, args);
    return words ? std::optional(ValueOf(*words)) : std::nullopt;
  };
  EXPECT_EQ(call("fact", {20, 0}), 2432902008176640000u);
  EXPECT_EQ(call("branch", {1}), 0x100000002u);
  EXPECT_EQ(call("branch", {0}), 0x300000004u);
  EXPECT_EQ(call("table", {0}), 8u);
  EXPECT_EQ(call("table", {5}), 7u);
  EXPECT_EQ(call("if", {1, 0xFFFFFFFF, 0}), 0x100000000u);
  EXPECT_EQ(call("if", {0, 0xFFFFFFFF, 0}), 9u);
  EXPECT_EQ(call("select", {1}), 0x100000002u);
  EXPECT_EQ(call("select", {0}), 0x300000004u);
  EXPECT_EQ(call("indirect", {0}), 0x300000002u);
  EXPECT_EQ(call("indirect", {1}), std::nullopt);  // equal once flattened, but another type
  EXPECT_EQ(call("tee", {0x80000000, 1}), 0x300000000u);
  EXPECT_EQ(call("globals", {}), 0x500000005u);
  EXPECT_EQ(call("dead", {}), 5u);
  const auto widened = loaded.Call("widen", {0x80000000});
  ASSERT_TRUE(widened);
  EXPECT_EQ(*widened, (std::vector<Word>{0x80000000, 0xFFFFFFFF, 0x80000000, 0}));
}

TEST(Wide, SignaturesAreLowWordFirst) {
  const auto program = LoadWat(
      R"((module (import "env" "seek" (func $seek (param i32 i64) (result i64)))
      (func (export "f") (param i64) (result i64) i32.const 1 local.get 0 call $seek)))",
      "wide.wat", {.optimize = true, .lower_i64 = true});
  ASSERT_TRUE(program) << program.error().ToString();
  EXPECT_EQ(program->imports.at(0).params, 3u);
  EXPECT_EQ(program->imports.at(0).results, 2u);
  EXPECT_EQ(program->FindExport("f")->params, 2u);
  EXPECT_EQ(program->FindExport("f")->results, 2u);
}

// Where words stay words, a vector's place traps with its name; else it runs.
TEST(Wide, VectorsRunOnPathsOfTheirOwn) {
  Loaded loaded(R"((module (func (export "f") (param i32) (result i32)
    (if (local.get 0) (then
      (drop (i64x2.add (v128.const i64x2 1 2) (v128.const i64x2 2 3)))))
    i32.const 4)))",
                vm::EngineKind::kNative);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded.Call("f", {0}), std::vector<Word>{4});
  EXPECT_EQ(loaded.Call("f", {1}), std::vector<Word>{4});
  const auto program = LoadWat("(module (func (export \"f\")\n (drop (v128.const i64x2 1 2))))",
                               "wide.wat", {.optimize = true, .lower_i64 = false});
  ASSERT_TRUE(program) << program.error().ToString();
  ASSERT_EQ(program->notes.size(), 1u);
  EXPECT_EQ(program->notes[0].text, "v128.const at wide.wat:2");
}

}  // namespace
}  // namespace txvm::frontends::wat
