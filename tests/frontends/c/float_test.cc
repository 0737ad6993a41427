// Floats of the C library: printf, strtod and math.h against gcc's library.
#include <gtest/gtest.h>

#include <string>

#include "tests/frontends/c/c_runner.h"

namespace txvm::tests {
namespace {

// Doubles from random bits, of every size and kind.
const std::string kRandomDoubles = R"(#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static uint64_t state = 88172645463325252;
static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}
static double any(void) {
  uint64_t bits = next();
  double x;
  switch (next() % 4) {
    case 0: return (double)(int)(next() % 2000001 - 1000000) / (1 << next() % 12);
    case 1: return (double)(next() % 1000000) / 1000;
    case 2: bits >>= next() % 64; break;
  }
  memcpy(&x, &bits, 8);
  return isnan(x) ? 0.5 : x;
}
)";

TEST(CFloat, EveryConversionPrintsWhatGccPrints) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(kRandomDoubles + R"(
int main(void) {
  static const char* const formats[] = {"%f",    "%e",   "%g",     "%a",   "%.0f", "%+.3e", "%#g",
                                        "%012.4f", "%-14.2E|", "% G", "%.17g", "%.15g", "%.0e", "%A",
                                        "%.3a", "%#.0f", "%25.20f", "%.40g", "%.1f"};
  for (int i = 0; i < 150; ++i) {
    const double x = any();
    printf(formats[i % (sizeof formats / sizeof formats[0])], x);
    puts("");
  }
  static const double special[] = {0.0, -0.0, 1.0 / 3, 0.5, 1.5, 2.5, 9.5, 99.95, 999999.5, 1e15,
                                   1e16, 1e-4, 1e-5, 5e-324, 1.7976931348623157e308};
  for (unsigned i = 0; i < sizeof special / sizeof special[0]; ++i) {
    printf("%g %.0f %.1f %e %a %G\n", special[i], special[i], special[i], special[i], special[i],
           special[i]);
  }
  printf("%f %F %5g|%-5g|%05g|%+g %Lf %.3Lg\n", INFINITY, -INFINITY, INFINITY, NAN, -INFINITY, NAN,
         2.5L, 10.0L / 3);
  return 0;
}
)");
}

TEST(CFloat, TextsAreReadAsGccReadsThem) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(kRandomDoubles + R"(#include <errno.h>
static void show(const char* text) {
  char *end, *float_end;
  errno = 0;
  const double d = strtod(text, &end);
  const int error = errno;
  errno = 0;
  const float f = strtof(text, &float_end);
  printf("%s: %a %d %d, %a %d %d\n", text, d, (int)(end - text), error, f, (int)(float_end - text),
         errno);
}
int main(void) {
  static const char* const texts[] = {
      "0", "-0", "1e", "1e+5", "0x", "0x1p", "0x.8", ".", "+.5", "inf", "-INFINITY", "nan", "1e400",
      "-1e-400", "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
      "2.2250738585072011e-308", "1.7976931348623159e308", "0x1.fffffffffffff8p1023", "0x1p-1075",
      "0x1.8p-1075", "9007199254740993", "9007199254740993.000000000000000000000000000000000001",
      "0e999999999", "3.4028236e38", "0.70064923216240854e-45", "16777217", "x", "", "1.2.3"};
  for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; ++i) show(texts[i]);
  for (int i = 0; i < 60; ++i) {
    char text[400];
    snprintf(text, sizeof text, i % 2 ? "%.17g" : "%.25e", any());
    show(text);
  }
  printf("%g\n", atof(" 12.5kg"));
  return 0;
}
)");
}

// What is exact in IEEE 754 is compared as it is, the rest with a digit less than it has.
TEST(CFloat, ConstantsAreRoundedAfterEachOperation) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
int main(void) {
  double tenth = 0.1, ten = 10.0, one = 1.0;
  float third = 1.0f / 3, three = 3.0f;
  printf("%a %a\n", tenth * ten - one, third * three - 1.0f);
  return 0;
}
)");
}

TEST(CFloat, MathIsThere) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(kRandomDoubles + R"(
int main(void) {
  for (int i = 0; i < 40; ++i) {
    const double x = (double)(int)(next() % 20000) / 1000 - 10, y = any(), a = fabs(x) + 0.001;
    int k;
    double whole;
    printf("%a %a %a %a", fmod(y, x), remainder(x, 0.75), fma(x, x, -x * x), frexp(y, &k));
    printf(" %d %a %a %a %ld", k, modf(x, &whole), round(x), nextafter(x, y), lround(x));
    printf(" %a %a %a\n", ldexp(x, k), fmax(x, y), sqrt(a));
    printf("%.14g %.14g %.14g %.14g %.14g ", sin(x), cos(x), tan(x), atan(x), atan2(x, a));
    printf("%.14g %.14g %.14g %.14g %.14g ", exp(x), log(a), pow(a, x), cbrt(x), hypot(x, a));
    printf("%.14g %.14g %.14g %.14g %.14g ", sinh(x), tanh(x), log2(a), log10(a), expm1(x));
    printf("%.14g %.14g %.14g\n", tgamma(a), erf(x / 4), asin(x / 10));
  }
  printf("%g %g %g\n", pow(10, 3), pow(2, -1), sqrt(-1) == sqrt(-1) ? 1.0 : 0.0);
  printf("%d %d %d %d\n", fpclassify(0.0), isnan(NAN), !!isinf(-INFINITY), !!signbit(-0.0));
  printf("%.6f %.6f\n", sinf(0.5f), (double)sinl(0.5L));
  printf("%.15g\n", M_PI);
  return 0;
}
)");
}

}  // namespace
}  // namespace txvm::tests
