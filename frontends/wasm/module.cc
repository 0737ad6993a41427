#include "frontends/wasm/module.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/wasm/reference_types.h"

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
    case ValueType::kExnRef:
      return "exnref";
    case ValueType::kOther:
      break;
  }
  if (!IsReference(type)) return "another type";
  const bool is_nullable = IsNullable(type);
  switch (HeapOf(type)) {
    case Heap::kFunc:
      return "(ref func)";
    case Heap::kExtern:
      return "(ref extern)";
    case Heap::kNoFunc:
      return is_nullable ? "nullfuncref" : "(ref nofunc)";
    case Heap::kNoExtern:
      return is_nullable ? "nullexternref" : "(ref noextern)";
    case Heap::kExn:  // kExnRef is above
    case Heap::kFirstSignature:
      break;
  }
  return is_nullable ? "(ref null type)" : "(ref type)";
}

bool IsI32Only(const Signature& signature) {
  const auto is_i32 = [](ValueType type) { return type == ValueType::kI32; };
  return std::ranges::all_of(signature.params, is_i32) &&
         std::ranges::all_of(signature.results, is_i32);
}

bool IsNumber(ValueType type) {
  return type == ValueType::kI32 || type == ValueType::kI64 || type == ValueType::kF32 ||
         type == ValueType::kF64 || type == ValueType::kV128;
}

bool IsReference(ValueType type) {
  return type == ValueType::kFuncRef || type == ValueType::kExternRef ||
         type == ValueType::kExnRef || type >= kFirstTyped;
}

bool IsNumbersOnly(const Signature& signature) {
  return std::ranges::all_of(signature.params, IsNumber) &&
         std::ranges::all_of(signature.results, IsNumber);
}

bool IsWide(ValueType type) { return type == ValueType::kI64 || type == ValueType::kF64; }

std::uint32_t WordsIn(ValueType type) {
  constexpr std::uint32_t kVectorWords = 4;
  return type == ValueType::kV128 ? kVectorWords : IsWide(type) ? 2 : 1;
}

std::uint32_t CountWords(const std::vector<ValueType>& types) {
  std::uint32_t words = 0;
  for (const ValueType type : types) words += WordsIn(type);
  return words;
}

ValueType Module::TypeOfLocal(const Function& function, std::uint32_t index) const {
  const std::vector<ValueType>& params = SignatureOf(function).params;
  return index < params.size() ? params[index] : function.locals[index - params.size()];
}

const Export* Module::FindExport(std::string_view name) const {
  const auto found = std::ranges::find(exports, name, &Export::name);
  return found == exports.end() ? nullptr : &*found;
}

namespace {

std::uint64_t BitsOfConstant(const ConstantExpr& expr) {
  constexpr int kWordBits = 32;
  return std::uint64_t{expr.high} << kWordBits | expr.value;
}

/// The value of `expr`; `globals` before the one it initialises have been computed.
ConstantExpr Computed(const Module& module, const ConstantExpr& expr) {
  using Kind = ConstantExpr::Kind;
  if (expr.kind == Kind::kGlobal) {
    const Global& global = module.globals[expr.value];
    return global.import ? expr : global.init;
  }
  if (expr.kind != Kind::kComputed) return expr;
  std::vector<std::uint64_t> stack;
  for (const ConstantStep& step : expr.steps) {
    if (step.kind == ConstantStep::Kind::kPush) {
      stack.push_back(step.value);
      continue;
    }
    if (step.kind == ConstantStep::Kind::kGlobal) {
      const Global& global = module.globals[static_cast<std::size_t>(step.value)];
      if (global.import) return expr;
      stack.push_back(BitsOfConstant(global.init));
      continue;
    }
    const std::uint64_t right = stack.back();
    stack.pop_back();
    std::uint64_t& left = stack.back();
    left = step.kind == ConstantStep::Kind::kAdd   ? left + right
           : step.kind == ConstantStep::Kind::kSub ? left - right
                                                   : left * right;
  }
  constexpr int kWordBits = 32;
  ConstantExpr value;
  value.kind = expr.is_wide ? Kind::kPair : Kind::kWord;
  value.value = static_cast<std::uint32_t>(stack.back());
  if (expr.is_wide) value.high = static_cast<std::uint32_t>(stack.back() >> kWordBits);
  return value;
}

}  // namespace

void ComputeConstants(Module& module) {
  for (Global& global : module.globals) {
    if (!global.import) global.init = Computed(module, global.init);
  }
  for (ElementSegment& segment : module.elements) {
    if (segment.mode == SegmentMode::kActive) segment.offset = Computed(module, segment.offset);
  }
  for (DataSegment& segment : module.data) {
    if (segment.mode == SegmentMode::kActive) segment.offset = Computed(module, segment.offset);
  }
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
