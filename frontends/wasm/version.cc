#include "frontends/wasm/version.h"

#include <algorithm>
#include <vector>

namespace txvm::frontends::wasm {
namespace {

using wat::InstrKind;
using wat::ValueType;

bool IsNewer(ValueType type) { return type == ValueType::kExnRef || type >= wat::kFirstTyped; }

bool HasNewer(const std::vector<ValueType>& types) { return std::ranges::any_of(types, IsNewer); }

bool IsNewerInstr(const wat::Instr& instr) {
  return (instr.kind >= InstrKind::kTry && instr.kind <= InstrKind::kExnIsNull) ||
         (instr.kind >= InstrKind::kAsNonNull && instr.kind <= InstrKind::kMemoryCopy);
}

}  // namespace

const char* BeyondVersion2(const wat::Module& module) {
  const auto is_long = [](const auto& item) { return item.extent.is_64; };
  const auto is_newer = [](const auto& item) { return IsNewer(item.type); };
  if (module.memories.size() > 1) return "multiple memories";
  if (std::ranges::any_of(module.memories, is_long) ||
      std::ranges::any_of(module.tables, is_long)) {
    return "64-bit addresses";
  }
  if (!module.tags.empty()) return "tags";
  if (!module.supertypes.empty() || !module.groups.empty()) return "recursive types";
  const bool has_types =
      std::ranges::any_of(module.signatures,
                          [](const wat::Signature& item) {
                            return HasNewer(item.params) || HasNewer(item.results);
                          }) ||
      std::ranges::any_of(module.globals, is_newer) || std::ranges::any_of(module.tables, is_newer);
  if (has_types) return "typed references";
  for (const wat::Function& function : module.functions) {
    if (HasNewer(function.locals)) return "typed references";
    if (std::ranges::any_of(function.body, IsNewerInstr)) return "an instruction of 3.0";
  }
  return nullptr;
}

}  // namespace txvm::frontends::wasm
