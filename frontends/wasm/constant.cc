#include "frontends/wasm/constant.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "frontends/wasm/opcodes.h"
#include "frontends/wasm/reference_types.h"

namespace txvm::frontends::wasm {
namespace {

using isa::ErrorCode;
using wat::ConstantExpr;

constexpr int kWordBits = 32;

/// A value on the stack of a constant expression.
struct Value {
  ValueType type = ValueType::kI32;
  Constant constant;
};

std::uint64_t BitsOf(const ConstantExpr& expr) {
  return std::uint64_t{expr.high} << kWordBits | expr.value;
}

Value Number(ValueType type, std::uint64_t bits) {
  Value value;
  value.type = type;
  const bool is_wide = wat::IsWide(type);
  value.constant.expr = {is_wide ? ConstantExpr::Kind::kPair : ConstantExpr::Kind::kWord,
                         static_cast<std::uint32_t>(bits),
                         is_wide ? static_cast<std::uint32_t>(bits >> kWordBits) : 0,
                         {},
                         false,
                         {}};
  return value;
}

bool IsOfGlobals(const ConstantExpr& expr) {
  return expr.kind == ConstantExpr::Kind::kGlobal || expr.kind == ConstantExpr::Kind::kComputed;
}

/// The steps of `left`, those of `right`, and the operation.
ConstantExpr Join(ConstantExpr left, ConstantExpr right, Op op) {
  using Kind = wat::ConstantStep::Kind;
  const auto as_steps = [](ConstantExpr& expr) {
    if (expr.kind == ConstantExpr::Kind::kComputed) return;
    if (expr.kind == ConstantExpr::Kind::kGlobal) {
      expr.steps = {{Kind::kGlobal, expr.value}};
    } else {
      expr.steps = {{Kind::kPush, BitsOf(expr)}};
    }
  };
  as_steps(left);
  as_steps(right);
  left.kind = ConstantExpr::Kind::kComputed;
  left.value = left.high = 0;
  left.steps.insert(left.steps.end(), right.steps.begin(), right.steps.end());
  const bool is_add = op == Op::kI32Add || op == Op::kI64Add;
  const bool is_sub = op == Op::kI32Sub || op == Op::kI64Sub;
  left.steps.push_back({is_add ? Kind::kAdd : is_sub ? Kind::kSub : Kind::kMul, 0});
  return left;
}

/// Reads one expression. INVARIANT: stack_ has the values computed so far.
class ConstantReader {
 public:
  ConstantReader(Cursor& cursor, const wat::Module& module, Declarations& declarations)
      : cursor_(cursor), module_(module), declarations_(declarations) {}

  Constant Run(ValueType expected);

 private:
  Op NextOp();
  void Execute(Op op);
  void GetGlobal();
  void GetFunction();
  void Compute(Op op);
  void PushVector();
  void Fail(ErrorCode code, std::string message) { cursor_.Fail(code, std::move(message), start_); }

