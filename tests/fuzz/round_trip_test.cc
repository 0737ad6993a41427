// Programs as files and as text: what comes back is what went in, and damage is refused, not run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "asm/assembler.h"
#include "isa/disassemble.h"
#include "isa/program_file.h"
#include "isa/verify.h"
#include "tests/support/random_program.h"

namespace txvm::support {
namespace {

constexpr std::uint64_t kCases = 2'000;

TEST(RoundTrip, ProgramFilesOfRandomPrograms) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const isa::Program program = MakeDamagedCase(seed).program;
    const auto bytes = isa::WriteProgram(program);
    ASSERT_TRUE(bytes) << "seed " << seed;
    const auto read = isa::ReadProgram(*bytes);
    ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message;
    ASSERT_EQ(*read, program) << "seed " << seed;
  }
}

TEST(RoundTrip, ListingsOfRandomProgramsAssembleBack) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const isa::Program program = MakeRandomCase(seed).program;
    const auto text = isa::Disassemble(program);
    ASSERT_TRUE(text) << "seed " << seed << ": " << text.error().message;
    const auto assembled = assembler::Assemble(*text, "listing.txa");
    ASSERT_TRUE(assembled) << "seed " << seed << ": " << assembled.error().ToString() << '\n'
                           << *text;
    ASSERT_EQ(*assembled, program) << "seed " << seed << '\n' << *text;
  }
}

// Code that Verify rejects has a listing too, as long as its tables are whole.
TEST(RoundTrip, ListingsOfDamagedProgramsAssembleBack) {
  std::uint64_t listed = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const isa::Program program = MakeDamagedCase(seed).program;
    const auto text = isa::Disassemble(program);
    ASSERT_EQ(text.has_value(), isa::VerifyTables(program).has_value()) << "seed " << seed;
    if (!text) continue;
    const auto assembled = assembler::Assemble(*text, "listing.txa");
    ASSERT_TRUE(assembled) << "seed " << seed << ": " << assembled.error().ToString() << '\n'
                           << *text;
    ASSERT_EQ(*assembled, program) << "seed " << seed << '\n' << *text;
    ++listed;
  }
  EXPECT_GT(listed, kCases / 2);
}

// Files with damaged contents and a right checksum: read or refused, then verified or refused.
TEST(RoundTrip, DamagedProgramFilesAreReadOrRefused) {
  Random random(7);
  std::uint64_t accepted = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    auto bytes = isa::WriteProgram(MakeRandomCase(seed).program);
    ASSERT_TRUE(bytes);
    for (std::uint32_t edits = random.Between(1, 3); edits > 0; --edits) {
      const auto size = static_cast<std::uint32_t>(bytes->size());
      (*bytes)[random.Between(isa::kProgramHeaderBytes, size - 1)] =
          static_cast<std::uint8_t>(random.Word());
    }
    const std::uint64_t checksum = isa::ProgramChecksum(*bytes);
    for (std::size_t i = 0; i < 8; ++i) {
      (*bytes)[isa::kProgramChecksumAt + i] = static_cast<std::uint8_t>(checksum >> (8 * i));
    }
    const auto program = isa::ReadProgram(*bytes);
    if (!program) continue;
    ++accepted;
    ASSERT_EQ(*isa::WriteProgram(*program), *bytes) << "seed " << seed;
    const auto verified = isa::Verify(*program);
    ASSERT_TRUE(verified || !verified.error().message.empty());
  }
  EXPECT_GT(accepted, kCases / 4);
}

}  // namespace
}  // namespace txvm::support
