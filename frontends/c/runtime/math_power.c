/* math.h: exponentials, logarithms, powers and roots. */
#include "library.h"

#include "exponential.h"

static const pair ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const pair ln10 = {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53};
static const pair per_ln2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
static const pair per_ln10 = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};

#define FLOAT(name, own) \
  float name##f(float x) { return (float)own(x); }
#define BOTH(name, own)                \
  double name(double x) { return own(x); } \
  FLOAT(name, own)

static double own_exp(double x) { return is_nan(x) ? x : exponential_value(x, 0); }

/* base^x, where `ln` is the base's logarithm and `most` the greatest x that is worth a product. */
static double power_of(double x, pair ln, double most) {
  if (is_nan(x)) return x;
  if (x > most) return scaled(1, 2000);
  if (x < -1.1 * most) return 0;
  const pair p = multiply((pair){x, 0}, ln);
  return exponential_value(p.hi, p.lo);
}

static double own_exp2(double x) {
  if (magnitude_of(x) < 1100 && x == __builtin_rint(x)) return scaled(1, (int)x);
  return power_of(x, ln2, 1030);
}
static double own_exp10(double x) { return power_of(x, ln10, 310); }

/* e^x - 1 for x up to 50 */
static pair less_one(double x) {
  int k;
  const pair m = exponential(x, 0, &k);
  if (k == 0) return m;
  const pair e = one_more(m);
  return add((pair){scaled(e.hi, k), scaled(e.lo, k)}, (pair){-1, 0});
}

static double own_expm1(double x) {
  if (is_nan(x) || magnitude_of(x) < 0x1p-54) return x;
  if (x > 50) return own_exp(x);
  if (x < -50) return -1;
  return less_one(x).hi;
}

/* e^x / 2 for x above 40 */
static double half_exponential(double x) {
  if (x > 711) return scaled(1, 2000);
  int k;
  const pair e = one_more(exponential(x, 0, &k));
  return scaled(e.hi, k - 1);
}

static double own_sinh(double x) {
  const double a = magnitude_of(x);
  if (is_nan(x) || a < 0x1p-28) return x;
  double y;
  if (a > 40) {
    y = half_exponential(a);
  } else {
    const pair e = less_one(a);
    y = add(e, divide(e, one_more(e))).hi / 2;
  }
  return x < 0 ? -y : y;
}

static double own_cosh(double x) {
  const double a = magnitude_of(x);
  if (is_nan(x)) return x;
  if (a > 40) return half_exponential(a);
  const pair e = one_more(less_one(a));
  return add(e, divide((pair){1, 0}, e)).hi / 2;
}

static double own_tanh(double x) {
  const double a = magnitude_of(x);
  if (is_nan(x) || a < 0x1p-28) return x;
  double y = 1;
  if (a < 22) {
    const pair e = less_one(2 * a);
    y = divide(e, add(e, (pair){2, 0})).hi;
  }
  return x < 0 ? -y : y;
}

/* The logarithms' values outside of their domain: -infinity at 0, NaN below, x of itself above. */
static int is_no_argument(double x, double* value) {
  if (x > 0 && x < (double)INFINITY) return 0;
  *value = x == 0 ? -(double)INFINITY : x < 0 ? (double)NAN : x;
  return 1;
}

static double own_log(double x) {
  double value;
  if (is_no_argument(x, &value)) return value;
  int k = exponent_of(x);
  double m = scaled(x, -k);
  if (m > 0x1.6a09e667f3bcdp+0) {
    m /= 2;
    ++k;
  }
  const double f = m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
  double p = 2.0 / 23;
  p = p * z + 2.0 / 21;
  p = p * z + 2.0 / 19;
  p = p * z + 2.0 / 17;
  p = p * z + 2.0 / 15;
  p = p * z + 2.0 / 13;
  p = p * z + 2.0 / 11;
  p = p * z + 2.0 / 9;
  p = p * z + 2.0 / 7;
  p = p * z + 2.0 / 5;
  p = p * z + 2.0 / 3;
  return k * ln2_hi - ((half - (s * (half + p * z) + k * ln2_lo)) - f);
}

static double own_log2(double x) {
  double value;
  return is_no_argument(x, &value) ? value : multiply(logarithm((pair){x, 0}), per_ln2).hi;
}

static double own_log10(double x) {
  double value;
  return is_no_argument(x, &value) ? value : multiply(logarithm((pair){x, 0}), per_ln10).hi;
}

static double own_log1p(double x) {
  double value;
  if (magnitude_of(x) < 0x1p-54) return x;
  if (is_no_argument(1 + x, &value)) return value;
  return logarithm(sum_of(1, x)).hi;
}

/* ln of a number above 2^28, twice as large */
static double logarithm_of_twice(double x) { return add(logarithm((pair){x, 0}), ln2).hi; }

