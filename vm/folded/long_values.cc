// Longs in the words that front ends make of them: sums with a carry, differences with a borrow,
// bits, shifts and comparisons. Each rule is an identity of numbers modulo 2^64; no names and no
// types of locals are asked.
//
// NOTATION  [h:l] the long 2^32 h + l
// Declared in vm/folded/value_table.h.
#include <optional>
#include <utility>

#include "isa/comparison.h"
#include "isa/word_ops.h"
#include "vm/folded/value_table.h"

namespace txvm::vm::folded {
namespace {

using isa::Opcode;

constexpr std::uint32_t kDeepest = 16;  // operations that one look goes through
constexpr Word kWordBits = 32;

bool IsPure(const Node& node, Opcode opcode) {
  return node.op == Op::kPure && node.opcode == opcode;
}

std::optional<WideOp> LongCompareOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kLtS:
      return WideOp::kLtSLong;
    case Opcode::kLtU:
      return WideOp::kLtULong;
    case Opcode::kGtS:
      return WideOp::kGtSLong;
    case Opcode::kGtU:
      return WideOp::kGtULong;
    case Opcode::kLeS:
      return WideOp::kLeSLong;
    case Opcode::kLeU:
      return WideOp::kLeULong;
    case Opcode::kGeS:
      return WideOp::kGeSLong;
    case Opcode::kGeU:
      return WideOp::kGeULong;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Value> ValueTable::FreeLong(Value low, Value high) {
  const std::uint64_t key = std::uint64_t{low} << kWordBits | high;
  if (const auto known = longs_.find(key); known != longs_.end()) return known->second;
  if (depth_ == kDeepest) return std::nullopt;
  ++depth_;
  std::optional<Value> found = PairOf(low, high);
  --depth_;
  // Known words, and a word with zeros above it.
  if (!found && ConstantOf(high) && (ConstantOf(low) || ConstantOf(high) == Word{0})) {
    found = Wide(WideOp::kPair, low, high);
  }
  longs_[key] = found;
  return found;
}

std::optional<Value> ValueTable::FindLong(Value low, Value high) {
  if (const auto sum = SumOf(low, high)) return sum;
  if (const auto difference = DifferenceOf(low, high)) return difference;
  if (const auto bits = BitsOf(low, high)) return bits;
  return ShiftOf(low, high);
}

// l = x + y, h = r + (l < y): [h:l] = [r:x] + [0:y], and where r = p + q it is [p:x] + [q:y].
std::optional<Value> ValueTable::SumOf(Value low, Value high) {
  const Node l = At(low), h = At(high);
  if (!IsPure(l, Opcode::kAdd) || !IsPure(h, Opcode::kAdd)) return std::nullopt;
  for (const auto& [carry, rest] : {std::pair(h.b, h.a), std::pair(h.a, h.b)}) {
    const Node c = At(carry);
    const bool of_one = IsPure(c, Opcode::kEqz) && c.a == low && ConstantOf(l.b) == Word{1};
    const bool carries = IsPure(c, Opcode::kLtU) && c.a == low && (c.b == l.a || c.b == l.b);
    if (!of_one && !carries) continue;
    const Node r = At(rest);
    if (IsPure(r, Opcode::kAdd)) {
      for (const auto& [p, q] : {std::pair(r.a, r.b), std::pair(r.b, r.a)}) {
        const auto a = FreeLong(l.a, p), b = FreeLong(l.b, q);
        if (a && b) return Wide(WideOp::kAddLong, *a, *b);
      }
    }
    for (const auto& [x, y] : {std::pair(l.a, l.b), std::pair(l.b, l.a)}) {
      if (const auto a = FreeLong(x, rest)) {
        return Wide(WideOp::kAddLong, *a, Wide(WideOp::kPair, y, Constant(0)));
      }
    }
  }
  return std::nullopt;
}

// l = x - y, h = r - (x < y): [h:l] = [r:x] - [0:y], and where r = p - q it is [p:x] - [q:y]. A
// known y or q is added with its sign changed.
std::optional<Value> ValueTable::DifferenceOf(Value low, Value high) {
  const Node l = At(low), h = At(high);
  if (!IsPure(h, Opcode::kSub)) return std::nullopt;
  const Node borrow = At(h.b);
  Value x = kNone, y = kNone;
  if (IsPure(l, Opcode::kSub)) {
    x = l.a;
    y = l.b;
    if (!IsPure(borrow, Opcode::kLtU) || borrow.a != x || borrow.b != y) return std::nullopt;
  } else if (IsPure(l, Opcode::kAdd) && ConstantOf(l.b)) {
    x = l.a;
    const Word known = isa::Neg(*ConstantOf(l.b));
    const bool of_one = known == 1 && IsPure(borrow, Opcode::kEqz) && borrow.a == x;
    const bool borrows =
        IsPure(borrow, Opcode::kLtU) && borrow.a == x && ConstantOf(borrow.b) == known;
    if (!of_one && !borrows) return std::nullopt;
    y = Constant(known);
  } else {
    return std::nullopt;
  }
  const Node r = At(h.a);
  if (IsPure(r, Opcode::kSub)) {
    const auto a = FreeLong(x, r.a), b = FreeLong(y, r.b);
    if (a && b) return Wide(WideOp::kSubLong, *a, *b);
  }
  if (IsPure(r, Opcode::kAdd) && ConstantOf(r.b)) {
    const Value q = Constant(isa::Neg(*ConstantOf(r.b)));
    const auto a = FreeLong(x, r.a), b = FreeLong(y, q);
    if (a && b) return Wide(WideOp::kSubLong, *a, *b);
  }
  if (const auto a = FreeLong(x, h.a)) {
    return Wide(WideOp::kSubLong, *a, Wide(WideOp::kPair, y, Constant(0)));
  }
  return std::nullopt;
}

// [p op q : x op y] = [p:x] op [q:y]
std::optional<Value> ValueTable::BitsOf(Value low, Value high) {
  const Node l = At(low), h = At(high);
  if (l.op != Op::kPure || h.op != Op::kPure || l.opcode != h.opcode) return std::nullopt;
  std::optional<WideOp> op;
  if (l.opcode == Opcode::kAnd) op = WideOp::kAndLong;
  if (l.opcode == Opcode::kOr) op = WideOp::kOrLong;
  if (l.opcode == Opcode::kXor) op = WideOp::kXorLong;
  if (!op) return std::nullopt;
  for (const auto& [p, q] : {std::pair(h.a, h.b), std::pair(h.b, h.a)}) {
    const auto a = FreeLong(l.a, p);
    if (!a) continue;
    if (const auto b = FreeLong(l.b, q)) return Wide(*op, *a, *b);
  }
  return std::nullopt;
}

// 0 < n < 32: [p:x] << n = [p << n | x >> (32 - n) : x << n], and so to the right. From 32 on one
// word is left.
std::optional<Value> ValueTable::ShiftOf(Value low, Value high) {
  const Node l = At(low), h = At(high);
  const auto across = [&](const Node& both, Opcode near, Opcode far, Value moved) {
    // both = near(inner, n) | far(moved, 32 - n): the inner word and n
    std::optional<std::pair<Value, Word>> found;
    if (!IsPure(both, Opcode::kOr)) return found;
    for (const auto& [one, other] : {std::pair(both.a, both.b), std::pair(both.b, both.a)}) {
      const Node a = At(one), b = At(other);
      if (!IsPure(a, near) || !IsPure(b, far) || b.a != moved) continue;
      const std::optional<Word> n = ConstantOf(a.b), rest = ConstantOf(b.b);
      if (n && rest && *n > 0 && *n < kWordBits && *rest == kWordBits - *n) found = {a.a, *n};
    }
    return found;
  };
  if (IsPure(l, Opcode::kShl)) {
    const auto inner = across(h, Opcode::kShl, Opcode::kShrU, l.a);
    if (!inner || ConstantOf(l.b) != inner->second) return std::nullopt;
    const auto all = FreeLong(l.a, inner->first);
    if (all) return Wide(WideOp::kI64Shl, *all, Constant(inner->second));
    return std::nullopt;
  }
  const bool is_signed = IsPure(h, Opcode::kShrS);
  if (is_signed || IsPure(h, Opcode::kShrU)) {
    const auto inner = across(l, Opcode::kShrU, Opcode::kShl, h.a);
    if (!inner || ConstantOf(h.b) != inner->second) return std::nullopt;
    const auto all = FreeLong(inner->first, h.a);
    if (!all) return std::nullopt;
    return Wide(is_signed ? WideOp::kI64ShrS : WideOp::kI64ShrU, *all, Constant(inner->second));
  }
  return std::nullopt;
}

std::optional<Value> ValueTable::LongComparison(const Node& node) {
  if (node.opcode == Opcode::kSelect) return OrderOf(node);
  if (node.opcode == Opcode::kEqz) return EqualityOf(node.a, true);
  if (node.opcode == Opcode::kNe && ConstantOf(node.b) == Word{0}) {
    return EqualityOf(node.a, false);
  }
  return std::nullopt;
}

// h = g ? x op y, of the low words, without their signs : h op g
std::optional<Value> ValueTable::OrderOf(const Node& select) {
  const Node lows = At(select.a), highs = At(select.b), equal = At(select.c);
  if (lows.op != Op::kPure || highs.op != Op::kPure || lows.b == kNone || highs.b == kNone) {
    return std::nullopt;
  }
  Value h = highs.a, g = highs.b;
  const std::optional<WideOp> op = LongCompareOf(highs.opcode);
  if (!op || lows.opcode != isa::UnsignedOf(highs.opcode)) return std::nullopt;
  const bool by_both = IsPure(equal, Opcode::kEq) &&
                       ((equal.a == h && equal.b == g) || (equal.a == g && equal.b == h));
  const bool by_zero = IsPure(equal, Opcode::kEqz) && equal.a == h && ConstantOf(g) == Word{0};
  if (!by_both && !by_zero) return std::nullopt;
  const auto a = FreeLong(lows.a, h), b = FreeLong(lows.b, g);
  if (!a || !b) return std::nullopt;
  return Wide(*op, *a, *b);
}

// (x ^ y | p ^ q) = 0 where [p:x] = [q:y]; and (x | p) = 0 where [p:x] = 0.
std::optional<Value> ValueTable::EqualityOf(Value bits, bool equal) {
  const Node either = At(bits);
  if (!IsPure(either, Opcode::kOr)) return std::nullopt;
  const WideOp op = equal ? WideOp::kEqLong : WideOp::kNeLong;
  for (const auto& [low, high] : {std::pair(either.a, either.b), std::pair(either.b, either.a)}) {
    const Node l = At(low), h = At(high);
    const bool both = IsPure(l, Opcode::kXor) && IsPure(h, Opcode::kXor);
    if (both) {
      for (const auto& [p, q] : {std::pair(h.a, h.b), std::pair(h.b, h.a)}) {
        const auto a = FreeLong(l.a, p), b = FreeLong(l.b, q);
        if (a && b) return Wide(op, *a, *b);
      }
    }
    const auto a = FreeLong(low, high);
    if (a && !ConstantOf(high)) return Wide(op, *a, Long(0, 0));
  }
  return std::nullopt;
}

}  // namespace txvm::vm::folded
