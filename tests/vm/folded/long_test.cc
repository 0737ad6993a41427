// i64 instructions as the words of them that front ends make, and as the longs that the folded
// engine finds in those, beside the native engine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "isa/support/random.h"
#include "isa/verify.h"
#include "tests/vm/folded/both_engines.h"
#include "vm/folded/ir.h"
#include "vm/machine.h"

namespace txvm::vm {
namespace {

constexpr std::string_view kBinary[] = {"add", "sub",   "and",   "or",   "xor", "mul",
                                        "shl", "shr_s", "shr_u", "rotl", "rotr"};
constexpr std::string_view kCompare[] = {"eq",   "ne",   "lt_s", "lt_u", "gt_s",
                                         "gt_u", "le_s", "le_u", "ge_s", "ge_u"};

const std::uint64_t kCorners[] = {0,
                                  1,
                                  2,
                                  31,
                                  32,
                                  33,
                                  63,
                                  0x7FFFFFFF,
                                  0x80000000,
                                  0xFFFFFFFF,
                                  0x100000000,
                                  0x100000001,
                                  0x1FFFFFFFF,
                                  0x7FFFFFFFFFFFFFFF,
                                  0x8000000000000000,
                                  0x8000000000000001,
                                  0x80000000FFFFFFFF,
                                  0xFFFFFFFF00000000,
                                  0xFFFFFFFF80000000,
                                  0xFFFFFFFFFFFFFFFE,
                                  0xFFFFFFFFFFFFFFFF};

// The register form of every function of a module but its routines.
std::string Listing(const isa::Program& program) {
  const isa::PathFacts paths = isa::AnalyzePaths(program).value();
  const folded::RoutineMap routines(program, [](isa::RoutineId) { return true; });
  std::string text;
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    if (routines.StartsAt(program.functions[f].first)) continue;
    text += IrText(folded::Lift(program, paths, f, false, &routines));
  }
  return text;
}

std::vector<Word> Words(std::uint64_t a, std::uint64_t b) {
  return {static_cast<Word>(a), static_cast<Word>(a >> 32), static_cast<Word>(b),
          static_cast<Word>(b >> 32)};
}

// Corner values with each other, and random ones near them.
template <typename Check>
void ForOperands(const Check& check) {
  for (const std::uint64_t a : kCorners) {
    for (const std::uint64_t b : kCorners) check(a, b);
  }
  isa::SplitMix64 random(7);
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t a = random.Next() >> random.Next() % 64;
    check(a, i % 3 == 0 ? a + random.Next() % 3 - 1 : random.Next() << random.Next() % 64);
  }
}

// A local keeps the value between blocks, so that it is a long there, and a loop uses it again.
std::string Function(std::string_view name, const std::string& body) {
  return fmt::format(
      "(func (export \"{}\") (param $a i64) (param $b i64) (result i64)"
      " (local $x i64) (local $n i32) (local.set $x (local.get $a))"
      " (loop $l (local.set $x {})"
      " (br_if $l (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 3))))"
      " (local.get $x))\n",
      name, body);
}

