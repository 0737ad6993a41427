// What operations on more than words come to: halves of pairs, bits that go to a float and back,
// and the signs of floats.
// Declared in vm/folded/value_table.h.
#include <algorithm>
#include <optional>

#include "isa/word_ops.h"
#include "vm/folded/value_table.h"

namespace txvm::vm::folded {
namespace {

using isa::Opcode;

constexpr Word kSignBit = 0x80000000, kAllButSign = 0x7FFFFFFF;
constexpr Word kSignShift = 31;

bool Is(const Node& node, WideOp op) { return node.op == Op::kWide && node.wide == op; }

bool IsPure(const Node& node, Opcode opcode) {
  return node.op == Op::kPure && node.opcode == opcode;
}

// Values that a store may be moved over.
bool IsPassedByStores(const Node& node) {
  return node.op == Op::kConst || node.op == Op::kVariable || node.op == Op::kCell ||
         node.op == Op::kPure || node.op == Op::kWide || node.op == Op::kWideCell;
}

// Whether the value of a routine is never a NaN.
bool IsNumber(const Node& node) {
  if (node.op != Op::kWide) return false;
  const Type operand = Info(node.wide).a;
  return operand == Type::kWord ? node.wide != WideOp::kSingleOfWord
                                : operand == Type::kLong && node.wide != WideOp::kDoubleOfLong;
}

}  // namespace

Value ValueTable::Wide(WideOp op, Value a, Value b) {
  if (const std::optional<Value> simple = SimplerWide(op, a, b)) return *simple;
  return Numbered({.op = Op::kWide, .wide = op, .type = Info(op).result, .a = a, .b = b});
}

Value ValueTable::Long(Word low, Word high) {
  return Wide(WideOp::kPair, Constant(low), Constant(high));
}

// Any NaN is as good as the machine's for an operation that only asks whether it is one.
Value ValueTable::AnyNan(Value value) {
  const Node node = At(value);
  if (Is(node, WideOp::kCanonicalSingle) || Is(node, WideOp::kCanonicalDouble)) return node.a;
  const bool changes_sign = Is(node, WideOp::kNegSingle) || Is(node, WideOp::kNegDouble) ||
                            Is(node, WideOp::kAbsSingle) || Is(node, WideOp::kAbsDouble);
  return changes_sign ? Wide(node.wide, AnyNan(node.a)) : value;
}

// Two words of one value in their places.
std::optional<Value> ValueTable::PairOf(Value low, Value high) {
  const Node l = At(low), h = At(high);
  if (Is(l, WideOp::kLow) && Is(h, WideOp::kHigh) && l.a == h.a) return l.a;
  if (Is(l, WideOp::kLow) && IsPure(h, Opcode::kXor) && ConstantOf(h.b)) {
    if (const Node part = At(h.a); Is(part, WideOp::kHigh) && part.a == l.a) {
      return Wide(WideOp::kXorLong, l.a, Long(0, *ConstantOf(h.b)));
    }
  }
  if (Is(l, WideOp::kLow) && IsPure(h, Opcode::kAnd) && ConstantOf(h.b)) {
    if (const Node part = At(h.a); Is(part, WideOp::kHigh) && part.a == l.a) {
      return Wide(WideOp::kAndLong, l.a, Long(isa::kMinusOne, *ConstantOf(h.b)));
    }
  }
  if (IsPure(h, Opcode::kShrS) && h.a == low && ConstantOf(h.b) == kSignShift) {
    return Wide(WideOp::kExtendS, low);
  }
  if (l.op == Op::kCell && h.op == Op::kCell && l.imm + 1 == h.imm) {
    return Numbered({.op = Op::kWideCell, .type = Type::kLong, .imm = l.imm});
  }
  return finds_longs_ ? FindLong(low, high) : std::nullopt;
}

std::optional<std::uint64_t> ValueTable::LongConstantOf(Value value) const {
  const Node& node = At(value);
  if (!Is(node, WideOp::kPair)) return std::nullopt;
  const std::optional<Word> low = ConstantOf(node.a), high = ConstantOf(node.b);
  if (!low || !high) return std::nullopt;
  constexpr int kWordBits = 32;
  return std::uint64_t{*high} << kWordBits | *low;
}

// A double whose bits are those of another one but for its sign.
std::optional<Value> ValueTable::DoubleOf(Value bits) {
  const Node node = At(bits);
  if (Is(node, WideOp::kLongOfDouble)) return node.a;
  if (node.op == Op::kWideCell) {
    return Numbered({.op = Op::kWideCell, .type = Type::kDouble, .imm = node.imm});
  }
  if (node.op == Op::kWideLoad && node.version == memory_version_) {
    return Numbered({.op = Op::kWideLoad, .type = Type::kDouble, .a = node.a, .imm = node.imm},
                    node.version);
  }
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  if (Is(node, WideOp::kXorLong) && LongConstantOf(node.b) == kSign) {
    return Wide(WideOp::kNegDouble, Wide(WideOp::kDoubleOfLong, node.a));
  }
  if (Is(node, WideOp::kAndLong) && LongConstantOf(node.b) == ~kSign) {
    return Wide(WideOp::kAbsDouble, Wide(WideOp::kDoubleOfLong, node.a));
  }
  return std::nullopt;
}

std::optional<Value> ValueTable::SingleOf(Value bits) {
  const Node node = At(bits);
  if (Is(node, WideOp::kWordOfSingle)) return node.a;
  if (node.op == Op::kCell) {
    return Numbered({.op = Op::kWideCell, .type = Type::kSingle, .imm = node.imm});
  }
  if (node.op == Op::kLoad && node.opcode == Opcode::kLoad && node.version == memory_version_) {
    return Numbered({.op = Op::kWideLoad, .type = Type::kSingle, .a = node.a, .imm = node.imm},
                    node.version);
  }
  if (IsPure(node, Opcode::kXor) && ConstantOf(node.b) == kSignBit) {
    return Wide(WideOp::kNegSingle, Wide(WideOp::kSingleOfWord, node.a));
  }
  if (IsPure(node, Opcode::kAnd) && ConstantOf(node.b) == kAllButSign) {
    return Wide(WideOp::kAbsSingle, Wide(WideOp::kSingleOfWord, node.a));
  }
  return std::nullopt;
}

Node ValueTable::StoreOfSingle(Node store) const {
  const Node& stored = At(store.b);
  if (store.opcode != Opcode::kStore || !Is(stored, WideOp::kWordOfSingle)) return store;
  store.op = Op::kWideStore;
  store.type = Type::kSingle;
  store.b = stored.a;
  return store;
}

bool ValueTable::StoreTwoWords(const Node& store) {
  if (store.opcode != Opcode::kStore) return false;
  std::size_t at = block_->nodes.size();
  while (at != 0 && IsPassedByStores(block_->nodes[at - 1])) --at;
  if (at == 0) return false;
  const Node before = block_->nodes[at - 1];
  if (before.op != Op::kStore || before.opcode != Opcode::kStore || before.a != store.a) {
    return false;
  }
  const bool low_first = before.imm + sizeof(Word) == store.imm;
  if (!low_first && before.imm != store.imm + sizeof(Word)) return false;
  const Value low = low_first ? before.b : store.b, high = low_first ? store.b : before.b;
  const std::optional<Value> found = FreeLong(low, high);
  if (!found) return false;
  block_->nodes[at - 1] = Node{};  // a constant that nobody uses
  const Node& whole = At(*found);
  Node node = store;
  node.op = Op::kWideStore;
  node.type = Type::kLong;
  node.b = *found;
  node.imm = std::min(before.imm, store.imm);
  if (Is(whole, WideOp::kLongOfDouble)) {
    node.type = Type::kDouble;
    node.b = whole.a;
  }
  Append(node);
  return true;
}

std::optional<Value> ValueTable::SimplerWide(WideOp op, Value a, Value b) {
  const Node node = At(a);
  switch (op) {
    case WideOp::kPair:
      return PairOf(a, b);
    case WideOp::kLow:
      if (Is(node, WideOp::kPair) || Is(node, WideOp::kExtendS)) return node.a;
      return std::nullopt;
    case WideOp::kHigh:
      if (Is(node, WideOp::kPair)) return node.b;
      if (Is(node, WideOp::kExtendS)) return Pure(Opcode::kShrS, node.a, Constant(kSignShift));
      return std::nullopt;
    case WideOp::kVectorOfLongs: {
      const Node& other = At(b);
      const bool is_whole =
          Is(node, WideOp::kLowOfVector) && Is(other, WideOp::kHighOfVector) && node.a == other.a;
      return is_whole ? std::optional(node.a) : std::nullopt;
    }
    case WideOp::kLowOfVector:
      return Is(node, WideOp::kVectorOfLongs) ? std::optional(node.a) : std::nullopt;
    case WideOp::kHighOfVector:
      return Is(node, WideOp::kVectorOfLongs) ? std::optional(node.b) : std::nullopt;
    case WideOp::kSingleOfWord:
      return SingleOf(a);
    case WideOp::kDoubleOfLong:
      return DoubleOf(a);
    case WideOp::kWordOfSingle:
      return Is(node, WideOp::kSingleOfWord) ? std::optional(node.a) : std::nullopt;
    case WideOp::kLongOfDouble:
      return Is(node, WideOp::kDoubleOfLong) ? std::optional(node.a) : std::nullopt;
    case WideOp::kCanonicalSingle:
    case WideOp::kCanonicalDouble:
      return IsNumber(node) ? std::optional(a) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace txvm::vm::folded
