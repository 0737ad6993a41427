// The sections of a module that declare: types, imports, functions, tables, memories, globals,
// exports, the start function.
// Declared in frontends/wasm/module_reader.h.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "frontends/wasm/constant.h"
#include "frontends/wasm/module_reader.h"
#include "frontends/wasm/reference_types.h"

namespace txvm::frontends::wasm {

using isa::ErrorCode;
using wat::ExportKind;

namespace {

constexpr std::uint32_t kFirstOpen = 1u << 29;  // of signatures that a group being read names

enum ExternalKind : std::uint8_t { kFunctionKind, kTableKind, kMemoryKind, kGlobalKind, kTagKind };

}  // namespace

void ModuleReader::Types(Cursor& section) {
  constexpr std::size_t kTypeBytes = 2;  // a struct without fields
  constexpr std::uint8_t kRecursive = 0x4E;
  const std::uint32_t count = Entries(section, "the number of types", kTypeBytes);
  declarations_.types.reserve(count);
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) {
    std::uint32_t types = 1;
    if (section.Peek() == kRecursive && !section.AtEnd()) {
      (void)section.Byte("a type");
      types = Entries(section, "the number of types of a group", kTypeBytes,
                      declarations_.types.size());
    }
    TypeGroup(section, types);
  }
}

/// A group of types that may name each other: until it is closed, its types stand for signatures
/// beyond all others.
void ModuleReader::TypeGroup(Cursor& section, std::uint32_t count) {
  const std::size_t at = section.offset();
  const auto first = static_cast<std::uint32_t>(declarations_.types.size());
  for (std::uint32_t i = 0; i < count; ++i) declarations_.types.push_back(kFirstOpen + i);
  declarations_.is_open.resize(first + count);
  std::vector<DeclaredType> group;
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) {
    const std::size_t type_at = section.offset();
    group.push_back(Type(section));
    if (!section.ok()) return;
    const std::optional<std::uint32_t> super = group.back().super;
    if (super && *super >= first + i) {
      return section.Fail(
          ErrorCode::kInvalid,
          fmt::format("unknown type {}: a supertype stands before its subtypes", *super), type_at);
    }
    if (super && !declarations_.is_open[*super]) {
      return section.Fail(ErrorCode::kInvalid,
                          fmt::format("sub type {} is of the final type {}", first + i, *super),
                          type_at);
    }
    declarations_.is_open[first + i] = group.back().is_open;
  }
  if (section.ok()) CloseGroup(section, std::move(group), at);
}

/// Finds the signatures of a group, or adds them. Types are equal that are made in the same way in
/// equal groups.
void ModuleReader::CloseGroup(Cursor& section, std::vector<DeclaredType> group, std::size_t at) {
  const std::size_t first = declarations_.types.size() - group.size();
  const auto open_index = [](ValueType type) -> std::optional<std::uint32_t> {
    if (!IsReference(type) || HeapOf(type) < wat::Heap::kFirstSignature) return std::nullopt;
    const std::uint32_t signature = SignatureOfHeap(HeapOf(type));
    if (signature < kFirstOpen) return std::nullopt;
    return signature - kFirstOpen;
  };
  const auto is_plain = [&](const DeclaredType& type) {
    const auto is_closed = [&](ValueType t) { return !open_index(t); };
    return !type.super && !type.is_open && std::ranges::all_of(type.signature.params, is_closed) &&
           std::ranges::all_of(type.signature.results, is_closed);
  };
  if (group.size() == 1 && is_plain(group.front())) {
    declarations_.types.back() = signatures_.Intern(std::move(group.front().signature));
    return;
  }
  std::vector<std::uint32_t> key;
  for (const DeclaredType& type : group) {
    std::uint32_t super = 0xFFFFFFFF;
    if (type.super) super = declarations_.types[*type.super];
    key.insert(key.end(), {type.is_open ? 1u : 0u, super,
                           static_cast<std::uint32_t>(type.signature.params.size())});
    for (const auto* list : {&type.signature.params, &type.signature.results}) {
      for (const ValueType item : *list) key.push_back(static_cast<std::uint32_t>(item));
    }
    key.push_back(0xFFFFFFFF);
  }
  const auto next = static_cast<std::uint32_t>(module_.signatures.size());
  const auto [found, is_new] = groups_.try_emplace(std::move(key), next);
  for (std::size_t i = 0; i < group.size(); ++i) {
    declarations_.types[first + i] = found->second + static_cast<std::uint32_t>(i);
  }
  if (!is_new) return;
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (auto* list : {&group[i].signature.params, &group[i].signature.results}) {
      for (ValueType& item : *list) {
        if (const auto index = open_index(item)) {
          item = ReferenceTo(wat::HeapOfSignature(next + *index), IsNullable(item));
        }
      }
    }
    const auto count = static_cast<std::uint32_t>(group.size());
    module_.groups[next + static_cast<std::uint32_t>(i)] = {next, count, group[i].is_open};
    module_.signatures.push_back(group[i].signature);
    if (group[i].super) {
      module_.supertypes[next + static_cast<std::uint32_t>(i)] =
          declarations_.types[*group[i].super];
    }
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (!group[i].super) continue;
    const wat::Signature& super = module_.signatures[declarations_.types[*group[i].super]];
    const wat::Signature& sub = module_.signatures[next + i];
    if (AreSubtypes(module_, super.params, sub.params) &&
        AreSubtypes(module_, sub.results, super.results)) {
      continue;
    }
    return section.Fail(ErrorCode::kInvalid,
                        fmt::format("sub type {} does not match the type {} that it is declared as "
                                    "a subtype of",
                                    first + i, *group[i].super),
                        at);
  }
}

