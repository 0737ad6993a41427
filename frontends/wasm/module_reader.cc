#include "frontends/wasm/module_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "frontends/wasm/names.h"
#include "frontends/wasm/version.h"

namespace txvm::frontends::wasm {

using isa::Error;
using isa::ErrorCode;
using isa::Result;

namespace {

/// The places of sections in a module, by id: a tag section (13) stands after the memories, the
/// data count (12) in front of the code.
constexpr std::array<int, 14> kRanks = {0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 11, 6};
constexpr std::array<std::string_view, 14> kSectionNames = {
    "custom", "type",  "import",  "function", "table", "memory",     "global",
    "export", "start", "element", "code",     "data",  "data count", "tag"};

enum SectionId : std::uint8_t {
  kCustomId,
  kTypeId,
  kImportId,
  kFunctionId,
  kTableId,
  kMemoryId,
  kGlobalId,
  kExportId,
  kStartId,
  kElementId,
  kCodeId,
  kDataId,
  kDataCountId,
  kTagId
};

}  // namespace

ModuleReader::ModuleReader(std::span<const std::uint8_t> bytes, std::string_view file,
                           const ReadOptions& options)
    : bytes_(bytes), options_(options), cursor_(bytes, 0, fault_) {
  declarations_.is_version_2 = options.is_version_2;
  module_.file = file;
  module_.is_text = false;
}

void ModuleReader::Header() {
  constexpr std::uint32_t kMagic = 0x6D736100, kVersion = 1;
  constexpr std::uint32_t kFirstOfComponents = 0x1000A, kLastOfComponents = 0x1FFFF;
  if (bytes_.size() > options_.max_module_bytes) {
    return cursor_.Fail(ErrorCode::kLimit,
                        fmt::format("the module has {} bytes; the limit is {}", bytes_.size(),
                                    options_.max_module_bytes),
                        0);
  }
  if (cursor_.remaining() < sizeof kMagic)
    return cursor_.Malformed("unexpected end: no magic header");
  if (cursor_.Word("the magic header") != kMagic) {
    return cursor_.Fail(ErrorCode::kSyntax, "magic header not detected", 0);
  }
  const std::size_t at = cursor_.offset();
  if (cursor_.remaining() < sizeof kVersion) return cursor_.Malformed("unexpected end: no version");
  const std::uint32_t version = cursor_.Word("the version");
  if (version == kVersion) return;
  if (version >= kFirstOfComponents && version <= kLastOfComponents) {
    return cursor_.Fail(
        ErrorCode::kUnsupported,
        fmt::format("unknown binary version 0x{:x}: a component, not a module", version), at);
  }
  cursor_.Fail(ErrorCode::kSyntax, fmt::format("unknown binary version {}, expected 1", version),
               at);
}

void ModuleReader::Sections() {
  while (cursor_.ok() && !cursor_.AtEnd()) {
    const std::size_t at = cursor_.offset();
    const std::uint8_t id = cursor_.Byte("a section");
    if (id >= kRanks.size()) {
      return cursor_.Fail(ErrorCode::kSyntax, fmt::format("malformed section id {}", id), at);
    }
    const std::uint32_t size = cursor_.U32("the size of a section");
    if (!cursor_.ok()) return;
    if (size > cursor_.remaining()) {
      return cursor_.Fail(
          ErrorCode::kSyntax,
          fmt::format("unexpected end: the {} section has {} bytes, and {} are left",
                      kSectionNames[id], size, cursor_.remaining()),
          at);
    }
    Cursor section = cursor_.Take(size, "a section");
    section_end_ = cursor_.offset();
    Section(id, section, at);
    if (cursor_.ok() && !section.AtEnd()) {
      return section.Malformed(
          fmt::format("section size mismatch: {} bytes are left in the {} section",
                      section.remaining(), kSectionNames[id]));
    }
  }
}

void ModuleReader::Section(std::uint8_t id, Cursor& section, std::size_t at) {
  if (id == kCustomId) return Custom(section);
  if (kRanks[id] <= rank_) {
    return section.Fail(ErrorCode::kSyntax,
                        fmt::format("unexpected content after last section: the {} section is out "
                                    "of order",
                                    kSectionNames[id]),
                        at);
  }
  rank_ = kRanks[id];
  switch (id) {
    case kTypeId:
      return Types(section);
    case kImportId:
      return Imports(section);
    case kFunctionId:
      return Functions(section);
    case kTableId:
      return Tables(section);
    case kMemoryId:
      return Memories(section);
    case kGlobalId:
      return Globals(section);
    case kExportId:
      return Exports(section);
    case kStartId:
      return Start(section);
    case kElementId:
      return Elements(section);
    case kCodeId:
      return Code(section);
    case kDataId:
      return Data(section);
    case kDataCountId:
      return DataCount(section);
    default:
      return Tags(section);
  }
}

void ModuleReader::Custom(Cursor& section) {
  const std::string_view name = section.Name("the name of a custom section");
  if (!section.ok()) return;
  const std::span<const std::uint8_t> content = section.Bytes(section.remaining(), "a section");
  if (name == "name") name_sections_.push_back(content);
}

/// What only the end of the module tells.
void ModuleReader::Finish() {
  if (!cursor_.ok()) return;
  const char* newer = options_.is_version_2 ? BeyondVersion2(module_) : nullptr;
  if (newer != nullptr) return cursor_.Fail(isa::ErrorCode::kInvalid, newer, 0);
  const std::size_t declared = module_.functions.size() - imported_functions_;
  if (bodies_ != declared) {
    return cursor_.Malformed(
        fmt::format("function and code section have inconsistent lengths: {} functions, {} bodies",
                    declared, bodies_));
  }
  if (declarations_.data_count && *declarations_.data_count != data_count_) {
    return cursor_.Malformed(
        fmt::format("data count and data section have inconsistent lengths: {} and {} segments",
                    *declarations_.data_count, data_count_));
  }
  NameFunctions();
  if (!helpers_) return;
  for (wat::Function& helper : helpers_->Take(module_.signatures)) {
    module_.functions.push_back(std::move(helper));
  }
}

/// Gives functions the names of the custom sections. Of functions with one name, all but the first
/// get a number.
void ModuleReader::NameFunctions() {
  const auto count = static_cast<std::uint32_t>(module_.functions.size());
  for (const std::span<const std::uint8_t> content : name_sections_) {
    const std::vector<FunctionName> names = ReadFunctionNames(content, count);
    std::vector<std::string_view> sorted;
    sorted.reserve(names.size());
    for (const FunctionName& named : names) sorted.push_back(named.name);
    std::ranges::sort(sorted);
    const auto is_taken = [&sorted](std::string_view name) {
      return std::ranges::binary_search(sorted, name);
    };
    std::map<std::string_view, std::uint32_t> numbers;  // of names that are not the only ones
    for (const FunctionName& named : names) {
      const auto [first, last] = std::ranges::equal_range(sorted, named.name);
      std::string name(named.name);
      if (last - first > 1 && !name.empty()) {
        const auto [number, is_first] = numbers.try_emplace(named.name, 0);
        while (!is_first) {
          name = fmt::format("{}.{}", named.name, ++number->second);
          if (!is_taken(name)) break;
        }
      }
      if (!name.empty()) module_.functions[named.function].name = std::move(name);
    }
  }
}

std::uint32_t ModuleReader::Entries(Cursor& section, std::string_view what, std::size_t entry_bytes,
                                    std::size_t already) {
  const std::size_t at = section.offset();
  const std::uint32_t count = section.Count(what, entry_bytes);
  if (count + already <= options_.max_entries) return count;
  section.Fail(
      ErrorCode::kLimit,
      fmt::format("{} is {}; the limit is {}", what, count + already, options_.max_entries), at);
  return 0;
}

std::uint32_t ModuleReader::IndexOfHelper(std::string_view name) {
  if (!helpers_) {
    helpers_.emplace("bulk_helpers", static_cast<std::uint32_t>(module_.functions.size()));
  }
  return helpers_->IndexOf(name);
}

/// Blocks and calls may copy a thousand types for two bytes; real code copies less than one a byte.
std::uint64_t ModuleReader::MaxTypeValues() const {
  constexpr std::uint64_t kFree = 1u << 24, kForByte = 8, kMost = 1u << 31;
  return std::min(kMost, kFree + kForByte * bytes_.size());
}

std::optional<std::string> ModuleReader::NameForMessage(std::uint32_t function) const {
  for (const std::span<const std::uint8_t> content : name_sections_) {
    for (const FunctionName& named :
         ReadFunctionNames(content, static_cast<std::uint32_t>(module_.functions.size()))) {
      if (named.function == function && !named.name.empty()) return std::string(named.name);
    }
  }
  if (auto name = FindFunctionName(bytes_.subspan(section_end_), function)) return name;
  for (const wat::Export& item : module_.exports) {
    if (item.kind == wat::ExportKind::kFunction && item.index == function && !item.name.empty()) {
      return item.name;
    }
  }
  return std::nullopt;
}

Error ModuleReader::ErrorOf(const Fault& fault) const {
  std::string place = fmt::format("at byte {}", fault.at);
  if (in_function_) {
    const auto name = NameForMessage(*in_function_);
    place += name ? fmt::format(" in function '{}'", wat::ShownText(*name))
                  : fmt::format(" in function {}", *in_function_);
  }
  return {fault.code, fmt::format("{} ({})", fault.message, place), {module_.file, 0, 0}, {}};
}

Result<wat::Module> ModuleReader::Run() && {
  Header();
  Sections();
  Finish();
  if (fault_) return std::unexpected(ErrorOf(*fault_));
  return std::move(module_);
}

Result<void> ModuleReader::RunWithoutBodies() {
  keeps_bodies_ = false;
  Header();
  Sections();
  Finish();
  if (fault_) return std::unexpected(ErrorOf(*fault_));
  if (!facts_) facts_.emplace(false);
  name_sections_ = {};
  return {};
}

void ModuleReader::ReadBody(std::uint32_t index, wat::Function& out) {
  const std::size_t place = module_.functions[index].place;
  Cursor cursor(bytes_.subspan(place, BodyBytes(index)), place, fault_);
  BodyReader reader(
      module_, declarations_, signatures_,
      [this](std::string_view name) { return IndexOfHelper(name); }, options_, MaxTypeValues());
  reader.Read(cursor, out);
  TXVM_ASSERT(cursor.ok());  // it was accepted once
}

std::expected<wat::Module, Fault> ModuleReader::RunForFault() && {
  Header();
  Sections();
  Finish();
  if (fault_) return std::unexpected(*std::move(fault_));
  return std::move(module_);
}

}  // namespace txvm::frontends::wasm
