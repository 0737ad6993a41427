// What every pure opcode computes, against references in 64-bit arithmetic or bit by bit.
#include "isa/word_ops.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "isa/opcode.h"

namespace txvm::isa {
namespace {

using I64 = std::int64_t;
using U64 = std::uint64_t;

constexpr I64 kTwo32 = I64{1} << 32;

// The value of a word read as two's complement, without a signed cast.
I64 S(Word a) { return a < 0x80000000u ? I64{a} : I64{a} - kTwo32; }
// A number's residue modulo 2^32.
Word Residue(I64 value) {
  const I64 rest = value % kTwo32;
  return static_cast<Word>(rest < 0 ? rest + kTwo32 : rest);
}
bool Bit(Word a, unsigned i) { return (a / (U64{1} << i)) % 2 == 1; }

// A word from a rule for each of its bits.
template <typename Rule>
Word FromBits(Rule rule) {
  Word value = 0;
  for (unsigned i = 0; i < 32; ++i) value += rule(i) ? Word{1} << i : 0;
  return value;
}

struct Binary {
  Opcode op;
  Word (*actual)(Word, Word);
  Word (*expected)(Word, Word);
};
struct Unary {
  Opcode op;
  Word (*actual)(Word);
  Word (*expected)(Word);
};

// clang-format off
const Binary kBinary[] = {
  {Opcode::kAdd,  Add,  [](Word a, Word b) { return Residue(S(a) + S(b)); }},
  {Opcode::kSub,  Sub,  [](Word a, Word b) { return Residue(S(a) - S(b)); }},
  {Opcode::kMul,  Mul,  [](Word a, Word b) { return Residue(S(a) * S(b)); }},
  {Opcode::kDivS, DivS, [](Word a, Word b) { return Residue(S(a) / S(b)); }},
  {Opcode::kDivU, DivU, [](Word a, Word b) { return Residue(I64{a} / I64{b}); }},
  {Opcode::kRemS, RemS, [](Word a, Word b) { return Residue(S(a) % S(b)); }},
  {Opcode::kRemU, RemU, [](Word a, Word b) { return Residue(I64{a} % I64{b}); }},
  {Opcode::kEq,   Eq,   [](Word a, Word b) { return Word{I64{a} - I64{b} == 0}; }},
  {Opcode::kNe,   Ne,   [](Word a, Word b) { return Word{I64{a} - I64{b} != 0}; }},
  {Opcode::kLtS,  LtS,  [](Word a, Word b) { return Word{S(a) - S(b) < 0}; }},
  {Opcode::kLtU,  LtU,  [](Word a, Word b) { return Word{I64{a} - I64{b} < 0}; }},
  {Opcode::kGtS,  GtS,  [](Word a, Word b) { return Word{S(b) - S(a) < 0}; }},
  {Opcode::kGtU,  GtU,  [](Word a, Word b) { return Word{I64{b} - I64{a} < 0}; }},
  {Opcode::kLeS,  LeS,  [](Word a, Word b) { return Word{S(a) - S(b) <= 0}; }},
  {Opcode::kLeU,  LeU,  [](Word a, Word b) { return Word{I64{a} - I64{b} <= 0}; }},
  {Opcode::kGeS,  GeS,  [](Word a, Word b) { return Word{S(b) - S(a) <= 0}; }},
  {Opcode::kGeU,  GeU,  [](Word a, Word b) { return Word{I64{b} - I64{a} <= 0}; }},
  {Opcode::kAnd,  And,  [](Word a, Word b) { return FromBits([=](unsigned i) { return Bit(a, i) && Bit(b, i); }); }},
  {Opcode::kOr,   Or,   [](Word a, Word b) { return FromBits([=](unsigned i) { return Bit(a, i) || Bit(b, i); }); }},
  {Opcode::kXor,  Xor,  [](Word a, Word b) { return FromBits([=](unsigned i) { return Bit(a, i) != Bit(b, i); }); }},
  {Opcode::kShl,  Shl,  [](Word a, Word b) { return FromBits([=](unsigned i) { return i >= b % 32 && Bit(a, i - b % 32); }); }},
  {Opcode::kShrU, ShrU, [](Word a, Word b) { return FromBits([=](unsigned i) { return i + b % 32 < 32 && Bit(a, i + b % 32); }); }},
  {Opcode::kShrS, ShrS, [](Word a, Word b) { return FromBits([=](unsigned i) { return Bit(a, i + b % 32 < 32 ? i + b % 32 : 31); }); }},
  {Opcode::kRotl, Rotl, [](Word a, Word b) { return FromBits([=](unsigned i) { return Bit(a, (i + 32 - b % 32) % 32); }); }},
  {Opcode::kRotr, Rotr, [](Word a, Word b) { return FromBits([=](unsigned i) { return Bit(a, (i + b % 32) % 32); }); }},
};

const Unary kUnary[] = {
  {Opcode::kEqz,    Eqz,    [](Word a) { return Word{S(a) == 0}; }},
  {Opcode::kClz,    Clz,    [](Word a) { Word n = 0; while (n < 32 && !Bit(a, 31 - n)) ++n; return n; }},
  {Opcode::kCtz,    Ctz,    [](Word a) { Word n = 0; while (n < 32 && !Bit(a, n)) ++n; return n; }},
  {Opcode::kPopcnt, Popcnt, [](Word a) { Word n = 0; for (unsigned i = 0; i < 32; ++i) n += Bit(a, i); return n; }},
  {Opcode::kAbs,    Abs,    [](Word a) { return Residue(S(a) < 0 ? -S(a) : S(a)); }},
  {Opcode::kNeg,    Neg,    [](Word a) { return Residue(-S(a)); }},
};
// clang-format on

// Powers of two, their neighbours and negatives, all bytes in all places, and random words.
std::vector<Word> InterestingWords(std::size_t random_count) {
  std::vector<Word> words = {0};
  for (unsigned i = 0; i < 32; ++i) {
    const Word power = Word{1} << i;
    for (const Word word : {power, power - 1, power + 1, 0 - power, ~power}) words.push_back(word);
  }
  std::mt19937 random(42);
  for (std::size_t i = 0; i < random_count; ++i) {
    words.push_back(static_cast<Word>(random()) >> (random() % 32));
  }
  return words;
}

bool HasQuotient(Opcode op, Word a, Word b) {
  if (Info(op).op_class != OpClass::kDivide) return true;
  return b != 0 && !(op == Opcode::kDivS && DivSOverflows(a, b));
}

TEST(WordOps, EveryPureRowHasAReference) {
  std::vector<bool> seen(256, false);
  for (const Binary& row : kBinary) seen[static_cast<std::size_t>(row.op)] = true;
  for (const Unary& row : kUnary) seen[static_cast<std::size_t>(row.op)] = true;
  for (const OpcodeInfo& row : kOpcodes) {
    const bool is_pure = row.op_class == OpClass::kArith || row.op_class == OpClass::kDivide ||
                         row.op_class == OpClass::kCompare || row.op_class == OpClass::kBits ||
                         row.op_class == OpClass::kShift;
    EXPECT_EQ(seen[static_cast<std::size_t>(row.op)], is_pure) << row.text;
  }
}

TEST(WordOps, BinaryRowsEqualTheirReferencesOnEdges) {
  const std::vector<Word> words = InterestingWords(100);
  for (const Binary& row : kBinary) {
    for (const Word a : words) {
      for (const Word b : words) {
        if (!HasQuotient(row.op, a, b)) continue;
        ASSERT_EQ(row.actual(a, b), row.expected(a, b))
            << Info(row.op).text << ' ' << a << ' ' << b;
      }
    }
  }
}

TEST(WordOps, BinaryRowsEqualTheirReferencesOnAllBytes) {
  // Bytes at both ends of the word: carries, borrows and signs of every pair.
  for (const Binary& row : kBinary) {
    for (Word i = 0; i < 256; ++i) {
      for (Word j = 0; j < 256; ++j) {
        const Word a = i << 24 | (i ^ 0x5A), b = j << 24 | j;
        if (HasQuotient(row.op, a, b)) {
          ASSERT_EQ(row.actual(a, b), row.expected(a, b))
              << Info(row.op).text << ' ' << a << ' ' << b;
        }
        if (HasQuotient(row.op, i, j)) {
          ASSERT_EQ(row.actual(i, j), row.expected(i, j))
              << Info(row.op).text << ' ' << i << ' ' << j;
        }
      }
    }
  }
}

TEST(WordOps, UnaryRowsEqualTheirReferences) {
  std::vector<Word> words = InterestingWords(10'000);
  for (Word i = 0; i < 65'536; ++i) {
    words.push_back(i);
    words.push_back(i << 16);
  }
  for (const Unary& row : kUnary) {
    for (const Word a : words) {
      ASSERT_EQ(row.actual(a), row.expected(a)) << Info(row.op).text << ' ' << a;
    }
  }
}

TEST(WordOps, KnownAnswers) {
  EXPECT_EQ(Add(0x7FFFFFFF, 1), 0x80000000u);
  EXPECT_EQ(Sub(0, 1), 0xFFFFFFFFu);
  EXPECT_EQ(Mul(0x10000, 0x10000), 0u);
  EXPECT_EQ(DivS(static_cast<Word>(-7), 2), static_cast<Word>(-3));
  EXPECT_EQ(DivU(static_cast<Word>(-7), 2), 0x7FFFFFFCu);
  EXPECT_EQ(RemS(static_cast<Word>(-7), 2), static_cast<Word>(-1));
  EXPECT_EQ(RemS(7, static_cast<Word>(-2)), 1u);
  EXPECT_EQ(RemS(kIntMin, kMinusOne), 0u);
  EXPECT_EQ(Abs(kIntMin), kIntMin);
  EXPECT_EQ(Neg(kIntMin), kIntMin);
  EXPECT_EQ(Clz(0), 32u);
  EXPECT_EQ(Ctz(0), 32u);
  EXPECT_EQ(Shl(1, 33), 2u);
  EXPECT_EQ(ShrS(kIntMin, 31), kMinusOne);
  EXPECT_EQ(Rotl(0x80000001, 1), 3u);
  EXPECT_EQ(Rotr(1, 32), 1u);
}

TEST(WordOps, DivSOverflowsOnlyOnItsOnePair) {
  EXPECT_TRUE(DivSOverflows(0x80000000, 0xFFFFFFFF));
  for (const Word a : InterestingWords(0)) {
    for (const Word b : InterestingWords(0)) {
      const bool fits = b == 0 || S(a) / S(b) < kTwo32 / 2;
      ASSERT_EQ(DivSOverflows(a, b), !fits) << a << ' ' << b;
    }
  }
}

TEST(WordOps, SelectAndSignExtension) {
  EXPECT_EQ(Select(1, 2, 0), 2u);
  EXPECT_EQ(Select(1, 2, 1), 1u);
  EXPECT_EQ(Select(1, 2, 0x80000000), 1u);
  for (Word a = 0; a < 65'536; ++a) {
    const Word byte = a % 256;
    ASSERT_EQ(SignExtend8(a | 0xABCD0000), byte < 128 ? byte : Residue(I64{byte} - 256));
    ASSERT_EQ(SignExtend16(a | 0xABCD0000), a < 32'768 ? a : Residue(I64{a} - 65'536));
  }
}

}  // namespace
}  // namespace txvm::isa
