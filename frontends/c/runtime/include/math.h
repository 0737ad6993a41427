/* C17's functions of double and float; those of long double compute as double. Errors are at
   most 1 ulp; floor, sqrt, fma and their like are exact. None sets errno. */
#pragma once
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VALL __builtin_huge_vall()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define MAXFLOAT 0x1.fffffep+127f
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling 0
#define fpclassify(x) \
  __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf_sign(x)
#define isnan(x) __builtin_isnan(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) (__builtin_signbit(x) != 0)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)
typedef double double_t;
typedef float float_t;
#ifdef TXVM_RUNTIME /* which declares all of its functions weak */
#define TXVM_LONG(...)
#else
#define TXVM_LONG(...) static inline __VA_ARGS__
#endif
#define TXVM_MATH(name)    \
  double name(double x);   \
  float name##f(float x);  \
  TXVM_LONG(long double name##l(long double x) { return name((double)x); })
#define TXVM_MATH2(name)             \
  double name(double x, double y);   \
  float name##f(float x, float y);   \
  TXVM_LONG(long double name##l(long double x, long double y) { return name((double)x, (double)y); })
TXVM_MATH(acos) TXVM_MATH(acosh) TXVM_MATH(asin) TXVM_MATH(asinh) TXVM_MATH(atan) TXVM_MATH(atanh)
TXVM_MATH(cbrt) TXVM_MATH(ceil) TXVM_MATH(cos) TXVM_MATH(cosh) TXVM_MATH(erf) TXVM_MATH(erfc)
TXVM_MATH(exp) TXVM_MATH(exp2) TXVM_MATH(expm1) TXVM_MATH(fabs) TXVM_MATH(floor) TXVM_MATH(lgamma)
TXVM_MATH(log) TXVM_MATH(log10) TXVM_MATH(log1p) TXVM_MATH(log2) TXVM_MATH(logb)
TXVM_MATH(nearbyint) TXVM_MATH(rint) TXVM_MATH(round) TXVM_MATH(sin) TXVM_MATH(sinh)
TXVM_MATH(sqrt) TXVM_MATH(tan) TXVM_MATH(tanh) TXVM_MATH(tgamma) TXVM_MATH(trunc)
TXVM_MATH(exp10)
TXVM_MATH2(atan2) TXVM_MATH2(copysign) TXVM_MATH2(fdim) TXVM_MATH2(fmax) TXVM_MATH2(fmin)
TXVM_MATH2(fmod) TXVM_MATH2(hypot) TXVM_MATH2(nextafter) TXVM_MATH2(pow) TXVM_MATH2(remainder)
#undef TXVM_MATH
#undef TXVM_MATH2
double fma(double x, double y, double z);
float fmaf(float x, float y, float z);
double frexp(double x, int* exponent);
float frexpf(float x, int* exponent);
TXVM_LONG(long double frexpl(long double x, int* exponent) { return frexp((double)x, exponent); })
double ldexp(double x, int exponent);
float ldexpf(float x, int exponent);
TXVM_LONG(long double ldexpl(long double x, int exponent) { return ldexp((double)x, exponent); })
double scalbn(double x, int exponent);
float scalbnf(float x, int exponent);
double scalbln(double x, long exponent);
float scalblnf(float x, long exponent);
double modf(double x, double* whole);
float modff(float x, float* whole);
TXVM_LONG(long double modfl(long double x, long double* whole) {
  double part;
  const double rest = modf((double)x, &part);
  *whole = part;
  return rest;
})
double remquo(double x, double y, int* quotient);
double nan(const char* text);
float nanf(const char* text);
double nexttoward(double x, long double y);
int ilogb(double x);
int ilogbf(float x);
long lround(double x);
long lroundf(float x);
TXVM_LONG(long lroundl(long double x) { return lround((double)x); })
long long llround(double x);
long long llroundf(float x);
long lrint(double x);
long lrintf(float x);
long long llrint(double x);
long long llrintf(float x);
