/* math.h: what has an exact result: parts of numbers, remainders, roundings. */
#include "library.h"

#include "double_double.h"
#include "quad.h"

#define BOTH(name, value)                        \
  double name(double x) { return (double)(value); } \
  float name##f(float x) { return (float)(value); }
BOTH(ceil, __builtin_ceil(x))
BOTH(fabs, __builtin_fabs(x))
BOTH(floor, __builtin_floor(x))
BOTH(nearbyint, __builtin_rint(x))
BOTH(rint, __builtin_rint(x))
BOTH(trunc, __builtin_trunc(x))
double sqrt(double x) { return __builtin_sqrt(x); }
float sqrtf(float x) { return __builtin_sqrtf(x); }

static double own_round(double x) {
  const double whole = __builtin_trunc(x);
  if (__builtin_fabs(x - whole) < 0.5) return whole;
  return x == whole || is_nan(x) ? x : whole + __builtin_copysign(1, x);
}
BOTH(round, own_round(x))

/* Numbers without an integer of the type give the least one, as x86 has it. */
static long to_long(double x) { return x >= -0x1p31 && x < 0x1p31 ? (long)x : LONG_MIN; }
static long long to_long_long(double x) {
  return x >= -0x1p63 && x < 0x1p63 ? (long long)x : LLONG_MIN;
}
long lround(double x) { return to_long(own_round(x)); }
long lroundf(float x) { return to_long(own_round(x)); }
long long llround(double x) { return to_long_long(own_round(x)); }
long long llroundf(float x) { return to_long_long(own_round(x)); }
long lrint(double x) { return to_long(__builtin_rint(x)); }
long lrintf(float x) { return to_long(__builtin_rint(x)); }
long long llrint(double x) { return to_long_long(__builtin_rint(x)); }
long long llrintf(float x) { return to_long_long(__builtin_rint(x)); }

#define BOTH2(name, value)                                 \
  double name(double x, double y) { return (double)(value); } \
  float name##f(float x, float y) { return (float)(value); }
BOTH2(copysign, __builtin_copysign(x, y))
BOTH2(fmax, is_nan(x) ? y : is_nan(y) || x > y ? x : x == y && !__builtin_signbit(x) ? x : y)
BOTH2(fmin, is_nan(x) ? y : is_nan(y) || x < y ? x : x == y && __builtin_signbit(x) ? x : y)
double fdim(double x, double y) { return is_nan(x) || is_nan(y) ? x + y : x > y ? x - y : 0; }
float fdimf(float x, float y) { return is_nan(x) || is_nan(y) ? x + y : x > y ? x - y : 0; }

static int is_endless(double x) { return is_nan(x) || __builtin_fabs(x) == (double)INFINITY; }

static double own_frexp(double x, int* exponent) {
  *exponent = 0;
  if (x == 0 || is_endless(x)) return x;
  *exponent = exponent_of(x) + 1;
  return scaled(x, -*exponent);
}
double frexp(double x, int* exponent) { return own_frexp(x, exponent); }
float frexpf(float x, int* exponent) { return (float)own_frexp(x, exponent); }
double ldexp(double x, int exponent) { return scaled(x, exponent); }
double scalbn(double x, int exponent) { return scaled(x, exponent); }
double scalbln(double x, long exponent) { return scaled(x, (int)exponent); }
float ldexpf(float x, int exponent) { return (float)scaled(x, exponent); }
float scalbnf(float x, int exponent) { return (float)scaled(x, exponent); }
float scalblnf(float x, long exponent) { return (float)scaled(x, (int)exponent); }

static double own_modf(double x, double* whole) {
  *whole = __builtin_trunc(x);
  if (is_nan(x)) return x;
  return __builtin_copysign(x == *whole ? 0 : x - *whole, x);
}
double modf(double x, double* whole) { return own_modf(x, whole); }
float modff(float x, float* whole) {
  double part;
  const double rest = own_modf(x, &part);
  *whole = (float)part;
  return (float)rest;
}