TEST(FoldedLongs, EqualNativeOnEveryOperation) {
  std::string text = "(module (memory 1)\n";
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, const std::string& body) {
    names.push_back(name);
    text += Function(name, body);
  };
  for (const std::string_view op : kBinary) {
    add(fmt::format("{}", op), fmt::format("(i64.{} (local.get $x) (local.get $b))", op));
    add(fmt::format("{} turned", op), fmt::format("(i64.{} (local.get $b) (local.get $x))", op));
    for (const std::uint64_t known : kCorners) {
      add(fmt::format("{} {}", op, known),
          fmt::format("(i64.{} (local.get $x) (i64.const {}))", op, known));
    }
  }
  for (const std::string_view op : kCompare) {
    add(fmt::format("{}", op),
        fmt::format(
            "(i64.add (local.get $x) (if (result i64) (i64.{} (local.get $x) (local.get $b))"
            " (then (i64.const 5)) (else (i64.const -7))))",
            op));
    for (const std::uint64_t known : kCorners) {
      add(fmt::format("{} {}", op, known),
          fmt::format("(i64.sub (local.get $x) (i64.extend_i32_u (i64.{} (local.get $x)"
                      " (i64.const {}))))",
                      op, known));
    }
  }
  for (int n = 0; n < 64; n += 3) {
    for (const std::string_view op : {"shl", "shr_s", "shr_u", "rotl"}) {
      add(fmt::format("{} by {}", op, n),
          fmt::format("(i64.xor (local.get $b) (i64.{} (local.get $x) (i64.const {})))", op, n));
    }
  }
  add("eqz", "(i64.or (local.get $b) (i64.extend_i32_u (i64.eqz (local.get $x))))");
  add("extend", "(i64.extend_i32_s (i32.wrap_i64 (i64.add (local.get $x) (local.get $b))))");
  add("extend8", "(i64.extend8_s (i64.sub (local.get $x) (local.get $b)))");
  add("extend16", "(i64.extend16_s (i64.add (local.get $x) (local.get $b)))");
  add("extend32", "(i64.extend32_s (i64.mul (local.get $x) (local.get $b)))");
  add("counts",
      "(i64.add (i64.clz (local.get $x)) (i64.shl (i64.ctz (local.get $x))"
      " (i64.popcnt (local.get $b))))");
  add("halves",
      "(i64.or (i64.shr_u (local.get $x) (i64.const 32))"
      " (i64.shl (local.get $b) (i64.const 32)))");
  add("select", "(select (local.get $x) (local.get $b) (i64.gt_s (local.get $x) (local.get $b)))");
  add("memory",
      "(block (result i64) (i64.store offset=3 (i32.const 8) (local.get $x))"
      " (i64.store32 offset=5 (i32.const 8) (local.get $b))"
      " (i64.add (i64.load offset=3 (i32.const 8)) (i64.load16_s (i32.const 11))))");
  BothEngines both(WatProgram(text + ")"));
  for (const std::string& name : names) {
    ForOperands([&](std::uint64_t a, std::uint64_t b) {
      ASSERT_EQ(both.Call(name, Words(a, b)), "") << name << ' ' << a << ' ' << b;
    });
    if (HasFatalFailure()) return;
  }
}

// What the words of an operation become; one row an idiom.
TEST(FoldedLongs, AreFoundInWords) {
  const struct {
    std::string_view body, found;
  } kRows[] = {
      {"(i64.add (local.get $x) (local.get $b))", "= i64.add x"},
      {"(i64.add (local.get $x) (i64.const 1))", "= i64.add x"},
      {"(i64.add (local.get $x) (i64.const 0x100000005))", "= i64.add x"},
      {"(i64.sub (local.get $x) (local.get $b))", "= i64.sub x"},
      {"(i64.sub (local.get $x) (i64.const 3))", "= i64.sub x"},
      {"(i64.and (local.get $x) (local.get $b))", "= i64.and x"},
      {"(i64.or (local.get $x) (local.get $b))", "= i64.or x"},
      {"(i64.xor (local.get $x) (i64.const 0x123456789))", "= i64.xor x"},
      {"(i64.shl (local.get $x) (i64.const 9))", "= i64.shl x"},
      {"(i64.shr_s (local.get $x) (i64.const 9))", "= i64.shr_s x"},
      {"(i64.shr_u (local.get $x) (i64.const 9))", "= i64.shr_u x"},
      {"(i64.extend_i32_s (i32.wrap_i64 (local.get $x)))", "= extend_s"},
      {"(i64.mul (local.get $x) (local.get $b))", "= i64.mul x"},
      {"(i64.extend_i32_u (i64.lt_s (local.get $x) (local.get $b)))", "= i64.lt_s x"},
      {"(i64.extend_i32_u (i64.eq (local.get $x) (local.get $b)))", "= i64.eq x"},
      {"(i64.extend_i32_u (i64.eqz (local.get $x)))", "= i64.eq x"},
      {"(i64.load (i32.wrap_i64 (local.get $x)))", "= LOAD long"},
  };
  for (const auto& row : kRows) {
    const std::string text =
        Listing(WatProgram("(module (memory 1) " + Function("f", std::string(row.body)) + ")"));
    EXPECT_NE(text.find(row.found), std::string::npos) << row.body << '\n' << text;
    // The loop's own comparison, and no carry.
    const std::size_t first = text.find("LT_U");
    EXPECT_EQ(text.find("LT_U", first + 1), std::string::npos) << row.body << '\n' << text;
  }
}

}  // namespace
}  // namespace txvm::vm
