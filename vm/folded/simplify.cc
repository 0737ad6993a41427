#include "vm/folded/simplify.h"

#include <utility>

namespace txvm::vm::folded {

using isa::Opcode;
using isa::Word;

Word Evaluate(Opcode opcode, Word a, Word b, Word c) {
#define TXVM_TWO(Name)  \
  case Opcode::k##Name: \
    return isa::Name(a, b);
#define TXVM_ONE(Name)  \
  case Opcode::k##Name: \
    return isa::Name(a);
  switch (opcode) {
#define TXVM_PURE_kArith_2 TXVM_TWO
#define TXVM_PURE_kCompare_2 TXVM_TWO
#define TXVM_PURE_kBits_2 TXVM_TWO
#define TXVM_PURE_kShift_2 TXVM_TWO
#define TXVM_PURE_kArith_1 TXVM_ONE
#define TXVM_PURE_kCompare_1 TXVM_ONE
#define TXVM_PURE_kBits_1 TXVM_ONE
#include "vm/engines/pure_ops-inl.h"
    default:
      return isa::Select(a, b, c);
  }
#undef TXVM_ONE
#undef TXVM_TWO
}

bool IsCommutative(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMul:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kEq:
    case Opcode::kNe:
      return true;
    default:
      return false;
  }
}

std::optional<Opcode> Opposite(Opcode opcode) {
  switch (opcode) {
    case Opcode::kEq:
      return Opcode::kNe;
    case Opcode::kNe:
      return Opcode::kEq;
    case Opcode::kLtS:
      return Opcode::kGeS;
    case Opcode::kLtU:
      return Opcode::kGeU;
    case Opcode::kGtS:
      return Opcode::kLeS;
    case Opcode::kGtU:
      return Opcode::kLeU;
    case Opcode::kLeS:
      return Opcode::kGtS;
    case Opcode::kLeU:
      return Opcode::kGtU;
    case Opcode::kGeS:
      return Opcode::kLtS;
    case Opcode::kGeU:
      return Opcode::kLtU;
    default:
      return std::nullopt;
  }
}

std::optional<Word> FoldDivision(Opcode opcode, std::optional<Word> a, std::optional<Word> b) {
  if (!a || !b || *b == 0) return std::nullopt;
  switch (opcode) {
    case Opcode::kDivS:
      if (isa::DivSOverflows(*a, *b)) return std::nullopt;
      return isa::DivS(*a, *b);
    case Opcode::kDivU:
      return isa::DivU(*a, *b);
    case Opcode::kRemS:
      return isa::RemS(*a, *b);
    default:
      return isa::RemU(*a, *b);
  }
}

namespace {

// The opcode for which swapped operands give the same: a < b is b > a.
std::optional<Opcode> Mirrored(Opcode opcode) {
  if (IsCommutative(opcode)) return opcode;
  switch (opcode) {
    case Opcode::kLtS:
      return Opcode::kGtS;
    case Opcode::kLtU:
      return Opcode::kGtU;
    case Opcode::kGtS:
      return Opcode::kLtS;
    case Opcode::kGtU:
      return Opcode::kLtU;
    case Opcode::kLeS:
      return Opcode::kGeS;
    case Opcode::kLeU:
      return Opcode::kGeU;
    case Opcode::kGeS:
      return Opcode::kLeS;
    case Opcode::kGeU:
      return Opcode::kLeU;
    default:
      return std::nullopt;
  }
}

Simplified Known(Word word) {
  Simplified result;
  result.kind = Simplified::Kind::kConstant;
  result.constant = word;
  return result;
}

Simplified Same(std::uint32_t operand) {
  Simplified result;
  result.kind = Simplified::Kind::kOperand;
  result.operand = operand;
  return result;
}

// What x op constant comes to, if it is simpler.
std::optional<Simplified> WithConstant(const Pattern& p, Word k) {
  switch (p.opcode) {
    case Opcode::kAdd:
    case Opcode::kOr:
    case Opcode::kXor:
      if (k == 0) return Same(p.a.value);
      if (p.opcode == Opcode::kOr && k == isa::kMinusOne) return Known(k);
      return std::nullopt;
    case Opcode::kMul:
      if (k == 1) return Same(p.a.value);
      if (k == 0) return Known(0);
      return std::nullopt;
    case Opcode::kAnd:
      if (k == 0) return Known(0);
      if (k == isa::kMinusOne) return Same(p.a.value);
      return std::nullopt;
    case Opcode::kShl:
    case Opcode::kShrS:
    case Opcode::kShrU:
    case Opcode::kRotl:
    case Opcode::kRotr:
      if ((k & isa::kShiftMask) == 0) return Same(p.a.value);
      return std::nullopt;
    case Opcode::kLtU:
      if (k == 0) return Known(0);
      return std::nullopt;
    case Opcode::kGeU:
      if (k == 0) return Known(1);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Simplified> OfEqual(Opcode opcode, std::uint32_t operand) {
  switch (opcode) {
    case Opcode::kSub:
    case Opcode::kXor:
    case Opcode::kNe:
    case Opcode::kLtS:
    case Opcode::kLtU:
    case Opcode::kGtS:
    case Opcode::kGtU:
      return Known(0);
    case Opcode::kEq:
    case Opcode::kLeS:
    case Opcode::kLeU:
    case Opcode::kGeS:
    case Opcode::kGeU:
      return Known(1);
    case Opcode::kAnd:
    case Opcode::kOr:
      return Same(operand);
    default:
      return std::nullopt;
  }
}

}  // namespace

Simplified Simplify(const Pattern& pattern) {
  Pattern p = pattern;
  const isa::OpcodeInfo& info = isa::Info(p.opcode);
  if (p.opcode == Opcode::kSelect) {
    if (p.c.constant) return Same(*p.c.constant != 0 ? p.a.value : p.b.value);
    if (p.a.value == p.b.value) return Same(p.a.value);
    return {.pattern = p};
  }
  const bool known = p.a.constant && (info.pops == 1 || p.b.constant);
  if (known) return Known(Evaluate(p.opcode, *p.a.constant, p.b.constant.value_or(0), 0));
  if (info.pops == 1) return {.pattern = p};
  if (p.a.value == p.b.value) {
    if (const auto result = OfEqual(p.opcode, p.a.value)) return *result;
  }
  if (p.a.constant) {
    if (const std::optional<Opcode> mirrored = Mirrored(p.opcode)) {
      p.opcode = *mirrored;
      std::swap(p.a, p.b);
    }
  }
  if (!p.b.constant) return {.pattern = p};
  if (p.opcode == Opcode::kSub) {
    p.opcode = Opcode::kAdd;
    p.b = {kNone, isa::Neg(*p.b.constant)};
  }
  if (const auto result = WithConstant(p, *p.b.constant)) return *result;
  if (*p.b.constant == 0) {
    if (p.opcode == Opcode::kEq || p.opcode == Opcode::kLeU) {
      return {.pattern = {Opcode::kEqz, p.a, {}, {}}};
    }
    if (p.opcode == Opcode::kGtU) p.opcode = Opcode::kNe;
  }
  if (*p.b.constant == 1) {  // a < 1 is a = 0
    if (p.opcode == Opcode::kLtU) return {.pattern = {Opcode::kEqz, p.a, {}, {}}};
    if (p.opcode == Opcode::kGeU) {
      p.opcode = Opcode::kNe;
      p.b = {kNone, Word{0}};
    }
  }
  return {.pattern = p};
}

}  // namespace txvm::vm::folded
