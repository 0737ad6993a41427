/* Numbers of two doubles, with about 105 bits; bits of doubles. */
#pragma once
#include <stdint.h>

typedef struct {
  double hi, lo;
} pair;

static uint64_t bits_of(double x) {
  union {
    double value;
    uint64_t bits;
  } both = {x};
  return both.bits;
}

static double of_bits(uint64_t bits) {
  union {
    uint64_t bits;
    double value;
  } both = {bits};
  return both.value;
}

static int is_nan(double x) { return x != x; }
static double magnitude_of(double x) { return __builtin_fabs(x); }

/* x * 2^k, rounded once. */
static double scaled(double x, int k) {
  if (k > 1023) {
    x *= 0x1p1023;
    k -= 1023;
    if (k > 1023) {
      x *= 0x1p1023;
      k = k - 1023 > 1023 ? 1023 : k - 1023;
    }
  } else if (k < -1022) {
    x *= 0x1p-969; /* leaves 53 bits, which the last product rounds */
    k += 969;
    if (k < -1022) {
      x *= 0x1p-969;
      k = k + 969 < -1022 ? -1022 : k + 969;
    }
  }
  return x * of_bits((uint64_t)(1023 + k) << 52);
}

/* The exponent k of a finite x other than 0, whose magnitude is in [2^k, 2^(k+1)). */
static int exponent_of(double x) {
  const uint64_t bits = bits_of(x) & (UINT64_MAX >> 1);
  const int biased = (int)(bits >> 52);
  return biased != 0 ? biased - 1023 : -1011 - __builtin_clzll(bits);
}

static pair sum_of(double a, double b) {
  const double s = a + b, t = s - a;
  return (pair){s, (a - (s - t)) + (b - t)};
}

/* The same where |a| >= |b|. */
static pair ordered_sum(double a, double b) {
  const double s = a + b;
  return (pair){s, b - (s - a)};
}

static pair product_of(double a, double b) {
  const uint64_t mask = ~(uint64_t)0x7FFFFFF;
  const double p = a * b, ah = of_bits(bits_of(a) & mask), bh = of_bits(bits_of(b) & mask);
  const double al = a - ah, bl = b - bh;
  return (pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static pair add(pair a, pair b) {
  const pair s = sum_of(a.hi, b.hi);
  return ordered_sum(s.hi, s.lo + (a.lo + b.lo));
}

static pair multiply(pair a, pair b) {
  const pair p = product_of(a.hi, b.hi);
  return ordered_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static pair divide(pair a, pair b) {
  const double q = a.hi / b.hi;
  const pair p = product_of(q, b.hi);
  return ordered_sum(q, (((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo)) / b.hi);
}

static pair square_root(pair a) {
  const double q = __builtin_sqrt(a.hi);
  if (q == 0) return (pair){0, 0};
  const pair p = product_of(q, q);
  return ordered_sum(q, (((a.hi - p.hi) - p.lo) + a.lo) / (2 * q));
}