static double own_logb(double x) {
  if (x == 0) return -(double)INFINITY;
  return is_endless(x) ? x * x : exponent_of(x);
}
BOTH(logb, own_logb(x))

static int own_ilogb(double x) {
  if (x == 0 || is_nan(x)) return FP_ILOGB0;
  return __builtin_fabs(x) == (double)INFINITY ? INT_MAX : exponent_of(x);
}
int ilogb(double x) { return own_ilogb(x); }
int ilogbf(float x) { return own_ilogb(x); }

/* |x| as an integer times 2^*exponent. */
static uint64_t integer_of(double x, int* exponent) {
  const uint64_t bits = bits_of(x) & (UINT64_MAX >> 1);
  const int biased = (int)(bits >> 52);
  *exponent = (biased != 0 ? biased : 1) - 1075;
  return biased != 0 ? (bits & (UINT64_MAX >> 12)) | 1ull << 52 : bits;
}

/* |x| modulo |y|, y not 0, both finite; *quotient becomes the quotient's last bits. */
static double remainder_of(double x, double y, unsigned* quotient) {
  enum { kStep = 11 /* bits that are free above a mantissa */ };
  int ex, ey;
  uint64_t a = integer_of(x, &ex);
  uint64_t b = integer_of(y, &ey);
  *quotient = 0;
  if (ex < ey) { /* y's mantissa takes the smaller exponent, where it has room */
    if (ey - ex > kStep) return __builtin_fabs(x);
    b <<= ey - ex;
    ey = ex;
  }
  *quotient = (unsigned)(a / b);
  a %= b;
  int left = ex - ey;
  while (left > 0 && a != 0) {
    const int step = left < kStep ? left : kStep;
    a <<= step;
    *quotient = *quotient << step | (unsigned)(a / b);
    a %= b;
    left -= step;
  }
  *quotient = left < 32 ? *quotient << left : 0;
  return scaled((double)a, ey);
}

static double own_fmod(double x, double y) {
  if (is_nan(x) || is_nan(y) || is_endless(x) || y == 0) return (x * y) / (x * y);
  if (__builtin_fabs(x) < __builtin_fabs(y)) return x;
  unsigned quotient;
  return __builtin_copysign(remainder_of(x, y, &quotient), x);
}
BOTH2(fmod, own_fmod(x, y))

static double own_remquo(double x, double y, int* bits) {
  *bits = 0;
  if (is_nan(x) || is_nan(y) || is_endless(x) || y == 0) return (x * y) / (x * y);
  if (is_endless(y)) return x;
  const double b = __builtin_fabs(y);
  unsigned quotient;
  double rest = remainder_of(x, y, &quotient);
  const double other = b - rest; /* exact where it is the smaller one */
  if (rest > other || (rest == other && (quotient & 1))) {
    rest = -other;
    ++quotient;
  }
  const int low = (int)(quotient & 7);
  *bits = __builtin_signbit(x) != __builtin_signbit(y) ? -low : low;
  if (rest == 0) return __builtin_copysign(0, x);
  return __builtin_signbit(x) ? -rest : rest;
}
double remquo(double x, double y, int* quotient) { return own_remquo(x, y, quotient); }
static double own_remainder(double x, double y) {
  int quotient;
  return own_remquo(x, y, &quotient);
}
BOTH2(remainder, own_remainder(x, y))

/* x * y + z, rounded once: where two doubles hold the product and the sum, their last bit says
   which side of a half they are on. */
