// Every i32 instruction at the edges of its operands, and memory at every alignment.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/frontends/provable/provable.h"

namespace txvm::tests {
namespace {

constexpr auto kEdges =
    std::to_array<std::uint32_t>({0, 1, 2, 3, 31, 32, 33, 255, 65'535, 0x7FFF'FFFF, 0x8000'0000,
                                  0x8000'0001, 0xFFFF'FFFE, 0xFFFF'FFFF, 0x1234'5678});
constexpr auto kBinary = std::to_array<std::string_view>(
    {"add",  "sub",  "mul",   "div_s", "div_u", "rem_s", "rem_u", "and", "or",
     "xor",  "shl",  "shr_s", "shr_u", "rotl",  "rotr",  "eq",    "ne",  "lt_s",
     "lt_u", "gt_s", "gt_u",  "le_s",  "le_u",  "ge_s",  "ge_u"});
constexpr auto kUnary =
    std::to_array<std::string_view>({"eqz", "clz", "ctz", "popcnt", "extend8_s", "extend16_s"});

Provable Compile(const std::string& text, std::uint64_t memory_words = 0) {
  ProvableOptions options;
  options.lower.entry = "f";
  options.lower.memory_words = memory_words;
  options.ram_seed = 7;
  auto provable = Provable::Make(text, options);
  EXPECT_TRUE(provable) << provable.error().ToString() << "\n" << text;
  return *std::move(provable);
}

TEST(Instructions, TwoOperands) {
  for (const std::string_view op : kBinary) {
    Provable provable =
        Compile(fmt::format("(module (func (export \"f\") (param i32 i32) (result i32) local.get 0 "
                            "local.get 1 i32.{}))",
                            op));
    for (const std::uint32_t a : kEdges) {
      for (const std::uint32_t b : kEdges) ASSERT_EQ(provable.Compare({a, b}), "") << op;
    }
  }
}

TEST(Instructions, AConstantOnEitherSide) {
  for (const std::string_view op : kBinary) {
    for (const std::uint32_t c : kEdges) {
      for (const bool right : {true, false}) {
        const std::string constant = fmt::format("i32.const {}", c);
        Provable provable = Compile(
            fmt::format("(module (func (export \"f\") (param i32) (result i32) {} {} i32.{}))",
                        right ? "local.get 0" : constant, right ? constant : "local.get 0", op));
        for (const std::uint32_t a : {0u, 1u, 31u, 77u, 0x8000'0000u, 0xFFFF'FFFFu}) {
          ASSERT_EQ(provable.Compare({a}), "") << op << " " << c << (right ? "" : " on the left");
        }
      }
    }
  }
}

TEST(Instructions, OneOperand) {
  for (const std::string_view op : kUnary) {
    Provable provable = Compile(fmt::format(
        "(module (func (export \"f\") (param i32) (result i32) local.get 0 i32.{}))", op));
    for (const std::uint32_t a : kEdges) ASSERT_EQ(provable.Compare({a}), "") << op;
  }
}

TEST(Instructions, SumsOfProductsAreReducedInTime) {
  Provable provable = Compile(
      "(module (func (export \"f\") (param i32 i32) (result i32) local.get 0 local.get 1 i32.mul "
      "local.get 0 i32.mul local.get 1 i32.mul local.get 0 i32.add local.get 1 i32.add i32.const "
      "-1 "
      "i32.mul i32.const 3 i32.sub local.get 0 local.get 1 i32.mul local.get 1 i32.sub i32.sub "
      "local.get 0 i32.shl local.get 1 i32.add i32.const 5 i32.shl i32.const 9 i32.add))");
  for (const std::uint32_t a : kEdges) {
    for (const std::uint32_t b : kEdges) ASSERT_EQ(provable.Compare({a, b}), "");
  }
}

// b * c + d can be p - 1, so that what keeps a - (b * c + d) positive is above the field.
TEST(Instructions, DifferencesOfTheLargestSums) {
  constexpr std::string_view kDifference =
      "local.get 0 local.get 1 local.get 2 i32.mul local.get 3 i32.add i32.sub";
  for (const std::string_view use :
       {"", "i32.eqz", "i32.const -7 i32.eq", "i32.const 3 i32.shr_u", "local.get 0 i32.lt_s"}) {
    Provable provable = Compile(
        fmt::format("(module (func (export \"f\") (param i32 i32 i32 i32) (result i32) {} {}))",
                    kDifference, use));
    for (const std::uint32_t a : {0u, 10u, 0xFFFF'FFFFu}) {
      for (const std::uint32_t b : {0u, 3u, 0xFFFF'FFFFu}) {
        for (const std::uint32_t c : {4u, 0xFFFF'FFFFu}) {
          ASSERT_EQ(provable.Compare({a, b, c, 5}), "") << use;
          ASSERT_EQ(provable.Compare({a, b, c, 0xFFFF'FFFF}), "") << use;
        }
      }
    }
  }
}

TEST(Instructions, ConditionsOfEveryKind) {
  for (const std::string_view test :
       {"", "i32.eqz", "i32.eqz i32.eqz", "i32.const 7 i32.ne", "local.tee 1 i32.eqz local.tee 2",
        "i32.eqz i32.const 3 local.set 1", "i32.const 1 i32.and i32.eqz i32.eqz i32.eqz"}) {
    for (const std::string_view use :
         {"if (result i32) i32.const 5 else i32.const 6 end",
          "br_if 0 i32.const 9 drop i32.const 8", "if i32.const 4 return end i32.const 3",
          "if unreachable end i32.const 3", "i32.eqz if unreachable end i32.const 3",
          "local.set 2 i32.const 1 i32.const 2 local.get 2 "
          "select"}) {
      const std::string text = fmt::format(
          "(module (func (export \"f\") (param i32) (result i32) (local i32 i32) i32.const 11 "
          "local.get 0 {} {} i32.add))",
          test, use);
      Provable provable = Compile(text);
      for (const std::uint32_t a : {0u, 1u, 7u, 8u}) ASSERT_EQ(provable.Compare({a}), "") << text;
    }
  }
}

TEST(Instructions, MemoryAtEveryAlignmentAndEnd) {
  const auto text = [](std::string_view store, std::string_view load) {
    return fmt::format(
        "(module (memory 1) (data (i32.const 65520) \"\\81\\82\\83\\84\\85\\86\\87\\88\\89\\8a\\8b"
        "\\8c\\8d\\8e\\8f\\90\") (func (export \"f\") (param i32 i32) (result i32) local.get 0 "
        "local.get 1 i32.{} local.get 0 i32.{}))",
        store, load);
  };
  for (const std::string_view store : {"store", "store8", "store16", "store offset=1"}) {
    for (const std::string_view load :
         {"load", "load8_u", "load8_s", "load16_u", "load16_s", "load offset=4294967295"}) {
      Provable provable = Compile(text(store, load), frontends::provable::kPageWords);
      for (const std::uint32_t at : {0u, 1u, 2u, 3u, 65'521u, 65'530u, 65'531u, 65'532u, 65'533u,
                                     65'534u, 65'535u, 65'536u, 0xFFFF'FFFFu}) {
        for (const std::uint32_t value : {0x8192'A3B4u, 0x7Fu}) {
          ASSERT_EQ(provable.Compare({at, value}), "") << store << " " << load << " at " << at;
        }
      }
    }
  }
}

// A memory of a page is cleared at the start only as far as its data reach.
TEST(Instructions, MemoryIsClearedAsItIsTouched) {
  Provable provable = Compile(
      "(module (memory 1 2) (data (i32.const 300) \"\\81\\82\\83\\84\\85\") (func (export \"f\") "
      "(param i32 i32 i32) (result i32 i32) local.get 2 memory.grow drop local.get 0 local.get 1 "
      "i32.store offset=1 local.get 0 i32.load8_u local.get 1 i32.load16_u))",
      2 * std::uint64_t{frontends::provable::kPageWords});
  ASSERT_NE(provable.lowered().layout.ready_cell, 0u);
  for (const std::uint32_t at : {0u, 236u, 239u, 240u, 300u, 479u, 480u, 5'000u, 65'531u, 65'532u,
                                 65'535u, 131'067u, 131'068u, 0xFFFF'FFFFu}) {
    for (const std::uint32_t other : {303u, 70'000u}) {
      for (const std::uint32_t more : {0u, 1u}) {
        ASSERT_EQ(provable.Compare({at, other, more}), "") << at << " " << other << " " << more;
      }
    }
  }
  ASSERT_EQ(provable.Compare({16, 20, 0}), "");
  EXPECT_LT(provable.run().cycles, 700u);  // 26,000 where all is cleared
}

TEST(Instructions, SignedComparisonsTakeSixCycles) {
  const auto cycles = [](std::string_view op) {
    Provable provable =
        Compile(fmt::format("(module (func (export \"f\") (param i32 i32) (result i32) local.get 0 "
                            "local.get 1 i32.{}))",
                            op));
    EXPECT_EQ(provable.Compare({5, 0xFFFF'FFF0}), "");
    return provable.run().cycles;
  };
  const std::uint64_t one = cycles("and");
  EXPECT_LE(cycles("lt_s"), one + 5);
  EXPECT_LE(cycles("gt_s"), one + 5);
  EXPECT_LE(cycles("le_s"), one + 7);  // as a value; a branch takes the inverse instead
  EXPECT_LE(cycles("ge_s"), one + 7);
}

// Operands whose top bit is known to be 0, on either side and both.
TEST(Instructions, SignedComparisonsOfSmallWords) {
  for (const std::string_view op : {"lt_s", "gt_s", "le_s", "ge_s"}) {
    for (const std::string_view flags : {"10", "01", "11"}) {
      const std::string_view mask = " i32.const 2147483647 i32.and";
      Provable provable = Compile(fmt::format(
          "(module (func (export \"f\") (param i32 i32) (result i32) local.get 0{} local.get 1{} "
          "i32.{}))",
          flags[0] == '1' ? mask : "", flags[1] == '1' ? mask : "", op));
      for (const std::uint32_t a : {0u, 1u, 0x7FFF'FFFFu, 0x8000'0000u, 0xFFFF'FFFFu}) {
        for (const std::uint32_t b : {0u, 1u, 0x7FFF'FFFFu, 0x8000'0000u, 0xFFFF'FFFFu}) {
          ASSERT_EQ(provable.Compare({a, b}), "") << op << " " << flags << " " << a << " " << b;
        }
      }
    }
    for (const std::uint32_t c : {0u, 1u, 0x7FFF'FFFEu, 0x7FFF'FFFFu, 0x8000'0000u, 0xFFFF'FFFFu}) {
      Provable provable = Compile(fmt::format(
          "(module (func (export \"f\") (param i32) (result i32) local.get 0 i32.const 2147483647 "
          "i32.and i32.const {} i32.{}))",
          c, op));
      for (const std::uint32_t a : {0u, 1u, 2u, 0x7FFF'FFFEu, 0x7FFF'FFFFu}) {
        ASSERT_EQ(provable.Compare({a}), "") << op << " " << c << " " << a;
      }
    }
  }
}

TEST(Instructions, MemoryAtConstantAddresses) {
  Provable provable = Compile(
      "(module (memory 1) (func (export \"f\") (param i32) (result i32) i32.const 8 i32.const 9 "
      "i32.store i32.const 1 i32.const 12 local.get 0 i32.store i32.const 4 i32.load offset=4 "
      "i32.const 9 i32.load i32.add i32.const 12 i32.load8_u i32.add i32.add))",
      frontends::provable::kPageWords);
  for (const std::uint32_t a : kEdges) ASSERT_EQ(provable.Compare({a}), "");
  Provable beyond =
      Compile("(module (memory 1) (func (export \"f\") (result i32) i32.const 65533 i32.load))",
              frontends::provable::kPageWords);
  EXPECT_EQ(beyond.Compare({}), "");
  EXPECT_TRUE(beyond.native().crashed);
}

TEST(Instructions, MemoryCopyAndFill) {
  for (const std::string_view op : {"copy", "fill"}) {
    Provable provable = Compile(
        fmt::format("(module (memory 1) (data (i32.const 3) \"\\81\\82\\83 a few more letters to "
                    "copy over each other\") (func (export \"f\") (param i32 i32 i32) local.get 0 "
                    "local.get 1 local.get 2 memory.{}))",
                    op),
        frontends::provable::kPageWords);
    for (const std::uint32_t to : {0u, 3u, 9u, 30u, 65'500u, 65'536u, 65'537u}) {
      for (const std::uint32_t from : {1u, 8u, 10u, 0xFFFF'FFF0u}) {
        for (const std::uint32_t size : {0u, 1u, 7u, 31u, 36u, 0xFFFF'FFF0u}) {
          ASSERT_EQ(provable.Compare({to, from, size}), "")
              << op << " " << to << " " << from << " " << size;
        }
      }
    }
  }
}

TEST(Instructions, MemoryGrowsAsFarAsItMay) {
  Provable provable = Compile(
      "(module (memory 1 3) (func (export \"f\") (param i32 i32) (result i32 i32 i32) memory.size "
      "local.get 0 memory.grow local.get 1 i32.const 77 i32.store local.get 1 i32.load))",
      3 * frontends::provable::kPageWords);
  for (const std::uint32_t pages : {0u, 1u, 2u, 3u, 0x8000'0000u, 0xFFFF'FFFFu}) {
    for (const std::uint32_t at : {0u, 65'532u, 65'533u, 131'070u, 196'604u, 196'608u}) {
      ASSERT_EQ(provable.Compare({pages, at}), "") << pages << " " << at;
    }
  }
}

TEST(Instructions, MemoryBeyondItsWordsCrashesAndDoesNotGrow) {
  const std::string text =
      "(module (memory 1 9) (func (export \"f\") (param i32) (result i32) i32.const 1 memory.grow "
      "local.get 0 i32.load i32.add))";
  ProvableOptions options;
  options.lower.entry = "f";
  options.lower.memory_words = 4;
  auto provable = Provable::Make(text, options);
  ASSERT_TRUE(provable) << provable.error().ToString();
  EXPECT_NE(provable->Compare({12}), "");  // native grows
  EXPECT_FALSE(provable->run().crash.has_value());
  EXPECT_EQ(provable->run().output, std::vector<std::uint64_t>{0xFFFF'FFFF});
  EXPECT_NE(provable->Compare({16}), "");
  EXPECT_EQ(provable->run().crash, triton::TasmCrash::kAssert);
}

// The initial pages are all there is: words asked for above them are not memory.
TEST(Instructions, MemoryThatDoesNotGrowEndsAtItsPages) {
  ProvableOptions options;
  options.lower.entry = "f";
  options.lower.memory_words = frontends::provable::kPageWords + 1;
  auto provable = Provable::Make(
      "(module (memory 1 9) (func (export \"f\") (param i32) (result i32) i32.const 1 "
      "memory.grow drop local.get 0 i32.load))",
      options);
  ASSERT_TRUE(provable) << provable.error().ToString();
  EXPECT_EQ(provable->lowered().layout.memory_words, frontends::provable::kPageWords);
  EXPECT_NE(provable->Compare({65'536}), "");  // native grows
  EXPECT_EQ(provable->run().crash, triton::TasmCrash::kAssert);
}

TEST(Instructions, I64AsPairsOfWords) {
  for (const std::string_view op :
       {"add", "sub", "mul", "div_u", "rem_s", "shl", "shr_s", "rotl"}) {
    Provable provable =
        Compile(fmt::format("(module (func (export \"f\") (param i64 i64) (result i64) local.get 0 "
                            "local.get 1 i64.{}))",
                            op));
    for (const std::uint32_t a : {0u, 5u, 0x8000'0000u, 0xFFFF'FFFFu}) {
      for (const std::uint32_t b : {0u, 1u, 40u, 0xFFFF'FFFFu}) {
        ASSERT_EQ(provable.Compare({a, b, b, a}), "") << op;
        ASSERT_EQ(provable.Compare({a, b, b, 0}), "") << op;
      }
    }
  }
}

}  // namespace
}  // namespace txvm::tests