ModuleReader::DeclaredType ModuleReader::Type(Cursor& section) {
  constexpr std::uint8_t kOpen = 0x50, kFinal = 0x4F;
  DeclaredType type;
  const std::uint8_t form = section.Peek();
  if ((form == kOpen || form == kFinal) && !section.AtEnd()) {
    (void)section.Byte("a type");
    const std::size_t at = section.offset();
    const std::uint32_t supers = section.Count("the number of supertypes");
    if (supers > 1) {
      section.Fail(ErrorCode::kInvalid, fmt::format("sub type with {} supertypes", supers), at);
      return {};
    }
    if (supers == 1) type.super = section.U32("a type index");
    type.is_open = form == kOpen;
  }
  type.signature = FunctionForm(section);
  return type;
}

wat::Signature ModuleReader::FunctionForm(Cursor& section) {
  constexpr std::uint8_t kFunctionForm = 0x60, kFirstOfGc = 0x5E;
  const std::size_t at = section.offset();
  const std::uint8_t form = section.Byte("a type");
  if (form != kFunctionForm && section.ok()) {
    const bool is_gc = form >= kFirstOfGc && form < kFunctionForm;
    section.Fail(
        is_gc ? ErrorCode::kUnsupported : ErrorCode::kSyntax,
        is_gc ? fmt::format("uses garbage collection (type form 0x{:02x}): not supported", form)
              : fmt::format("malformed type form 0x{:02x}", form),
        at);
    return {};
  }
  wat::Signature signature;
  signature.params = TypeList(section, "the number of parameters");
  signature.results = TypeList(section, "the number of results");
  return signature;
}

std::vector<ValueType> ModuleReader::TypeList(Cursor& section, std::string_view what) {
  const std::size_t at = section.offset();
  const std::uint32_t count = section.Count(what);
  if (count > options_.max_values) {
    section.Fail(
        ErrorCode::kLimit,
        fmt::format("{} of a type is {}; the limit is {}", what, count, options_.max_values), at);
    return {};
  }
  std::vector<ValueType> types;
  types.reserve(count);
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) {
    types.push_back(ReadValueType(section, declarations_));
  }
  return types;
}

void ModuleReader::Imports(Cursor& section) {
  constexpr std::size_t kImportBytes = 4;
  const std::uint32_t count = Entries(section, "the number of imports", kImportBytes);
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) Import(section);
  imported_functions_ = static_cast<std::uint32_t>(module_.functions.size());
  declarations_.imported_globals = static_cast<std::uint32_t>(module_.globals.size());
}

void ModuleReader::Import(Cursor& section) {
  wat::ImportName name;
  name.module = section.Name("the module of an import");
  name.name = section.Name("the name of an import");
  const std::size_t at = section.offset();
  const std::uint8_t kind = section.Byte("the kind of an import");
  if (!section.ok()) return;
  switch (kind) {
    case kFunctionKind: {
      wat::Function function;
      function.signature = FunctionType(section);
      function.import = std::move(name);
      module_.functions.push_back(std::move(function));
      return declarations_.referable.push_back(false);
    }
    case kTableKind: {
      wat::Table table = TableType(section);
      table.import = std::move(name);
      return module_.tables.push_back(std::move(table));
    }
    case kMemoryKind: {
      wat::Memory memory = MemoryType(section);
      memory.import = std::move(name);
      return module_.memories.push_back(std::move(memory));
    }
    case kGlobalKind: {
      wat::Global global = GlobalType(section);
      global.import = std::move(name);
      return module_.globals.push_back(std::move(global));
    }
    case kTagKind: {
      wat::Tag tag = TagType(section);
      tag.import = std::move(name);
      return module_.tags.push_back(std::move(tag));
    }
    default:
      return section.Fail(ErrorCode::kSyntax, fmt::format("malformed import kind {}", kind), at);
  }
}