  Cursor& cursor_;
  const wat::Module& module_;
  Declarations& declarations_;
  std::vector<Value> stack_;
  std::size_t start_ = 0;  // of the current instruction
};

Op ConstantReader::NextOp() {
  start_ = cursor_.offset();
  const std::uint8_t byte = cursor_.Byte("the end of a constant expression");
  std::uint32_t code = 0;
  if (IsPrefix(byte)) code = cursor_.U32("an opcode");
  const Op op = IsPrefix(byte) ? OpOf(byte, code) : OpOf(byte);
  if (!cursor_.ok() || op != Op::kIllegal) return op;
  if (IsPrefix(byte)) {
    Fail(ErrorCode::kSyntax, fmt::format("illegal opcode 0x{:02x} {}", byte, code));
  } else {
    Fail(ErrorCode::kSyntax, fmt::format("illegal opcode 0x{:02x}", byte));
  }
  return op;
}

void ConstantReader::GetGlobal() {
  const std::uint32_t index = cursor_.U32("a global index");
  const std::size_t known =
      declarations_.is_version_2 ? declarations_.imported_globals : module_.globals.size();
  if (!CheckIndex(cursor_, "global", index, known, start_)) return;
  const wat::Global& global = module_.globals[index];
  if (global.is_mutable) {
    return Fail(ErrorCode::kInvalid,
                fmt::format("constant expression required: global {} is mutable", index));
  }
  Value value{global.type, {}};
  value.constant.expr.kind = ConstantExpr::Kind::kGlobal;
  value.constant.expr.value = index;
  stack_.push_back(value);
}

void ConstantReader::GetFunction() {
  const std::uint32_t index = cursor_.U32("a function index");
  if (!CheckIndex(cursor_, "function", index, module_.functions.size(), start_)) return;
  declarations_.referable[index] = true;
  Value value{ReferenceTo(wat::HeapOfSignature(module_.functions[index].signature), false), {}};
  value.constant.function = index;
  value.constant.expr.kind = ConstantExpr::Kind::kFunction;
  value.constant.expr.value = index;
  stack_.push_back(value);
}

/// i32 and i64 arithmetic on two values.
void ConstantReader::Compute(Op op) {
  const OpInfo& info = InfoOf(op);
  const ValueType type = info.params[0];
  const bool fits = stack_.size() >= 2 && stack_[stack_.size() - 1].type == type &&
                    stack_[stack_.size() - 2].type == type;
  if (!fits) {
    return Fail(ErrorCode::kInvalid, fmt::format("type mismatch: {} needs two values of {}",
                                                 info.text, wat::ValueTypeText(type)));
  }
  const ConstantExpr right = stack_.back().constant.expr;
  stack_.pop_back();
  const ConstantExpr left = stack_.back().constant.expr;
  stack_.pop_back();
  if (left.kind != right.kind || IsOfGlobals(left) || IsOfGlobals(right)) {
    Value value{type, {}};
    value.constant.expr = Join(left, right, op);
    value.constant.expr.is_wide = type == ValueType::kI64;
    return stack_.push_back(std::move(value));
  }
  const std::uint64_t a = BitsOf(left), b = BitsOf(right);
  if (op == Op::kI32Add || op == Op::kI64Add) {
    stack_.push_back(Number(type, a + b));
  } else if (op == Op::kI32Sub || op == Op::kI64Sub) {
    stack_.push_back(Number(type, a - b));
  } else {
    stack_.push_back(Number(type, a * b));
  }
}

void ConstantReader::PushVector() {
  const std::uint64_t low = cursor_.LongWord("a v128"), high = cursor_.LongWord("a v128");
  Value value{ValueType::kV128, {}};
  ConstantExpr& expr = value.constant.expr;
  expr.kind = ConstantExpr::Kind::kVector;
  expr.value = static_cast<std::uint32_t>(low);
  expr.high = static_cast<std::uint32_t>(low >> kWordBits);
  expr.upper = {static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> kWordBits)};
  stack_.push_back(std::move(value));
}

void ConstantReader::Execute(Op op) {
  switch (op) {
    case Op::kI32Const:
      return stack_.push_back(
          Number(ValueType::kI32, static_cast<std::uint32_t>(cursor_.S32("an i32"))));
    case Op::kI64Const:
      return stack_.push_back(
          Number(ValueType::kI64, static_cast<std::uint64_t>(cursor_.S64("an i64"))));
    case Op::kF32Const:
      return stack_.push_back(Number(ValueType::kF32, cursor_.Word("an f32")));
    case Op::kF64Const:
      return stack_.push_back(Number(ValueType::kF64, cursor_.LongWord("an f64")));
    case Op::kV128Const:
      return PushVector();
    case Op::kRefNull: {
      Value value{ReadHeapType(cursor_, declarations_, true), {}};
      value.constant.function = wat::kNullFunction;
      value.constant.expr.kind = ConstantExpr::Kind::kNull;
      return stack_.push_back(value);
    }
    case Op::kRefFunc:
      return GetFunction();
    case Op::kGlobalGet:
      return GetGlobal();
    case Op::kI32Add:
    case Op::kI32Sub:
    case Op::kI32Mul:
    case Op::kI64Add:
    case Op::kI64Sub:
    case Op::kI64Mul:
      return Compute(op);
    default:
      if (!InfoOf(op).is_read) {
        return Fail(ErrorCode::kUnsupported,
                    fmt::format("uses {} ({}): not supported", FeatureText(InfoOf(op).feature),
                                InfoOf(op).text));
      }
      return Fail(ErrorCode::kInvalid,
                  fmt::format("constant expression required: it has {}", InfoOf(op).text));
  }
}

Constant ConstantReader::Run(ValueType expected) {
  while (true) {
    const Op op = NextOp();
    if (!cursor_.ok()) return {};
    if (op == Op::kEnd) break;
    Execute(op);
    if (!cursor_.ok()) return {};
  }
  if (stack_.size() == 1 && IsSubtype(module_, stack_.front().type, expected))
    return stack_.front().constant;
  Fail(
      ErrorCode::kInvalid,
      stack_.size() == 1
          ? fmt::format("type mismatch: a constant expression of {} where {} is expected",
                        wat::ValueTypeText(stack_.front().type), wat::ValueTypeText(expected))
          : fmt::format("type mismatch: a constant expression leaves {} values, expected one of {}",
                        stack_.size(), wat::ValueTypeText(expected)));
  return {};
}

}  // namespace

Constant ReadConstant(Cursor& cursor, const wat::Module& module, Declarations& declarations,
                      wat::ValueType expected) {
  return ConstantReader(cursor, module, declarations).Run(expected);
}

}  // namespace txvm::frontends::wasm
