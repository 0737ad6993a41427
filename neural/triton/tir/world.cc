#include "neural/triton/tir/world.h"

#include <bit>

#include "neural/triton/field/memory.h"
#include "vm/tensor/goldilocks_ext.h"

namespace txvm::triton {

ConcreteWorld::Value ConcreteWorld::Invert(Value a) {
  if (a == 0) Fail(Fault::kInverseOfZero);
  return vm::goldilocks::Inverse(a);
}

ConcreteWorld::Value ConcreteWorld::PopCount(Value a) {
  return AreU32(a, 0) ? static_cast<Value>(std::popcount(a)) : 0;
}

ConcreteWorld::Value ConcreteWorld::Log2(Value a) {
  if (!AreU32(a, 0)) return 0;
  if (a == 0) Fail(Fault::kLogOfZero);
  return a == 0 ? 0 : static_cast<Value>(std::bit_width(a)) - 1;
}

ConcreteWorld::Value ConcreteWorld::Power(Value base, Value exponent) {
  return AreU32(exponent, 0) ? vm::goldilocks::Pow(base, exponent) : 0;
}

std::pair<ConcreteWorld::Value, ConcreteWorld::Value> ConcreteWorld::DivMod(Value n, Value d) {
  if (!AreU32(n, d)) return {0, 0};
  if (d == 0) Fail(Fault::kDivisionByZero);
  return d == 0 ? std::pair<Value, Value>{0, 0} : std::pair<Value, Value>{n / d, n % d};
}

std::array<ConcreteWorld::Value, 3> ConcreteWorld::ExtInvert(const std::array<Value, 3>& x) {
  const vm::goldilocks::Cubic value{x};
  if (vm::goldilocks::IsZero(value)) Fail(Fault::kInverseOfZero);
  return vm::goldilocks::Inverse(value).c;
}

std::array<ConcreteWorld::Value, 5> ConcreteWorld::HashTen(
    const std::array<Value, 10>& words) const {
  return Tip5Hash10(words);
}

std::pair<ConcreteWorld::Value, std::array<ConcreteWorld::Value, 5>> ConcreteWorld::MerkleParent(
    Value index, const std::array<Value, 5>& node, const std::array<Value, 5>& sibling) {
  if (!AreU32(index, 0)) return {};
  const bool right = (index & 1) != 0;
  return {index >> 1, right ? Tip5HashPair(sibling, node) : Tip5HashPair(node, sibling)};
}

ConcreteWorld::Value ConcreteWorld::Load(Value address) {
  const auto found = ram_.find(address);
  if (found != ram_.end()) return found->second;
  if (!scatter_) return 0;
  const std::uint64_t mixed = MixBits(address ^ *scatter_);
  // Half of the words are u32, as programs often need them to be.
  const std::uint64_t word =
      (mixed & 1) != 0 ? mixed >> 32 : vm::goldilocks::Canonical(MixBits(mixed));
  scattered_[address] = word;
  ram_[address] = word;
  return word;
}

ConcreteWorld::Value ConcreteWorld::Read() {
  if (next_input_ < inputs_.input.size()) return inputs_.input[next_input_++];
  Fail(Fault::kInputEmpty);
  return 0;
}

ConcreteWorld::Value ConcreteWorld::Divine() {
  if (next_secret_ < inputs_.secret.size()) return inputs_.secret[next_secret_++];
  Fail(Fault::kSecretEmpty);
  return 0;
}

std::array<ConcreteWorld::Value, 5> ConcreteWorld::Digest() {
  if (next_digest_ < inputs_.digests.size()) return inputs_.digests[next_digest_++];
  Fail(Fault::kDigestEmpty);
  return {};
}

void ConcreteWorld::SpongeAbsorb(const std::array<Value, 10>& words) {
  if (!sponge_) return Fail(Fault::kSpongeUninit);
  sponge_->SetRate(words);
  sponge_->Permute();
}

std::array<ConcreteWorld::Value, 10> ConcreteWorld::SpongeSqueeze() {
  std::array<Value, 10> words{};
  if (!sponge_) {
    Fail(Fault::kSpongeUninit);
    return words;
  }
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = sponge_->Lane(i);
  sponge_->Permute();
  return words;
}

}  // namespace txvm::triton