/// The signature that a type index names.
std::uint32_t ModuleReader::FunctionType(Cursor& section) {
  const std::size_t at = section.offset();
  const std::uint32_t type = section.U32("a type index");
  if (!CheckIndex(section, "type", type, declarations_.types.size(), at)) return 0;
  return declarations_.types[type];
}

void ModuleReader::Functions(Cursor& section) {
  const std::uint32_t count =
      Entries(section, "the number of functions", 1, module_.functions.size());
  module_.functions.reserve(module_.functions.size() + count);
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) {
    wat::Function& function = module_.functions.emplace_back();
    function.signature = FunctionType(section);
  }
  declarations_.referable.resize(module_.functions.size());
}

wat::Extent ModuleReader::Limits(Cursor& section, bool is_memory) {
  constexpr std::uint8_t kHasMaximum = 1, kIsShared = 2, kIs64 = 4, kPageSize = 8, kMore = 0x80;
  constexpr std::uint64_t kMaxPages = 1u << 16, kMaxPages64 = std::uint64_t{1} << 48;
  const std::size_t at = section.offset();
  const std::uint8_t flags = section.Byte("the flags of limits");
  if (!section.ok()) return {};
  if (flags >= kMore) {
    section.Fail(ErrorCode::kSyntax, "integer representation too long: the flags of limits", at);
    return {};
  }
  const bool is_shared = is_memory && (flags & ~(kHasMaximum | kIs64)) == kIsShared;
  if ((flags & ~(kHasMaximum | kIs64)) != 0 && !is_shared) {
    const bool has_page_size = (flags & kPageSize) != 0 && flags < 2 * kPageSize;
    const char* reason = has_page_size ? ": custom page sizes are not supported" : "";
    section.Fail(
        ErrorCode::kSyntax,
        fmt::format("integer too large: the flags of limits are 0x{:02x}{}", flags, reason), at);
    return {};
  }
  if (is_shared && (flags & kHasMaximum) == 0) {
    section.Fail(
        ErrorCode::kSyntax,
        fmt::format(
            "integer too large: the flags of limits are 0x{:02x}: shared memory must have maximum",
            flags),
        at);
    return {};
  }
  wat::Extent extent;
  extent.is_shared = is_shared;
  extent.is_64 = (flags & kIs64) != 0;
  const auto number = [&](const char* what) -> std::uint64_t {
    return extent.is_64 ? section.U64(what) : section.U32(what);
  };
  extent.initial = number("the minimum of limits");
  if ((flags & kHasMaximum) != 0) extent.maximum = number("the maximum of limits");
  if (!section.ok()) return extent;
  const std::uint64_t most = extent.is_64 ? kMaxPages64 : kMaxPages;
  if (is_memory && (extent.initial > most || extent.maximum.value_or(0) > most)) {
    section.Fail(ErrorCode::kInvalid,
                 fmt::format("memory size must be at most {}, here {}",
                             extent.is_64 ? "2^48 pages" : "65536 pages (4GiB)",
                             std::max(extent.initial, extent.maximum.value_or(0))),
                 at);
  } else if (extent.maximum && *extent.maximum < extent.initial) {
    section.Fail(ErrorCode::kInvalid,
                 fmt::format("size minimum must not be greater than maximum: {} and {}",
                             extent.initial, *extent.maximum),
                 at);
  }
  return extent;
}

wat::Table ModuleReader::TableType(Cursor& section) {
  wat::Table table;
  table.type = ReadReferenceType(section, declarations_);
  table.extent = Limits(section, /*is_memory=*/false);
  return table;
}

wat::Memory ModuleReader::MemoryType(Cursor& section) {
  return {Limits(section, /*is_memory=*/true), std::nullopt};
}

wat::Global ModuleReader::GlobalType(Cursor& section) {
  wat::Global global;
  global.type = ReadValueType(section, declarations_);
  const std::size_t at = section.offset();
  const std::uint8_t mutability = section.Byte("the mutability of a global");
  if (mutability > 1) {
    section.Fail(ErrorCode::kSyntax, fmt::format("malformed mutability {}", mutability), at);
  }
  global.is_mutable = mutability == 1;
  return global;
}

