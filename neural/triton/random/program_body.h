// One random body of TIR, with what is known of every word on its stack. Internal to programs.cc.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "neural/triton/field/random_words.h"
#include "neural/triton/tir/op.h"

namespace txvm::triton::internal {

// What is known of a word on the abstract stack.
enum class Kind : std::uint8_t { kBool, kSmall, kWord, kElement };  // 0..1, 0..31, u32, any

// An operation with this operand.
inline TirOp Make(TirCode code, std::uint64_t value = 0, std::string name = {}) {
  TirOp op;
  op.code = code;
  op.value = value;
  op.name = std::move(name);
  return op;
}

inline constexpr std::uint64_t kRamWords = 48;  // addresses 0..47 are used by programs

// Generates one body. Words below `floor_` belong to the caller and may be read, never taken.
class BodyMaker {
 public:
  struct Shape {
    std::size_t ops = 12;
    std::size_t nesting = 2;
    std::vector<std::pair<std::string, std::size_t>> callees;  // name, words taken; each leaves one
  };

  BodyMaker(TirRng& rng, std::size_t& next_label, Shape shape)
      : rng_(rng), next_label_(next_label), shape_(std::move(shape)) {}

  std::vector<Kind>& stack() { return stack_; }

  // Leaves `length` words on the stack.
  std::vector<TirOp> Body(std::size_t length) {
    for (std::size_t i = 0; i < shape_.ops; ++i) Step();
    Settle(length);
    return std::move(ops_);
  }

 private:
  void Add(TirOp op) { ops_.push_back(std::move(op)); }
  void Push(Kind kind) { stack_.push_back(kind); }
  void Drop(std::size_t n) { stack_.resize(stack_.size() - n); }
  std::size_t Free() const { return stack_.size() - floor_; }
  Kind Top(std::size_t i) const { return stack_[stack_.size() - 1 - i]; }

  // Brings the stack to `length` words.
  void Settle(std::size_t length) {
    while (stack_.size() > length) {
      const std::size_t n = std::min<std::size_t>(stack_.size() - length, 5);
      Add(Make(TirCode::kPop, n));
      Drop(n);
    }
    while (stack_.size() < length) Constant();
  }

  void Constant() {
    const bool word = !rng_.OneIn(4);
    const std::uint64_t value = word ? rng_.Word() : rng_.Element();
    Add(Make(TirCode::kPush, value));
    Push(value < 2     ? Kind::kBool
         : value < 32  ? Kind::kSmall
         : value >> 32 ? Kind::kElement
                       : Kind::kWord);
  }

  bool AreWords(std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i) {
      if (Top(i) == Kind::kElement) return false;
    }
    return true;
  }

  void Step() {
    if (Free() < 2 || rng_.OneIn(6)) return Constant();
    switch (rng_.Below(12)) {
      case 0:
      case 1:
        return Move();
      case 2:
      case 3:
      case 4:
        return Field();
      case 5:
      case 6:
        return Words();
      case 7:
        return Stream();
      case 8:
        return Memory();
      case 9:
        return Control();
      case 10:
        return Control();
      default:
        return Rare();
    }
  }

  void Move() {
    const std::size_t reach = std::min<std::size_t>(stack_.size(), 16);
    if (rng_.OneIn(4)) {
      const std::size_t n = 1 + rng_.Below(std::min<std::size_t>(Free(), 3));
      Add(Make(TirCode::kPop, n));
      return Drop(n);
    }
    if (rng_.OneIn(2)) {
      const std::size_t i = rng_.Below(reach);
      Add(Make(TirCode::kDup, i));
      return Push(Top(i));
    }
    const std::size_t i = rng_.Below(std::min<std::size_t>(Free(), 16));
    Add(Make(TirCode::kSwap, i));
    std::swap(stack_[stack_.size() - 1], stack_[stack_.size() - 1 - i]);
  }

  void Field() {
    constexpr TirCode kOps[] = {TirCode::kAdd, TirCode::kSub, TirCode::kMul,
                                TirCode::kEq,  TirCode::kNeg, TirCode::kSplit};
    const TirCode code = kOps[rng_.Below(6)];
    Add(Make(code));
    if (code == TirCode::kNeg) {
      stack_.back() = Kind::kElement;
      return;
    }
    if (code == TirCode::kSplit) {
      stack_.back() = Kind::kWord;
      return Push(Kind::kWord);
    }
    Drop(2);
    Push(code == TirCode::kEq ? Kind::kBool : Kind::kElement);
  }