static double own_fma(double x, double y, double z) {
  if (is_endless(z) && !is_endless(x) && !is_endless(y)) return z;
  if (is_endless(x) || is_endless(y) || is_endless(z) || x == 0 || y == 0 || z == 0) {
    if (z == 0 && x != 0 && y != 0 && !is_endless(x * y)) {
      /* the product alone: it rounds once, but for the sign of a 0 */
      const double product = x * y;
      return product == 0 && bits_of(product) >> 63 != bits_of(z) >> 63 ? product : product + z;
    }
    return x * y + z;
  }
  int ex, ey, ez;
  uint64_t a = integer_of(x, &ex), b = integer_of(y, &ey), c = integer_of(z, &ez);
  const int minus = (int)((bits_of(x) ^ bits_of(y)) >> 63), z_minus = (int)(bits_of(z) >> 63);
  unsigned __int128 product = (unsigned __int128)a * b, addend = c;
  int e = ex + ey;
  /* Both to one exponent, with room of 20 bits above; what falls out stays as the last bit. */
  for (; product >> 106 == 0; product <<= 1) --e;
  for (; addend >> 106 == 0; addend <<= 1) --ez;
  const int apart = e - ez;
  if (apart > 0) {
    addend = apart > 120 ? 1 : addend >> apart | ((addend << (127 - apart) << 1) != 0);
  } else if (apart < 0) {
    product = -apart > 120 ? 1 : product >> -apart | ((product << (127 + apart) << 1) != 0);
    e = ez;
  }
  int sum_minus = minus;
  unsigned __int128 sum;
  if (minus == z_minus) {
    sum = product + addend;
  } else if (product >= addend) {
    sum = product - addend;
  } else {
    sum = addend - product;
    sum_minus = z_minus;
  }
  if (sum == 0) return 0;
  int drop = 0; /* to 64 bits, the last of which is sticky */
  const uint64_t high = (uint64_t)(sum >> 64);
  if (high != 0) drop = 64 - __builtin_clzll(high);
  uint64_t kept = (uint64_t)(sum >> drop);
  if (drop != 0 && (sum << (128 - drop)) != 0) kept |= 1;
  e += drop;
  const int zeros = __builtin_clzll(kept);
  kept <<= zeros;
  e -= zeros;
  /* kept * 2^e has its first bit at 2^(e + 63): 53 bits stay, fewer below 2^-1022. */
  int lost = 11;
  if (e + lost < -1074) lost = -1074 - e;
  uint64_t mantissa = 0;
  if (lost <= 64) {
    const uint64_t half = 1ull << (lost - 1), rest = kept & (half | (half - 1));
    mantissa = lost == 64 ? 0 : kept >> lost;
    if (rest > half || (rest == half && (mantissa & 1))) ++mantissa;
  }
  const double value = scaled((double)mantissa, e + lost);
  return sum_minus ? -value : value;
}
double fma(double x, double y, double z) { return own_fma(x, y, z); }
/* The product of two floats is a double; a sum's rounding error decides where it is a half. */
float fmaf(float x, float y, float z) {
  const double product = (double)x * y;
  pair s = sum_of(product, z);
  if (!is_endless(s.hi) && s.lo != 0 && (bits_of(s.hi) & 0x1FFFFFFF) == 0x10000000) {
    s.hi = of_bits(bits_of(s.hi) + ((s.lo > 0) == (s.hi > 0) ? 1 : UINT64_MAX));
  }
  return (float)s.hi;
}

static double own_nextafter(double x, double y) {
  if (is_nan(x) || is_nan(y)) return x + y;
  if (x == y) return y;
  if (x == 0) return __builtin_copysign(0x1p-1074, y);
  return of_bits(bits_of(x) + ((x < y) == (x > 0) ? 1 : UINT64_MAX));
}
double nextafter(double x, double y) { return own_nextafter(x, y); }
double nexttoward(double x, long double y) { return own_nextafter(x, double_of_quad(y)); }
float nextafterf(float x, float y) {
  union {
    float value;
    uint32_t bits;
  } both = {x};
  if (is_nan(x) || is_nan(y)) return x + y;
  if (x == y) return y;
  if (x == 0) return __builtin_copysignf(0x1p-149f, y);
  both.bits += (x < y) == (x > 0) ? 1 : UINT32_MAX;
  return both.value;
}
double nan(const char* text) { return (void)text, (double)NAN; }
float nanf(const char* text) { return (void)text, NAN; }
