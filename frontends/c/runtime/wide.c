/* What clang calls for integers of 128 bits. Not only `__int128` needs it: so does a 64-bit product
   whose overflow is asked for, and a sum over a 64-bit counter that clang makes a formula of. */
#include <stdint.h>

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

/* Clang writes out shifts by a constant: none of these is a call of the functions below. */
static uint64_t high_of(unsigned_wide value) { return (uint64_t)(value >> 64); }
static uint64_t low_of(unsigned_wide value) { return (uint64_t)value; }
static unsigned_wide joined(uint64_t high, uint64_t low) { return (unsigned_wide)high << 64 | low; }

/* All 128 bits of a product, from those of its halves. */
static unsigned_wide product(uint64_t a, uint64_t b) {
  const uint64_t a_low = (uint32_t)a, a_high = a >> 32;
  const uint64_t b_low = (uint32_t)b, b_high = b >> 32;
  const uint64_t first = a_low * b_low;
  const uint64_t second = a_high * b_low + (first >> 32);
  const uint64_t third = a_low * b_high + (uint32_t)second;
  return joined(a_high * b_high + (second >> 32) + (third >> 32), third << 32 | (uint32_t)first);
}

wide __multi3(wide a, wide b) {
  const unsigned_wide lower = product((uint64_t)a, (uint64_t)b);
  const uint64_t crossed =
      high_of((unsigned_wide)a) * (uint64_t)b + (uint64_t)a * high_of((unsigned_wide)b);
  return (wide)joined(high_of(lower) + crossed, low_of(lower));
}

/* The count of a shift is below 128. */
static unsigned_wide shifted_left(unsigned_wide a, int count) {
  if (count >= 64) return joined(low_of(a) << (count - 64), 0);
  if (count == 0) return a;
  return joined(high_of(a) << count | low_of(a) >> (64 - count), low_of(a) << count);
}

/* Bits of `fill`, 0 or all ones, come in from above. */
static unsigned_wide shifted_right(unsigned_wide a, int count, uint64_t fill) {
  if (count == 0) return a;
  if (count == 64) return joined(fill, high_of(a));
  if (count > 64) return joined(fill, high_of(a) >> (count - 64) | fill << (128 - count));
  return joined(high_of(a) >> count | fill << (64 - count),
                low_of(a) >> count | high_of(a) << (64 - count));
}

wide __ashlti3(wide a, int count) { return (wide)shifted_left((unsigned_wide)a, count); }
wide __lshrti3(wide a, int count) { return (wide)shifted_right((unsigned_wide)a, count, 0); }
wide __ashrti3(wide a, int count) {
  return (wide)shifted_right((unsigned_wide)a, count, a < 0 ? UINT64_MAX : 0);
}

static int leading_zeros(unsigned_wide a) {
  return high_of(a) != 0 ? __builtin_clzll(high_of(a)) : 64 + __builtin_clzll(low_of(a) | 1);
}

/* The quotient; `rest` becomes the remainder. Bit by bit from the quotient's first. */
static unsigned_wide divide(unsigned_wide a, unsigned_wide b, unsigned_wide* rest) {
  *rest = 0;
  if (b == 0) {
    const volatile uint64_t zero = 0; /* unknown to clang, which would drop a division by 0 */
    return high_of(a) / zero;
  }
  if (high_of(a) == 0 && high_of(b) == 0) {
    *rest = low_of(a) % low_of(b);
    return low_of(a) / low_of(b);
  }
  unsigned_wide quotient = 0;
  int bit = leading_zeros(b) - leading_zeros(a);
  for (unsigned_wide part = bit > 0 ? shifted_left(b, bit) : b; bit >= 0; --bit, part >>= 1) {
    quotient <<= 1;
    if (a < part) continue;
    a -= part;
    quotient |= 1;
  }
  *rest = a;
  return quotient;
}

unsigned_wide __udivti3(unsigned_wide a, unsigned_wide b) {
  unsigned_wide rest;
  return divide(a, b, &rest);
}

unsigned_wide __umodti3(unsigned_wide a, unsigned_wide b) {
  unsigned_wide rest;
  divide(a, b, &rest);
  return rest;
}

static unsigned_wide magnitude(wide a) { return a < 0 ? 0 - (unsigned_wide)a : (unsigned_wide)a; }

wide __divti3(wide a, wide b) {
  const unsigned_wide quotient = __udivti3(magnitude(a), magnitude(b));
  return (wide)((a < 0) != (b < 0) ? 0 - quotient : quotient);
}

wide __modti3(wide a, wide b) {
  const unsigned_wide rest = __umodti3(magnitude(a), magnitude(b));
  return (wide)(a < 0 ? 0 - rest : rest);
}

/* A product and whether it needs more than 128 bits. */
wide __muloti4(wide a, wide b, int* overflows) {
  const wide least = (wide)((unsigned_wide)1 << 127);
  const wide low = __multi3(a, b);
  const int is_negated_least = (a == -1 && b == least) || (b == -1 && a == least);
  *overflows = is_negated_least || (a != 0 && __divti3(low, a) != b);
  return low;
}
