// The instructions of Triton VM that are too long for the dispatch loop.
#include <algorithm>
#include <array>

#include "neural/triton/tasm/runner.h"
#include "neural/triton/tasm/stack.h"
#include "vm/tensor/goldilocks.h"
#include "vm/tensor/goldilocks_ext.h"

namespace txvm::triton {

namespace gl = vm::goldilocks;

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

}  // namespace txvm::triton
