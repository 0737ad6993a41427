// Which instruction pushed each operand: what a fault says of the stack.
// Declared in frontends/wasm/body.h.
#include <algorithm>
#include <limits>

#include "frontends/wasm/body.h"

namespace txvm::frontends::wasm {

/// Keeps the values on top, at most a few of those of the innermost block.
void BodyReader::TraceBefore() {
  constexpr std::size_t kMost = 6;
  top_.clear();
  const std::size_t below = frames_.back().height;
  const std::size_t count = std::min(kMost, operands_.size() - below);
  for (std::size_t i = operands_.size() - count; i < operands_.size(); ++i) {
    top_.push_back(
        {operands_[i] == kUnknown ? "any" : wat::ValueTypeText(operands_[i]), origins_[i]});
  }
  low_ = std::numeric_limits<std::size_t>::max();
}

/// What is above the least height is the instruction's.
void BodyReader::TraceAfter() {
  const std::size_t kept = std::min({low_, origins_.size(), operands_.size()});
  origins_.resize(kept);
  origins_.resize(operands_.size(), start_);
  low_ = 0;
}

void BodyReader::TraceFault() {
  if (cursor_->fault()) cursor_->fault()->operands = top_;
}

}  // namespace txvm::frontends::wasm
