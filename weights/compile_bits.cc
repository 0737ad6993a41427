// Bits: logic, counts, shifts and rotations, from the bits of the operands' bytes.
// Declared in weights/compiler.h.
#include <bit>

#include "weights/compiler.h"

namespace txvm::weights {
namespace {

constexpr std::size_t kByteBits = 8;
constexpr std::size_t kSign = 31;

using ByteFunction = ModelBuilder::ByteFunction;

template <typename F>
ByteFunction Tabulate(Wire wire, F f) {
  ByteFunction function{wire, {}};
  for (std::uint32_t v = 0; v < function.table.size(); ++v) {
    function.table[v] = static_cast<std::int32_t>(f(v));
  }
  return function;
}

/// The byte made of bits 8 i .. 8 i + 7 of a word whose bit k is bit(k).
template <typename F>
Linear ByteOf(std::size_t i, F bit) {
  Linear byte;
  for (std::size_t k = 0; k < kByteBits; ++k) byte += (1 << k) * bit(kByteBits * i + k);
  return byte;
}

}  // namespace

void MachineCompiler::Bits() {
  for (std::size_t k = 0; k < kWordBits; ++k) {
    a_bit_[k] = b_.Lane(Indexed("a.bit", k), 0, 1);
    top_bit_[k] = b_.Lane(Indexed("top.bit", k), 0, 1);
  }
  for (std::size_t s = 0; s < kWordBits; ++s) {
    count_[s] = b_.Lane(Indexed("count", s), s == 0 ? -1 : 0, s == 0 ? 0 : 1);
  }
  popcnt_ = b_.Lane("top.ones", 0, kWordBits);
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    const std::size_t at = i;
    leading_[i] = b_.Lane(Indexed("leading", at), -static_cast<std::int32_t>(kByteBits), 0);
    trailing_[i] = b_.Lane(Indexed("trailing", at), -static_cast<std::int32_t>(kByteBits), 0);
    std::vector<ByteFunction> of_a, of_top;
    for (std::size_t k = 0; k < kByteBits; ++k) {
      const auto bit = [k](std::uint32_t v) { return v >> k & 1u; };
      of_a.push_back(Tabulate(a_bit_[kByteBits * i + k], bit));
      of_top.push_back(Tabulate(top_bit_[kByteBits * i + k], bit));
    }
    of_top.push_back(Tabulate(popcnt_, [](std::uint32_t v) { return std::popcount(v); }));
    of_top.push_back(Tabulate(leading_[i], [](std::uint32_t v) {
      return std::countl_zero(static_cast<std::uint8_t>(v));
    }));
    of_top.push_back(Tabulate(trailing_[i], [](std::uint32_t v) {
      return std::countr_zero(static_cast<std::uint8_t>(v));
    }));
    if (i == 0) {
      for (std::size_t s = 0; s < kWordBits; ++s) {
        of_top.push_back(
            Tabulate(count_[s], [s](std::uint32_t v) { return v % kWordBits == s ? 1 : 0; }));
      }
    }
    const Linear top_used = s_.bits_top + (i == 0 ? Linear(s_.shift) : Linear(0));
    b_.ByteFunctions(a_[i] - kByteSize * (1 - Linear(s_.bits_second)), of_a);
    b_.ByteFunctions(top_[i] - kByteSize * (1 - top_used), of_top);
  }
}

void MachineCompiler::Logic() {
  // and = a & b per bit; or = a + b - and; xor = a + b - 2 and
  std::array<Wire, kWordBits> both;
  for (std::size_t k = 0; k < kWordBits; ++k) {
    both[k] = b_.HingeLane(Indexed("and", k), Linear(a_bit_[k]) + top_bit_[k] - 1);
  }
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    const auto either = [&](std::size_t k) { return Linear(a_bit_[k]) + top_bit_[k]; };
    const auto common = [&](std::size_t k) { return Linear(both[k]); };
    const Output to{result_[i]};
    b_.Unit(s_.bit_and, ByteOf(i, common), {to});
    b_.Unit(s_.bit_or, ByteOf(i, either) - ByteOf(i, common), {to});
    b_.Unit(s_.bit_xor, ByteOf(i, either) - 2 * ByteOf(i, common), {to});
  }
}

// A byte's count holds only while the bytes beyond it are 0; leading_ and trailing_ are the counts
// of a byte minus 8.
void MachineCompiler::CountBits() {
  const std::int32_t bits = kByteBits;
  Linear high_used = 0, low_used = 0;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    const std::size_t high = kWordBytes - 1 - i;
    b_.Unit(s_.clz - high_used, bits + Linear(leading_[high]), {{result_[0]}});
    b_.Unit(s_.ctz - low_used, bits + Linear(trailing_[i]), {{result_[0]}});
    high_used += top_[high];
    low_used += top_[i];
  }
  b_.Unit(s_.popcnt, popcnt_, {{result_[0]}});
}

// One gated unit per shift count and byte: relu([count = s]) * (the byte after the shift).
void MachineCompiler::Shift() {
  for (std::size_t s = 0; s < kWordBits; ++s) ShiftBy(s);
}

void MachineCompiler::ShiftBy(std::size_t s) {
  const auto count_is = [&](std::size_t n) { return count_[n] + Linear(n == 0 ? 1 : 0); };
  const std::size_t at = s;
  const Wire left = b_.HingeLane(Indexed("shl", at), count_is(s) + s_.shl - 1);
  const Wire right = b_.HingeLane(Indexed("shr", at), count_is(s) + s_.shr - 1);
  const Wire rotate = b_.Lane(Indexed("rotate", at), 0, 1);
  b_.Hinge(count_is(s) + s_.rotl - 1, {{rotate}});
  b_.Hinge(count_is((kWordBits - s) % kWordBits) + s_.rotr - 1, {{rotate}});
  const auto bit = [&](std::size_t k) { return Linear(a_bit_[k]); };
  const auto shl = [&](std::size_t k) { return k >= s ? bit(k - s) : Linear(0); };
  const auto shr = [&](std::size_t k) { return k + s < kWordBits ? bit(k + s) : Linear(0); };
  const auto rot = [&](std::size_t k) { return bit((k + kWordBits - s) % kWordBits); };
  const auto sign = [&](std::size_t k) { return Linear(k + s < kWordBits ? 0 : 1); };
  std::vector<Output> fill;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    // A byte that the shift has emptied needs no unit.
    const auto shifted = [&](Wire gate, const Linear& byte) {
      if (!byte.terms.empty()) b_.Unit(gate, byte, {{result_[i]}});
    };
    shifted(left, ByteOf(i, shl));
    shifted(right, ByteOf(i, shr));
    shifted(rotate, ByteOf(i, rot));
    const std::int32_t ones = ByteOf(i, sign).constant;
    if (ones != 0) fill.push_back({result_[i], ones});
  }
  if (!fill.empty()) b_.Unit(count_is(s) + s_.shr_s + a_bit_[kSign] - 2, 1, fill);
}

}  // namespace txvm::weights
