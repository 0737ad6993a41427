/* long double, of 128 bits, from and to double. */
#pragma once
#include <stdint.h>

union quad {
  long double value;
  uint64_t halves[2]; /* low, high */
};

union quad_double {
  double value;
  uint64_t bits;
};

static double double_of_quad(long double x) {
  enum { kBiasesApart = 16383 - 1023, kMost = 0x7FF };
  const union quad quad = {x};
  const uint64_t high = quad.halves[1], low = quad.halves[0];
  union quad_double to;
  int exponent = (int)(high >> 48) & 0x7FFF;
  uint64_t mantissa = (high & 0xFFFFFFFFFFFF) << 4 | low >> 60;
  uint64_t rest = low << 4; /* after the mantissa's last bit, as a part of 2^64 */
  if (exponent == 0x7FFF) {
    to.bits = (uint64_t)kMost << 52 | mantissa | ((mantissa | rest) != 0 ? 1ull << 51 : 0);
  } else if (exponent <= kBiasesApart - 54) {
    to.bits = 0;
  } else {
    exponent -= kBiasesApart;
    if (exponent <= 0) {
      mantissa |= 1ull << 52;
      const int shift = 1 - exponent;
      rest = mantissa << (64 - shift) | (rest != 0);
      mantissa = shift > 63 ? 0 : mantissa >> shift;
      exponent = 0;
    }
    const uint64_t half = 1ull << 63;
    const int is_up = rest > half || (rest == half && (mantissa & 1));
    to.bits = ((uint64_t)exponent << 52) + mantissa + (uint64_t)is_up;
    if (exponent >= kMost || to.bits >> 52 >= kMost) to.bits = (uint64_t)kMost << 52;
  }
  to.bits |= high & 1ull << 63;
  return to.value;
}

static long double quad_of_double(double x) {
  const union quad_double from = {x};
  union quad quad;
  int exponent = (int)(from.bits >> 52) & 0x7FF;
  uint64_t mantissa = from.bits & (UINT64_MAX >> 12);
  if (exponent == 0x7FF) {
    exponent = 0x7FFF;
  } else if (exponent != 0) {
    exponent += 16383 - 1023;
  } else if (mantissa != 0) {
    const int zeros = __builtin_clzll(mantissa) - 11;
    mantissa = (mantissa << zeros) & (UINT64_MAX >> 12);
    exponent = 16383 - 1022 - zeros;
  }
  quad.halves[0] = mantissa << 60;
  quad.halves[1] = (from.bits & 1ull << 63) | (uint64_t)exponent << 48 | mantissa >> 4;
  return quad.value;
}
