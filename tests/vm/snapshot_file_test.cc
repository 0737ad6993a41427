// The snapshot file: every way it can be wrong is one error, and none can make the reader crash.
#include "vm/snapshot_file.h"

#include <algorithm>

#include "isa/program_file.h"
#include "tests/vm/vm_fixture.h"

namespace txvm::vm {
namespace {

using File = std::vector<std::uint8_t>;

// Offsets of docs/SNAPSHOTS.md.
constexpr std::size_t kVersion = 8, kFlags = 12, kLength = 16, kHash = 32, kIp = 96, kStack = 104,
                      kFrames = 108, kLocals = 112, kMemory = 116, kHost = 120;

constexpr std::string_view kProgram = R"(
.global 5
.memory 1 1
.data 10 "hello"
.func f params=1 results=1 locals=1
  LOCAL.TEE 0
.end
.func main results=1
  PUSH 7
  CALL f
.end
.export "main" main
)";

Snapshot Example() {
  Machine machine = MachineOf(kProgram, EngineKind::kNative);
  RunOptions run;
  run.fuel = 4;
  run.digest = true;
  RunEntry(machine, run);
  Snapshot snapshot = machine.TakeSnapshot().value();
  snapshot.host = {1, 2, 3};
  return snapshot;
}

void Put(File& file, std::size_t at, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    file[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

/// Makes length and checksum right again, so that what else is wrong is found.
File Sealed(File file) {
  Put(file, kLength, file.size(), 8);
  Put(file, kSnapshotChecksumAt, isa::ProgramChecksum(file), 8);
  return file;
}

std::string ErrorOf(const File& file) {
  const isa::Result<Snapshot> snapshot = ReadSnapshot(file);
  return snapshot ? "read" : snapshot.error().message;
}

std::string ErrorAfter(std::size_t at, std::uint64_t value, std::size_t bytes = 4) {
  File file = WriteSnapshot(Example());
  Put(file, at, value, bytes);
  return ErrorOf(Sealed(std::move(file)));
}

TEST(SnapshotFile, ReadsWhatWasWritten) {
  const Snapshot written = Example();
  const File file = WriteSnapshot(written);
  const Snapshot read = ReadSnapshot(file).value();
  EXPECT_EQ(read.program, nullptr);
  EXPECT_EQ(read.program_hash, ProgramHash(*written.program));
  EXPECT_EQ(read.limits.max_depth, written.limits.max_depth);
  EXPECT_EQ(read.running, true);
  EXPECT_EQ(read.has_digest, true);
  EXPECT_EQ(read.ip, written.ip);
  EXPECT_EQ(read.steps, 4u);
  EXPECT_EQ(read.digest, written.digest);
  EXPECT_EQ(read.stack, written.stack);
  EXPECT_EQ(read.frames, written.frames);
  EXPECT_EQ(read.pages, 1u);
  EXPECT_EQ(read.host, (std::vector<std::uint8_t>{1, 2, 3}));
  ASSERT_EQ(read.memory.size(), 1u);
  EXPECT_EQ(*read.memory[0].bytes, *written.memory[0].bytes);
  EXPECT_EQ(WriteSnapshot(read), file);
}

TEST(SnapshotFile, IsSmallForASmallProgram) { EXPECT_LT(WriteSnapshot(Example()).size(), 200u); }

TEST(SnapshotFile, HasFixedBytes) {
  const File file = WriteSnapshot(Example());
  const File magic = {0xF5, 't', 'x', 's', '\r', '\n', 0x1A, '\n', 1, 0, 0, 0, 3, 0, 0, 0};
  EXPECT_TRUE(std::equal(magic.begin(), magic.end(), file.begin()));
  EXPECT_EQ(file[kStack], 1);
  EXPECT_EQ(file[kFrames], 2);
}

TEST(SnapshotFile, NamesWhatIsWrong) {
  const File file = WriteSnapshot(Example());
  EXPECT_EQ(ErrorOf({}), "snapshot file: it does not begin like one");
  EXPECT_EQ(ErrorOf(File(file.begin(), file.begin() + 30)),
            "snapshot file: it is truncated to 30 bytes, a header has 128");
  EXPECT_EQ(ErrorOf(File(file.begin(), file.end() - 1)),
            "snapshot file: it is truncated to " + std::to_string(file.size() - 1) + " of its " +
                std::to_string(file.size()) + " bytes");
  File longer = file;
  longer.push_back(0);
  EXPECT_EQ(ErrorOf(longer),
            "snapshot file: it has 1 byte more than its " + std::to_string(file.size()));
  EXPECT_EQ(ErrorOf(Sealed(longer)), "snapshot file: 1 byte after its last part");
  EXPECT_EQ(ErrorAfter(kVersion, 2),
            "snapshot file: version 2 is newer than version 1, the newest known here");
  EXPECT_EQ(ErrorAfter(kVersion, 0), "snapshot file: no version 0 exists");
  EXPECT_EQ(ErrorAfter(kFlags, 8), "snapshot file: its flags are 0x8, expected 0..7");
  EXPECT_EQ(ErrorAfter(kStack, 0xFFFFFFFF)
                .find("snapshot file: the operand stack needs 17179869180 bytes, only "),
            0u);
  EXPECT_EQ(ErrorAfter(kFrames, 0xFFFFFFFF)
                .find("snapshot file: the call frames needs 17179869180 bytes, only "),
            0u);
  EXPECT_EQ(ErrorAfter(kMemory, 0xFFFFFFFF)
                .find("snapshot file: it claims 4294967295 blocks of memory in "),
            0u);
  EXPECT_EQ(
      ErrorAfter(kHost, ~std::uint64_t{0}, 8),
      "snapshot file: the embedding's part needs 18446744073709551615 bytes, only 3 are left");
}

TEST(SnapshotFile, RefusesBlocksThatAreNotAsWritten) {
  const File file = WriteSnapshot(Example());
  // The body: 1 stack word, 2 frame words, then the locals' block.
  const std::size_t block = kSnapshotHeaderBytes + 3 * 4;
  File changed = file;
  Put(changed, block + 4, 0, 4);
  EXPECT_EQ(ErrorOf(Sealed(changed)),
            "snapshot file: block 0 of locals has 0 bytes, expected 1..4096");
  changed = file;
  Put(changed, block + 4, 5'000, 4);
  EXPECT_EQ(ErrorOf(Sealed(changed)),
            "snapshot file: block 0 of locals has 5000 bytes, expected 1..4096");
  changed = file;
  Put(changed, block + 4, 4'000, 4);
  EXPECT_EQ(ErrorOf(Sealed(changed)).find("snapshot file: locals needs 4000 bytes, only "), 0u);
  changed = file;
  changed[block + 8 + 4] = 0;  // the 7 of local 0, the last byte that is not 0
  EXPECT_EQ(ErrorOf(Sealed(changed)), "snapshot file: block 0 of locals ends in a zero byte");
}

TEST(SnapshotFile, EveryChangedByteIsNoticed) {
  const File file = WriteSnapshot(Example());
  for (std::size_t at = 0; at < file.size(); ++at) {
    File changed = file;
    changed[at] ^= 0x40;
    EXPECT_FALSE(ReadSnapshot(changed).has_value()) << at;
  }
}

TEST(SnapshotFile, EveryCutIsNoticed) {
  const File file = WriteSnapshot(Example());
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(ReadSnapshot(std::span(file).first(size)).has_value()) << size;
  }
}

// With a right checksum: each byte of the file set to other values must be refused or lead to a
// run that ends within its buffers. The sanitizers watch.
TEST(SnapshotFile, AnyChangeIsRefusedOrRunsWithinBounds) {
  const File file = WriteSnapshot(Example());
  std::size_t refused = 0, ran = 0;
  for (std::size_t at = kHash + 32; at < file.size(); ++at) {
    for (const int change : {1, 0x40, 0xFF}) {
      File changed = file;
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ change);
      const isa::Result<Snapshot> snapshot = ReadSnapshot(Sealed(changed));
      for (const EngineKind engine : DirectEngines()) {
        Machine machine = MachineOf(kProgram, engine);
        if (!snapshot || !machine.Restore(*snapshot)) {
          ++refused;
          continue;
        }
        ++ran;
        if (!machine.resumable()) continue;
        RunOptions run;
        run.fuel = 100;
        machine.Resume(run);
      }
    }
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(ran, 50u) << "values may change: operands, steps, digest, bytes of memory";
}

TEST(SnapshotFile, HashIsOfWhatAProgramDoes) {
  const auto program = ProgramOf(kProgram);
  isa::Program other = *program;
  other.source = "other";
  other.lines.clear();
  other.functions[0].name = "g";
  EXPECT_EQ(ProgramHash(other), ProgramHash(*program));
  other.globals[0] = 6;
  EXPECT_NE(ProgramHash(other), ProgramHash(*program));
  EXPECT_EQ(ProgramHash(*program).size(), 64u);
}

}  // namespace
}  // namespace txvm::vm
