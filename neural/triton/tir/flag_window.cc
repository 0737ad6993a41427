#include "neural/triton/tir/flag_window.h"

#include <algorithm>
#include <utility>

namespace txvm::triton {

void FlagWindow::Drop(std::size_t n) {
  n = std::min(n, kWords);
  std::move(words_.begin() + static_cast<std::ptrdiff_t>(n), words_.end(), words_.begin());
  std::fill(words_.end() - static_cast<std::ptrdiff_t>(n), words_.end(), Word{});
}

void FlagWindow::Push(Word word) {
  std::move_backward(words_.begin(), words_.end() - 1, words_.end());
  words_[0] = word;
}

// All words tied to `word` follow from whether it is 0.
void FlagWindow::Resolve(Word word, bool non_zero) {
  if (word.kind != Kind::kTied && word.kind != Kind::kOpposed) return;
  const bool tied_non_zero = (word.kind == Kind::kTied) == non_zero;
  for (Word& other : words_) {
    if (other.tie != word.tie) continue;
    if (other.kind == Kind::kTied) other = {tied_non_zero ? Kind::kNonZero : Kind::kZero};
    if (other.kind == Kind::kOpposed) other = {tied_non_zero ? Kind::kZero : Kind::kOne};
  }
}

FlagWindow::Word FlagWindow::Equal(Word a, Word b) {
  if (b.kind == Kind::kZero) std::swap(a, b);
  if (a.kind == Kind::kZero) {
    switch (b.kind) {
      case Kind::kZero:
        return {Kind::kOne};
      case Kind::kOne:
      case Kind::kNonZero:
        return {Kind::kZero};
      case Kind::kTied:
        return {Kind::kOpposed, b.tie};
      case Kind::kOpposed:
        return {Kind::kTied, b.tie};
      case Kind::kAny:
        return {};
    }
  }
  if (a.kind == Kind::kOne && b.kind == Kind::kOne) return {Kind::kOne};
  return {};
}

void FlagWindow::Move(const TasmInstruction& instruction) {
  const auto i = static_cast<std::size_t>(instruction.arg);
  if (instruction.op == TasmOp::kDup) {
    if (i < kWords && words_[i].kind == Kind::kAny) words_[i] = {Kind::kTied, kFreshTie};
    return Push(At(i));
  }
  if (instruction.op == TasmOp::kSwap) {
    if (i < kWords) return std::swap(words_[0], words_[i]);
    words_[0] = {};
    return;
  }
  if (instruction.op == TasmOp::kPick) {
    const Word word = At(i);
    const std::size_t moved = std::min(i, kWords - 1);
    std::move_backward(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(moved),
                       words_.begin() + static_cast<std::ptrdiff_t>(moved) + 1);
    words_[0] = word;
    return;
  }
  // kPlace
  const Word word = words_[0];
  if (i >= kWords) return Drop(1);
  std::move(words_.begin() + 1, words_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
            words_.begin());
  words_[i] = word;
}

// Numbers ties from the top, and forgets a tie of one word.
void FlagWindow::Normalize() {
  std::array<std::uint8_t, kFreshTie + 1> uses{};
  for (const Word& word : words_) ++uses[word.tie];
  std::array<std::uint8_t, kFreshTie + 1> numbers{};
  std::uint8_t next = 1;
  for (Word& word : words_) {
    if (word.kind != Kind::kTied && word.kind != Kind::kOpposed) continue;
    if (uses[word.tie] == 1) {
      word = {};
      continue;
    }
    std::uint8_t& number = numbers[word.tie];
    if (number == 0) number = next++;
    word.tie = number;
  }
}

FlagWindow FlagWindow::After(const TasmInstruction& instruction) const {
  FlagWindow window = *this;
  const auto& info = Info(instruction.op);
  if (info.arg == TasmArg::kRegister) {
    window.Move(instruction);
  } else if (instruction.op == TasmOp::kPush) {
    window.Push({instruction.arg == 0   ? Kind::kZero
                 : instruction.arg == 1 ? Kind::kOne
                                        : Kind::kNonZero});
  } else {
    const bool is_eq = instruction.op == TasmOp::kEq;
    const bool no_more = instruction.op == TasmOp::kAddI && instruction.arg == 0;
    const Word equal = is_eq ? Equal(words_[0], words_[1]) : Word{};
    const std::size_t taken = no_more ? 0 : TasmReads(instruction.op, instruction.arg);
    window.Drop(taken);
    const std::int64_t left =
        no_more ? 0 : static_cast<std::int64_t>(taken) + TasmNet(instruction.op, instruction.arg);
    for (std::int64_t i = 0; i < left; ++i) window.Push(is_eq ? equal : Word{});
  }
  window.Normalize();
  return window;
}

std::optional<FlagWindow> FlagWindow::AfterSkiz(bool taken) const {
  const Word top = words_[0];
  if (taken && top.kind == Kind::kZero) return std::nullopt;
  if (!taken && (top.kind == Kind::kOne || top.kind == Kind::kNonZero)) return std::nullopt;
  FlagWindow window = *this;
  window.Resolve(top, taken);
  window.Drop(1);
  window.Normalize();
  return window;
}

}  // namespace txvm::triton
