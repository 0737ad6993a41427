#include "neural/triton/random/variable_stack.h"

#include <algorithm>
#include <utility>

#include "isa/support/result.h"
#include "neural/triton/tir/validate.h"

namespace txvm::triton {

void VariableStack::Emit(TirCode code, std::uint64_t value) {
  TirOp op;
  op.code = code;
  op.value = value;
  code_.push_back(std::move(op));
}

std::size_t VariableStack::depth() const {
  std::size_t words = 0;
  for (const Entry& entry : entries_) words += entry.width;
  return words;
}

std::size_t VariableStack::temporaries() const {
  std::size_t words = 0;
  for (auto at = entries_.rbegin(); at != entries_.rend() && at->name.empty(); ++at) ++words;
  return words;
}

void VariableStack::Check() const {
  TXVM_ASSERT(depth() <= kRegisters);
  bool variable_allowed = true;
  for (auto at = entries_.rbegin(); at != entries_.rend(); ++at) {
    if (at->name.empty()) TXVM_ASSERT(variable_allowed);
    if (!at->name.empty()) variable_allowed = false;
  }
}

// Words above the entry.
std::size_t VariableStack::DepthOf(std::size_t index) const {
  std::size_t words = 0;
  for (std::size_t i = index + 1; i < entries_.size(); ++i) words += entries_[i].width;
  return words;
}

// Moves `width` words that have `depth` words above them to the top, in order. TIR has no pick: a
// chain of swaps is one, and the lowering knows it.
void VariableStack::Raise(std::size_t depth, std::size_t width) {
  for (std::size_t word = 0; word < width; ++word) {
    for (std::size_t slot = 1; slot < depth + width; ++slot) Emit(TirCode::kSwap, slot);
  }
}

std::size_t VariableStack::Victim() const {
  std::size_t best = entries_.size();
  std::uint64_t best_score = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].name.empty()) break;
    if (entries_[i].dead) return i;
    const Variable& variable = variables_.find(entries_[i].name)->second;
    const std::uint64_t score =
        eviction_ == Eviction::kLeastRecent ? kNever - variable.last_use : variable.next_use;
    if (best == entries_.size() || score > best_score) {
      best = i;
      best_score = score;
    }
  }
  TXVM_ASSERT(best != entries_.size());  // the caller filled the stack with temporaries
  return best;
}

void VariableStack::Evict(std::size_t index) {
  const Entry entry = entries_[index];
  Raise(DepthOf(index), entry.width);
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index));
  if (entry.dead) {
    Emit(TirCode::kPop, entry.width);
    return;
  }
  Variable& variable = variables_.find(entry.name)->second;
  variable.on_stack = false;
  if (variable.clean) {
    Emit(TirCode::kPop, entry.width);
    return;
  }
  if (variable.home == 0) {
    variable.home = next_home_;
    next_home_ += entry.width;
  }
  Emit(TirCode::kPush, variable.home);
  Emit(TirCode::kWriteMem, entry.width);
  Emit(TirCode::kPop, 1);
  variable.clean = true;
  ++spills_;
}

void VariableStack::MakeRoom(std::size_t words) {
  while (depth() + words > kRegisters) Evict(Victim());
}

void VariableStack::MarkDead(std::string_view name) {
  for (Entry& entry : entries_) {
    if (entry.name == name) entry.dead = true;
  }
}

void VariableStack::Bind(std::string_view name, std::size_t width) {
  TXVM_ASSERT(width >= 1 && width <= kMostWidth && temporaries() == width);
  MarkDead(name);
  entries_.resize(entries_.size() - width);
  entries_.push_back({std::string(name), width, false});
  Variable& variable = variables_.try_emplace(std::string(name)).first->second;
  TXVM_ASSERT(variable.home == 0 || variable.width == width);
  variable.width = width;
  variable.on_stack = true;
  variable.clean = false;
  variable.last_use = ++clock_;
  Check();
}

void VariableStack::Load(std::string_view name) {
  const auto found = variables_.find(name);
  TXVM_ASSERT(found != variables_.end());
  Variable& variable = found->second;
  variable.last_use = ++clock_;
  MakeRoom(variable.width);
  if (!variable.on_stack) {
    // Word 0, which becomes the top, is at the home address; read_mem goes down.
    Emit(TirCode::kPush, variable.home);
    Emit(TirCode::kRamRead, variable.width);
    for (std::size_t i = 0; i < variable.width; ++i) entries_.push_back({});
    return Check();
  }
  std::size_t index = 0;
  while (entries_[index].name != name || entries_[index].dead) ++index;
  const std::size_t deepest = DepthOf(index) + variable.width - 1;
  for (std::size_t i = 0; i < variable.width; ++i) Emit(TirCode::kDup, deepest);
  for (std::size_t i = 0; i < variable.width; ++i) entries_.push_back({});
  Check();
}

void VariableStack::Apply(const TirOp& op) {
  const StackEffect effect = OwnEffect(op);
  TXVM_ASSERT(static_cast<std::int64_t>(temporaries()) >= effect.needs);
  if (effect.net > 0) MakeRoom(static_cast<std::size_t>(effect.net));
  code_.push_back(op);
  for (std::int64_t i = 0; i < effect.net; ++i) entries_.push_back({});
  for (std::int64_t i = effect.net; i < 0; ++i) entries_.pop_back();
  Check();
}

void VariableStack::Forget(std::string_view name) {
  MarkDead(name);
  const auto found = variables_.find(name);
  if (found != variables_.end()) variables_.erase(found);
}

void VariableStack::SpillAll() {
  TXVM_ASSERT(temporaries() == 0);
  while (!entries_.empty()) Evict(entries_.size() - 1);
}

void VariableStack::Taken(std::size_t n) {
  TXVM_ASSERT(temporaries() >= n);
  entries_.resize(entries_.size() - n);
}

void VariableStack::SetNextUse(std::string_view name, std::uint64_t position) {
  const auto found = variables_.find(name);
  if (found != variables_.end()) found->second.next_use = position;
}

std::vector<TirOp> VariableStack::TakeCode() { return std::exchange(code_, {}); }

}  // namespace txvm::triton