void ModuleReader::Tables(Cursor& section) {
  constexpr std::size_t kTableBytes = 3;
  constexpr std::uint8_t kHasInitialiser = 0x40;
  const std::uint32_t count =
      Entries(section, "the number of tables", kTableBytes, module_.tables.size());
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) {
    const std::size_t at = section.offset();
    const bool has_initialiser = section.Peek() == kHasInitialiser && !section.AtEnd();
    if (has_initialiser) {
      (void)section.Byte("a table");
      if (section.Byte("a table") != 0 && section.ok()) {
        return section.Fail(ErrorCode::kSyntax, "malformed table: a zero byte follows 0x40", at);
      }
    }
    wat::Table table = TableType(section);
    if (!section.ok()) return;
    if (!has_initialiser && !IsNullable(table.type)) {
      return section.Fail(ErrorCode::kInvalid,
                          fmt::format("type mismatch: a table of {} needs an initialiser",
                                      ValueTypeText(table.type)),
                          at);
    }
    if (has_initialiser) TableInitialiser(section, table);
    module_.tables.push_back(std::move(table));
  }
}

/// What all elements of a table are at first.
void ModuleReader::TableInitialiser(Cursor& section, wat::Table& table) {
  const Constant item = ReadConstant(section, module_, declarations_, table.type);
  table.initial_element = item.expr.kind == wat::ConstantExpr::Kind::kGlobal
                              ? wat::kGlobalElement + item.expr.value
                              : item.function;
}

void ModuleReader::Memories(Cursor& section) {
  constexpr std::size_t kMemoryBytes = 2;
  const std::uint32_t count =
      Entries(section, "the number of memories", kMemoryBytes, module_.memories.size());
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) {
    module_.memories.push_back(MemoryType(section));
  }
}

wat::Tag ModuleReader::TagType(Cursor& section) {
  const std::size_t at = section.offset();
  const std::uint8_t attribute = section.Byte("the attribute of a tag");
  if (section.ok() && attribute != 0) {
    section.Fail(ErrorCode::kSyntax, fmt::format("malformed tag attribute {}", attribute), at);
  }
  wat::Tag tag;
  tag.signature = section.ok() ? FunctionType(section) : 0;
  if (section.ok() && !module_.signatures[tag.signature].results.empty()) {
    section.Fail(ErrorCode::kInvalid, "non-empty tag result type: a tag has values, no results",
                 at);
  }
  return tag;
}

void ModuleReader::Tags(Cursor& section) {
  constexpr std::size_t kTagBytes = 2;
  const std::uint32_t count =
      Entries(section, "the number of tags", kTagBytes, module_.tags.size());
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) {
    module_.tags.push_back(TagType(section));
  }
}

void ModuleReader::Globals(Cursor& section) {
  constexpr std::size_t kGlobalBytes = 3;
  const std::uint32_t count =
      Entries(section, "the number of globals", kGlobalBytes, module_.globals.size());
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) {
    wat::Global global = GlobalType(section);
    if (!section.ok()) return;
    global.init = ReadConstant(section, module_, declarations_, global.type).expr;
    module_.globals.push_back(std::move(global));
  }
}

void ModuleReader::Exports(Cursor& section) {
  constexpr std::size_t kExportBytes = 3;
  struct Space {
    const char* what;
    ExportKind kind;
    std::size_t size;
  };
  const std::array<Space, kTagKind + 1> spaces = {
      {{"function", ExportKind::kFunction, module_.functions.size()},
       {"table", ExportKind::kTable, module_.tables.size()},
       {"memory", ExportKind::kMemory, module_.memories.size()},
       {"global", ExportKind::kGlobal, module_.globals.size()},
       {"tag", ExportKind::kTag, module_.tags.size()}}};
  const std::uint32_t count = Entries(section, "the number of exports", kExportBytes);
  module_.exports.reserve(count);
  std::set<std::string_view> names;
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) {
    const std::size_t at = section.offset();
    const std::string_view name = section.Name("the name of an export");
    const std::uint8_t kind = section.Byte("the kind of an export");
    const std::uint32_t index = section.U32("an index");
    if (!section.ok()) return;
    if (kind >= spaces.size()) {
      return section.Fail(ErrorCode::kSyntax, fmt::format("malformed export kind {}", kind), at);
    }
    if (!CheckIndex(section, spaces[kind].what, index, spaces[kind].size, at)) return;
    if (!names.insert(name).second) {
      return section.Fail(ErrorCode::kInvalid,
                          fmt::format("duplicate export name '{}'", wat::ShownText(name)), at);
    }
    if (kind == kFunctionKind) declarations_.referable[index] = true;
    module_.exports.push_back({std::string(name), spaces[kind].kind, index});
  }
}

void ModuleReader::Start(Cursor& section) {
  const std::size_t at = section.offset();
  const std::uint32_t index = section.U32("a function index");
  if (!CheckIndex(section, "function", index, module_.functions.size(), at)) return;
  const wat::Signature& signature = module_.SignatureOf(module_.functions[index]);
  if (!signature.params.empty() || !signature.results.empty()) {
    return section.Fail(ErrorCode::kInvalid,
                        fmt::format("start function {} has parameters or results", index), at);
  }
  module_.start = index;
}

}  // namespace txvm::frontends::wasm
