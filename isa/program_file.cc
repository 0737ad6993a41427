#include "isa/program_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "isa/support/text.h"

namespace txvm::isa {
namespace {

enum class Section : std::uint32_t {
#define TXVM_SECTION(id, Name, text, row, version) k##Name = id,
#include "isa/program_sections.def"
#undef TXVM_SECTION
};

struct SectionInfo {
  Section id;
  std::string_view text;
  std::uint64_t row_bytes;
  std::uint32_t version;  // the first that has it
};

constexpr SectionInfo kSections[] = {
#define TXVM_SECTION(id, Name, text, row, version) {Section::k##Name, text, row, version},
#include "isa/program_sections.def"
#undef TXVM_SECTION
};
constexpr std::size_t kSectionCount = std::size(kSections);
static_assert(kSectionCount == 15);

// The sections of a version are the first ones of the table.
constexpr std::size_t SectionsOf(std::uint64_t version) {
  std::size_t count = 0;
  while (count < kSectionCount && kSections[count].version <= version) ++count;
  return count;
}
static_assert(SectionsOf(1) == 12 && SectionsOf(kProgramFileVersion) == kSectionCount);

// A byte above 0x7F, a line end of either kind and a text-mode end of file: what a transfer as text
// would damage.
constexpr std::array<std::uint8_t, 8> kMagic = {0xF4, 't', 'x', 'p', '\r', '\n', 0x1A, '\n'};
constexpr std::size_t kVersionAt = 8, kSectionCountAt = 12, kLengthAt = 16;
constexpr std::size_t kEntryBytes = 16;  // of the section table: id, count, length
constexpr std::size_t BodyAt(std::uint64_t version) {
  return kProgramHeaderBytes + SectionsOf(version) * kEntryBytes;
}
constexpr std::uint64_t kMaxCount = std::numeric_limits<std::uint32_t>::max();

std::uint64_t LittleEndian(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}

std::unexpected<Error> Corrupt(std::string message) {
  return Fail(ErrorCode::kCorrupt, "program file: " + std::move(message));
}

// ----------------------------------------------------------------------------------------- write

class Writer {
 public:
  explicit Writer(std::uint32_t version) : version_(version) { bytes_.resize(BodyAt(version)); }

  // The rows that follow, up to the next Begin, belong to this section.
  void Begin(const SectionInfo& section, std::size_t count) {
    if (count > kMaxCount) TooLarge(fmt::format("section {}", section.text), count);
    EndSection();
    PutAt(EntryAt(), static_cast<std::uint32_t>(section.id), 4);
    PutAt(EntryAt() + 4, count, 4);
    section_start_ = bytes_.size();
  }

  void U32(std::uint32_t value) {
    bytes_.resize(bytes_.size() + 4);
    PutAt(bytes_.size() - 4, value, 4);
  }

