// The concrete domain of the stack machine: field elements, streams, RAM and the sponge.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "neural/triton/field/stack_step.h"
#include "neural/triton/field/tip5.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {

/// What a program may read. Words are canonical; RAM that is not listed reads 0.
struct TirInputs {
  std::vector<std::uint64_t> input;   // public
  std::vector<std::uint64_t> secret;  // divined words
  std::vector<std::array<std::uint64_t, 5>> digests;
  std::unordered_map<std::uint64_t, std::uint64_t> ram;
};

/// The domain of running. REQUIRES: the inputs outlive it.
class ConcreteWorld {
 public:
  using Value = std::uint64_t;

  explicit ConcreteWorld(const TirInputs& inputs) : inputs_(inputs), ram_(inputs.ram) {}

  Value Const(std::uint64_t value) const { return value; }
  Value Add(Value a, Value b) const { return vm::goldilocks::Add(a, b); }
  Value Sub(Value a, Value b) const { return vm::goldilocks::Sub(a, b); }
  Value Mul(Value a, Value b) const { return vm::goldilocks::Mul(a, b); }
  Value Neg(Value a) const { return vm::goldilocks::Neg(a); }
  Value IsEqual(Value a, Value b) const { return a == b ? 1 : 0; }
  Value Invert(Value a);
  Value LessThan(Value a, Value b) { return AreU32(a, b) && a < b ? 1 : 0; }
  Value BitAnd(Value a, Value b) { return AreU32(a, b) ? a & b : 0; }
  Value PopCount(Value a);
  Value Log2(Value a);
  Value Power(Value base, Value exponent);
  std::pair<Value, Value> DivMod(Value n, Value d);
  std::pair<Value, Value> Split(Value a) const { return {a >> 32, a & 0xFFFF'FFFF}; }
  std::array<Value, 3> ExtInvert(const std::array<Value, 3>& x);
  std::array<Value, 5> HashTen(const std::array<Value, 10>& words) const;
  std::pair<Value, std::array<Value, 5>> MerkleParent(Value index, const std::array<Value, 5>& node,
                                                      const std::array<Value, 5>& sibling);
  void RequireEqual(Value a, Value b, Fault fault) {
    if (a != b) Fail(fault);
  }
  bool Choose(Value condition) const { return condition != 0; }

  Value Load(Value address);
  void Store(Value address, Value value) { ram_[address] = value; }
  Value Read();
  Value Divine();
  std::array<Value, 5> Digest();
  void Write(Value value) { output_.push_back(value); }
  void SpongeInit() { sponge_ = Tip5::VariableLength(); }
  void SpongeAbsorb(const std::array<Value, 10>& words);
  std::array<Value, 10> SpongeSqueeze();

  /// Makes RAM that no input sets read as pseudo-random words instead of 0, as a prover might
  /// choose it.
  void ScatterRam(std::uint64_t seed) { scatter_ = seed; }
  /// The words of RAM that ScatterRam made up and the program read, by address.
  const std::unordered_map<std::uint64_t, std::uint64_t>& scattered() const { return scattered_; }

  /// The first fault stays.
  void Fail(Fault fault) {
    if (fault_ == Fault::kNone) fault_ = fault;
  }
  bool failed() const { return fault_ != Fault::kNone; }
  Fault fault() const { return fault_; }

  const std::vector<Value>& output() const { return output_; }
  std::vector<Value> TakeOutput() { return std::move(output_); }
  const std::unordered_map<std::uint64_t, std::uint64_t>& ram() const { return ram_; }
  /// Words of each stream used so far.
  std::array<std::size_t, 3> Consumed() const { return {next_input_, next_secret_, next_digest_}; }
  const std::optional<Tip5>& sponge() const { return sponge_; }

 private:
  bool AreU32(Value a, Value b) {
    if (((a | b) >> 32) == 0) return true;
    Fail(Fault::kNotU32);
    return false;
  }

  const TirInputs& inputs_;
  std::unordered_map<std::uint64_t, std::uint64_t> ram_;
  std::optional<std::uint64_t> scatter_;
  std::unordered_map<std::uint64_t, std::uint64_t> scattered_;
  std::size_t next_input_ = 0;
  std::size_t next_secret_ = 0;
  std::size_t next_digest_ = 0;
  std::vector<Value> output_;
  std::optional<Tip5> sponge_;
  Fault fault_ = Fault::kNone;
};

}  // namespace txvm::triton
