#include "frontends/cli/run/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "frontends/cli/run/choices.h"
#include "frontends/cli/run/link_option.h"
#include "frontends/imports/rules.h"
#include "frontends/wasm/item_type.h"
#include "isa/support/json_writer.h"
#include "isa/support/text.h"
#include "isa/value_text.h"

namespace txvm::frontends::cli {
namespace {

/// One line of the listing.
struct Row {
  std::string_view group;  // "imports", "inside", "exports"
  std::string_view kind;
  std::string name;
  std::string type;
  std::string command;  // of an exported function
};

std::string Extent(const isa::MemorySpec& memory) {
  std::string text = "memory of " + isa::CountText(memory.initial, "page");
  return text + fmt::format(", at most {}", memory.maximum);
}

void AddProgram(const isa::Program& program, const RunSettings& settings, std::vector<Row>& rows) {
  for (const isa::Import& import : program.imports) {
    if (import.module == vm::kBuiltinModule) continue;
    rows.push_back({"imports",
                    "function",
                    imports::DottedName({import.module, import.name}),
                    isa::SignatureText(import),
                    {}});
  }
  if (program.memory) rows.push_back({"inside", "memory", "0", Extent(*program.memory), {}});
  for (const isa::Export& item : program.exports) {
    rows.push_back({"exports", "function", isa::Printable(item.name), isa::SignatureText(item),
                    CommandLineFor(item, settings)});
  }
}

isa::Export ExportOf(const wat::Module& module, const wat::Export& item) {
  const wat::Signature& signature = module.SignatureOf(module.functions[item.index]);
  isa::Export out;
  out.name = item.name;
  const auto add = [](const std::vector<wat::ValueType>& from, std::vector<isa::ValueType>& to) {
    for (const wat::ValueType type : from) {
      if (const auto known = isa::FindType(wat::ValueTypeText(type))) to.push_back(*known);
    }
  };
  add(signature.params, out.param_types);
  add(signature.results, out.result_types);
  return out;
}

/// Rows of the items of one kind: imported ones, and with `has_inside` the module's own.
template <typename Item>
void AddItems(const wat::Module& module, wat::ExportKind kind, const std::vector<Item>& items,
              bool has_inside, std::vector<Row>& rows) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].import && !has_inside) continue;
    rows.push_back({items[i].import ? "imports" : "inside",
                    KindText(kind),
                    items[i].import ? imports::DottedName(*items[i].import) : std::to_string(i),
                    wat::ItemTypeText(module, kind, i),
                    {}});
  }
}

void AddModule(const wat::Module& module, const RunSettings& settings, std::vector<Row>& rows) {
  using wat::ExportKind;
  AddItems(module, ExportKind::kFunction, module.functions, false, rows);
  AddItems(module, ExportKind::kGlobal, module.globals, false, rows);
  AddItems(module, ExportKind::kTable, module.tables, true, rows);
  AddItems(module, ExportKind::kMemory, module.memories, true, rows);
  AddItems(module, ExportKind::kTag, module.tags, false, rows);
  if (module.start) {
    rows.push_back({"inside", "start", std::to_string(*module.start), "runs before anything", {}});
  }
  for (const wat::Export& item : module.exports) {
    Row row{"exports",
            KindText(item.kind),
            isa::Printable(item.name),
            wat::ItemTypeText(module, item.kind, item.index),
            {}};
    if (item.kind == ExportKind::kFunction) {
      row.command = CommandLineFor(ExportOf(module, item), settings);
    }
    rows.push_back(std::move(row));
  }
}

std::string Json(const std::vector<Row>& rows) {
  isa::JsonWriter json;
  json.BeginObject();
  for (const std::string_view group : {"imports", "inside", "exports"}) {
    json.Key(group).BeginArray();
    for (const Row& row : rows) {
      if (row.group != group) continue;
      json.BeginObject().Key("kind").String(row.kind).Key("name").String(row.name);
      json.Key("type").String(row.type);
      if (!row.command.empty()) json.Key("command").String(row.command);
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
  return json.text() + "\n";
}

std::string Table(const std::vector<Row>& rows) {
  constexpr std::size_t kMostColumns = 40;
  std::size_t name_width = 0, type_width = 0;
  for (const Row& row : rows) {
    name_width = std::max(name_width, std::min(row.name.size(), kMostColumns));
    type_width = std::max(type_width, std::min(row.type.size(), kMostColumns));
  }
  std::string text;
  for (const std::string_view group : {"imports", "inside", "exports"}) {
    bool is_first = true;
    for (const Row& row : rows) {
      if (row.group != group) continue;
      if (is_first) text += fmt::format("{}\n", group);
      is_first = false;
      text += fmt::format("  {:<8}  {:<{}}  {:<{}}  {}", row.kind, row.name, name_width, row.type,
                          type_width, row.command);
      while (text.ends_with(' ')) text.pop_back();
      text += '\n';
    }
  }
  return text.empty() ? "the program imports and exports nothing\n" : text;
}

}  // namespace

isa::Result<std::string> Listing(const RunSettings& settings, bool is_json) {
  TXVM_TRY(const Source source, ReadSource(settings.path, settings.input));
  std::vector<Row> rows;
  if (source.format == Format::kWat || source.format == Format::kWasm) {
    TXVM_TRY(const wat::Module module, ReadSourceModule(source));
    AddModule(module, settings, rows);
  } else {
    TXVM_TRY(const std::shared_ptr<const isa::Program> program,
             ParseSource(source, settings.input));
    AddProgram(*program, settings, rows);
  }
  return is_json ? Json(rows) : Table(rows);
}

}  // namespace txvm::frontends::cli
