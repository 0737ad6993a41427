#include "frontends/provable/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "isa/support/result.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::frontends::provable {
namespace {

using triton::TirCode;
using triton::TirOp;

constexpr std::uint64_t kBatch = 5;  // words one instruction pops, reads or writes
// Arms and loops inside each other before the inner ones become functions. The TIR parser takes 64;
// the cost is one call and return per level.
constexpr std::size_t kMostNested = 24;

/// Makes `_ c` into `_ (c = 0)`, a word that is 0 or 1.
void Negate(Code& code, const Condition& condition) {
  if (condition.is_zero_test && condition.of_bool) return code.TakeBackZeroTest();
  code.Push(0);
  code.Op(TirCode::kEq);
}

/// Makes `_ c` into `_ d` with d = 0 exactly when c is not.
void NegateLoosely(Code& code, const Condition& condition) {
  if (condition.is_zero_test) return code.TakeBackZeroTest();
  Negate(code, condition);
}

/// Makes c 0 or 1.
void Normalize(Code& code, const Condition& condition) {
  if (condition.is_bool) return;
  for (int i = 0; i < 2; ++i) {
    code.Push(0);
    code.Op(TirCode::kEq);
  }
}

}  // namespace

void Code::Add(TirOp op, std::size_t depth) {
  if (ends()) return;
  depth_ = std::max(depth_, depth);
  is_trap_ = false;
  ops_.push_back(std::move(op));
}

void Code::Op(TirCode code, std::uint64_t value) {
  TirOp op;
  op.code = code;
  op.value = value;
  Add(std::move(op), 0);
}

void Code::Comment(std::string text) {
  TirOp op;
  op.code = TirCode::kComment;
  op.name = std::move(text);
  Add(std::move(op), 0);
}

void Code::Call(std::string name) {
  TirOp op;
  op.code = TirCode::kCall;
  op.name = std::move(name);
  Add(std::move(op), 0);
}

void Code::Pop(std::uint64_t words) {
  for (; words > 0; words -= std::min(words, kBatch)) Op(TirCode::kPop, std::min(words, kBatch));
}

void Code::Load(std::uint64_t address) {
  Push(address);
  Op(TirCode::kRamRead, 1);
}

void Code::Store(std::uint64_t address) { StoreMany(address, 1); }

void Code::StoreMany(std::uint64_t address, std::uint32_t words) {
  if (words == 0) return;
  Push(address);
  for (std::uint64_t left = words; left > 0; left -= std::min(left, kBatch)) {
    Op(TirCode::kWriteMem, std::min(left, kBatch));
  }
  Pop(1);
}

void Code::LoadMany(std::uint64_t address, std::uint32_t words) {
  if (words == 0) return;
  Push(address + words - 1);
  for (std::uint64_t left = words; left > 0; left -= std::min(left, kBatch)) {
    Op(TirCode::kReadMem, std::min(left, kBatch));
  }
  Pop(1);
}

void Code::Pick(std::uint32_t slot) {
  TXVM_ASSERT(slot < kRegisters);
  for (std::uint32_t i = 1; i <= slot; ++i) Swap(i);
}

void Code::DropUnder(std::uint64_t words, std::uint32_t kept) {
  if (kept == 0) return Pop(words);
  while (words > 0) {
    const std::uint64_t chunk = std::min<std::uint64_t>(words, kRegisters - 1);
    if (chunk >= kept) {
      for (std::uint32_t i = 0; i < kept; ++i) {
        Swap(chunk);
        Pop(1);
      }
      Pop(chunk - kept);
    } else {
      for (std::uint64_t i = 0; i < chunk; ++i) {
        Pick(kept);
        Pop(1);
      }
    }
    words -= chunk;
  }
}

void Code::Resize(std::uint64_t have, std::uint64_t want, std::uint32_t kept) {
  if (have > want) return DropUnder(have - want, kept);
  for (; have < want; ++have) {
    Push(0);
    if (kept > 0) Pick(kept);
    TXVM_ASSERT(kept <= 1);
  }
}

void Code::Trap() {
  const bool alone = ops_.empty();
  Push(0);
  Assert();
  Op(TirCode::kHalt);  // never reached: it says that control ends here
  is_trap_ = alone;
}

void Code::Append(Code tail) {
  if (ends()) return;
  is_trap_ = ops_.empty() ? tail.is_trap_ : tail.ops_.empty() && is_trap_;
  depth_ = std::max(depth_, tail.depth_);
  ops_.splice(ops_.end(), tail.ops_);
}

std::optional<std::uint64_t> Code::Constant() const {
  if (ops_.size() != 1 || ops_.front().code != TirCode::kPush) return std::nullopt;
  return ops_.front().value;
}

