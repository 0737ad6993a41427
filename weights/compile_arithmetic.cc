// Arithmetic: the adder, comparisons, negation, multiplication.
// Declared in weights/compiler.h.
#include "weights/compiler.h"

namespace txvm::weights {
namespace {

constexpr std::int32_t kChunk = 8'192;  // first stage of a product's carries: keeps rows < 2^24

}  // namespace

// Byte i is 255 - w_i, plus 1 when all bytes below are 0.
LinearWord Negation(ModelBuilder& b, const std::string& name, const WireWord& word) {
  LinearWord result;
  Linear carry = 1;
  Linear sum = 0;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    sum += word[i];
    const Wire zero = b.HingeLane(Indexed(name + ".zero", i), 1 - sum);
    result[i] = kByteHigh - Linear(word[i]) + carry - kByteSize * Linear(zero);
    carry = zero;
  }
  return result;
}

// X + Y + carry: X and Y are chosen by the opcode, the carries come two layers at a time because a
// 32-bit sum is no exact float32. Serves ADD, SUB, comparisons, addresses, CALL and division.
void MachineCompiler::Add() {
  const WireWord x = b_.LaneWord("x");
  const WireWord y = b_.LaneWord("y");
  LinearWord second;
  for (std::size_t i = 0; i < kWordBytes; ++i) second[i] = second_.values[i];
  const Linear global = Linear(aux_[0]) + aux_[1] + aux_[2];
  b_.Select(s_.x_second - Linear(absent_second_), second, x);
  b_.Select(s_.x_top, Lanes(top_), x);
  b_.Select(s_.local - global, Lanes(base_), x);
  b_.Select(s_.call, Lanes(base_), x);
  // A division's remainder moves up one bit and takes the dividend's highest.
  Linear carry = b_.StepLane("quotient.sign", Linear(quotient_[3]) - kSignBit);
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    const Wire sign = b_.StepLane(Indexed("remainder.sign", i), Linear(remainder_[i]) - kSignBit);
    b_.Unit(loop_, 2 * Linear(remainder_[i]) + carry - kByteSize * Linear(sign), {{x[i]}});
    b_.Unit(loop_, kByteHigh - Linear(divisor_[i]), {{y[i]}});
    b_.Unit(s_.y_top, top_[i], {{y[i]}});
    b_.Unit(s_.minus, kByteHigh - Linear(top_[i]), {{y[i]}});
    b_.Unit(s_.y_arg, arg_[i], {{y[i]}});
    if (i < aux_.size()) b_.Unit(s_.call, aux_[i], {{y[i]}});
    carry = sign;
    remainder_sign_ = sign;  // the last is the bit that leaves the word
  }
  const Linear carry0 = s_.minus + Linear(loop_);
  const Linear low = Linear(x[0]) + y[0] + carry0;
  const Wire carry8 = b_.StepLane("carry.8", low - kByteSize);
  const Linear half = low + kByteSize * (Linear(x[1]) + y[1]);
  const Wire carry16 = b_.StepLane("carry.16", half - kHalfSize);
  const Linear third = Linear(x[2]) + y[2] + carry16;
  const Wire carry24 = b_.StepLane("carry.24", third - kByteSize);
  const Linear upper = third + kByteSize * (Linear(x[3]) + y[3]);
  carry32_ = b_.StepLane("carry.32", upper - kHalfSize);
  sum_[0] = low - kByteSize * Linear(carry8);
  sum_[1] = Linear(x[1]) + y[1] + carry8 - kByteSize * Linear(carry16);
  sum_[2] = third - kByteSize * Linear(carry24);
  sum_[3] = Linear(x[3]) + y[3] + carry24 - kByteSize * Linear(carry32_);
  address_ = sum_;
  address_[0] = Linear(x[0]) + y[0] - kByteSize * Linear(carry8);
  x_ = Lanes(x);
  b_.Select(s_.sum, sum_, result_);
}

