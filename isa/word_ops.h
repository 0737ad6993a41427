// What every pure opcode computes, on u32. The only definition: the interpreters call it, and the
// weights' circuits are proved against it. Wrap-around happens on std::uint32_t alone.
#pragma once

#include <bit>
#include <cstdint>

#include "isa/trap.h"

#include "isa/word.h"

namespace txvm::isa {


constexpr std::int32_t Signed(Word a) { return static_cast<std::int32_t>(a); }

inline constexpr Word kIntMin = 0x80000000u;
inline constexpr Word kMinusOne = 0xFFFFFFFFu;
inline constexpr Word kShiftMask = 31;  // shift counts are taken mod 32

// clang-format off
constexpr Word Add(Word a, Word b)  { return a + b; }
constexpr Word Sub(Word a, Word b)  { return a - b; }
constexpr Word Mul(Word a, Word b)  { return a * b; }
constexpr Word And(Word a, Word b)  { return a & b; }
constexpr Word Or(Word a, Word b)   { return a | b; }
constexpr Word Xor(Word a, Word b)  { return a ^ b; }
constexpr Word Shl(Word a, Word b)  { return a << (b & kShiftMask); }
constexpr Word ShrU(Word a, Word b) { return a >> (b & kShiftMask); }
constexpr Word ShrS(Word a, Word b) { return static_cast<Word>(Signed(a) >> (b & kShiftMask)); }
constexpr Word Rotl(Word a, Word b) { return std::rotl(a, static_cast<int>(b & kShiftMask)); }
constexpr Word Rotr(Word a, Word b) { return std::rotr(a, static_cast<int>(b & kShiftMask)); }
constexpr Word Eqz(Word a)          { return a == 0 ? 1u : 0u; }
constexpr Word Eq(Word a, Word b)   { return a == b ? 1u : 0u; }
constexpr Word Ne(Word a, Word b)   { return a != b ? 1u : 0u; }
constexpr Word LtU(Word a, Word b)  { return a < b ? 1u : 0u; }
constexpr Word GtU(Word a, Word b)  { return a > b ? 1u : 0u; }
constexpr Word LeU(Word a, Word b)  { return a <= b ? 1u : 0u; }
constexpr Word GeU(Word a, Word b)  { return a >= b ? 1u : 0u; }
constexpr Word LtS(Word a, Word b)  { return Signed(a) < Signed(b) ? 1u : 0u; }
constexpr Word GtS(Word a, Word b)  { return Signed(a) > Signed(b) ? 1u : 0u; }
constexpr Word LeS(Word a, Word b)  { return Signed(a) <= Signed(b) ? 1u : 0u; }
constexpr Word GeS(Word a, Word b)  { return Signed(a) >= Signed(b) ? 1u : 0u; }
constexpr Word Clz(Word a)          { return static_cast<Word>(std::countl_zero(a)); }
constexpr Word Ctz(Word a)          { return static_cast<Word>(std::countr_zero(a)); }
constexpr Word Popcnt(Word a)       { return static_cast<Word>(std::popcount(a)); }
constexpr Word Neg(Word a)          { return 0u - a; }
constexpr Word Abs(Word a)          { return (a & kIntMin) != 0 ? 0u - a : a; }
constexpr Word Select(Word a, Word b, Word c) { return c != 0 ? a : b; }
// clang-format on

constexpr Word SignExtend8(Word a) {
  return static_cast<Word>(static_cast<std::int32_t>(static_cast<std::int8_t>(a & 0xFFu)));
}
constexpr Word SignExtend16(Word a) {
  return static_cast<Word>(static_cast<std::int32_t>(static_cast<std::int16_t>(a & 0xFFFFu)));
}

/// True when DIV_S must trap `integer overflow`: the quotient 2^31 has no i32.
constexpr bool DivSOverflows(Word a, Word b) { return a == kIntMin && b == kMinusOne; }

/// Quotients and remainders. REQUIRES: b != 0, and for DivS not DivSOverflows(a, b).
constexpr Word DivU(Word a, Word b) { return a / b; }
constexpr Word RemU(Word a, Word b) { return a % b; }
constexpr Word DivS(Word a, Word b) { return static_cast<Word>(Signed(a) / Signed(b)); }
constexpr Word RemS(Word a, Word b) {
  return b == kMinusOne ? 0u : static_cast<Word>(Signed(a) % Signed(b));
}

}  // namespace txvm::isa
