/* math.h: the gamma function and the error function. */
#include "library.h"

#include "exponential.h"

static const pair half_ln_2pi = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
static const pair two_by_root_pi = {0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56};
static const pair one_by_root_pi = {0x1.20dd750429b6dp-1, 0x1.1ae3a914fed80p-57};

/* ln of gamma(x) for x of 20 and more, by Stirling's series. */
static pair stirling(pair x) {
  const double y = 1 / x.hi, z = y * y;
  double p = -3617.0 / 122400;
  p = p * z + 1.0 / 156;
  p = p * z - 691.0 / 360360;
  p = p * z + 1.0 / 1188;
  p = p * z - 1.0 / 1680;
  p = p * z + 1.0 / 1260;
  p = p * z - 1.0 / 360;
  const pair first = divide((pair){1, 0}, multiply((pair){12, 0}, x));
  pair sum = multiply(add(x, (pair){-0.5, 0}), logarithm(x));
  sum = add(sum, (pair){-x.hi, -x.lo});
  sum = add(sum, add(half_ln_2pi, first));
  return add(sum, (pair){p * z * y, 0});
}

enum { kLeastOfStirling = 20 };

/* x (x + 1) ... up to before 20 * 2^-*k; *last becomes what follows. */
static pair rising_product(double x, pair* last, int* k) {
  pair product = {1, 0}, at = {x, 0};
  *k = 0;
  while (at.hi < kLeastOfStirling) {
    product = multiply(product, at);
    at = add(at, (pair){1, 0});
    if (magnitude_of(product.hi) > 0x1p500) {
      product = (pair){product.hi * 0x1p-500, product.lo * 0x1p-500};
      *k += 500;
    }
  }
  *last = at;
  return product;
}

static double own_tgamma(double x) {
  if (is_nan(x) || x == (double)INFINITY) return x;
  if (x == 0) return 1 / x;
  if (x < 0 && x == __builtin_floor(x)) return (double)NAN;
  if (x > 172) return (double)INFINITY;
  if (x < -190) return (long long)__builtin_floor(x) & 1 && x > -0x1p53 ? -0.0 : 0.0;
  pair last;
  int k, scale;
  const pair product = rising_product(x, &last, &scale);
  const pair ln = stirling(last);
  const pair e = one_more(exponential(ln.hi, ln.lo, &k));
  return scaled(divide(e, product).hi, k - scale);
}

static double own_lgamma(double x) {
  enum { kMostSteps = 200 };
  if (is_nan(x)) return x;
  if (magnitude_of(x) == (double)INFINITY || (x <= 0 && x == __builtin_floor(x))) {
    return (double)INFINITY;
  }
  if (x == 1 || x == 2) return 0;
  if (x > 0x1.754d9278b51a7p+1014) return (double)INFINITY;
  if (x > 0x1p60) return x * (logarithm((pair){x, 0}).hi - 1);
  if (x < -kMostSteps) { /* gamma(x) gamma(1 - x) = pi / sin(pi x) */
    const double t = 0x1.921fb54442d18p+1 * (x - __builtin_rint(x)), z = t * t;
    double p = 0;
    for (int i = 23; i > 1; i -= 2) p = (1 - p) * z / (i * (i - 1));
    const double sine = magnitude_of(t) * (1 - p);
    const pair ln = logarithm((pair){0x1.921fb54442d18p+1 / (sine * -x), 0});
    const pair other = stirling((pair){-x, 0});
    return add(ln, (pair){-other.hi, -other.lo}).hi;
  }
  pair last;
  int k;
  pair product = rising_product(x, &last, &k);
  if (product.hi < 0) product = (pair){-product.hi, -product.lo};
  const pair ln = logarithm(product);
  const pair sum = add(stirling(last), (pair){-ln.hi, -ln.lo});
  return add(sum, (pair){-k * ln2_hi, -k * ln2_lo}).hi;
}

/* erf for x in [0, 1]: a series of positive numbers. */
static pair error_series(double x) {
  const pair square = product_of(x, x), twice = {2 * square.hi, 2 * square.lo};
  pair term = {x, 0}, sum = term;
  for (int n = 3; term.hi > sum.hi * 0x1p-64; n += 2) {
    term = divide(multiply(term, twice), (pair){n, 0});
    sum = add(sum, term);
  }
  int k;
  const pair e = one_more(exponential(-square.hi, -square.lo, &k));
  sum = multiply(multiply(sum, two_by_root_pi), e);
  return (pair){scaled(sum.hi, k), scaled(sum.lo, k)};
}

/* erfc * 2^-*k for x of 1 and more: a continued fraction, from its end. */
static pair error_fraction(double x, int* k) {
  const pair square = product_of(x, x);
  const double twice = 2 * square.hi;
  double tail = 1;
  for (int n = 12 + (int)(260 / square.hi); n > 2; --n) tail = 1 + n / (twice * tail);
  pair f = {tail, 0};
  const pair both = {2 * square.hi, 2 * square.lo};
  for (int n = 2; n > 0; --n) {
    f = add((pair){1, 0}, divide((pair){n, 0}, multiply(both, f)));
  }
  const pair e = one_more(exponential(-square.hi, -square.lo, k));
  return divide(multiply(e, one_by_root_pi), multiply((pair){x, 0}, f));
}

static double own_erfc(double x) {
  if (is_nan(x)) return x;
  const double a = magnitude_of(x);
  pair value;
  int k = 0;
  if (a < 1) {
    const pair e = a < 0x1p-60 ? (pair){a, 0} : error_series(a);
    value = add((pair){1, 0}, (pair){-e.hi, -e.lo});
  } else if (a > 28) {
    value = (pair){0, 0};
  } else {
    value = error_fraction(a, &k);
  }
  if (x > 0) return scaled(value.hi, k);
  return add((pair){2, 0}, (pair){-scaled(value.hi, k), -scaled(value.lo, k)}).hi;
}

static double own_erf(double x) {
  if (is_nan(x) || x == 0) return x;
  const double a = magnitude_of(x);
  double y = 1;
  if (a < 0x1p-1000) {
    y = scaled(scaled(a, 100) * two_by_root_pi.hi, -100);
  } else if (a < 1) {
    y = error_series(a).hi;
  } else if (a < 6) {
    int k;
    const pair c = error_fraction(a, &k);
    y = add((pair){1, 0}, (pair){-scaled(c.hi, k), -scaled(c.lo, k)}).hi;
  }
  return x < 0 ? -y : y;
}

#define BOTH(name)                               \
  double name(double x) { return own_##name(x); } \
  float name##f(float x) { return (float)own_##name(x); }
BOTH(erf)
BOTH(erfc)
BOTH(lgamma)
BOTH(tgamma)
