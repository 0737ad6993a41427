// What a hostile program file can make the reader allocate. This file replaces operator new of its
// whole test program with one that counts.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "isa/opcode.h"
#include "isa/program_file.h"

namespace {
std::atomic<std::size_t> allocated_bytes{0};
}  // namespace

void* operator new(std::size_t size) {
  allocated_bytes += size;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace txvm::isa {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kTableAt = 32, kRowBytes = 16, kSections = 15;

void Put(Bytes& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

// Bytes that reading the file allocates, over all allocations, freed ones included.
std::size_t CostOfReading(const Bytes& bytes) {
  const std::size_t before = allocated_bytes;
  const Result<Program> program = ReadProgram(bytes);
  return allocated_bytes - before;
}

TEST(Allocation, OfHugeCountsIsSmall) {
  Program program;
  program.code = {Instruction(Opcode::kHalt)};
  program.functions = {{0, 0, 0, 0, 1, "name"}};
  program.functions[0].local_types = {ValueType::kF32};  // a file with all sections
  const Result<Bytes> good = WriteProgram(program);
  ASSERT_TRUE(good);
  ASSERT_LT(good->size(), 350u);
  for (std::size_t section = 0; section < kSections; ++section) {
    for (const std::uint64_t count : {std::uint64_t{0xFFFFFFFF}, std::uint64_t{0x10000}}) {
      for (const std::size_t field : {4u, 8u}) {  // count, length
        Bytes bytes = *good;
        Put(bytes, kTableAt + section * kRowBytes + field, count, 4);
        Put(bytes, kProgramChecksumAt, ProgramChecksum(bytes), 8);
        EXPECT_FALSE(ReadProgram(bytes));
        EXPECT_LT(CostOfReading(bytes), 4'096u) << "section " << section;
      }
    }
  }
}

// Rows that are smallest in the file and largest in memory.
TEST(Allocation, IsASmallMultipleOfTheFile) {
  constexpr std::size_t kRows = 10'000;
  Program program;
  program.notes.resize(kRows);
  program.data.resize(kRows);
  program.exports.resize(kRows);
  const Result<Bytes> bytes = WriteProgram(program);
  ASSERT_TRUE(bytes);
  EXPECT_LE(CostOfReading(*bytes), 8 * bytes->size());
}

}  // namespace
}  // namespace txvm::isa
