#include "vm/snapshot_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "isa/growth.h"
#include "isa/program_file.h"
#include "isa/support/sha256.h"
#include "isa/support/text.h"

namespace txvm::vm {
namespace {

using isa::ErrorCode;

// As a program file's: a byte above 0x7F, both line ends and a text-mode end of file.
constexpr std::array<std::uint8_t, 8> kMagic = {0xF5, 't', 'x', 's', '\r', '\n', 0x1A, '\n'};
constexpr std::size_t kVersionAt = 8, kLengthAt = 16, kHashAt = 32, kHashBytes = 32;
constexpr std::uint32_t kRunningFlag = 1, kDigestFlag = 2, kGrownFlag = 4;
constexpr std::uint32_t kAllFlags = kRunningFlag | kDigestFlag | kGrownFlag;
constexpr std::size_t kBlockHeadBytes = 8;
constexpr std::string_view kHexDigits = "0123456789abcdef";
static_assert(kSnapshotChecksumAt == isa::kProgramChecksumAt, "both use ProgramChecksum");

std::unexpected<isa::Error> Corrupt(std::string message) {
  return isa::Fail(ErrorCode::kCorrupt, "snapshot file: " + std::move(message));
}

std::uint64_t LittleEndian(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}

// ----------------------------------------------------------------------------------------- write

class Writer {
 public:
  explicit Writer(std::size_t bytes) { bytes_.reserve(bytes); }
  void Number(std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
  }
  void U32(std::size_t value) { Number(value, 4); }
  void U64(std::uint64_t value) { Number(value, 8); }
  void Bytes(std::span<const std::uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void Words(std::span<const std::uint32_t> words) {
    for (const std::uint32_t word : words) U32(word);
  }
  void Blocks(std::span<const SnapshotBlock> blocks) {
    for (const SnapshotBlock& block : blocks) {
      U32(block.index);
      U32(block.bytes->size());
      Bytes(*block.bytes);
    }
  }
  std::size_t size() const { return bytes_.size(); }

  std::vector<std::uint8_t> Finish() && {
    PutAt(kLengthAt, bytes_.size());
    PutAt(kSnapshotChecksumAt, isa::ProgramChecksum(bytes_));
    return std::move(bytes_);
  }

 private:
  void PutAt(std::size_t at, std::uint64_t value) {
    for (std::size_t i = 0; i < sizeof(value); ++i) {
      bytes_[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
  }

  std::vector<std::uint8_t> bytes_;
};

std::array<std::uint8_t, kHashBytes> HashBytes(std::string_view text) {
  TXVM_ASSERT(text.size() == 2 * kHashBytes);
  std::array<std::uint8_t, kHashBytes> bytes;
  for (std::size_t i = 0; i < kHashBytes; ++i) {
    const std::size_t high = kHexDigits.find(text[2 * i]), low = kHexDigits.find(text[2 * i + 1]);
    bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return bytes;
}

std::string HashText(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kHexDigits[byte >> 4];
    text += kHexDigits[byte & 0xF];
  }
  return text;
}

std::size_t FileBytes(const Snapshot& snapshot) {
  std::size_t bytes = kSnapshotHeaderBytes + snapshot.host.size() +
                      (snapshot.stack.size() + snapshot.frames.size() + 1 + snapshot.grown.size()) *
                          sizeof(std::uint32_t);
  for (const auto* blocks : {&snapshot.locals, &snapshot.memory}) {
    for (const SnapshotBlock& block : *blocks) bytes += kBlockHeadBytes + block.bytes->size();
  }
  return bytes;
}

// ------------------------------------------------------------------------------------------ read

// Takes numbers off the front. REQUIRES: as many bytes are left.
class Header {
 public:
  explicit Header(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::span<const std::uint8_t> Take(std::size_t count) {
    const std::span<const std::uint8_t> taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  std::uint32_t U32() { return static_cast<std::uint32_t>(LittleEndian(Take(4))); }
  std::uint64_t U64() { return LittleEndian(Take(8)); }

 private:
  std::span<const std::uint8_t> bytes_;
};

// How much of everything follows the header.
struct Counts {
  std::uint32_t stack = 0, frames = 0, locals = 0, memory = 0;
  std::uint64_t host = 0;
};

// What is after the header, each part checked against what is left before anything is allocated
// for it.
class Body {
 public:
  explicit Body(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  isa::Result<std::vector<std::uint32_t>> Words(std::string_view what, std::uint32_t count) {
    constexpr std::size_t kWord = sizeof(std::uint32_t);
    TXVM_TRY(const auto taken, Take(what, std::uint64_t{count} * kWord));
    std::vector<std::uint32_t> words(count);
    for (std::size_t i = 0; i < count; ++i) {
      words[i] = static_cast<std::uint32_t>(LittleEndian(taken.subspan(i * kWord, kWord)));
    }
    return words;
  }

  isa::Result<std::vector<SnapshotBlock>> Blocks(std::string_view what, std::uint32_t count) {
    // Each block has a head and at least one byte.
    if (std::uint64_t{count} * (kBlockHeadBytes + 1) > bytes_.size()) {
      return Corrupt(fmt::format("it claims {} of {} in {}", isa::CountText(count, "block"), what,
                                 isa::CountText(bytes_.size(), "byte")));
    }
    std::vector<SnapshotBlock> blocks;
    blocks.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      TXVM_TRY(const auto head, Take(what, kBlockHeadBytes));
      const auto index = static_cast<std::uint32_t>(LittleEndian(head.first(4)));
      const std::uint64_t length = LittleEndian(head.last(4));
      if (length == 0 || length > kSnapshotBlockBytes) {
        return Corrupt(fmt::format("block {} of {} has {} bytes, expected 1..{}", index, what,
                                   length, kSnapshotBlockBytes));
      }
      TXVM_TRY(const auto bytes, Take(what, length));
      if (bytes.back() == 0) {
        return Corrupt(fmt::format("block {} of {} ends in a zero byte", index, what));
      }
      blocks.push_back(
          {index, std::make_shared<const std::vector<std::uint8_t>>(bytes.begin(), bytes.end())});
    }
    return blocks;
  }

  isa::Result<std::vector<std::uint8_t>> Bytes(std::string_view what, std::uint64_t count) {
    TXVM_TRY(const auto taken, Take(what, count));
    return std::vector<std::uint8_t>(taken.begin(), taken.end());
  }

  std::size_t left() const { return bytes_.size(); }

 private:
  isa::Result<std::span<const std::uint8_t>> Take(std::string_view what, std::uint64_t count) {
    if (count > bytes_.size()) {
      return Corrupt(
          fmt::format("{} needs {} bytes, only {} are left", what, count, bytes_.size()));
    }
    const std::span<const std::uint8_t> taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

  std::span<const std::uint8_t> bytes_;
};

isa::Result<void> CheckHeader(std::span<const std::uint8_t> bytes) {
  if (!IsSnapshotFile(bytes)) return Corrupt("it does not begin like one");
  if (bytes.size() < kSnapshotHeaderBytes) {
    return Corrupt(fmt::format("it is truncated to {}, a header has {}",
                               isa::CountText(bytes.size(), "byte"), kSnapshotHeaderBytes));
  }
  const std::uint64_t version = LittleEndian(bytes.subspan(kVersionAt, 4));
  if (version > kSnapshotFileVersion) {
    return isa::Fail(ErrorCode::kUnsupported,
                     fmt::format("snapshot file: version {} is newer than version {}, the newest "
                                 "known here",
                                 version, kSnapshotFileVersion));
  }
  if (version < kSnapshotFileVersion) return Corrupt(fmt::format("no version {} exists", version));
  const std::uint64_t length = LittleEndian(bytes.subspan(kLengthAt, 8));
  if (bytes.size() < length) {
    return Corrupt(fmt::format("it is truncated to {} of its {} bytes", bytes.size(), length));
  }
  if (bytes.size() > length) {
    return Corrupt(fmt::format("it has {} more than its {}",
                               isa::CountText(bytes.size() - length, "byte"), length));
  }
  const std::uint64_t checksum = LittleEndian(bytes.subspan(kSnapshotChecksumAt, 8));
  if (const std::uint64_t actual = isa::ProgramChecksum(bytes); actual != checksum) {
    return Corrupt(
        fmt::format("it was altered: its checksum is {:016x}, it says {:016x}", actual, checksum));
  }
  return {};
}

}  // namespace

std::string ProgramHash(const isa::Program& program) {
  if (program.growth != nullptr) return program.growth->Hash();
  isa::Program meaning = program;
  meaning.source.clear();
  meaning.lines.clear();
  meaning.notes.clear();
  for (isa::Function& function : meaning.functions) {
    function.name.clear();
    function.local_types.clear();
  }
  const auto forget_types = [](auto& function) {
    function.param_types.clear();
    function.result_types.clear();
  };
  std::ranges::for_each(meaning.imports, forget_types);
  std::ranges::for_each(meaning.exports, forget_types);
  const isa::Result<std::vector<std::uint8_t>> bytes = isa::WriteProgram(meaning);
  TXVM_ASSERT(bytes.has_value());  // a loaded program's tables have fewer than 2^32 entries
  return isa::Sha256(*bytes);
}

bool IsSnapshotFile(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

std::vector<std::uint8_t> WriteSnapshot(const Snapshot& snapshot) {
  Writer out(FileBytes(snapshot));
  out.Bytes(kMagic);
  out.U32(kSnapshotFileVersion);
  out.U32((snapshot.running ? kRunningFlag : 0) | (snapshot.has_digest ? kDigestFlag : 0) |
          (snapshot.grown.empty() ? 0 : kGrownFlag));
  out.U64(0);  // length and checksum, put in by Finish
  out.U64(0);
  out.Bytes(HashBytes(snapshot.program ? ProgramHash(*snapshot.program) : snapshot.program_hash));
  out.U32(snapshot.limits.max_slots);
  out.U32(snapshot.limits.max_depth);
  out.U32(snapshot.limits.max_locals);
  out.U32(snapshot.limits.max_pages);
  out.U64(snapshot.steps);
  out.U64(snapshot.has_digest ? snapshot.digest : 0);
  out.U32(snapshot.ip);
  out.U32(snapshot.pages);
  out.U32(snapshot.stack.size());
  out.U32(snapshot.frames.size());
  out.U32(snapshot.locals.size());
  out.U32(snapshot.memory.size());
  out.U64(snapshot.host.size());
  TXVM_ASSERT(out.size() == kSnapshotHeaderBytes);
  if (!snapshot.grown.empty()) {
    out.U32(snapshot.grown.size());
    out.Words(snapshot.grown);
  }
  out.Words(snapshot.stack);
  out.Words(snapshot.frames);
  out.Blocks(snapshot.locals);
  out.Blocks(snapshot.memory);
  out.Bytes(snapshot.host);
  return std::move(out).Finish();
}

isa::Result<Snapshot> ReadSnapshot(std::span<const std::uint8_t> bytes) {
  TXVM_CHECK_OK(CheckHeader(bytes));
  const std::uint64_t flags = LittleEndian(bytes.subspan(kVersionAt + 4, 4));
  if (flags > kAllFlags) {
    return Corrupt(fmt::format("its flags are {:#x}, expected 0..{}", flags, kAllFlags));
  }
  Snapshot snapshot;
  snapshot.running = (flags & kRunningFlag) != 0;
  snapshot.has_digest = (flags & kDigestFlag) != 0;
  Header header(bytes.subspan(kHashAt));
  snapshot.program_hash = HashText(header.Take(kHashBytes));
  snapshot.limits.max_slots = header.U32();
  snapshot.limits.max_depth = header.U32();
  snapshot.limits.max_locals = header.U32();
  snapshot.limits.max_pages = header.U32();
  snapshot.steps = header.U64();
  snapshot.digest = header.U64();
  snapshot.ip = header.U32();
  snapshot.pages = header.U32();
  Counts counts;
  counts.stack = header.U32();
  counts.frames = header.U32();
  counts.locals = header.U32();
  counts.memory = header.U32();
  counts.host = header.U64();
  Body body(bytes.subspan(kSnapshotHeaderBytes));
  if ((flags & kGrownFlag) != 0) {
    TXVM_TRY(const auto count, body.Words("the count of functions that were made", 1));
    if (count.front() == 0) return Corrupt("its list of functions that were made is empty");
    TXVM_TRY(snapshot.grown, body.Words("the functions that were made", count.front()));
  }
  TXVM_TRY(snapshot.stack, body.Words("the operand stack", counts.stack));
  TXVM_TRY(snapshot.frames, body.Words("the call frames", counts.frames));
  TXVM_TRY(snapshot.locals, body.Blocks("locals", counts.locals));
  TXVM_TRY(snapshot.memory, body.Blocks("memory", counts.memory));
  TXVM_TRY(snapshot.host, body.Bytes("the embedding's part", counts.host));
  if (body.left() == 0) return snapshot;
  return Corrupt(fmt::format("{} after its last part", isa::CountText(body.left(), "byte")));
}

}  // namespace txvm::vm
