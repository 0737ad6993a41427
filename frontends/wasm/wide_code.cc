#include "frontends/wasm/wide_code.h"

#include "asm/routines/routines.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

using isa::Opcode;

namespace {

constexpr std::uint32_t kWordBits = 32;
constexpr std::uint32_t kSignShift = 31;  // what ShrS needs to spread a word's sign
constexpr std::uint32_t kWordBytes = 4;
constexpr std::uint32_t kAllOnes = 0xFFFFFFFF;

// Scratch locals by what they hold. None lives longer than one i64 instruction.
enum Scratch : std::uint32_t { kLeftHigh, kLeftLow, kRightHigh, kRightLow };

/// The comparison of the low words: unsigned whatever the high ones are.
Opcode LowCompare(Opcode op) {
  switch (op) {
    case Opcode::kLtS:
    case Opcode::kLtU:
      return Opcode::kLtU;
    case Opcode::kGtS:
    case Opcode::kGtU:
      return Opcode::kGtU;
    case Opcode::kLeS:
    case Opcode::kLeU:
      return Opcode::kLeU;
    default:
      return Opcode::kGeU;
  }
}

/// An offset past the end of memory stays one: no memory has the last word of 2^32 + offset.
std::uint32_t HighOffset(std::uint32_t offset) {
  return offset > kAllOnes - kWordBytes ? kAllOnes : offset + kWordBytes;
}

}  // namespace

std::uint32_t WideCode::Scratch(std::uint32_t n) {
  for (; scratch_count_ <= n; ++scratch_count_) out_.locals.push_back(ValueType::kI32);
  return first_scratch_ + n;
}

void WideCode::Push(Word32 word) { word.is_constant ? Push(word.value) : Get(word.value); }

WordsAtHand WideCode::PopRight(const std::optional<WordsAtHand>& right) {
  if (right) return *right;
  const std::uint32_t high = Scratch(kRightHigh), low = Scratch(kRightLow);
  Set(high);
  Set(low);
  return {{false, low}, {false, high}};
}

void WideCode::CallRoutine(std::string_view text) {
  const assembler::RoutineInfo* routine = assembler::FindRoutine(text);
  TXVM_ASSERT(routine != nullptr);
  Add(InstrKind::kRoutine, static_cast<std::uint32_t>(routine->id));
}

void WideCode::SelectWords(std::uint32_t words) {
  const std::uint32_t condition = Scratch(0), left = Scratch(1), right = Scratch(1 + words);
  (void)Scratch(2 * words);  // all of them are there
  Set(condition);
  for (std::uint32_t i = words; i-- > 0;) Set(right + i);
  for (std::uint32_t i = words; i-- > 1;) Set(left + i);
  for (std::uint32_t i = 0; i < words; ++i) {
    if (i > 0) Get(left + i);
    Get(right + i);
    Get(condition);
    Op(Opcode::kSelect);
  }
}

/// op of the word on top with `word`, without the operations that change nothing.
void WideCode::Combine(Opcode op, Word32 word) {
  const std::uint32_t neutral = op == Opcode::kAnd ? kAllOnes : 0;
  if (word.is_constant && word.value == neutral) return;
  if (word.is_constant && word.value == 0) {  // AND
    Op(Opcode::kPop);
    return Push(0u);
  }
  Push(word);
  Op(op);
}

void WideCode::Pair(Opcode op, const WordsAtHand& right) {
  if (op == Opcode::kAdd || op == Opcode::kSub) return AddOrSub(op, right);
  const std::uint32_t left_high = Scratch(kLeftHigh);
  Set(left_high);
  Combine(op, right.low);
  Get(left_high);
  Combine(op, right.high);
}

/// low = a + b carries iff low < b; low = a - b borrows iff a < b.
void WideCode::AddOrSub(Opcode op, const WordsAtHand& right) {
  const std::uint32_t left_high = Scratch(kLeftHigh), low = Scratch(kLeftLow);
  Set(left_high);
  if (op == Opcode::kSub) Tee(low);
  Push(right.low);
  Op(op);
  if (op == Opcode::kAdd) Tee(low);
  Get(left_high);
  Push(right.high);
  Op(op);
  Get(low);
  Push(right.low);
  Op(Opcode::kLtU);
  Op(op);
}

void WideCode::Compare(Opcode op, const WordsAtHand& right) {
  const std::uint32_t left_high = Scratch(kLeftHigh);
  Set(left_high);
  if (op == Opcode::kEq || op == Opcode::kNe) {
    Combine(Opcode::kXor, right.low);
    Get(left_high);
    Combine(Opcode::kXor, right.high);
    Op(Opcode::kOr);
    Op(Opcode::kEqz);
    if (op == Opcode::kNe) Op(Opcode::kEqz);
    return;
  }
  Push(right.low);
  Op(LowCompare(op));
  Get(left_high);
  Push(right.high);
  Op(op);
  Get(left_high);
  Push(right.high);
  Op(Opcode::kEq);
  Op(Opcode::kSelect);  // high words equal: the low ones decide
}

void WideCode::SignOfTop() {
  Op(Opcode::kDup);
  Push(kSignShift);
  Op(Opcode::kShrS);
}

