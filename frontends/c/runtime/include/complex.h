/* Complex numbers of double, by math.h's functions: each part is as near as they are, except where
   the formula cancels. Those of float and long double convert. */
#pragma once
#include <math.h>
#define complex _Complex
#define _Complex_I (__extension__ 1.0iF)
#define I _Complex_I
#define CMPLX(x, y) __txvm_complex(x, y)
#define creal(z) ((double)__real__(double _Complex)(z))
#define cimag(z) ((double)__imag__(double _Complex)(z))
#define crealf(z) ((float)creal(z))
#define cimagf(z) ((float)cimag(z))
static inline double _Complex __txvm_complex(double x, double y) {
  double _Complex z;
  __real__ z = x;
  __imag__ z = y;
  return z;
}
static inline double _Complex conj(double _Complex z) { return CMPLX(creal(z), -cimag(z)); }
static inline double cabs(double _Complex z) { return hypot(creal(z), cimag(z)); }
static inline double carg(double _Complex z) { return atan2(cimag(z), creal(z)); }
static inline double _Complex cexp(double _Complex z) {
  const double size = exp(creal(z)), angle = cimag(z);
  return CMPLX(size * cos(angle), angle == 0 ? angle : size * sin(angle));
}
static inline double _Complex clog(double _Complex z) { return CMPLX(log(cabs(z)), carg(z)); }
static inline double _Complex csqrt(double _Complex z) {
  const double x = creal(z), y = cimag(z);
  if (x == 0 && y == 0) return CMPLX(0, y);
  const double half = sqrt((cabs(z) + fabs(x)) / 2);
  return x >= 0 ? CMPLX(half, y / (2 * half)) : CMPLX(fabs(y) / (2 * half), copysign(half, y));
}
static inline double _Complex cpow(double _Complex z, double _Complex w) {
  return creal(z) == 0 && cimag(z) == 0 ? CMPLX(0, 0) : cexp(w * clog(z));
}
static inline double _Complex csinh(double _Complex z) {
  return CMPLX(sinh(creal(z)) * cos(cimag(z)), cosh(creal(z)) * sin(cimag(z)));
}
static inline double _Complex ccosh(double _Complex z) {
  return CMPLX(cosh(creal(z)) * cos(cimag(z)), sinh(creal(z)) * sin(cimag(z)));
}
static inline double _Complex csin(double _Complex z) {
  return CMPLX(sin(creal(z)) * cosh(cimag(z)), cos(creal(z)) * sinh(cimag(z)));
}
static inline double _Complex ccos(double _Complex z) {
  return CMPLX(cos(creal(z)) * cosh(cimag(z)), -sin(creal(z)) * sinh(cimag(z)));
}
#define cabsf(z) ((float)cabs(z))
#define cargf(z) ((float)carg(z))
#define conjf(z) ((float _Complex)conj(z))
#define cexpf(z) ((float _Complex)cexp(z))
#define csqrtf(z) ((float _Complex)csqrt(z))
