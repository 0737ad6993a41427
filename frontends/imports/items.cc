#include "frontends/imports/items.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "frontends/wasm/item_type.h"
#include "isa/limits.h"
#include "isa/support/text.h"
#include "isa/value_text.h"

namespace txvm::frontends::imports {
namespace {

using wat::ConstantExpr;
using wat::ExportKind;
using wat::ValueType;

// Where position-independent code finds itself: below this the stack, from it on its data.
constexpr std::uint32_t kStackTop = std::uint32_t{1} << 20;
constexpr std::uint32_t kMemoryBase = kStackTop;
constexpr std::uint32_t kTableBase = 1;  // 0 is the null pointer to a function

std::uint64_t PagesOf(std::uint64_t bytes) {
  return (bytes + isa::kPageBytes - 1) / isa::kPageBytes;
}

/// Makes the items of one module.
class Maker {
 public:
  Maker(wat::Module& module, std::span<const Rule> rules, bool is_strict)
      : module_(module), rules_(rules), is_strict_(is_strict) {}

  isa::Result<std::vector<std::string>> Run() && {
    for (std::size_t i = 0; i < module_.globals.size(); ++i) TXVM_CHECK_OK(Global(i));
    wat::ComputeConstants(module_);
    for (std::size_t i = 0; i < module_.memories.size(); ++i) TXVM_CHECK_OK(Memory(i));
    for (std::size_t i = 0; i < module_.tables.size(); ++i) TXVM_CHECK_OK(Table(i));
    return std::move(notes_);
  }

 private:
  isa::Result<void> Global(std::size_t index);
  isa::Result<void> Memory(std::size_t index);
  isa::Result<void> Table(std::size_t index);
  isa::Result<ConstantExpr> InitialValue(const wat::Global& global, const Rule* rule);
  std::optional<std::uint32_t> PlaceOf(const wat::ImportName& name);
  std::uint32_t ElementOf(std::uint32_t function);
  std::string TypeText(const wat::ImportName& name, ExportKind kind, std::size_t index) const {
    return fmt::format("{} ({})", DottedName(name), wat::ItemTypeText(module_, kind, index));
  }
  void Note(std::string text) { notes_.push_back("nobody provides " + std::move(text)); }

  wat::Module& module_;
  std::span<const Rule> rules_;
  bool is_strict_;
  bool is_relocated_ = false;
  std::vector<std::string> notes_;
};

/// Appends a table element for a function; returns its index.
std::uint32_t Maker::ElementOf(std::uint32_t function) {
  wat::Table& table = module_.tables.front();
  std::uint64_t index = std::max<std::uint64_t>(table.extent.initial, 1);
  // Elements of the module itself come first, from kTableBase on.
  if (table.import) index += kTableBase;
  table.extent.initial = index + 1;
  if (table.extent.maximum) table.extent.maximum = std::max(*table.extent.maximum, index + 1);
  wat::ElementSegment segment;
  segment.offset = {ConstantExpr::Kind::kWord, static_cast<std::uint32_t>(index), 0};
  segment.functions = {function};
  module_.elements.push_back(std::move(segment));
  return static_cast<std::uint32_t>(index);
}

/// The value of a global that a dynamic linker would set; nullopt for any other.
std::optional<std::uint32_t> Maker::PlaceOf(const wat::ImportName& name) {
  if (name.module == "env") {
    if (name.name == "__memory_base") return is_relocated_ = true, kMemoryBase;
    if (name.name == "__table_base") return kTableBase;
    if (name.name == "__stack_pointer") return is_relocated_ = true, kStackTop;
    return std::nullopt;
  }
  if (name.module != "GOT.mem" && name.module != "GOT.func") return std::nullopt;
  const wat::Export* item = module_.FindExport(name.name);
  if (item == nullptr) return 0;
  if (name.module == "GOT.func") {
    const bool has_place = item->kind == ExportKind::kFunction && !module_.tables.empty() &&
                           module_.tables.front().type == ValueType::kFuncRef;
    return has_place ? ElementOf(item->index) : 0;
  }
  if (item->kind != ExportKind::kGlobal) return 0;
  const wat::Global& address = module_.globals[item->index];
  const bool is_known = !address.import && address.init.kind == ConstantExpr::Kind::kWord;
  return is_known ? kMemoryBase + address.init.value : 0;
}

isa::Result<ConstantExpr> Maker::InitialValue(const wat::Global& global, const Rule* rule) {
  ConstantExpr init;
  if (wat::IsReference(global.type)) {
    init.kind = ConstantExpr::Kind::kNull;
  } else {
    init.kind = global.type == ValueType::kV128 ? ConstantExpr::Kind::kVector
                : wat::IsWide(global.type)      ? ConstantExpr::Kind::kPair
                                                : ConstantExpr::Kind::kWord;
  }
  if (rule == nullptr) {
    if (global.type == ValueType::kI32) init.value = PlaceOf(*global.import).value_or(0);
    return init;
  }
  const std::optional<isa::ValueType> type = isa::FindType(wat::ValueTypeText(global.type));
  const std::optional<isa::Value> value =
      type ? isa::ReadValue(*type, rule->text) : std::optional<isa::Value>();
  if (!value) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("--import '{}' is no {}, which the global {} is", rule->written,
                                 wat::ValueTypeText(global.type), DottedName(*global.import)));
  }
  constexpr int kWordBits = 32;
  init.value = static_cast<std::uint32_t>(value->bits);
  init.high = static_cast<std::uint32_t>(value->bits >> kWordBits);
  if (*type == isa::ValueType::kV128) {
    const std::array<std::uint32_t, 4> words = value->AsV128();
    init.upper = {words[2], words[3]};
  }
  return init;
}

