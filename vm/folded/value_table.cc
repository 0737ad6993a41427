#include "vm/folded/value_table.h"

#include "vm/folded/simplify.h"

namespace txvm::vm::folded {

using isa::Opcode;

Value ValueTable::Append(const Node& node) {
  block_->nodes.push_back(node);
  return static_cast<Value>(block_->nodes.size() - 1);
}

Value ValueTable::Numbered(const Node& node, std::uint64_t version) {
  const auto [found, is_new] = numbers_.try_emplace(KeyOf(node, version), 0);
  if (is_new) {
    found->second = Append(node);
    block_->nodes.back().version = version;
  }
  return found->second;
}

Value ValueTable::Constant(Word word) { return Numbered({.op = Op::kConst, .imm = word}); }

Value ValueTable::Variable(std::uint32_t variable) {
  return Numbered({.op = Op::kVariable, .imm = variable});
}

Value ValueTable::Pure(Opcode opcode, Value a, Value b, Value c) {
  Pattern pattern{opcode, {a, ConstantOf(a)}, {}, {}};
  if (b != kNone) pattern.b = {b, ConstantOf(b)};
  if (c != kNone) pattern.c = {c, ConstantOf(c)};
  const Simplified simple = Simplify(pattern);
  switch (simple.kind) {
    case Simplified::Kind::kConstant:
      return Constant(simple.constant);
    case Simplified::Kind::kOperand:
      return simple.operand;
    case Simplified::Kind::kPattern:
      break;
  }
  const Pattern& form = simple.pattern;
  const auto value_of = [&](const PatternOperand& operand) -> Value {
    return operand.value == kNone && operand.constant ? Constant(*operand.constant) : operand.value;
  };
  Node node{.op = Op::kPure, .opcode = form.opcode};
  node.a = value_of(form.a);
  node.b = value_of(form.b);
  node.c = value_of(form.c);
  if (const std::optional<Value> merged = Merge(node)) return *merged;
  if (finds_longs_) {
    if (const std::optional<Value> compared = LongComparison(node)) return *compared;
  }
  return Numbered(node);
}

// Rules that look into an operand.
std::optional<Value> ValueTable::Merge(const Node& node) {
  // (x + c) + d -> x + (c + d)
  if (node.opcode == Opcode::kAdd && ConstantOf(node.b)) {
    const Node inner = At(node.a);
    if (inner.op == Op::kPure && inner.opcode == Opcode::kAdd && ConstantOf(inner.b)) {
      const Value sum = Constant(*ConstantOf(inner.b) + *ConstantOf(node.b));
      return Pure(Opcode::kAdd, inner.a, sum);
    }
  }
  // (a < b) = 0 -> a >= b
  if (node.opcode == Opcode::kEqz) {
    const Node inner = At(node.a);
    if (inner.op == Op::kPure) {
      if (inner.opcode == Opcode::kEqz && IsFlag(inner.a)) return inner.a;
      if (const std::optional<Opcode> opposite = Opposite(inner.opcode)) {
        return Pure(*opposite, inner.a, inner.b);
      }
    }
  }
  // a flag /= 0 -> the flag
  if (node.opcode == Opcode::kNe && IsFlag(node.a) && ConstantOf(node.b) == Word{0}) {
    return node.a;
  }
  return std::nullopt;
}

// Whether a value is known to be 0 or 1.
bool ValueTable::IsFlag(Value value) const {
  const Node& node = At(value);
  if (node.op == Op::kWide) return IsComparison(node.wide);
  return node.op == Op::kPure && isa::Info(node.opcode).op_class == isa::OpClass::kCompare;
}

void ValueTable::Remember(const Node& node, std::uint64_t version, Value value) {
  numbers_[KeyOf(node, version)] = value;
}

std::optional<Value> ValueTable::Known(const Node& node, std::uint64_t version) const {
  const auto found = numbers_.find(KeyOf(node, version));
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

std::optional<Word> ValueTable::ConstantOf(Value value) const {
  if (At(value).op != Op::kConst) return std::nullopt;
  return static_cast<Word>(At(value).imm);
}

}  // namespace txvm::vm::folded