void Code::TakeBackZeroTest() {
  TXVM_ASSERT(ops_.size() >= 2 && ops_.back().code == TirCode::kEq);
  ops_.pop_back();
  ops_.pop_back();
}

std::vector<TirOp> Code::Take() && {
  return {std::make_move_iterator(ops_.begin()), std::make_move_iterator(ops_.end())};
}

std::string Functions::Fresh(std::string_view stem) { return fmt::format("{}_{}", stem, ++fresh_); }

void Functions::Define(std::string name, Code code, std::string_view comment) {
  if (!comment.empty()) {
    TirOp note;
    note.name = comment;
    ops_.push_back(std::move(note));
  }
  TirOp start;
  start.code = TirCode::kFnStart;
  start.name = std::move(name);
  ops_.push_back(std::move(start));
  Add(std::move(code).Take());
  TirOp end;
  end.code = TirCode::kFnEnd;
  ops_.push_back(std::move(end));
}

void Functions::Add(std::vector<TirOp> ops) {
  ops_.insert(ops_.end(), std::make_move_iterator(ops.begin()), std::make_move_iterator(ops.end()));
}

/// A body for an arm or a loop: the code, or a call of it when it nests too deeply.
std::vector<TirOp> Functions::Body(Code code) {
  if (code.depth() < kMostNested) return std::move(code).Take();
  const std::string name = Fresh("part");
  Define(name, std::move(code));
  Code call;
  call.Call(name);
  return std::move(call).Take();
}

Code Functions::Loop(const std::string& name, Code body) {
  TirOp op;
  op.code = TirCode::kLoop;
  op.name = name;
  const std::size_t depth = body.depth() < kMostNested ? body.depth() + 1 : 1;
  op.body = Body(std::move(body));
  Code code;
  code.Add(std::move(op), depth);
  return code;
}

Code Functions::IfOnly(Code code, Code arm) {
  TirOp op;
  op.code = TirCode::kIfOnly;
  const std::size_t depth = arm.depth() < kMostNested ? arm.depth() + 1 : 1;
  op.body = Body(std::move(arm));
  code.Add(std::move(op), depth);
  return code;
}

Code Functions::IfElse(Code code, Code yes, Code no) {
  TirOp op;
  op.code = TirCode::kIfElse;
  std::size_t depth = 1;
  for (const Code* arm : {&yes, &no}) {
    if (arm->depth() < kMostNested) depth = std::max(depth, arm->depth() + 1);
  }
  op.body = Body(std::move(yes));
  op.other = Body(std::move(no));
  code.Add(std::move(op), depth);
  return code;
}

/// Branches that only choose a number: arithmetic instead.
std::optional<Code> Functions::BranchOnConstants(Code& code, const Condition& condition,
                                                 const Code& yes, const Code& no) {
  const auto first = yes.Constant();
  const auto second = no.Constant();
  if (!first || !second) return std::nullopt;
  if (*first == 0 && *second == 1) {
    Negate(code, condition);
  } else {
    Normalize(code, condition);
    if (*first != 1 || *second != 0) {
      code.Push(vm::goldilocks::Sub(*first, *second));
      code.Op(TirCode::kMul);
      code.Push(*second);
      code.Op(TirCode::kAdd);
    }
  }
  return std::move(code);
}

Code Functions::Branch(Code code, const Condition& condition, Code yes, Code no) {
  if (condition.constant) {
    code.Append(*condition.constant != 0 ? std::move(yes) : std::move(no));
    return code;
  }
  if (no.IsTrap()) {
    Normalize(code, condition);
    code.Assert();
    code.Append(std::move(yes));
    return code;
  }
  if (yes.IsTrap()) {
    Negate(code, condition);
    code.Assert();
    code.Append(std::move(no));
    return code;
  }
  if (yes.empty() && no.empty()) {
    code.Pop(1);
    return code;
  }
  if (auto chosen = BranchOnConstants(code, condition, yes, no)) return *std::move(chosen);
  // An arm that does nothing or only leaves a number costs no subroutine: the other arm alone is
  // one, after the condition or its negation.
  const bool negate = yes.empty() || (!no.empty() && yes.Constant() && !no.Constant());
  Code& arm = negate ? no : yes;
  const Code& plain = negate ? yes : no;
  if (!plain.empty() && !plain.Constant())
    return IfElse(std::move(code), std::move(yes), std::move(no));
  if (negate) NegateLoosely(code, condition);
  if (plain.empty()) return IfOnly(std::move(code), std::move(arm));
  if (*plain.Constant() == 0) {
    code.Dup(0);  // a condition that is 0 is the number
  } else {
    code.Push(*plain.Constant());
    code.Swap(1);
  }
  Code body;
  body.Pop(1);
  body.Append(std::move(arm));
  return IfOnly(std::move(code), std::move(body));
}

}  // namespace txvm::frontends::provable