// a < b: X = a, Y = not b, carry 1 leaves no carry exactly when a < b as unsigned numbers;
// differing signs turn it around.
void MachineCompiler::Compare() {
  const Linear less_u = 1 - Linear(carry32_);
  const Linear less_s = less_u + a_sign_ - Linear(top_sign_);
  const Wire equal = b_.HingeLane("equal", 1 - sum_[0] - sum_[1] - sum_[2] - sum_[3]);
  const Output to{result_[0]};
  b_.Hinge(s_.eqz + Linear(top_zero_) - 1, {to});
  b_.Unit(s_.less_u, less_u, {to});
  b_.Unit(s_.less_s, less_s, {to});
  b_.Unit(s_.not_less_u, 1 - less_u, {to});
  b_.Unit(s_.not_less_s, 1 - less_s, {to});
  b_.Unit(s_.or_equal, equal, {to});
  b_.Unit(s_.not_equal, 1 - Linear(equal), {to});
  b_.Unit(s_.less_equal, -1 * Linear(equal), {to});
}

void MachineCompiler::Negate() {
  minus_top_ = Negation(b_, "top", top_);
  const Wire negative = b_.HingeLane("absolute.negative", s_.absolute + Linear(top_sign_) - 1);
  b_.Select(s_.negate + Linear(negative), minus_top_, result_);
  b_.Select(s_.absolute - Linear(top_sign_), Lanes(top_), result_);
}

// a * b mod 2^32 = sum over i + j < 4 of a_i b_j 256^(i + j): ten products in four columns.
void MachineCompiler::Multiply() {
  std::array<Wire, kWordBytes> column;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    const std::int32_t products = static_cast<std::int32_t>(i + 1);
    column[i] = b_.Lane(Indexed("product", i), 0, products * kByteHigh * kByteHigh);
  }
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    const Linear gate = second_.values[i] - kByteSize * (1 - Linear(s_.multiply) + absent_second_);
    for (std::size_t j = 0; i + j < kWordBytes; ++j) b_.Unit(gate, top_[j], {{column[i + j]}});
  }
  CarryProduct(column);
}

// column = 8192 chunk + 256 page + byte. The pages above a column's byte move to the next column.
void MachineCompiler::CarryProduct(const std::array<Wire, kWordBytes>& column) {
  std::array<Linear, kWordBytes> byte, carry;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    const std::int32_t high = static_cast<std::int32_t>(i + 1) * kByteHigh * kByteHigh;
    const std::size_t at = i;
    const Wire chunk = b_.Lane(Indexed("product.chunk", at), 0, high / kChunk);
    for (std::int32_t t = kChunk; t <= high; t += kChunk) b_.Step(column[i] - t, {{chunk}});
    const Linear rest = column[i] - kChunk * Linear(chunk);
    // Two lanes: a row of all the steps would come close to 2^24, for a bound that knows no chunk.
    const std::int32_t half = kChunk / kByteSize / 2;
    const Wire page_low = b_.Lane(Indexed("product.page.low", at), 0, half - 1);
    const Wire page_high = b_.Lane(Indexed("product.page.high", at), 0, half);
    for (std::int32_t t = 1; t < 2 * half; ++t) {
      b_.Step(rest - t * kByteSize, {{t < half ? page_low : page_high}});
    }
    const Linear page = page_low + Linear(page_high);
    byte[i] = rest - kByteSize * Linear(page);
    carry[i] = kChunk / kByteSize * Linear(chunk) + page;
  }
  // Lanes of their own: 256 * a column's weights would break the float32 bound.
  const Wire second = b_.HingeLane("product.second", byte[1] + carry[0], 509);
  const Wire upper = b_.HingeLane("product.upper", byte[2] + carry[1], 763);
  const Wire highest = b_.HingeLane("product.highest", byte[3] + carry[2], 1'017);
  const Wire carry1 = b_.StepLane("product.carry.1", Linear(second) - kByteSize);
  const Linear both = kByteSize * Linear(upper) + second;  // the carries of both, at most 2
  const Wire carry2 = b_.Lane("product.carry.2", 0, 2);
  b_.Step(both - kHalfSize, {{carry2}});
  b_.Step(both - 2 * kHalfSize, {{carry2}});
  const Linear last = Linear(highest) + carry2;  // at most 1,019
  b_.Hinge(byte[0], {{result_[0]}});
  b_.Hinge(second - kByteSize * Linear(carry1), {{result_[1]}});
  b_.Hinge(upper + carry1 - kByteSize * Linear(carry2), {{result_[2]}});
  b_.Hinge(last, {{result_[3]}});
  for (std::int32_t k = 1; k <= 3; ++k) b_.Step(last - k * kByteSize, {{result_[3], -kByteSize}});
}

}  // namespace txvm::weights
