/* math.h: sine and its relatives. */
#include "library.h"

#include "double_double.h"

static const pair half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const pair pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/* 2/pi, after the binary point */
static const uint32_t two_by_pi[] = {
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB,
    0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E,
    0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B,
    0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7,
    0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1,
    0x1F8D5D08, 0x56033046, 0xFC7B6BAB, 0xF0CFBC20, 0x9AF4361D, 0xA9E39161, 0x5EE61B08};

enum { kWindow = 7 /* words of 2/pi that a product needs */ };

/* x = quarter * pi/2 + result, with the result in [-pi/4, pi/4], for a finite x. The product with
   2/pi is an integer's: of its words, those above the quarters do not matter. */
static pair reduce(double x, int* quarter) {
  *quarter = 0;
  const double a = magnitude_of(x);
  if (a <= 0x1.921fb54442d18p-1) return (pair){x, 0};
  const int exponent = exponent_of(x) - 52; /* a = mantissa * 2^exponent */
  const uint64_t mantissa = (bits_of(x) & (UINT64_MAX >> 12)) | 1ull << 52;
  /* Bit `first` after the point of 2/pi has the weight 2 in the product, or it is the first. */
  const int first = exponent > 2 ? exponent - 2 : 0;
  const int word = first / 32, shift = first % 32;
  uint32_t product[kWindow + 2];
  uint64_t carry = 0, carry_high = 0;
  const uint32_t low = (uint32_t)mantissa, high = (uint32_t)(mantissa >> 32);
  uint64_t previous = 0;
  for (int i = kWindow; i-- > 0;) {
    const uint32_t part = (uint32_t)((((uint64_t)two_by_pi[word + i] << 32 |
                                       two_by_pi[word + i + 1]) << shift) >> 32);
    carry += (uint64_t)part * low;
    const uint64_t sum = (carry & UINT32_MAX) + (previous & UINT32_MAX) + (carry_high & UINT32_MAX);
    product[i + 2] = (uint32_t)sum;
    carry = (carry >> 32) + (sum >> 32);
    carry_high = (carry_high >> 32) + (previous >> 32);
    previous = (uint64_t)part * high;
  }
  const uint64_t top = carry + (previous & UINT32_MAX) + (carry_high & UINT32_MAX);
  product[1] = (uint32_t)top;
  product[0] = (uint32_t)((top >> 32) + (previous >> 32) + (carry_high >> 32));
  /* The product's unit is 2^(exponent - first - 32 * kWindow): bit `point` is 1. */
  const int point = 32 * kWindow - (exponent - first);
  const int at = kWindow + 1 - point / 32, within = point % 32;
  const uint64_t three[2] = {(uint64_t)product[at] << 32 | product[at + 1],
                             (uint64_t)product[at + 2] << 32 | product[at + 3]};
  const uint32_t last = product[at + 4];
  *quarter = (int)(product[at] >> within & 3);
  if (within > 30) *quarter = (int)((product[at] >> 31 | product[at - 1] << 1) & 3);
  /* The 128 bits after the point. */
  const int left = 32 - within;
  uint64_t upper = three[0] << left | (left == 0 ? 0 : three[1] >> (64 - left));
  uint64_t lower = three[1] << left | (left == 0 ? 0 : (uint64_t)last << 32 >> (64 - left));
  double sign = 1;
  if (upper >> 63) {
    lower = ~lower;
    upper = ~upper;
    sign = -1;
    ++*quarter;
  }
  if (upper == 0) upper = 1; /* no double is so near */
  const int zeros = __builtin_clzll(upper);
  if (zeros > 0) {
    upper = upper << zeros | lower >> (64 - zeros);
    lower <<= zeros;
  }
  /* Its first 53 bits, then 53 more. */
  const double high_part = (double)(upper >> 11);
  const double low_part = (double)((upper & 0x7FF) << 42 | lower >> 22) * 0x1p-53;
  const double unit = sign * scaled(1, -53 - zeros);
  const pair f = ordered_sum(high_part * unit, low_part * unit);
  pair y = multiply(f, half_pi);
  if (x < 0) {
    y = (pair){-y.hi, -y.lo};
    *quarter = -*quarter;
  }
  *quarter &= 3;
  return y;
}

static pair sine(pair y) {
  const double x = y.hi, z = x * x;
  double p = 1.0 / 355687428096000;
  p = p * z - 1.0 / 1307674368000;
  p = p * z + 1.0 / 6227020800;
  p = p * z - 1.0 / 39916800;
  p = p * z + 1.0 / 362880;
  p = p * z - 1.0 / 5040;
  p = p * z + 1.0 / 120;
  p = p * z - 1.0 / 6;
  return ordered_sum(x, x * z * p + (y.lo - 0.5 * z * y.lo));
}

static pair cosine(pair y) {
  const double x = y.hi;
  const pair z = product_of(x, x);
  double p = 1.0 / 6402373705728000;
  p = 1.0 / 20922789888000 - p * z.hi;
  p = p * z.hi - 1.0 / 87178291200;
  p = p * z.hi + 1.0 / 479001600;
  p = p * z.hi - 1.0 / 3628800;
  p = p * z.hi + 1.0 / 40320;
  p = p * z.hi - 1.0 / 720;
  p = p * z.hi + 1.0 / 24;
  const pair c = ordered_sum(1, -0.5 * z.hi);
  return ordered_sum(c.hi, c.lo + (z.hi * z.hi * p - 0.5 * z.lo - x * y.lo));
}

