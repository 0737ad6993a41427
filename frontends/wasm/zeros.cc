#include "frontends/wasm/zeros.h"

namespace txvm::frontends::wat {
namespace {

InstrKind KindOf(ValueType type) {
  if (IsReference(type) && type != ValueType::kExnRef) return InstrKind::kRefNull;
  switch (type) {
    case ValueType::kI32:
      return InstrKind::kConst;
    case ValueType::kI64:
      return InstrKind::kWideConst;
    case ValueType::kF32:
      return InstrKind::kF32Const;
    case ValueType::kF64:
      return InstrKind::kF64Const;
    case ValueType::kFuncRef:
    case ValueType::kExternRef:
      return InstrKind::kRefNull;
    case ValueType::kV128:
      return InstrKind::kV128Const;
    case ValueType::kExnRef:
      return InstrKind::kExnNull;
    case ValueType::kOther:
      break;
  }
  return InstrKind::kUnreachable;
}

}  // namespace

void AppendZeros(const std::vector<ValueType>& types, std::uint32_t place,
                 std::vector<Instr>& body) {
  const auto add = [&](InstrKind kind) { body.push_back({kind, isa::Opcode::kNop, 0, 0, place}); };
  for (const ValueType type : types) {
    add(KindOf(type));
    if (type == ValueType::kV128) add(InstrKind::kV128Upper);
  }
}

}  // namespace txvm::frontends::wat
