/* What clang calls for products and quotients of complex numbers. */
#include "library.h"

static int is_endless(double x) { return __builtin_isinf(x); }

/* Where both parts are NaN though a factor is infinite, the result is infinite (C17, annex G). */
double _Complex __muldc3(double a, double b, double c, double d) {
  double x = a * c - b * d, y = a * d + b * c;
  if (__builtin_isnan(x) && __builtin_isnan(y) &&
      (is_endless(a) || is_endless(b) || is_endless(c) || is_endless(d))) {
    if (is_endless(a) || is_endless(b)) {
      a = __builtin_copysign(is_endless(a) ? 1 : 0, a);
      b = __builtin_copysign(is_endless(b) ? 1 : 0, b);
    }
    if (is_endless(c) || is_endless(d)) {
      c = __builtin_copysign(is_endless(c) ? 1 : 0, c);
      d = __builtin_copysign(is_endless(d) ? 1 : 0, d);
    }
    x = (double)INFINITY * (a * c - b * d);
    y = (double)INFINITY * (a * d + b * c);
  }
  double _Complex z;
  __real__ z = x;
  __imag__ z = y;
  return z;
}

double _Complex __divdc3(double a, double b, double c, double d) {
  double _Complex z;
  const double ac = __builtin_fabs(c), ad = __builtin_fabs(d);
  if (ac >= ad) {
    const double ratio = d / c, scale = c + d * ratio;
    __real__ z = (a + b * ratio) / scale;
    __imag__ z = (b - a * ratio) / scale;
  } else {
    const double ratio = c / d, scale = c * ratio + d;
    __real__ z = (a * ratio + b) / scale;
    __imag__ z = (b * ratio - a) / scale;
  }
  return z;
}

static float _Complex narrow(double _Complex z) {
  float _Complex to;
  __real__ to = (float)__real__ z;
  __imag__ to = (float)__imag__ z;
  return to;
}
float _Complex __mulsc3(float a, float b, float c, float d) { return narrow(__muldc3(a, b, c, d)); }
float _Complex __divsc3(float a, float b, float c, float d) { return narrow(__divdc3(a, b, c, d)); }