static int is_outside(double x) { return is_nan(x) || magnitude_of(x) == (double)INFINITY; }

static double own_sin(double x) {
  if (is_outside(x)) return x - x;
  if (magnitude_of(x) < 0x1p-27) return x;
  int quarter;
  const pair y = reduce(x, &quarter);
  const double value = quarter & 1 ? cosine(y).hi : sine(y).hi;
  return quarter & 2 ? -value : value;
}

static double own_cos(double x) {
  if (is_outside(x)) return x - x;
  int quarter;
  const pair y = reduce(x, &quarter);
  const double value = quarter & 1 ? sine(y).hi : cosine(y).hi;
  return (quarter + 1) & 2 ? -value : value;
}

static double own_tan(double x) {
  if (is_outside(x)) return x - x;
  if (magnitude_of(x) < 0x1p-27) return x;
  int quarter;
  const pair y = reduce(x, &quarter);
  const pair s = sine(y), c = cosine(y);
  return quarter & 1 ? -divide(c, s).hi : divide(s, c).hi;
}

/* atan(j / 8) */
static const pair eighths[] = {
    {0x0.0p+0, 0x0.0p+0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

static pair negated(pair a) { return (pair){-a.hi, -a.lo}; }

/* The angle in [0, pi/2] whose tangent is a / b, of numbers that are not negative and not both 0. */
static pair angle(pair a, pair b) {
  const int is_steep = a.hi > b.hi;
  if (is_steep) {
    const pair kept = a;
    a = b;
    b = kept;
  }
  const double j = __builtin_rint(8 * (a.hi / b.hi));
  const pair part = {j / 8, 0};
  pair t;
  if (j == 0) {
    t = divide(a, b);
  } else {
    t = divide(add(a, negated(multiply(part, b))), add(b, multiply(part, a)));
  }
  const double z = t.hi * t.hi;
  double p = 1.0 / 15;
  p = 1.0 / 13 - p * z;
  p = 1.0 / 11 - p * z;
  p = 1.0 / 9 - p * z;
  p = 1.0 / 7 - p * z;
  p = 1.0 / 5 - p * z;
  p = 1.0 / 3 - p * z;
  pair y = ordered_sum(t.hi, t.lo - t.hi * z * p);
  if (j != 0) y = add(eighths[(int)j], y);
  return is_steep ? add(half_pi, negated(y)) : y;
}

static double own_atan(double x) {
  const double a = magnitude_of(x);
  if (is_nan(x) || a < 0x1p-27) return x;
  const double y = a > 0x1p60 ? half_pi.hi : angle((pair){a, 0}, (pair){1, 0}).hi;
  return x < 0 ? -y : y;
}

static double own_atan2(double y, double x) {
  if (is_nan(x) || is_nan(y)) return x + y;
  const int is_left = (int)(bits_of(x) >> 63), is_below = (int)(bits_of(y) >> 63);
  double a = magnitude_of(y), b = magnitude_of(x);
  if (a == (double)INFINITY && b == (double)INFINITY) a = b = 1;
  pair value = {0, 0};
  if (a == 0 && b == 0) {
    value.hi = 0;
  } else if (a == (double)INFINITY || b == 0) {
    value = half_pi;
  } else if (b != (double)INFINITY && a != 0) {
    const int k = exponent_of(b), apart = exponent_of(a) - k;
    if (apart > 64) {
      value = half_pi;
    } else if (apart >= -64) {
      value = angle((pair){scaled(a, -k), 0}, (pair){scaled(b, -k), 0});
    } else if (!is_left) {
      value.hi = a / b;
    }
    if (!is_left && apart < -900) value.hi = a / b; /* rounded once where it is tiny */
  }
  if (is_left) value = add(pi, negated(value));
  return is_below ? -value.hi : value.hi;
}

/* sqrt(1 - a^2) */
static pair other_side(double a) { return square_root(multiply(sum_of(1, -a), sum_of(1, a))); }

static double own_asin(double x) {
  const double a = magnitude_of(x);
  if (is_nan(x) || a < 0x1p-27) return x;
  if (a > 1) return (double)NAN;
  const double y = angle((pair){a, 0}, other_side(a)).hi;
  return x < 0 ? -y : y;
}

static double own_acos(double x) {
  const double a = magnitude_of(x);
  if (is_nan(x)) return x;
  if (a > 1) return (double)NAN;
  const pair y = angle(other_side(a), (pair){a, 0});
  return x < 0 ? add(pi, negated(y)).hi : y.hi;
}

#define BOTH(name)                               \
  double name(double x) { return own_##name(x); } \
  float name##f(float x) { return (float)own_##name(x); }
BOTH(acos)
BOTH(asin)
BOTH(atan)
BOTH(cos)
BOTH(sin)
BOTH(tan)
double atan2(double y, double x) { return own_atan2(y, x); }
float atan2f(float y, float x) { return (float)own_atan2(y, x); }