isa::Result<void> Maker::Global(std::size_t index) {
  wat::Global& global = module_.globals[index];
  if (!global.import) return {};
  TXVM_TRY(const Rule* rule, FindRule(rules_, *global.import, ExportKind::kGlobal));
  if (rule == nullptr && is_strict_) return {};
  TXVM_TRY(global.init, InitialValue(global, rule));
  if (rule == nullptr) {
    const std::string name = DottedName(*global.import);
    const std::string value =
        wat::IsReference(global.type) ? std::string("null") : std::to_string(global.init.value);
    std::string note =
        fmt::format("{}: made as {}", TypeText(*global.import, ExportKind::kGlobal, index), value);
    if (!wat::IsReference(global.type)) note += fmt::format("; --import {}=NUMBER sets it", name);
    Note(std::move(note));
  }
  global.import.reset();
  return {};
}

isa::Result<void> Maker::Memory(std::size_t index) {
  wat::Memory& memory = module_.memories[index];
  if (!memory.import) return {};
  TXVM_TRY(const Rule* rule, FindRule(rules_, *memory.import, ExportKind::kMemory));
  if (rule == nullptr && is_strict_) return {};
  std::uint64_t pages = memory.extent.initial;
  if (rule != nullptr) pages = std::max<std::uint64_t>(pages, rule->pages);
  std::uint64_t data_bytes = 0;
  for (const wat::DataSegment& segment : module_.data) {
    data_bytes += segment.bytes.size();
    if (segment.mode != wat::SegmentMode::kActive || segment.memory != index) continue;
    if (segment.offset.kind != ConstantExpr::Kind::kWord || segment.bytes.empty()) continue;
    pages = std::max(pages, PagesOf(std::uint64_t{segment.offset.value} + segment.bytes.size()));
  }
  // Of zeroed data nothing is said that the reader keeps: as much again as there is data.
  constexpr std::uint64_t kSparePages = 16;
  if (is_relocated_) {
    pages = std::max(pages + kMemoryBase / isa::kPageBytes,
                     PagesOf(kMemoryBase + 2 * data_bytes) + kSparePages);
  }
  pages = std::min<std::uint64_t>(pages, isa::kMaxPages);
  if (rule == nullptr) {
    const bool is_larger = pages > memory.extent.initial;
    Note(TypeText(*memory.import, ExportKind::kMemory, index) +
         (is_larger
              ? fmt::format(": made with {}, which its data need", isa::CountText(pages, "page"))
              : ": made as declared"));
  }
  memory.extent.initial = pages;
  if (memory.extent.maximum) {
    memory.extent.maximum = std::max(*memory.extent.maximum, memory.extent.initial);
  }
  memory.import.reset();
  return {};
}

