// The stack machine under TIR and TASM, over any domain of values: field elements for running,
// terms for proving. Each step is written once, so the prover and the interpreter cannot disagree.
//
// A domain D gives the values and everything outside the stack:
//   Value                       a word
//   Const, Add, Sub, Mul, Neg   the field
//   Invert, IsEqual, LessThan, BitAnd, PopCount, Log2, Power(base, exponent), DivMod, Split
//   ExtInvert, HashTen, MerkleParent
//   RequireEqual(a, b, fault)   goes on only if a = b
//   Load, Store, Read, Write, Divine, Digest, SpongeInit, SpongeAbsorb, SpongeSqueeze
//   Fail(fault), failed()       the machine stops after a step that failed
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace txvm::triton {

/// Why a program stopped without halting.
enum class Fault : std::uint8_t {
  kNone,
  kNotU32,          // an operand of a u32 operation is 2^32 or more
  kInverseOfZero,   // invert of 0
  kDivisionByZero,  // div_mod by 0
  kLogOfZero,       // log2 of 0
  kAssert,          // assert of a word that is not 1
  kAssertVector,    // assert 5 of different words
  kInputEmpty,      // public input used up
  kSecretEmpty,     // secret input used up
  kDigestEmpty,     // secret digests used up
  kSpongeUninit,    // absorb or squeeze before sponge_init
  kShallow,         // the stack would be shorter than its floor
  kControl,         // TASM only: empty jump stack, or no instruction to go to
  kStepLimit,       // stopped by the caller's limit, not by the program
  kOutOfMemory,     // stack or call depth past the caller's limit
};

/// "assert", "not u32", ...: for people and for reports.
std::string_view FaultText(Fault fault);

namespace internal {

/// a xor b of two u32, as a domain without it computes it.
template <class D>
typename D::Value Xor(D& d, const typename D::Value& a, const typename D::Value& b) {
  const typename D::Value both = d.BitAnd(a, b);
  return d.Sub(d.Add(a, b), d.Add(both, both));
}

}  // namespace internal

/// The stack of a run and the parts of its steps.
/// REQUIRES: D outlives the machine. Words are bottom first in `stack`; st_0 is the last.
template <class D>
class StackMachine {
 public:
  using Value = typename D::Value;
  using Digest = std::array<Value, 5>;
  using Block = std::array<Value, 10>;
  using Ext = std::array<Value, 3>;

  StackMachine(D& domain, std::vector<Value> stack, std::size_t floor)
      : stack_(std::move(stack)), domain_(domain), floor_(floor), lowest_(stack_.size()) {}

  D& domain() { return domain_; }
  const std::vector<Value>& stack() const { return stack_; }
  /// The least length since the start.
  std::size_t lowest() const { return lowest_; }

  /// Call before each step with the net change of its stack. Fails with kShallow, and returns
  /// false, when the length after the step would be below the floor.
  bool Admit(std::int64_t net) {
    const auto after = static_cast<std::int64_t>(stack_.size()) + net;
    if (after < static_cast<std::int64_t>(floor_)) {
      domain_.Fail(Fault::kShallow);
      return false;
    }
    lowest_ = std::min(lowest_, static_cast<std::size_t>(after));
    return true;
  }

  const Value& At(std::size_t i) const { return stack_[stack_.size() - 1 - i]; }
  Value& At(std::size_t i) { return stack_[stack_.size() - 1 - i]; }
  void Push(Value value) { stack_.push_back(std::move(value)); }
  Value Pop() {
    Value value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }
  template <std::size_t kWords>
  std::array<Value, kWords> PopWords() {  // [0] was the top
    std::array<Value, kWords> words;
    for (Value& word : words) word = Pop();
    return words;
  }
  template <std::size_t kWords>
  void PushWords(const std::array<Value, kWords>& words) {  // [0] becomes the top
    for (std::size_t i = kWords; i-- > 0;) Push(words[i]);
  }

  // The order of the stack.
  void Drop(std::size_t n) { stack_.resize(stack_.size() - n); }
  void Dup(std::size_t i) { Push(Value(At(i))); }
  void Swap(std::size_t i) { std::swap(At(0), At(i)); }
  void Pick(std::size_t i) {
    const auto end = stack_.end();
    std::rotate(end - static_cast<std::ptrdiff_t>(i) - 1, end - static_cast<std::ptrdiff_t>(i),
                end);
  }
  void Place(std::size_t i) {
    const auto end = stack_.end();
    std::rotate(end - static_cast<std::ptrdiff_t>(i) - 1, end - 1, end);
  }

  // Field.
  template <class F>
  void Unary(F f) {
    At(0) = f(At(0));
  }
  template <class F>
  void Binary(F f) {  // f(st1, st0)
    const Value b = Pop();
    At(0) = f(At(0), b);
  }
  void SplitTop() {
    const auto [high, low] = domain_.Split(Pop());
    Push(high);
    Push(low);
  }
  void DivModTop(const Value& n, const Value& d) {  // pushes quotient, then remainder
    const auto [quotient, remainder] = domain_.DivMod(n, d);
    Push(quotient);
    Push(remainder);
  }

  // Streams, memory.
  void ReadInput(std::size_t n) {
    for (std::size_t i = 0; i < n && !domain_.failed(); ++i) Push(domain_.Read());
  }
  void Divine(std::size_t n) {
    for (std::size_t i = 0; i < n && !domain_.failed(); ++i) Push(domain_.Divine());
  }
  void WriteOutput(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) domain_.Write(Pop());
  }
  void ReadMemory(std::size_t n) {
    Value pointer = Pop();
    for (std::size_t i = 0; i < n; ++i) {
      Push(domain_.Load(pointer));
      pointer = domain_.Sub(pointer, domain_.Const(1));
    }
    Push(pointer);
  }
  void WriteMemory(std::size_t n) {
    Value pointer = Pop();
    for (std::size_t i = 0; i < n; ++i) {
      domain_.Store(pointer, Pop());
      pointer = domain_.Add(pointer, domain_.Const(1));
    }
    Push(pointer);
  }

  // Checks.
  void AssertOne() { domain_.RequireEqual(Pop(), domain_.Const(1), Fault::kAssert); }
  void AssertVector() {
    const Digest top = PopWords<5>();
    for (std::size_t i = 0; i < top.size(); ++i) {
      domain_.RequireEqual(top[i], At(i), Fault::kAssertVector);
    }
  }

  // Hashing.
  void Hash() { PushWords(domain_.HashTen(PopWords<10>())); }
  void Absorb() { domain_.SpongeAbsorb(PopWords<10>()); }
  void AbsorbMemory() {
    const Value pointer = Pop();
    Block words;
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = domain_.Load(domain_.Add(pointer, domain_.Const(i)));
    }
    for (std::size_t i = 0; i < 4; ++i) At(i) = words[i];
    domain_.SpongeAbsorb(words);
    Push(domain_.Add(pointer, domain_.Const(words.size())));
  }
  void Squeeze() { PushWords(domain_.SpongeSqueeze()); }
  void MerkleStep(const Digest& sibling) {
    const Digest node = PopWords<5>();
    const auto [half, parent] = domain_.MerkleParent(Pop(), node, sibling);
    Push(half);
    PushWords(parent);
  }
  void MerkleStepDivined() {  // _ i d4..d0
    const Digest sibling = domain_.Digest();
    if (!domain_.failed()) MerkleStep(sibling);
  }
  void MerkleStepMemory() {  // _ p f i d4..d0
    constexpr std::size_t kPointer = 7;
    Digest sibling;
    for (std::size_t i = 0; i < sibling.size(); ++i) {
      sibling[i] = domain_.Load(domain_.Add(At(kPointer), domain_.Const(i)));
    }
    At(kPointer) = domain_.Add(At(kPointer), domain_.Const(sibling.size()));
    MerkleStep(sibling);
  }

  // The extension field F_p[X] / (X^3 - X + 1); coefficient 0 is the top.
  void ExtAdd() {
    const Ext b = PopWords<3>();
    const Ext a = PopWords<3>();
    PushWords(Ext{domain_.Add(a[0], b[0]), domain_.Add(a[1], b[1]), domain_.Add(a[2], b[2])});
  }
  void ExtMul() {
    const Ext b = PopWords<3>();
    const Ext a = PopWords<3>();
    PushWords(Product(a, b));
  }
  void ExtScale() {
    const Value b = Pop();
    const Ext a = PopWords<3>();
    PushWords(Ext{domain_.Mul(a[0], b), domain_.Mul(a[1], b), domain_.Mul(a[2], b)});
  }
  void ExtInvert() { PushWords(domain_.ExtInvert(PopWords<3>())); }

  /// acc += x * y for x at RAM[st0], `left` words long, and y at RAM[st1], three words.
  void DotStep(std::size_t left) {
    const Value p = Pop();
    const Value q = Pop();
    const Ext x = left == 3 ? LoadExt(p) : Ext{domain_.Load(p), domain_.Const(0), domain_.Const(0)};
    const Ext product = Product(x, LoadExt(q));
    for (std::size_t i = 0; i < 3; ++i) At(i) = domain_.Add(At(i), product[i]);
    Push(domain_.Add(q, domain_.Const(3)));
    Push(domain_.Add(p, domain_.Const(left)));
  }

  /// acc = acc * x + c for x = st0..st2, acc = st7..st9 and c of `words` words downwards from
  /// RAM[st5], its highest coefficient first.
  void HornerStep(std::size_t words) {
    constexpr std::size_t kPointer = 5, kAccumulator = 7;
    const Ext x{At(0), At(1), At(2)};
    Ext sum = Product({At(kAccumulator), At(kAccumulator + 1), At(kAccumulator + 2)}, x);
    for (std::size_t i = words; i-- > 0;) {
      sum[i] = domain_.Add(sum[i], domain_.Load(At(kPointer)));
      At(kPointer) = domain_.Sub(At(kPointer), domain_.Const(1));
    }
    for (std::size_t i = 0; i < 3; ++i) At(kAccumulator + i) = sum[i];
  }

 private:
  Ext LoadExt(const Value& p) {
    return {domain_.Load(p), domain_.Load(domain_.Add(p, domain_.Const(1))),
            domain_.Load(domain_.Add(p, domain_.Const(2)))};
  }

  Ext Product(const Ext& a, const Ext& b) {
    D& d = domain_;
    // d_k is the coefficient of X^k; X^3 = X - 1 and X^4 = X^2 - X.
    const Value d0 = d.Mul(a[0], b[0]);
    const Value d1 = d.Add(d.Mul(a[0], b[1]), d.Mul(a[1], b[0]));
    const Value d2 = d.Add(d.Add(d.Mul(a[0], b[2]), d.Mul(a[1], b[1])), d.Mul(a[2], b[0]));
    const Value d3 = d.Add(d.Mul(a[1], b[2]), d.Mul(a[2], b[1]));
    const Value d4 = d.Mul(a[2], b[2]);
    return {d.Sub(d0, d3), d.Sub(d.Add(d1, d3), d4), d.Add(d2, d4)};
  }

  std::vector<Value> stack_;
  D& domain_;
  std::size_t floor_;
  std::size_t lowest_;
};

}  // namespace txvm::triton
