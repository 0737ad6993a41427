#include "frontends/wat/module.h"

#include <fmt/format.h>

#include <algorithm>

namespace txvm::frontends::wat {

std::string ShownText(std::string_view name) {
  if (name.size() <= kShownNameBytes) return std::string(name);
  constexpr unsigned kTopBits = 0xC0, kContinuation = 0x80;  // of a byte inside a character
  std::size_t end = kShownNameBytes;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & kTopBits) == kContinuation) --end;
  return std::string(name.substr(0, end)) + "...";
}

std::string ShownName(const ImportName& name) {
  return fmt::format("\"{}\" \"{}\"", ShownText(name.module), ShownText(name.name));
}

std::string_view ValueTypeText(ValueType type) {
  switch (type) {
    case ValueType::kI32:
      return "i32";
    case ValueType::kI64:
      return "i64";
    case ValueType::kF32:
      return "f32";
    case ValueType::kF64:
      return "f64";
    case ValueType::kV128:
      return "v128";
    case ValueType::kFuncRef:
      return "funcref";
    case ValueType::kExternRef:
      return "externref";
    case ValueType::kOther:
      break;
  }
  return "another type";
}

bool IsI32Only(const Signature& signature) {
  const auto is_i32 = [](ValueType type) { return type == ValueType::kI32; };
  return std::ranges::all_of(signature.params, is_i32) &&
         std::ranges::all_of(signature.results, is_i32);
}

bool IsNumber(ValueType type) {
  return type == ValueType::kI32 || type == ValueType::kI64 || type == ValueType::kF32 ||
         type == ValueType::kF64;
}

bool IsNumbersOnly(const Signature& signature) {
  return std::ranges::all_of(signature.params, IsNumber) &&
         std::ranges::all_of(signature.results, IsNumber);
}

bool IsWide(ValueType type) { return type == ValueType::kI64 || type == ValueType::kF64; }

std::uint32_t CountWords(const std::vector<ValueType>& types) {
  return static_cast<std::uint32_t>(types.size()) +
         static_cast<std::uint32_t>(std::ranges::count_if(types, IsWide));
}

ValueType Module::TypeOfLocal(const Function& function, std::uint32_t index) const {
  const std::vector<ValueType>& params = SignatureOf(function).params;
  return index < params.size() ? params[index] : function.locals[index - params.size()];
}

const Export* Module::FindExport(std::string_view name) const {
  const auto found = std::ranges::find(exports, name, &Export::name);
  return found == exports.end() ? nullptr : &*found;
}

isa::Result<void> CheckOwned(const Module& module) {
  const auto refuse = [](std::string_view what, const ImportName& name) {
    return isa::Fail(
        isa::ErrorCode::kUnsupported,
        fmt::format("{} {} is imported; a program must own it", what, ShownName(name)));
  };
  for (const Memory& memory : module.memories) {
    if (memory.import) return refuse("memory", *memory.import);
  }
  for (const Table& table : module.tables) {
    if (table.import) return refuse("table", *table.import);
  }
  for (const Global& global : module.globals) {
    if (global.import) return refuse("global", *global.import);
  }
  return {};
}

}  // namespace txvm::frontends::wat
