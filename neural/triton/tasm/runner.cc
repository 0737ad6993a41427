#include "neural/triton/tasm/runner.h"

#include <algorithm>
#include <array>
#include <bit>

#include "vm/tensor/goldilocks.h"
#include "vm/tensor/goldilocks_ext.h"

namespace txvm::triton {
namespace {

namespace gl = vm::goldilocks;

bool IsU32(std::uint64_t element) { return element >> 32 == 0; }

// The extension element whose coefficient 0 is *at and whose others lie below it on the stack.
vm::goldilocks::Cubic LoadCubic(const std::uint64_t* at) { return {{at[0], at[-1], at[-2]}}; }

void StoreCubic(std::uint64_t* at, const vm::goldilocks::Cubic& value) {
  for (int i = 0; i < 3; ++i) at[-i] = value.c[static_cast<std::size_t>(i)];
}

void Pick(std::uint64_t* top, std::size_t i) { std::rotate(top - i, top - i + 1, top + 1); }

void Place(std::uint64_t* top, std::size_t i) { std::rotate(top - i, top, top + 1); }

}  // namespace

TasmRunner::TasmRunner(const TasmMachine& machine, const TasmInput& input,
                       const TasmOptions& options)
    : machine_(machine), input_(input), options_(options), budget_(options.max_memory_bytes) {}

bool TasmRunner::SetUp() {
  std::vector<std::uint64_t> initial(kTasmRegisters);
  if (options_.initial_stack) {
    initial = *options_.initial_stack;
  } else {
    // st11 .. st15 hold the program's digest; st15 is the deepest.
    for (std::size_t i = 0; i < kDigestWords; ++i)
      initial[kDigestWords - 1 - i] = machine_.digest_[i];
  }
  constexpr std::size_t kFirstStack = 256;  // elements, beside the initial ones
  const std::size_t size = initial.size() + kFirstStack;
  if (!budget_.Take(size * sizeof(std::uint64_t))) return false;
  stack_.resize(size);
  std::ranges::copy(initial, stack_.begin());
  top_ = stack_.data() + initial.size() - 1;
  for (const auto& [address, value] : input_.ram) {
    if (!ram_.Write(address, value, budget_)) return false;
  }
  if (options_.heights) {
    executions_.resize(machine_.steps_.size());
    cascade_ = machine_.attestation_;
  }
  return true;
}

bool TasmRunner::GrowStack() {
  const std::size_t extra = stack_.size();
  if (!budget_.Take(extra * sizeof(std::uint64_t))) return false;
  const auto depth = top_ - stack_.data();
  stack_.resize(stack_.size() + extra);
  top_ = stack_.data() + depth;
  return true;
}

// The instructions too long for the dispatch loop.

TasmRunner::Failure TasmRunner::Divine(std::uint64_t*& top, std::size_t n) {
  if (input_.secret.size() - secret_read_ < n) return Crash::kSecretEmpty;
  for (std::size_t i = 0; i < n; ++i) *++top = input_.secret[secret_read_++];
  return {};
}

TasmRunner::Failure TasmRunner::ReadIo(std::uint64_t*& top, std::size_t n) {
  if (input_.input.size() - input_read_ < n) return Crash::kInputEmpty;
  for (std::size_t i = 0; i < n; ++i) *++top = input_.input[input_read_++];
  return {};
}

TasmRunner::Failure TasmRunner::WriteIo(std::uint64_t*& top, std::size_t n) {
  if (!ReserveMore(output_, n, budget_)) return Crash::kMemoryLimit;
  for (std::size_t i = 0; i < n; ++i) output_.push_back(*top--);
  return {};
}

TasmRunner::Failure TasmRunner::ReadMem(std::uint64_t*& top, std::size_t n) {
  std::uint64_t address = *top--;
  for (std::size_t i = 0; i < n; ++i) {
    *++top = ram_.Read(address);
    address = gl::Sub(address, 1);
  }
  *++top = address;
  return {};
}

TasmRunner::Failure TasmRunner::WriteMem(std::uint64_t*& top, std::size_t n) {
  std::uint64_t address = *top--;
  for (std::size_t i = 0; i < n; ++i) {
    if (!ram_.Write(address, *top--, budget_)) return Crash::kMemoryLimit;
    address = gl::Add(address, 1);
  }
  *++top = address;
  return {};
}

TasmRunner::Failure TasmRunner::Hash(std::uint64_t*& top) {
  std::array<std::uint64_t, kTip5Rate> values{};
  for (std::uint64_t& value : values) value = *top--;
  const Digest digest = Tip5Hash10(values, Cascade());
  for (std::size_t i = kDigestWords; i-- > 0;) *++top = digest[i];
  return {};
}

TasmRunner::Failure TasmRunner::Absorb(std::uint64_t*& top) {
  if (!sponge_) return Crash::kSpongeUninit;
  std::array<std::uint64_t, kTip5Rate> values{};
  for (std::uint64_t& value : values) value = *top--;
  sponge_->SetRate(values);
  sponge_->Permute(Cascade());
  return {};
}

TasmRunner::Failure TasmRunner::AbsorbMem(std::uint64_t* top) {
  if (!sponge_) return Crash::kSpongeUninit;
  constexpr std::size_t kOverwritten = 4;  // st1..st4 take the first words read
  std::array<std::uint64_t, kTip5Rate> values{};
  std::uint64_t address = *top;
  for (std::uint64_t& value : values) {
    value = ram_.Read(address);
    address = gl::Add(address, 1);
  }
  for (std::size_t i = 0; i < kOverwritten; ++i) *(top - 1 - i) = values[i];
  *top = address;
  sponge_->SetRate(values);
  sponge_->Permute(Cascade());
  return {};
}

TasmRunner::Failure TasmRunner::Squeeze(std::uint64_t*& top) {
  if (!sponge_) return Crash::kSpongeUninit;
  for (std::size_t i = kTip5Rate; i-- > 0;) *++top = sponge_->Lane(i);
  sponge_->Permute(Cascade());
  return {};
}

TasmRunner::Failure TasmRunner::MerkleStep(std::uint64_t* top, bool from_memory) {
  const std::uint64_t index = *(top - kDigestWords);
  if (!IsU32(index)) return Crash::kNotU32;
  Digest sibling{};
  if (from_memory) {
    std::uint64_t& pointer = *(top - kDigestWords - 2);
    for (std::uint64_t& word : sibling) {
      word = ram_.Read(pointer);
      pointer = gl::Add(pointer, 1);
    }
  } else {
    if (digests_read_ == input_.digests.size()) return Crash::kDigestEmpty;
    sibling = input_.digests[digests_read_++];
  }
  Digest node{};
  for (std::size_t i = 0; i < kDigestWords; ++i) node[i] = *(top - i);
  const bool is_right = (index & 1) != 0;
  node = is_right ? Tip5HashPair(sibling, node, Cascade()) : Tip5HashPair(node, sibling, Cascade());
  for (std::size_t i = 0; i < kDigestWords; ++i) *(top - i) = node[i];
  *(top - kDigestWords) = index / 2;
  return AddU32(U32Kind::kSplit, index, index / 2);
}

void TasmRunner::DotStep(std::uint64_t* top, bool base_field) {
  auto read = [this](std::uint64_t& address) {
    const std::uint64_t value = ram_.Read(address);
    address = gl::Add(address, 1);
    return value;
  };
  std::uint64_t& first = top[0];
  std::uint64_t& second = top[-1];
  gl::Cubic lhs;
  for (std::size_t i = 0; i < (base_field ? 1 : lhs.c.size()); ++i) lhs.c[i] = read(first);
  gl::Cubic rhs;
  for (std::uint64_t& coefficient : rhs.c) coefficient = read(second);
  StoreCubic(top - 2, gl::Add(LoadCubic(top - 2), gl::Mul(lhs, rhs)));
}

void TasmRunner::HornerStep(std::uint64_t* top, bool base_field) {
  constexpr int kPointer = 5;
  constexpr int kAccumulator = 7;
  std::uint64_t& pointer = top[-kPointer];
  gl::Cubic coefficient;
  for (std::size_t i = base_field ? 1 : coefficient.c.size(); i-- > 0;) {
    coefficient.c[i] = ram_.Read(pointer);
    pointer = gl::Sub(pointer, 1);
  }
  StoreCubic(top - kAccumulator,
             gl::Add(gl::Mul(LoadCubic(top - kAccumulator), LoadCubic(top)), coefficient));
}

TasmRunner::Failure TasmRunner::DivMod(std::uint64_t* top) {
  const std::uint64_t numerator = top[0];
  const std::uint64_t denominator = top[-1];
  if (!IsU32(numerator) || !IsU32(denominator)) return Crash::kNotU32;
  if (denominator == 0) return Crash::kDivideByZero;
  top[-1] = numerator / denominator;
  top[0] = numerator % denominator;
  if (Failure failure = AddU32(U32Kind::kLt, top[0], denominator)) return failure;
  return AddU32(U32Kind::kSplit, numerator, top[-1]);
}

// The dispatch loop. A case either acts and `continue`s, or sets `failure` and leaves the switch.
// The order of checks is Triton's: stack length, operands, then the act.
template <bool kHeights>
TasmRunner::Failure TasmRunner::Loop() {
  const Step* const steps = machine_.steps_.data();
  const Step* step = steps;
  std::uint64_t* top = top_;
  std::uint64_t* floor = stack_.data() + kTasmRegisters - 1;
  std::uint64_t* ceiling = stack_.data() + stack_.size() - kHeadroom;
  std::uint64_t left = options_.max_cycles;
  Failure failure;
  auto fails = [&](bool condition, Crash crash) {
    if (condition) failure = crash;
    return condition;
  };
  auto shrinks_too_far = [&](std::ptrdiff_t n) { return top - n < floor; };
  for (;;) {
    if (left == 0) [[unlikely]] {
      failure = Crash::kCycleLimit;
      break;
    }
    if (top >= ceiling) [[unlikely]] {
      top_ = top;
      if (fails(!GrowStack(), Crash::kMemoryLimit)) break;
      top = top_;
      floor = stack_.data() + kTasmRegisters - 1;
      ceiling = stack_.data() + stack_.size() - kHeadroom;
    }
    if constexpr (kHeights) ++executions_[static_cast<std::size_t>(step - steps)];
    --left;
    switch (static_cast<TasmOp>(step->op)) {
      case TasmOp::kHalt:
        top_ = top;
        ip_ = static_cast<std::size_t>(step - steps);
        cycles_ = options_.max_cycles - left;
        return {};
      case TasmOp::kPush:
        *++top = step->arg;
        ++step;
        continue;
      case TasmOp::kPop:
        if (fails(shrinks_too_far(static_cast<std::ptrdiff_t>(step->arg)), Crash::kShallow)) break;
        top -= step->arg;
        ++step;
        continue;
      case TasmOp::kDivine:
        if ((failure = Divine(top, step->arg))) break;
        ++step;
        continue;
      case TasmOp::kPick:
        Pick(top, step->arg);
        ++step;
        continue;
      case TasmOp::kPlace:
        Place(top, step->arg);
        ++step;
        continue;
      case TasmOp::kDup:
        top[1] = *(top - step->arg);
        ++top;
        ++step;
        continue;
      case TasmOp::kSwap:
        std::swap(top[0], *(top - step->arg));
        ++step;
        continue;
      case TasmOp::kNop:
        ++step;
        continue;
      case TasmOp::kSkiz: {
        if (fails(shrinks_too_far(1), Crash::kShallow)) break;
        const bool skips = *top == 0;
        if (fails(skips && step[1].op == TasmMachine::kEnd, Crash::kIpOverflow)) break;
        --top;
        step += skips ? 2 : 1;
        continue;
      }
      case TasmOp::kCall:
        if (fails(jumps_.size() == jumps_.capacity() && !ReserveMore(jumps_, 1, budget_),
                  Crash::kMemoryLimit))
          break;
        jumps_.push_back({step + 1, steps + step->target});
        step = steps + step->target;
        continue;
      case TasmOp::kReturn:
        if (fails(jumps_.empty(), Crash::kJumpEmpty)) break;
        step = jumps_.back().origin;
        jumps_.pop_back();
        continue;
      case TasmOp::kRecurse:
        if (fails(jumps_.empty(), Crash::kJumpEmpty)) break;
        step = jumps_.back().destination;
        continue;
      case TasmOp::kRecurseOrReturn:
        if (fails(jumps_.empty(), Crash::kJumpEmpty)) break;
        if (top[-5] == top[-6]) {
          step = jumps_.back().origin;
          jumps_.pop_back();
        } else {
          step = jumps_.back().destination;
        }
        continue;
      case TasmOp::kAssert:
        if (fails(shrinks_too_far(1), Crash::kShallow)) break;
        if (fails(*top != 1, Crash::kAssert)) break;
        --top;
        ++step;
        continue;
      case TasmOp::kAssertVector:
        if (fails(shrinks_too_far(kDigestWords), Crash::kShallow)) break;
        if (fails(!std::equal(top - 4, top + 1, top - 9), Crash::kAssertVector)) break;
        top -= kDigestWords;
        ++step;
        continue;
      case TasmOp::kReadMem:
        if ((failure = ReadMem(top, step->arg))) break;
        ++step;
        continue;
      case TasmOp::kWriteMem:
        if (fails(shrinks_too_far(static_cast<std::ptrdiff_t>(step->arg)), Crash::kShallow)) break;
        if ((failure = WriteMem(top, step->arg))) break;
        ++step;
        continue;
      case TasmOp::kHash:
        if (fails(shrinks_too_far(kDigestWords), Crash::kShallow)) break;
        if ((failure = Hash(top))) break;
        ++step;
        continue;
      case TasmOp::kSpongeInit:
        sponge_ = Tip5::VariableLength();
        ++step;
        continue;
      case TasmOp::kSpongeAbsorb:
        if (fails(shrinks_too_far(kTip5Rate), Crash::kShallow)) break;
        if ((failure = Absorb(top))) break;
        ++step;
        continue;
      case TasmOp::kSpongeAbsorbMem:
        if ((failure = AbsorbMem(top))) break;
        ++step;
        continue;
      case TasmOp::kSpongeSqueeze:
        if ((failure = Squeeze(top))) break;
        ++step;
        continue;
      case TasmOp::kAdd:
        if (fails(shrinks_too_far(1), Crash::kShallow)) break;
        top[-1] = gl::Add(top[-1], top[0]);
        --top;
        ++step;
        continue;
      case TasmOp::kAddI:
        *top = gl::Add(*top, step->arg);
        ++step;
        continue;
      case TasmOp::kMul:
        if (fails(shrinks_too_far(1), Crash::kShallow)) break;
        top[-1] = gl::Mul(top[-1], top[0]);
        --top;
        ++step;
        continue;
      case TasmOp::kInvert:
        if (fails(*top == 0, Crash::kInverseOfZero)) break;
        *top = gl::Inverse(*top);
        ++step;
        continue;
      case TasmOp::kEq:
        if (fails(shrinks_too_far(1), Crash::kShallow)) break;
        top[-1] = top[-1] == top[0] ? 1 : 0;
        --top;
        ++step;
        continue;
      case TasmOp::kSplit: {
        const std::uint64_t low = *top & gl::kEpsilon;
        const std::uint64_t high = *top >> 32;
        *top = high;
        *++top = low;
        if ((failure = AddU32(U32Kind::kSplit, low, high))) break;
        ++step;
        continue;
      }
      case TasmOp::kLt: {
        if (fails(shrinks_too_far(1), Crash::kShallow)) break;
        const std::uint64_t a = top[0];
        const std::uint64_t b = top[-1];
        if (fails(!IsU32(a) || !IsU32(b), Crash::kNotU32)) break;
        --top;
        *top = a < b ? 1 : 0;
        if ((failure = AddU32(U32Kind::kLt, a, b))) break;
        ++step;
        continue;
      }
      case TasmOp::kAnd: {
        if (fails(shrinks_too_far(1), Crash::kShallow)) break;
        const std::uint64_t a = top[0];
        const std::uint64_t b = top[-1];
        if (fails(!IsU32(a) || !IsU32(b), Crash::kNotU32)) break;
        --top;
        *top = a & b;
        if ((failure = AddU32(U32Kind::kAnd, a, b))) break;
        ++step;
        continue;
      }
      case TasmOp::kXor: {
        if (fails(shrinks_too_far(1), Crash::kShallow)) break;
        const std::uint64_t a = top[0];
        const std::uint64_t b = top[-1];
        if (fails(!IsU32(a) || !IsU32(b), Crash::kNotU32)) break;
        --top;
        *top = a ^ b;
        if ((failure = AddU32(U32Kind::kAnd, a, b))) break;
        ++step;
        continue;
      }
      case TasmOp::kLog2Floor: {
        const std::uint64_t a = top[0];
        if (fails(!IsU32(a), Crash::kNotU32)) break;
        if (fails(a == 0, Crash::kLogOfZero)) break;
        *top = static_cast<std::uint64_t>(std::bit_width(a) - 1);
        if ((failure = AddU32(U32Kind::kLog2, a, 0))) break;
        ++step;
        continue;
      }
      case TasmOp::kPow: {
        if (fails(shrinks_too_far(1), Crash::kShallow)) break;
        const std::uint64_t a = top[0];
        const std::uint64_t b = top[-1];
        if (fails(!IsU32(b), Crash::kNotU32)) break;
        --top;
        *top = gl::Pow(a, b);
        if ((failure = AddU32(U32Kind::kPow, a, b))) break;
        ++step;
        continue;
      }
      case TasmOp::kDivMod:
        if ((failure = DivMod(top))) break;
        ++step;
        continue;
      case TasmOp::kPopCount: {
        const std::uint64_t a = top[0];
        if (fails(!IsU32(a), Crash::kNotU32)) break;
        *top = static_cast<std::uint64_t>(std::popcount(a));
        if ((failure = AddU32(U32Kind::kPopCount, a, 0))) break;
        ++step;
        continue;
      }
      case TasmOp::kXxAdd:
        if (fails(shrinks_too_far(3), Crash::kShallow)) break;
        StoreCubic(top - 3, gl::Add(LoadCubic(top), LoadCubic(top - 3)));
        top -= 3;
        ++step;
        continue;
      case TasmOp::kXxMul:
        if (fails(shrinks_too_far(3), Crash::kShallow)) break;
        StoreCubic(top - 3, gl::Mul(LoadCubic(top), LoadCubic(top - 3)));
        top -= 3;
        ++step;
        continue;
      case TasmOp::kXInvert:
        if (fails(gl::IsZero(LoadCubic(top)), Crash::kInverseOfZero)) break;
        StoreCubic(top, gl::Inverse(LoadCubic(top)));
        ++step;
        continue;
      case TasmOp::kXbMul:
        if (fails(shrinks_too_far(1), Crash::kShallow)) break;
        StoreCubic(top - 1, gl::Scale(LoadCubic(top - 1), *top));
        --top;
        ++step;
        continue;
      case TasmOp::kReadIo:
        if ((failure = ReadIo(top, step->arg))) break;
        ++step;
        continue;
      case TasmOp::kWriteIo:
        if (fails(shrinks_too_far(static_cast<std::ptrdiff_t>(step->arg)), Crash::kShallow)) break;
        if ((failure = WriteIo(top, step->arg))) break;
        ++step;
        continue;
      case TasmOp::kMerkleStep:
        if ((failure = MerkleStep(top, false))) break;
        ++step;
        continue;
      case TasmOp::kMerkleStepMem:
        if ((failure = MerkleStep(top, true))) break;
        ++step;
        continue;
      case TasmOp::kXxDotStep:
        DotStep(top, false);
        ++step;
        continue;
      case TasmOp::kXbDotStep:
        DotStep(top, true);
        ++step;
        continue;
      case TasmOp::kBHornerStep:
        HornerStep(top, true);
        ++step;
        continue;
      case TasmOp::kXHornerStep:
        HornerStep(top, false);
        ++step;
        continue;
    }
    // Only a failure or the end of the code leads here; the instruction did not count.
    if (step->op == TasmMachine::kEnd && !options_.end_is_halt) failure = Crash::kIpOverflow;
    if constexpr (kHeights) --executions_[static_cast<std::size_t>(step - steps)];
    ++left;
    break;
  }
  top_ = top;
  ip_ = static_cast<std::size_t>(step - steps);
  cycles_ = options_.max_cycles - left;
  return failure;
}

template TasmRunner::Failure TasmRunner::Loop<true>();
template TasmRunner::Failure TasmRunner::Loop<false>();

}  // namespace txvm::triton
