// Program files: round trips, every refusal with its message, and thousands of damaged files.
#include "isa/program_file.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "isa/opcode.h"
#include "isa/verify.h"

namespace txvm::isa {
namespace {

using Bytes = std::vector<std::uint8_t>;
using I = Instruction;

// Offsets of the layout in docs/PROGRAM-FILE.md, written out here so that the format cannot drift.
constexpr std::size_t kTableAt = 32, kRowBytes = 16, kBodyAt = 32 + 12 * 16;

// A program that has something in every section.
Program Sample() {
  Program program;
  program.code = {I(Opcode::kCall, 2), I(Opcode::kHalt), I(Opcode::kPush, 0xFFFFFFFF),
                  I(Opcode::kReturn), I(Opcode::kTrap, 4)};
  program.functions = {{0, 1, 0, 1, 0, ""}, {2, 4, 0, 1, 3, std::string("f\0\xFF", 3)}};
  program.globals = {1, 0x80000000};
  program.memory = MemorySpec{1, 2};
  program.data = {{16, {1, 2, 3}}, {0, {}}};
  program.imports = {{"txvm", "memory.grow", 1, 1}};
  program.exports = {{"main", 0, 0, 1}};
  program.init = 0;
  program.entry = 0;
  program.source = "a.wat";
  program.lines = {{0, 0}, {2, 17}};
  program.notes = {{4, "because"}};
  return program;
}

// The sample with types: a file of version 2.
Program TypedSample() {
  Program program = Sample();
  program.functions[0].results = program.functions[1].results = program.exports[0].results = 3;
  program.code[3] = I(Opcode::kTrap, 4);  // the path that would return has one value
  program.functions[1].local_types = {ValueType::kF64, ValueType::kF32};
  program.imports[0].param_types = {ValueType::kF32};
  program.imports[0].result_types = {ValueType::kI32};
  program.exports[0].result_types = {ValueType::kF32, ValueType::kI64};
  return program;
}

Bytes Written(const Program& program) {
  Result<Bytes> bytes = WriteProgram(program);
  EXPECT_TRUE(bytes);
  return bytes ? *std::move(bytes) : Bytes{};
}

void Put(Bytes& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

// Makes length and checksum right again, so that what follows them is reached.
Bytes Sealed(Bytes bytes) {
  Put(bytes, 16, bytes.size(), 8);
  Put(bytes, kProgramChecksumAt, ProgramChecksum(bytes), 8);
  return bytes;
}

std::string Message(const Bytes& bytes, ErrorCode code = ErrorCode::kCorrupt) {
  const Result<Program> program = ReadProgram(bytes);
  if (program) return "accepted";
  EXPECT_EQ(program.error().code, code);
  return program.error().message;
}

TEST(ProgramFile, RoundTripsEveryField) {
  const Program program = Sample();
  ASSERT_TRUE(Verify(program));
  const Bytes bytes = Written(program);
  EXPECT_TRUE(IsProgramFile(bytes));
  const Result<Program> read = ReadProgram(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, program);
  EXPECT_EQ(Written(*read), bytes);
}

TEST(ProgramFile, RoundTripsTypesInAFileOfVersion2) {
  const Program program = TypedSample();
  const Result<Verified> verified = Verify(program);
  ASSERT_TRUE(verified) << verified.error().message;
  const Bytes bytes = Written(program);
  EXPECT_EQ(bytes[8], 2);
  EXPECT_EQ(bytes[12], 15);
  const Result<Program> read = ReadProgram(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, program);
  EXPECT_EQ(Written(*read), bytes);
  const Bytes tail = {0, 0, 0, 0, 2, 0, 0, 0, 2, 1,   // exports: f32, i64
                      0, 0, 0, 0, 2, 0, 0, 0, 3, 2};  // locals of the functions
  EXPECT_EQ(Bytes(bytes.end() - static_cast<int>(tail.size()), bytes.end()), tail);
}

TEST(ProgramFile, RefusesTypesThatAreNone) {
  const Bytes good = Written(TypedSample());
  constexpr std::size_t kTypes = kTableAt + 12 * kRowBytes;
  Bytes bytes = good;
  bytes.back() = 5;
  EXPECT_EQ(Message(Sealed(bytes)),
            "program file: row 1 of section local types has the type 5, expected 0..4");
  bytes = good;
  Put(bytes, kTypes + 2 * kRowBytes + 4, 1, 4);
  EXPECT_EQ(Message(Sealed(bytes)), "program file: section local types has 1 row, expected 0 or 2");
  bytes = good;
  Put(bytes, kTypes + 2 * kRowBytes + 4, 0xFFFFFFFF, 4);
  EXPECT_EQ(Message(Sealed(bytes)),
            "program file: section local types has 4294967295 rows, expected 0 or 2");
  bytes = good;
  Put(bytes, bytes.size() - 6, 0xFFFFFFF0, 4);
  EXPECT_EQ(Message(Sealed(bytes)),
            "program file: row 1 of section local types runs past the end of the section");
}

// Equal programs are equal files: what could be said in less is refused.
TEST(ProgramFile, RefusesAVersionAndSectionsThatTheProgramDoesNotNeed) {
  Program program = TypedSample();
  program.imports[0].param_types = program.imports[0].result_types = {};
  program.exports[0].result_types = {};
  Bytes bytes = Written(program);
  bytes.resize(bytes.size() - 2);
  constexpr std::size_t kLocalTypes = kTableAt + 14 * kRowBytes;
  Put(bytes, bytes.size() - 4, 0, 4);
  Put(bytes, kLocalTypes + 8, 8, 8);
  EXPECT_EQ(Message(Sealed(bytes)),
            "program file: section local types has 2 rows, but none states a type");
  bytes.resize(bytes.size() - 8);
  Put(bytes, kLocalTypes + 4, 0, 4);
  Put(bytes, kLocalTypes + 8, 0, 8);
  EXPECT_EQ(Message(Sealed(bytes)),
            "program file: it is of version 2, but needs no more than version 1");
}

TEST(ProgramFile, RoundTripsAnUnverifiedAndAnEmptyProgram) {
  Program program;
  EXPECT_EQ(*ReadProgram(Written(program)), program);
  program.code = {I(static_cast<Opcode>(200), 7, 0xFFFFFF)};
  program.entry = 99;
  program.memory = MemorySpec{0, 0};
  EXPECT_EQ(*ReadProgram(Written(program)), program);
}

TEST(ProgramFile, HasTheDocumentedBytes) {
  Program program;
  program.code = {I(Opcode::kPush, 0x01020304)};
  const Bytes bytes = Written(program);
  const Bytes head = {0xF4, 't', 'x', 'p', '\r', '\n', 0x1A, '\n', 1, 0, 0, 0, 12, 0, 0, 0, 240};
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 17), head);
  const Bytes code_row = {1, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(Bytes(bytes.begin() + kTableAt, bytes.begin() + kTableAt + kRowBytes), code_row);
  const Bytes body = {1, 0, 0, 0, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0};  // PUSH, entry, source
  EXPECT_EQ(Bytes(bytes.begin() + kBodyAt, bytes.end()), body);
  // The checksum of the documented formula, computed once outside of this project's C++.
  EXPECT_EQ(ProgramChecksum(bytes), 0x3995cd2e223c18cbu);
}

TEST(ProgramFile, RefusesWhatDoesNotBeginLikeOne) {
  EXPECT_EQ(Message({}), "program file: it does not begin like one");
  EXPECT_EQ(Message({0xF4, 't', 'x', 'p', '\n', '\n', 0x1A, '\n'}),
            "program file: it does not begin like one");
  EXPECT_FALSE(IsProgramFile(Bytes{0, 'a', 's', 'm', 1, 0, 0, 0}));
}

TEST(ProgramFile, RefusesOtherVersions) {
  Bytes bytes = Written(Sample());
  Put(bytes, 8, 4, 4);
  EXPECT_EQ(Message(bytes, ErrorCode::kUnsupported),
            "program file: version 4 is newer than version 3, the newest known here");
  Put(bytes, 8, 0, 4);
  EXPECT_EQ(Message(bytes), "program file: no version 0 exists");
}

TEST(ProgramFile, RefusesEveryTruncationAndExtension) {
  const Bytes bytes = Written(Sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string message =
        Message(Bytes(bytes.begin(), bytes.begin() + static_cast<int>(size)));
    if (size < 8) {
      EXPECT_EQ(message, "program file: it does not begin like one");
    } else if (size < kProgramHeaderBytes) {
      EXPECT_EQ(message, "program file: it is truncated to " + std::to_string(size) +
                             " bytes, a header has 32");
    } else {
      EXPECT_EQ(message, "program file: it is truncated to " + std::to_string(size) + " of its " +
                             std::to_string(bytes.size()) + " bytes");
    }
  }
  Bytes longer = bytes;
  longer.push_back(0);
  EXPECT_EQ(Message(longer),
            "program file: it has 1 byte more than its " + std::to_string(bytes.size()));
}

TEST(ProgramFile, RefusesEverySingleBitFlip) {
  Bytes bytes = Written(Sample());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const auto mask = static_cast<std::uint8_t>(1u << (bit % 8));
    bytes[bit / 8] ^= mask;
    EXPECT_FALSE(ReadProgram(bytes)) << "bit " << bit;
    bytes[bit / 8] ^= mask;
  }
  bytes[kBodyAt] ^= 1;
  EXPECT_EQ(Message(bytes).substr(0, 46), "program file: it was altered: its checksum is ");
}

TEST(ProgramFile, RefusesADamagedSectionTable) {
  const Bytes good = Written(Sample());
  Bytes bytes = good;
  Put(bytes, 12, 13, 4);
  EXPECT_EQ(Message(Sealed(bytes)), "program file: it has 13 sections in " +
                                        std::to_string(good.size()) +
                                        " bytes, expected 12 in at least 224");
  bytes = good;
  bytes.resize(kProgramHeaderBytes);
  EXPECT_EQ(Message(Sealed(bytes)),
            "program file: it has 12 sections in 32 bytes, expected 12 in at least 224");
  bytes = good;
  Put(bytes, kTableAt + 2 * kRowBytes, 2, 4);
  EXPECT_EQ(Message(Sealed(bytes)),
            "program file: section table row 2 is section 2, expected 3 (globals)");
  bytes = good;
  Put(bytes, kTableAt + 8, 1ull << 40, 8);
  EXPECT_EQ(Message(Sealed(bytes)), "program file: section code has 1099511627776 bytes, only " +
                                        std::to_string(good.size() - kBodyAt) +
                                        " are left in the file");
  bytes = good;
  bytes.push_back(7);
  EXPECT_EQ(Message(Sealed(bytes)), "program file: 1 byte after the last section");
}

TEST(ProgramFile, RefusesCountsThatDoNotFitBeforeAllocating) {
  const Bytes good = Written(Sample());
  const char* const names[] = {"code",    "functions", "globals", "memory", "data",  "imports",
                               "exports", "init",      "entry",   "source", "lines", "notes"};
  for (std::size_t i = 0; i < 12; ++i) {
    Bytes bytes = good;
    Put(bytes, kTableAt + i * kRowBytes + 4, 0xFFFFFFFF, 4);
    const std::string message = Message(Sealed(bytes));
    const std::string section = std::string("program file: section ") + names[i];
    if (i == 8 || i == 9) {
      EXPECT_EQ(message, section + " has 4294967295 rows, expected 1");
    } else if (i == 3 || i == 7) {
      EXPECT_EQ(message, section + " has 4294967295 rows, expected 0 or 1");
    } else {
      const std::string claims = section + " claims 4294967295 rows of at least ";
      EXPECT_EQ(message.substr(0, claims.size()), claims);
    }
  }
}

TEST(ProgramFile, RefusesRowsAndBytesThatDoNotFitTheSection) {
  const Bytes good = Written(Sample());
  Bytes bytes = good;
  const std::size_t name_length_at = kBodyAt + 5 * 8 + 5 * 4;  // of function 0
  Put(bytes, name_length_at, 0xFFFFFFFF, 4);
  EXPECT_EQ(Message(Sealed(bytes)),
            "program file: row 0 of section functions runs past the end of the section");
  bytes = good;
  Put(bytes, kTableAt + 4, 4, 4);
  EXPECT_EQ(Message(Sealed(bytes)), "program file: section code has 8 bytes after its last row");
}

// A file that is accepted in spite of its damage is a program of its own: writing it gives it back.
void SurviveDamage(const Program& sample) {
  constexpr std::uint32_t kSeed = 20'241'121;
  constexpr int kCases = 6'000;
  std::mt19937 random(kSeed);
  const Bytes good = Written(sample);
  int accepted = 0;
  for (int i = 0; i < kCases; ++i) {
    Bytes bytes = good;
    const std::uint32_t edits = 1 + random() % 4;
    for (std::uint32_t edit = 0; edit < edits; ++edit) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 5) {
        case 0:
          bytes[at] = static_cast<std::uint8_t>(random());
          break;
        case 1:
          bytes[at] ^= static_cast<std::uint8_t>(1u << (random() % 8));
          break;
        case 2:
          bytes.erase(bytes.begin() + static_cast<int>(at));
          break;
        case 3:
          bytes.insert(bytes.begin() + static_cast<int>(at), static_cast<std::uint8_t>(random()));
          break;
        default:
          if (at + 4 <= bytes.size()) Put(bytes, at, random() % 2 == 0 ? 0xFFFFFFFF : random(), 4);
      }
    }
    // Half of them with the right checksum, so that the damage gets past it.
    if (i % 2 == 0 && bytes.size() >= kProgramHeaderBytes) bytes = Sealed(bytes);
    const Result<Program> program = ReadProgram(bytes);
    if (!program) {
      EXPECT_FALSE(program.error().message.empty());
      continue;
    }
    ++accepted;
    EXPECT_EQ(Written(*program), bytes) << "seed " << kSeed << " case " << i;
    const Result<Verified> verified = Verify(*program);
    EXPECT_TRUE(verified || !verified.error().message.empty());
  }
  EXPECT_GT(accepted, kCases / 50);  // else the damage never got beyond the header
}

TEST(ProgramFile, SurvivesThousandsOfDamagedFiles) { SurviveDamage(Sample()); }
TEST(ProgramFile, SurvivesThousandsOfDamagedFilesWithTypes) { SurviveDamage(TypedSample()); }

}  // namespace
}  // namespace txvm::isa