  void Words() {
    constexpr TirCode kOps[] = {TirCode::kLt,       TirCode::kAnd,    TirCode::kOr,  TirCode::kXor,
                                TirCode::kPopCount, TirCode::kDivMod, TirCode::kShl, TirCode::kShr,
                                TirCode::kLog2,     TirCode::kPow};
    const TirCode code = kOps[rng_.Below(10)];
    const std::size_t words = code == TirCode::kPopCount || code == TirCode::kLog2 ? 1 : 2;
    // One in 40 goes ahead with whatever is there, and usually crashes.
    if (!AreWords(words) && !rng_.OneIn(40)) return SplitTop();
    const bool shift = code == TirCode::kShl || code == TirCode::kShr;
    if (shift && Top(0) == Kind::kWord && !rng_.OneIn(20)) {
      Add(Make(TirCode::kPush, 31));
      Add(Make(TirCode::kAnd));
    }
    Add(Make(code));
    Drop(words);
    const bool element = code == TirCode::kShl || code == TirCode::kPow;
    Push(element ? Kind::kElement : code == TirCode::kLt ? Kind::kBool : Kind::kWord);
    if (code == TirCode::kDivMod) Push(Kind::kWord);
  }

  void SplitTop() {
    Add(Make(TirCode::kSplit));
    stack_.back() = Kind::kWord;
    Push(Kind::kWord);
  }

  void Stream() {
    const std::size_t n = 1 + rng_.Below(3);
    const bool write = rng_.OneIn(2) && Free() >= n;
    if (write) {
      Add(Make(TirCode::kWriteIo, n));
      return Drop(n);
    }
    Add(Make(rng_.OneIn(2) ? TirCode::kReadIo : TirCode::kHint, n));
    for (std::size_t i = 0; i < n; ++i) Push(Kind::kElement);
  }

  void Memory() {
    const std::uint64_t address = rng_.Below(kRamWords - 16);
    const std::size_t n = 1 + rng_.Below(std::min<std::size_t>(Free(), 5));
    switch (rng_.Below(4)) {
      case 0:
        Add(Make(TirCode::kPush, address));
        Add(Make(TirCode::kWriteMem, n));
        Add(Make(TirCode::kPop, 1));
        return Drop(n);
      case 1:
        Add(Make(TirCode::kPush, address + 5));
        Add(Make(TirCode::kReadMem, n));
        return Filled(n + 1);
      case 2: {
        const std::uint64_t width = 1 + rng_.Below(7);
        Add(Make(TirCode::kPush, address));
        Add(Make(TirCode::kRamRead, width));
        return Filled(width);
      }
      default: {
        const std::uint64_t width = 1 + rng_.Below(7);
        Add(Make(TirCode::kPush, address));
        Push(Kind::kSmall);
        for (std::uint64_t i = 0; i < width; ++i) Constant();
        Add(Make(TirCode::kRamWrite, width));
        return Drop(width + 1);
      }
    }
  }