  void Bytes(std::span<const std::uint8_t> bytes) {
    if (bytes.size() > kMaxCount) TooLarge("a data segment or text", bytes.size());
    U32(static_cast<std::uint32_t>(bytes.size()));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  void Types(const std::vector<ValueType>& types) {
    U32(static_cast<std::uint32_t>(types.size()));
    for (const ValueType type : types) bytes_.push_back(static_cast<std::uint8_t>(type));
  }

  void Text(std::string_view text) {
    Bytes({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }

  Result<std::vector<std::uint8_t>> Finish() && {
    EndSection();
    if (error_) return std::unexpected<Error>(*std::move(error_));
    std::copy(kMagic.begin(), kMagic.end(), bytes_.begin());
    PutAt(kVersionAt, version_, 4);
    PutAt(kSectionCountAt, sections_, 4);
    PutAt(kLengthAt, bytes_.size(), 8);
    PutAt(kProgramChecksumAt, ProgramChecksum(bytes_), 8);
    return std::move(bytes_);
  }

 private:
  std::size_t EntryAt() const { return kProgramHeaderBytes + sections_ * kEntryBytes; }

  void EndSection() {
    if (section_start_ == 0) return;
    PutAt(EntryAt() + 8, bytes_.size() - section_start_, 8);
    ++sections_;
    section_start_ = 0;
  }

  void PutAt(std::size_t at, std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      bytes_[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
  }

  void TooLarge(std::string_view what, std::size_t count) {
    error_ = Error{
        ErrorCode::kLimit,
        fmt::format("{} has {} entries, a program file holds at most {}", what, count, kMaxCount),
        {},
        {}};
  }

  std::uint32_t version_;
  std::vector<std::uint8_t> bytes_;
  std::size_t sections_ = 0;       // finished
  std::size_t section_start_ = 0;  // 0: none is open
  std::optional<Error> error_;
};

void WriteFunctions(Writer& out, const Program& program) {
  for (const Function& function : program.functions) {
    out.U32(function.first);
    out.U32(function.last);
    out.U32(function.params);
    out.U32(function.results);
    out.U32(function.locals);
    out.Text(function.name);
  }
}

void WriteImports(Writer& out, const Program& program) {
  for (const Import& import : program.imports) {
    out.U32(import.params);
    out.U32(import.results);
    out.Text(import.module);
    out.Text(import.name);
  }
}

void WriteExports(Writer& out, const Program& program) {
  for (const Export& exported : program.exports) {
    out.U32(exported.start);
    out.U32(exported.params);
    out.U32(exported.results);
    out.Text(exported.name);
  }
}

// A table of types has a row for each row of the table that it belongs to, or none where no types
// are known.
template <typename Row>
std::size_t TypeRowCount(const std::vector<Row>& table, bool (*is_typed)(const Row&)) {
  return std::ranges::any_of(table, is_typed) ? table.size() : 0;
}

bool HasLocalTypes(const Function& function) { return !function.local_types.empty(); }

std::size_t RowCount(const Program& program, Section section) {
  switch (section) {
    case Section::kCode:
      return program.code.size();
    case Section::kFunctions:
      return program.functions.size();
    case Section::kGlobals:
      return program.globals.size();
    case Section::kMemory:
      return program.memory ? 1 : 0;
    case Section::kData:
      return program.data.size();
    case Section::kImports:
      return program.imports.size();
    case Section::kExports:
      return program.exports.size();
    case Section::kInit:
      return program.init ? 1 : 0;
    case Section::kEntry:
    case Section::kSource:
      return 1;
    case Section::kLines:
      return program.lines.size();
    case Section::kNotes:
      return program.notes.size();
    case Section::kImportTypes:
      return TypeRowCount(program.imports, IsTyped<Import>);
    case Section::kExportTypes:
      return TypeRowCount(program.exports, IsTyped<Export>);
    case Section::kLocalTypes:
      return TypeRowCount(program.functions, HasLocalTypes);
  }
  return 0;
}

// The oldest version that has all sections that the program needs.
std::uint32_t VersionFor(const Program& program) {
  std::uint32_t version = 1;
  for (const SectionInfo& section : kSections) {
    if (RowCount(program, section.id) > 0) version = std::max(version, section.version);
  }
  return version;
}

template <typename Row>
void WriteSignatureTypes(Writer& out, const std::vector<Row>& table) {
  for (const Row& row : table) out.Types(row.param_types), out.Types(row.result_types);
}

void WriteRows(Writer& out, const Program& program, Section section) {
  switch (section) {
    case Section::kCode:
      for (const Instruction& i : program.code) out.U32(i.head), out.U32(i.arg);
      return;
    case Section::kFunctions:
      return WriteFunctions(out, program);
    case Section::kGlobals:
      for (const std::uint32_t value : program.globals) out.U32(value);
      return;
    case Section::kMemory:
      if (program.memory) out.U32(program.memory->initial), out.U32(program.memory->maximum);
      return;
    case Section::kData:
      for (const DataSegment& d : program.data) out.U32(d.offset), out.Bytes(d.bytes);
      return;
    case Section::kImports:
      return WriteImports(out, program);
    case Section::kExports:
      return WriteExports(out, program);
    case Section::kInit:
      if (program.init) out.U32(*program.init);
      return;
    case Section::kEntry:
      return out.U32(program.entry);
    case Section::kSource:
      return out.Text(program.source);
    case Section::kLines:
      for (const LineMark& mark : program.lines) out.U32(mark.ip), out.U32(mark.line);
      return;
    case Section::kNotes:
      for (const TrapNote& note : program.notes) out.U32(note.ip), out.Text(note.text);
      return;
    case Section::kImportTypes:
      return WriteSignatureTypes(out, program.imports);
    case Section::kExportTypes:
      return WriteSignatureTypes(out, program.exports);
    case Section::kLocalTypes:
      for (const Function& function : program.functions) out.Types(function.local_types);
      return;
  }
}

// ------------------------------------------------------------------------------------------ read

// The bytes of one section. Reading past their end yields zeros and is remembered: the caller
// checks once per row.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint32_t U32() { return static_cast<std::uint32_t>(LittleEndian(Take(4))); }

  std::span<const std::uint8_t> Bytes() { return Take(U32()); }

  std::string Text() {
    const std::span<const std::uint8_t> bytes = Bytes();
    return {bytes.begin(), bytes.end()};
  }

  std::vector<ValueType> Types() {
    const std::span<const std::uint8_t> codes = Bytes();
    std::vector<ValueType> types;
    types.reserve(codes.size());
    for (const std::uint8_t code : codes) {
      if (const std::optional<ValueType> type = FindTypeOfCode(code)) {
        types.push_back(*type);
      } else {
        unknown_type_ = code;
      }
    }
    return types;
  }

  // The code of a type that there is none of, if one was read.
  std::optional<std::uint8_t> unknown_type() const { return unknown_type_; }
  bool ran_out() const { return ran_out_; }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::uint8_t> Take(std::size_t count) {
    if (count > bytes_.size()) {
      ran_out_ = true;
      bytes_ = {};
      return {};
    }
    const std::span<const std::uint8_t> taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

  std::span<const std::uint8_t> bytes_;
  bool ran_out_ = false;
  std::optional<std::uint8_t> unknown_type_;
};

// Appends one row to its table, or adds types to row number `row` of it. Evaluation order matters:
// braced lists read left to right.
void ReadRow(Reader& in, Program& program, Section section, std::size_t row) {
  switch (section) {
    case Section::kCode: {
      Instruction& instruction = program.code.emplace_back();
      instruction.head = in.U32();
      instruction.arg = in.U32();
      return;
    }
    case Section::kFunctions:
      program.functions.push_back(
          {in.U32(), in.U32(), in.U32(), in.U32(), in.U32(), in.Text(), {}});
      return;
    case Section::kGlobals:
      program.globals.push_back(in.U32());
      return;
    case Section::kMemory:
      program.memory = MemorySpec{in.U32(), in.U32()};
      return;
    case Section::kData: {
      DataSegment& segment = program.data.emplace_back();
      segment.offset = in.U32();
      const std::span<const std::uint8_t> bytes = in.Bytes();
      segment.bytes.assign(bytes.begin(), bytes.end());
      return;
    }
    case Section::kImports: {
      Import& import = program.imports.emplace_back();
      import.params = in.U32();
      import.results = in.U32();
      import.module = in.Text();
      import.name = in.Text();
      return;
    }
    case Section::kExports: {
      Export& exported = program.exports.emplace_back();
      exported.start = in.U32();
      exported.params = in.U32();
      exported.results = in.U32();
      exported.name = in.Text();
      return;
    }
    case Section::kInit:
      program.init = in.U32();
      return;
    case Section::kEntry:
      program.entry = in.U32();
      return;
    case Section::kSource:
      program.source = in.Text();
      return;
    case Section::kLines:
      program.lines.push_back({in.U32(), in.U32()});
      return;
    case Section::kNotes:
      program.notes.push_back({in.U32(), in.Text()});
      return;
    case Section::kImportTypes:
      program.imports[row].param_types = in.Types();
      program.imports[row].result_types = in.Types();
      return;
    case Section::kExportTypes:
      program.exports[row].param_types = in.Types();
      program.exports[row].result_types = in.Types();
      return;
    case Section::kLocalTypes:
      program.functions[row].local_types = in.Types();
      return;
  }
}

// Of a section of types, the rows of the table that it belongs to, which stands before it.
std::optional<std::size_t> TypedRows(const Program& program, Section section) {
  if (section == Section::kImportTypes) return program.imports.size();
  if (section == Section::kExportTypes) return program.exports.size();
  if (section == Section::kLocalTypes) return program.functions.size();
  return std::nullopt;
}

// How many rows a section may have.
struct CountRange {
  std::uint64_t least, most;
};

CountRange AllowedCount(Section section) {
  if (section == Section::kEntry || section == Section::kSource) return {1, 1};
  if (section == Section::kMemory || section == Section::kInit) return {0, 1};
  return {0, kMaxCount};
}

void Reserve(Program& program, Section section, std::size_t count) {
  if (section == Section::kCode) program.code.reserve(count);
  if (section == Section::kFunctions) program.functions.reserve(count);
  if (section == Section::kGlobals) program.globals.reserve(count);
  if (section == Section::kData) program.data.reserve(count);
  if (section == Section::kImports) program.imports.reserve(count);
  if (section == Section::kExports) program.exports.reserve(count);
  if (section == Section::kExports) program.exports.reserve(count);
  if (section == Section::kLines) program.lines.reserve(count);
  if (section == Section::kNotes) program.notes.reserve(count);
}

Result<void> ReadSection(std::span<const std::uint8_t> bytes, const SectionInfo& section,
                         std::uint64_t count, Program& program) {
  const CountRange allowed = AllowedCount(section.id);
  if (count < allowed.least || count > allowed.most) {
    return Corrupt(fmt::format("section {} has {}, expected {}", section.text,
                               CountText(count, "row"),
                               allowed.least == allowed.most ? "1" : "0 or 1"));
  }
  const std::optional<std::size_t> typed_rows = TypedRows(program, section.id);
  if (typed_rows && count != 0 && count != *typed_rows) {
    return Corrupt(fmt::format("section {} has {}, expected 0 or {}", section.text,
                               CountText(count, "row"), *typed_rows));
  }
  // count < 2^32 and rows are small: no overflow.
  if (count * section.row_bytes > bytes.size()) {
    return Corrupt(fmt::format("section {} claims {} of at least {} in {}", section.text,
                               CountText(count, "row"), CountText(section.row_bytes, "byte"),
                               CountText(bytes.size(), "byte")));
  }
  Reserve(program, section.id, static_cast<std::size_t>(count));
  Reader in(bytes);
  for (std::size_t row = 0; row < count; ++row) {
    ReadRow(in, program, section.id, row);
    if (in.ran_out()) {
      return Corrupt(
          fmt::format("row {} of section {} runs past the end of the section", row, section.text));
    }
    if (in.unknown_type()) {
      return Corrupt(fmt::format("row {} of section {} has the type {}, expected 0..{}", row,
                                 section.text, *in.unknown_type(), kValueTypeCount - 1));
    }
  }
  if (RowCount(program, section.id) != count) {
    return Corrupt(fmt::format("section {} has {}, but none states a type", section.text,
                               CountText(count, "row")));
  }
  if (in.left() == 0) return {};
  return Corrupt(fmt::format("section {} has {} after its last row", section.text,
                             CountText(in.left(), "byte")));
}

Result<void> CheckHeader(std::span<const std::uint8_t> bytes) {
  if (!IsProgramFile(bytes)) return Corrupt("it does not begin like one");
  if (bytes.size() < kProgramHeaderBytes) {
    return Corrupt(fmt::format("it is truncated to {}, a header has {}",
                               CountText(bytes.size(), "byte"), kProgramHeaderBytes));
  }
  const std::uint64_t version = LittleEndian(bytes.subspan(kVersionAt, 4));
  if (version > kProgramFileVersion) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("program file: version {} is newer than version {}, the newest known "
                            "here",
                            version, kProgramFileVersion));
  }
  if (version == 0) return Corrupt("no version 0 exists");
  const std::uint64_t length = LittleEndian(bytes.subspan(kLengthAt, 8));
  if (bytes.size() < length) {
    return Corrupt(fmt::format("it is truncated to {} of its {} bytes", bytes.size(), length));
  }
  if (bytes.size() > length) {
    return Corrupt(fmt::format("it has {} more than its {}",
                               CountText(bytes.size() - length, "byte"), length));
  }
  const std::uint64_t checksum = LittleEndian(bytes.subspan(kProgramChecksumAt, 8));
  if (const std::uint64_t actual = ProgramChecksum(bytes); actual != checksum) {
    return Corrupt(
        fmt::format("it was altered: its checksum is {:016x}, it says {:016x}", actual, checksum));
  }
  const std::uint64_t sections = LittleEndian(bytes.subspan(kSectionCountAt, 4));
  if (sections != SectionsOf(version) || length < BodyAt(version)) {
    return Corrupt(fmt::format("it has {} in {}, expected {} in at least {}",
                               CountText(sections, "section"), CountText(length, "byte"),
                               SectionsOf(version), BodyAt(version)));
  }
  return {};
}

}  // namespace

bool IsProgramFile(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

// FACTS  word -> (h ^ word) * odd, and x ^ x >> 32, are bijections of 64-bit words: two files that
// differ in one word differ after it and stay so.
std::uint64_t ProgramChecksum(std::span<const std::uint8_t> bytes) {
  constexpr std::uint64_t kSeed = 0x243F6A8885A308D3, kOdd = 0x9FB21C651E98DF25;
  constexpr std::size_t kWord = 8;
  std::uint64_t hash = kSeed + bytes.size();
  for (std::size_t at = 0; at < bytes.size(); at += kWord) {
    if (at == kProgramChecksumAt) continue;
    hash ^= LittleEndian(bytes.subspan(at, std::min(kWord, bytes.size() - at)));
    hash *= kOdd;
    hash ^= hash >> 32;
  }
  return hash;
}

Result<std::vector<std::uint8_t>> WriteProgram(const Program& program) {
  const std::uint32_t version = VersionFor(program);
  Writer out(version);
  for (const SectionInfo& section : std::span(kSections).first(SectionsOf(version))) {
    const std::size_t rows = RowCount(program, section.id);
    out.Begin(section, rows);
    if (rows > 0) WriteRows(out, program, section.id);
  }
  return std::move(out).Finish();
}

Result<Program> ReadProgram(std::span<const std::uint8_t> bytes) {
  TXVM_CHECK_OK(CheckHeader(bytes));
  Program program;
  const std::uint64_t version = LittleEndian(bytes.subspan(kVersionAt, 4));
  std::span<const std::uint8_t> rest = bytes.subspan(BodyAt(version));
  for (std::size_t i = 0; i < SectionsOf(version); ++i) {
    const SectionInfo& section = kSections[i];
    const auto entry = bytes.subspan(kProgramHeaderBytes + i * kEntryBytes, kEntryBytes);
    const std::uint64_t id = LittleEndian(entry.first(4));
    const std::uint64_t length = LittleEndian(entry.subspan(8, 8));
    if (id != static_cast<std::uint64_t>(section.id)) {
      return Corrupt(fmt::format("section table row {} is section {}, expected {} ({})", i, id,
                                 static_cast<std::uint32_t>(section.id), section.text));
    }
    if (length > rest.size()) {
      return Corrupt(fmt::format("section {} has {}, only {} are left in the file", section.text,
                                 CountText(length, "byte"), rest.size()));
    }
    const auto size = static_cast<std::size_t>(length);
    TXVM_CHECK_OK(
        ReadSection(rest.first(size), section, LittleEndian(entry.subspan(4, 4)), program));
    rest = rest.subspan(size);
  }
  if (!rest.empty()) {
    return Corrupt(fmt::format("{} after the last section", CountText(rest.size(), "byte")));
  }
  if (version == VersionFor(program)) return program;
  return Corrupt(fmt::format("it is of version {}, but needs no more than version {}", version,
                             VersionFor(program)));
}

}  // namespace txvm::isa