isa::Result<void> Maker::Table(std::size_t index) {
  wat::Table& table = module_.tables[index];
  if (!table.import) return {};
  TXVM_TRY(const Rule* rule, FindRule(rules_, *table.import, ExportKind::kTable));
  if (rule == nullptr && is_strict_) return {};
  std::uint64_t size = table.extent.initial;
  for (const wat::ElementSegment& segment : module_.elements) {
    const bool is_here = segment.mode == wat::SegmentMode::kActive && segment.table == index &&
                         segment.offset.kind == ConstantExpr::Kind::kWord;
    if (is_here) {
      size = std::max(size, std::uint64_t{segment.offset.value} + segment.functions.size());
    }
  }
  if (rule == nullptr) {
    const bool is_larger = size > table.extent.initial;
    Note(TypeText(*table.import, ExportKind::kTable, index) +
         (is_larger ? fmt::format(": made with {}, which its segments need",
                                  isa::CountText(size, "element"))
                    : ": made as declared, all null"));
  }
  table.extent.initial = size;
  if (table.extent.maximum) table.extent.maximum = std::max(*table.extent.maximum, size);
  table.import.reset();
  return {};
}

}  // namespace

isa::Result<std::vector<std::string>> MakeItems(wat::Module& module, std::span<const Rule> rules,
                                                bool is_strict) {
  return Maker(module, rules, is_strict).Run();
}

isa::Result<void> CheckItems(const wat::Module& module) {
  const auto refuse = [](std::string_view what, const wat::ImportName& name,
                         std::string_view answer) {
    const std::string dotted = name.module + "." + name.name;
    return isa::Fail(
        isa::ErrorCode::kUnsupported,
        fmt::format("{} {} is imported; a program must own it{}", what, wat::ShownName(name),
                    IsPlainWord(dotted) ? fmt::format(": --import {}={} makes it", dotted, answer)
                                        : std::string()));
  };
  for (const wat::Memory& memory : module.memories) {
    if (memory.import) return refuse("memory", *memory.import, "memory");
  }
  for (const wat::Table& table : module.tables) {
    if (table.import) return refuse("table", *table.import, "table");
  }
  for (const wat::Global& global : module.globals) {
    if (global.import) return refuse("global", *global.import, "NUMBER");
  }
  return {};
}

std::vector<std::string> ImportNames(const wat::Module& module) {
  std::vector<std::string> names;
  const auto add = [&](const auto& items) {
    for (const auto& item : items) {
      if (item.import) names.push_back(item.import->module + "." + item.import->name);
    }
  };
  add(module.functions);
  add(module.globals);
  add(module.tables);
  add(module.memories);
  return names;
}

SignatureTexts ReferenceSignatures(const wat::Module& module) {
  SignatureTexts texts;
  for (const wat::Function& function : module.functions) {
    if (!function.import) continue;
    const wat::Signature& signature = module.SignatureOf(function);
    if (std::ranges::any_of(signature.params, wat::IsReference) ||
        std::ranges::any_of(signature.results, wat::IsReference)) {
      const std::string name = DottedName(*function.import);
      texts[name] = name + wat::SignatureTypeText(signature);
    }
  }
  return texts;
}

isa::Result<std::vector<std::string>> RedirectImports(wat::Module& module,
                                                      std::span<const Rule> rules) {
  std::vector<std::string> files;
  const auto redirect = [&](std::optional<wat::ImportName>& import,
                            ExportKind kind) -> isa::Result<void> {
    if (!import) return {};
    TXVM_TRY(const Rule* rule, FindRule(rules, *import, kind));
    if (rule == nullptr || rule->action != Action::kExport) return {};
    import->module = rule->file;
    if (rule->text != "*") import->name = rule->text;
    if (std::ranges::find(files, rule->file) == files.end()) files.push_back(rule->file);
    return {};
  };
  for (auto& item : module.functions) TXVM_CHECK_OK(redirect(item.import, ExportKind::kFunction));
  for (auto& item : module.globals) TXVM_CHECK_OK(redirect(item.import, ExportKind::kGlobal));
  for (auto& item : module.tables) TXVM_CHECK_OK(redirect(item.import, ExportKind::kTable));
  for (auto& item : module.memories) TXVM_CHECK_OK(redirect(item.import, ExportKind::kMemory));
  return files;
}

}  // namespace txvm::frontends::imports
