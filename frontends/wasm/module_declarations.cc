// The sections of a module that declare: types, imports, functions, tables, memories, globals,
// exports, the start function.
// Declared in frontends/wasm/module_reader.h.
#include <fmt/format.h>

#include <string>
#include <unordered_set>
#include <utility>

#include "frontends/wasm/constant.h"
#include "frontends/wasm/module_reader.h"

namespace txvm::frontends::wasm {

using isa::ErrorCode;
using wat::ExportKind;

namespace {

enum ExternalKind : std::uint8_t { kFunctionKind, kTableKind, kMemoryKind, kGlobalKind, kTagKind };

}  // namespace

void ModuleReader::Types(Cursor& section) {
  constexpr std::size_t kTypeBytes = 2;  // a struct without fields
  const std::uint32_t count = Entries(section, "the number of types", kTypeBytes);
  declarations_.types.reserve(count);
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) {
    declarations_.types.push_back(signatures_.Intern(Type(section)));
  }
}

wat::Signature ModuleReader::Type(Cursor& section) {
  constexpr std::uint8_t kFunctionForm = 0x60, kFirstOfGc = 0x4E;
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
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) types.push_back(ReadValueType(section));
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
      return AddMemory(section, std::move(memory), at);
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
  constexpr std::uint64_t kMaxPages = 1u << 16;
  const std::size_t at = section.offset();
  const std::uint8_t flags = section.Byte("the flags of limits");
  if (!section.ok()) return {};
  if (flags >= kMore) {
    section.Fail(ErrorCode::kSyntax, "integer representation too long: the flags of limits", at);
    return {};
  }
  const bool is_shared = is_memory && (flags & ~kHasMaximum) == kIsShared;
  if (flags > kHasMaximum && !is_shared) {
    const char* reason = flags >= 2 * kPageSize ? ""
                         : flags >= kPageSize   ? ": custom page sizes are not supported"
                         : (flags & kIs64) != 0 ? ": 64-bit addresses are not supported"
                                                : "";
    section.Fail(
        ErrorCode::kSyntax,
        fmt::format("integer too large: the flags of limits are 0x{:02x}{}", flags, reason), at);
    return {};
  }
  if (is_shared && (flags & kHasMaximum) == 0) {
    section.Fail(ErrorCode::kSyntax,
                 "integer too large: the flags of limits are 0x02: shared memory must have maximum",
                 at);
    return {};
  }
  wat::Extent extent;
  extent.is_shared = is_shared;
  extent.initial = section.U32("the minimum of limits");
  if ((flags & kHasMaximum) != 0) extent.maximum = section.U32("the maximum of limits");
  if (!section.ok()) return extent;
  if (is_memory && (extent.initial > kMaxPages || extent.maximum.value_or(0) > kMaxPages)) {
    section.Fail(ErrorCode::kInvalid,
                 fmt::format("memory size must be at most 65536 pages (4GiB), here {}",
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
  constexpr std::uint8_t kHasInitialiser = 0x40;
  if (section.Peek() == kHasInitialiser && !section.AtEnd()) {
    section.Fail(ErrorCode::kUnsupported,
                 "uses typed function references (a table with an initialiser): not supported",
                 section.offset());
    return {};
  }
  wat::Table table;
  table.type = ReadReferenceType(section);
  table.extent = Limits(section, /*is_memory=*/false);
  return table;
}

wat::Memory ModuleReader::MemoryType(Cursor& section) {
  return {Limits(section, /*is_memory=*/true), std::nullopt};
}

wat::Global ModuleReader::GlobalType(Cursor& section) {
  wat::Global global;
  global.type = ReadValueType(section);
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
  const std::uint32_t count =
      Entries(section, "the number of tables", kTableBytes, module_.tables.size());
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) {
    module_.tables.push_back(TableType(section));
  }
}

void ModuleReader::AddMemory(Cursor& section, wat::Memory memory, std::size_t at) {
  if (!section.ok()) return;
  module_.memories.push_back(std::move(memory));
  if (module_.memories.size() == 1) return;
  const bool is_imported = module_.memories.back().import.has_value();
  section.Fail(ErrorCode::kInvalid,
               fmt::format("multiple memories: the {} section has a second one; the multi-memory "
                           "proposal is not supported",
                           is_imported ? "import" : "memory"),
               at);
}

void ModuleReader::Memories(Cursor& section) {
  constexpr std::size_t kMemoryBytes = 2;
  const std::uint32_t count = Entries(section, "the number of memories", kMemoryBytes);
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) {
    const std::size_t at = section.offset();
    AddMemory(section, MemoryType(section), at);
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