/// REQUIRES: 0 < count < 64.
void WideCode::ShiftLeftBy(std::uint32_t count) {
  if (count >= kWordBits) {
    Op(Opcode::kPop);
    if (count > kWordBits) {
      Push(count - kWordBits);
      Op(Opcode::kShl);
    }
    Push(0u);
    return Op(Opcode::kSwap);
  }
  const std::uint32_t high = Scratch(kLeftHigh), low = Scratch(kLeftLow);
  Set(high);
  Tee(low);
  Push(count);
  Op(Opcode::kShl);
  Get(high);
  Push(count);
  Op(Opcode::kShl);
  Get(low);
  Push(kWordBits - count);
  Op(Opcode::kShrU);
  Op(Opcode::kOr);
}

void WideCode::ShiftBy(Opcode op, std::uint32_t count) {
  constexpr std::uint32_t kCountMask = 63;
  count &= kCountMask;
  if (count == 0) return;
  if (op == Opcode::kShl) return ShiftLeftBy(count);
  if (count >= kWordBits) {
    Op(Opcode::kSwap);
    Op(Opcode::kPop);
    if (count > kWordBits) {
      Push(count - kWordBits);
      Op(op);
    }
    if (op == Opcode::kShrS) return SignOfTop();
    return Push(0u);
  }
  const std::uint32_t high = Scratch(kLeftHigh);
  Set(high);
  Push(count);
  Op(Opcode::kShrU);
  Get(high);
  Push(kWordBits - count);
  Op(Opcode::kShl);
  Op(Opcode::kOr);
  Get(high);
  Push(count);
  Op(op);
}

void WideCode::Extend(std::uint32_t bits) {
  Op(Opcode::kPop);
  if (bits < kWordBits) Add(InstrKind::kExtend, kWordBits - bits);
  SignOfTop();
}

void WideCode::Load(const WideInfo& info, std::uint32_t offset) {
  if (info.bits > kWordBits) {
    const std::uint32_t address = Scratch(kLeftLow);
    Tee(address);
    Add(InstrKind::kAccess, offset, 0, Opcode::kLoad);
    Get(address);
    return Add(InstrKind::kAccess, HighOffset(offset), 0, Opcode::kLoad);
  }
  const bool is_signed_word = info.op == Opcode::kShrS;
  Add(InstrKind::kAccess, offset, 0, is_signed_word ? Opcode::kLoad : info.op);
  if (is_signed_word || info.op == Opcode::kLoad8S || info.op == Opcode::kLoad16S) {
    return SignOfTop();
  }
  Push(0u);
}

/// The high word goes first: if it fits, so does the low one, and a trapping store writes nothing.
void WideCode::Store(const WideInfo& info, std::uint32_t offset,
                     const std::optional<WordsAtHand>& right) {
  if (info.bits <= kWordBits) {
    right ? Push(right->low) : Op(Opcode::kPop);
    return Add(InstrKind::kAccess, offset, 0, info.op);
  }
  const WordsAtHand words = PopRight(right);
  const std::uint32_t address = Scratch(kLeftLow);
  Tee(address);
  Push(words.high);
  Add(InstrKind::kAccess, HighOffset(offset), 0, Opcode::kStore);
  Get(address);
  Push(words.low);
  Add(InstrKind::kAccess, offset, 0, Opcode::kStore);
}

bool WideCode::TakesRight(WideOp op) {
  switch (kWideOps[static_cast<std::size_t>(op)].form) {
    case WideForm::kPair:
    case WideForm::kShift:
    case WideForm::kHelper:
    case WideForm::kRoutine:
    case WideForm::kCompare:
    case WideForm::kStore:
      return true;
    case WideForm::kUnary:
    case WideForm::kEqz:
    case WideForm::kWrap:
    case WideForm::kWiden:
    case WideForm::kExtend:
    case WideForm::kLoad:
      break;
  }
  return false;
}

void WideCode::Wide(WideOp op, std::uint32_t offset, const std::optional<WordsAtHand>& right) {
  const WideInfo& info = kWideOps[static_cast<std::size_t>(op)];
  switch (info.form) {
    case WideForm::kPair:
      return Pair(info.op, PopRight(right));
    case WideForm::kCompare:
      return Compare(info.op, PopRight(right));
    case WideForm::kShift:
      if (right && right->low.is_constant) return ShiftBy(info.op, right->low.value);
      [[fallthrough]];
    case WideForm::kHelper:
    case WideForm::kRoutine:
      if (right) {
        Push(right->low);
        Push(right->high);
      }
      return info.form == WideForm::kRoutine ? CallRoutine(info.text) : CallHelper(info.text);
    case WideForm::kUnary:
      return CallHelper(info.text);
    case WideForm::kEqz:
      Op(Opcode::kOr);
      return Op(Opcode::kEqz);
    case WideForm::kWrap:
      return Op(Opcode::kPop);
    case WideForm::kWiden:
      return info.op == Opcode::kShrS ? SignOfTop() : Push(0u);
    case WideForm::kExtend:
      return Extend(info.bits);
    case WideForm::kLoad:
      return Load(info, offset);
    case WideForm::kStore:
      return Store(info, offset, right);
  }
}

}  // namespace txvm::frontends::wat
