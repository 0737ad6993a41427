/* e^x and the natural logarithm in two doubles. */
#pragma once
#include "double_double.h"

static const double ln2_hi = 0x1.62e42feep-1, ln2_lo = 0x1.a39ef35793c76p-33;

/* e^(hi + lo) = (1 + result) * 2^k, for |hi| < 1100. */
static pair exponential(double hi, double lo, int* k) {
  const double n = __builtin_rint(hi * 0x1.71547652b82fep+0);
  *k = (int)n;
  const pair r = sum_of(hi - n * ln2_hi, lo - n * ln2_lo);
  const double x = r.hi;
  double p = 1.0 / 6227020800;
  p = p * x + 1.0 / 479001600;
  p = p * x + 1.0 / 39916800;
  p = p * x + 1.0 / 3628800;
  p = p * x + 1.0 / 362880;
  p = p * x + 1.0 / 40320;
  p = p * x + 1.0 / 5040;
  p = p * x + 1.0 / 720;
  p = p * x + 1.0 / 120;
  p = p * x + 1.0 / 24;
  p = p * x + 1.0 / 6;
  p = p * x + 0.5;
  return ordered_sum(x, x * x * p + (r.lo + r.lo * x));
}

/* 1 + x */
static pair one_more(pair x) {
  const pair s = sum_of(1, x.hi);
  return ordered_sum(s.hi, s.lo + x.lo);
}

/* e^(hi + lo) */
static double exponential_value(double hi, double lo) {
  if (hi > 710) return scaled(1, 2000);
  if (hi < -746) return 0;
  int k;
  const pair e = one_more(exponential(hi, lo, &k));
  return scaled(e.hi, k);
}

/* ln of x, which is positive and finite. */
static pair logarithm(pair x) {
  int k = exponent_of(x.hi);
  pair m = {scaled(x.hi, -k), scaled(x.lo, -k)};
  if (m.hi > 0x1.6a09e667f3bcdp+0) {
    m = (pair){m.hi / 2, m.lo / 2};
    ++k;
  }
  const pair s = divide(sum_of(m.hi - 1, m.lo), add((pair){1, 0}, m));
  const pair z = multiply(s, s);
  const double y = z.hi;
  double p = 1.0 / 27;
  p = p * y + 1.0 / 25;
  p = p * y + 1.0 / 23;
  p = p * y + 1.0 / 21;
  p = p * y + 1.0 / 19;
  p = p * y + 1.0 / 17;
  p = p * y + 1.0 / 15;
  p = p * y + 1.0 / 13;
  p = p * y + 1.0 / 11;
  p = p * y + 1.0 / 9;
  p = p * y + 1.0 / 7;
  static const pair fifth = {0.2, -0x1.999999999999ap-57};
  static const pair third = {1.0 / 3, 0x1.5555555555555p-56};
  pair v = add(fifth, (pair){p * y, 0});
  v = add(third, multiply(v, z));
  v = multiply(multiply(v, z), s);
  v = add(s, v);
  v = (pair){2 * v.hi, 2 * v.lo};
  return k == 0 ? v : add(sum_of(k * ln2_hi, k * ln2_lo), v);
}