  void Filled(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) Push(Kind::kElement);
  }

  // A body of its own, above everything that is on the stack now.
  std::vector<TirOp> Inner(std::size_t net) {
    Shape shape = shape_;
    shape.ops = 1 + rng_.Below(6);
    shape.nesting = shape_.nesting - 1;
    BodyMaker maker(rng_, next_label_, shape);
    maker.stack_ = stack_;
    maker.floor_ = stack_.size();
    return maker.Body(stack_.size() + net);
  }

  void Control() {
    if (shape_.nesting == 0) return Field();
    switch (rng_.Below(6)) {
      case 0:
        return Call();
      case 1:
        return Loop();
      case 2: {
        TirOp op = Make(TirCode::kIfOnly);
        Drop(1);
        op.body = Inner(0);
        return Add(std::move(op));
      }
      case 3: {
        TirOp op = Make(TirCode::kProofBlock);
        op.name = "abc1";
        op.body = Inner(1);
        Push(Kind::kElement);
        return Add(std::move(op));
      }
      default: {
        TirOp op = Make(TirCode::kIfElse);
        Drop(1);
        const std::size_t net = rng_.Below(3);
        op.body = Inner(net);
        op.other = Inner(net);
        Filled(net);
        if (rng_.OneIn(60)) op.other.push_back(Make(TirCode::kHalt));
        return Add(std::move(op));
      }
    }
  }

  void Call() {
    if (shape_.callees.empty()) return Loop();
    const auto& [name, takes] = shape_.callees[rng_.Below(shape_.callees.size())];
    while (Free() < takes) Constant();
    Add(Make(TirCode::kCall, 0, name));
    Drop(takes);
    Push(Kind::kElement);
  }

  void Loop() {
    TirOp op = Make(TirCode::kLoop, 4, fmt::format("loop{}", next_label_++));
    const std::string name = op.name;
    Push(Kind::kSmall);
    op.body = Inner(0);
    Add(std::move(op));
    Add(Make(TirCode::kPush, rng_.Below(5)));
    Add(Make(TirCode::kCall, 0, name));
    Add(Make(TirCode::kPop, 1));
    Drop(1);
  }

  void Rare() {
    switch (rng_.Below(9)) {
      case 0:
        return Event();
      case 1:
        while (Free() < 10) Constant();
        Add(Make(TirCode::kHash, 10));
        Drop(10);
        return Filled(5);
      case 2:
        return Sponge();
      case 3:
        return Merkle();
      case 4:
        return Extension();
      case 5:
        // A word that equals itself passes; one in 30 asserts whatever is there.
        if (!rng_.OneIn(30)) {
          Add(Make(TirCode::kDup, 0));
          Add(Make(TirCode::kEq));
        }
        Add(Make(TirCode::kAssert, 1));
        return Drop(1);
      case 6:
        while (Free() < 5) Constant();
        for (int i = 0; i < 5; ++i) Add(Make(TirCode::kDup, 4));
        Add(Make(TirCode::kAssert, 5));
        return;
      case 7: {
        Add(Make(TirCode::kPush, 1 + rng_.Word()));
        Add(Make(TirCode::kInvert));
        return Push(Kind::kElement);
      }
      default: {
        TirOp op = Make(TirCode::kAsm);
        op.lines = {"pick 1", "addi 7"};
        return Add(std::move(op));
      }
    }
  }

  void Event() {
    const bool seal = rng_.OneIn(2);
    const std::size_t fields = rng_.Below(seal ? 10 : 7);
    while (Free() < fields) Constant();
    TirOp op = Make(seal ? TirCode::kSeal : TirCode::kReveal, rng_.Word(), "event");
    op.count = static_cast<std::int32_t>(fields);
    Add(std::move(op));
    Drop(fields);
  }

  void Sponge() {
    if (!rng_.OneIn(30)) Add(Make(TirCode::kSpongeInit));
    if (rng_.OneIn(2)) {
      while (Free() < 10) Constant();
      Add(Make(TirCode::kSpongeAbsorb));
      Drop(10);
    } else {
      while (Free() < 4) Constant();
      Add(Make(TirCode::kPush, rng_.Below(kRamWords)));
      Add(Make(TirCode::kSpongeLoad));
      Drop(4);
      Filled(5);
    }
    Add(Make(TirCode::kSpongeSqueeze));
    Filled(10);
    Add(Make(TirCode::kPop, 5));
    Drop(5);
  }

  void Merkle() {
    const bool memory = rng_.OneIn(2);
    Add(Make(TirCode::kPush, rng_.Below(kRamWords)));
    Add(Make(TirCode::kPush, 3));
    Add(Make(TirCode::kPush, rng_.Word()));
    for (int i = 0; i < 5; ++i) Add(Make(TirCode::kPush, rng_.Element()));
    Add(Make(memory ? TirCode::kMerkleLoad : TirCode::kMerkleStep));
    Filled(8);
  }

  void Extension() {
    while (Free() < 5) Constant();
    switch (rng_.Below(4)) {
      case 0:
        Add(Make(TirCode::kExtMul));
        Drop(4);
        return Filled(3);
      case 1:
        Add(Make(TirCode::kPush, 1 + rng_.Word()));
        Push(Kind::kElement);
        Add(Make(TirCode::kExtInvert));
        Drop(3);
        return Filled(3);
      default:
        Add(Make(TirCode::kPush, rng_.Below(kRamWords)));
        Add(Make(TirCode::kPush, rng_.Below(kRamWords)));
        Filled(2);
        Add(Make(rng_.OneIn(2) ? TirCode::kFoldExt : TirCode::kFoldBase));
        Drop(5);
        return Filled(5);
    }
  }

  TirRng& rng_;
  std::size_t& next_label_;
  Shape shape_;
  std::vector<Kind> stack_;
  std::size_t floor_ = 0;
  std::vector<TirOp> ops_;
};

}  // namespace txvm::triton::internal
