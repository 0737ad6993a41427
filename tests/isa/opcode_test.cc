// The opcode and trap tables as C++ sees them.
#include "isa/opcode.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>

#include "isa/trap.h"

namespace txvm::isa {
namespace {

TEST(Opcodes, LookUpsAgreeWithTheTable) {
  int known = 0;
  for (unsigned code = 0; code < 256; ++code) {
    const OpcodeInfo* info = FindInfo(static_cast<std::uint8_t>(code));
    EXPECT_EQ(info != nullptr, (code >= 1 && code <= 55) || code == 99) << code;
    if (info == nullptr) continue;
    ++known;
    EXPECT_EQ(static_cast<unsigned>(info->op), code);
  }
  EXPECT_EQ(known, 56);
}

TEST(Opcodes, MnemonicsAreUniqueAndFoundInAnyCase) {
  std::set<std::string_view> texts;
  for (const OpcodeInfo& row : kOpcodes) {
    EXPECT_TRUE(texts.insert(row.text).second) << row.text;
    EXPECT_EQ(FindMnemonic(row.text), row.op);
    std::string lower(row.text);
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    EXPECT_EQ(FindMnemonic(lower), row.op);
  }
  EXPECT_EQ(FindMnemonic("ADDS"), std::nullopt);
  EXPECT_EQ(FindMnemonic(""), std::nullopt);
}

// What transformer.md rule 7 says of the carried top: an operand below the top is one read, and so
// is the refill when the top goes away without a result.
TEST(Opcodes, StackReadsFollowFromPopsAndPushes) {
  for (const OpcodeInfo& row : kOpcodes) {
    if (row.operand == Operand::kCallee) continue;
    const unsigned below = row.pops > 1 ? row.pops - 1u : 0u;
    const unsigned refill = row.pops > 0 && row.pushes == 0 ? 1u : 0u;
    EXPECT_EQ(row.stack_reads, below + refill) << row.text;
  }
}

TEST(Opcodes, OnlyMemoryRowsTouchMemory) {
  for (const OpcodeInfo& row : kOpcodes) {
    EXPECT_EQ(row.operand == Operand::kOffset, row.memory_reads + row.memory_writes > 0)
        << row.text;
    EXPECT_EQ(row.operand == Operand::kOffset || row.operand == Operand::kLocal,
              row.op_class == OpClass::kMemory)
        << row.text;
  }
}

TEST(Traps, AreFoundByCodeAndHaveTheTestSuitesWords) {
  EXPECT_EQ(FindTrap(0), std::nullopt);
  EXPECT_EQ(FindTrap(1), Trap::kDivideByZero);
  EXPECT_EQ(FindTrap(13), Trap::kHost);
  EXPECT_EQ(FindTrap(14), Trap::kInvalidConversion);
  EXPECT_EQ(FindTrap(15), Trap::kTableOutOfBounds);
  EXPECT_EQ(FindTrap(16), Trap::kUncaughtException);
  EXPECT_EQ(FindTrap(17), std::nullopt);
  EXPECT_EQ(TrapText(Trap::kDivideByZero), "integer divide by zero");
  EXPECT_EQ(TrapText(Trap::kIntegerOverflow), "integer overflow");
  EXPECT_EQ(TrapText(Trap::kInvalidConversion), "invalid conversion to integer");
  EXPECT_EQ(TrapText(Trap::kTableOutOfBounds), "out of bounds table access");
  EXPECT_EQ(TrapText(Trap::kOutOfBounds), "out of bounds memory access");
  EXPECT_EQ(TrapText(Trap::kUnreachable), "unreachable");
  EXPECT_EQ(TrapText(Trap::kExhausted), "call stack exhausted");
  EXPECT_EQ(TrapText(Trap::kCallTypeMismatch), "indirect call type mismatch");
  EXPECT_EQ(TrapText(Trap::kUndefinedElement), "undefined element");
  EXPECT_EQ(TrapText(Trap::kNullElement), "uninitialized element");
}

}  // namespace
}  // namespace txvm::isa
