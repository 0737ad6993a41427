#include "frontends/wasm/item_type.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "isa/support/text.h"

namespace txvm::frontends::wat {
namespace {

std::string ListText(const std::vector<ValueType>& types) {
  constexpr std::size_t kShownTypes = 20;
  std::string text = "(";
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i != 0) text += ", ";
    if (i == kShownTypes) return text + fmt::format("... {} in all)", types.size());
    text += ValueTypeText(types[i]);
  }
  return text + ")";
}

std::string SizeText(const Extent& extent, std::string_view what) {
  if (!extent.maximum) return "at least " + isa::CountText(extent.initial, what);
  return fmt::format("{} to {}", extent.initial, isa::CountText(*extent.maximum, what));
}

}  // namespace

std::string_view KindText(ExportKind kind) {
  switch (kind) {
    case ExportKind::kFunction:
      return "function";
    case ExportKind::kTable:
      return "table";
    case ExportKind::kMemory:
      return "memory";
    case ExportKind::kGlobal:
      return "global";
    case ExportKind::kTag:
      break;
  }
  return "tag";
}

std::string ItemTypeText(const Module& module, ExportKind kind, std::size_t index) {
  switch (kind) {
    case ExportKind::kFunction: {
      const Signature& signature = module.SignatureOf(module.functions[index]);
      return fmt::format("function {} -> {}", ListText(signature.params),
                         ListText(signature.results));
    }
    case ExportKind::kGlobal: {
      const Global& global = module.globals[index];
      return fmt::format("{}{} global", global.is_mutable ? "mutable " : "",
                         ValueTypeText(global.type));
    }
    case ExportKind::kTable: {
      const Table& table = module.tables[index];
      return fmt::format("{} table of {}", ValueTypeText(table.type),
                         SizeText(table.extent, "element"));
    }
    case ExportKind::kMemory:
      return (module.memories[index].extent.is_shared ? "shared memory of " : "memory of ") +
             SizeText(module.memories[index].extent, "page");
    case ExportKind::kTag:
      break;
  }
  return "tag " + ListText(module.signatures[module.tags[index].signature].params);
}

std::string SignatureTypeText(const Signature& signature) {
  std::string text = ListText(signature.params);
  if (signature.results.empty()) return text;
  text += " -> ";
  return text + (signature.results.size() == 1 ? std::string(ValueTypeText(signature.results[0]))
                                               : ListText(signature.results));
}

}  // namespace txvm::frontends::wat