static double own_asinh(double x) {
  const double a = magnitude_of(x);
  if (is_nan(x) || a < 0x1p-28 || a == (double)INFINITY) return x;
  double y;
  if (a > 0x1p28) {
    y = logarithm_of_twice(a);
  } else {
    y = logarithm(add(square_root(add(product_of(a, a), (pair){1, 0})), (pair){a, 0})).hi;
  }
  return x < 0 ? -y : y;
}

static double own_acosh(double x) {
  if (is_nan(x) || x == (double)INFINITY) return x;
  if (x < 1) return (double)NAN;
  if (x > 0x1p28) return logarithm_of_twice(x);
  if (x == 1) return 0;
  const pair square = multiply(sum_of(x, -1), sum_of(x, 1));
  return logarithm(add(square_root(square), (pair){x, 0})).hi;
}

static double own_atanh(double x) {
  const double a = magnitude_of(x);
  if (is_nan(x) || a < 0x1p-28) return x;
  if (a > 1) return (double)NAN;
  if (a == 1) return x / 0.0;
  const double y = logarithm(divide(sum_of(1, a), sum_of(1, -a))).hi / 2;
  return x < 0 ? -y : y;
}

enum parity { kNoInteger, kOdd, kEven };

static enum parity parity_of(double y) {
  if (magnitude_of(y) >= 0x1p53) return kEven;
  if (y != __builtin_rint(y)) return kNoInteger;
  return (long long)y & 1 ? kOdd : kEven;
}

/* x^y where one of them is 0 or infinite, or x is 1 */
static double limit_power(double a, double y, double sign) {
  if (a == 1) return sign;
  const int grows = (a > 1) == (y > 0);
  return grows ? sign * (double)INFINITY : sign * 0.0;
}

static double own_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (is_nan(x) || is_nan(y)) return x + y;
  const double a = magnitude_of(x);
  const enum parity parity = parity_of(y);
  double sign = 1;
  if (bits_of(x) >> 63) {
    if (parity == kOdd) sign = -1;
    if (parity == kNoInteger && a != 0 && a != (double)INFINITY) return (double)NAN;
  }
  if (magnitude_of(y) == (double)INFINITY) return limit_power(a, y, 1);
  if (a == 0 || a == (double)INFINITY || a == 1) return limit_power(a, y, sign);
  if (y == 1) return x;
  const pair ln = logarithm((pair){a, 0});
  const double about = y * ln.hi;
  if (about > 720) return sign * scaled(1, 2000);
  if (about < -760) return sign * 0.0;
  if (magnitude_of(about) < 0x1p-60) return sign;
  const pair p = multiply((pair){y, 0}, ln);
  return sign * exponential_value(p.hi, p.lo);
}

static double own_cbrt(double x) {
  if (x == 0 || is_nan(x) || magnitude_of(x) == (double)INFINITY) return x;
  int k = exponent_of(x);
  k -= (k % 3 + 3) % 3;
  const double a = scaled(magnitude_of(x), -k); /* in [1, 8) */
  double r = 0.74 + a * (0.295 - a * 0.0174);
  for (int i = 0; i < 3; ++i) {
    const double cube = r * r * r;
    r = r * (cube + 2 * a) / (2 * cube + a);
  }
  const pair square = product_of(r, r), cube = multiply(square, (pair){r, 0});
  r += ((a - cube.hi) - cube.lo) / (3 * square.hi);
  return scaled(x < 0 ? -r : r, k / 3);
}

static double own_hypot(double x, double y) {
  double a = magnitude_of(x), b = magnitude_of(y);
  if (a == (double)INFINITY || b == (double)INFINITY) return (double)INFINITY;
  if (is_nan(a) || is_nan(b)) return a + b;
  if (a < b) {
    const double kept = a;
    a = b;
    b = kept;
  }
  if (b == 0 || a / b > 0x1p60) return a + b;
  const int k = exponent_of(a);
  a = scaled(a, -k);
  b = scaled(b, -k);
  return scaled(square_root(add(product_of(a, a), product_of(b, b))).hi, k);
}

BOTH(acosh, own_acosh)
BOTH(asinh, own_asinh)
BOTH(atanh, own_atanh)
BOTH(cbrt, own_cbrt)
BOTH(cosh, own_cosh)
BOTH(exp, own_exp)
BOTH(exp10, own_exp10)
BOTH(exp2, own_exp2)
BOTH(expm1, own_expm1)
BOTH(log, own_log)
BOTH(log10, own_log10)
BOTH(log1p, own_log1p)
BOTH(log2, own_log2)
BOTH(sinh, own_sinh)
BOTH(tanh, own_tanh)
double pow(double x, double y) { return own_pow(x, y); }
float powf(float x, float y) { return (float)own_pow(x, y); }
double hypot(double x, double y) { return own_hypot(x, y); }
float hypotf(float x, float y) { return (float)own_hypot(x, y); }
