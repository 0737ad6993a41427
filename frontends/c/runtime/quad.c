/* What clang calls for long double, which has 128 bits in its calls and in memory and computes as
   double. */
#include "library.h"

#include "quad.h"

#define ARITHMETIC(name, operator)                                  \
  long double name(long double a, long double b) {                  \
    return quad_of_double(double_of_quad(a) operator double_of_quad(b)); \
  }
ARITHMETIC(__addtf3, +)
ARITHMETIC(__subtf3, -)
ARITHMETIC(__multf3, *)
ARITHMETIC(__divtf3, /)

/* -1, 0 or 1; `unordered` where one is no number. */
static int compare(long double a, long double b, int unordered) {
  const double x = double_of_quad(a), y = double_of_quad(b);
  return x < y ? -1 : x > y ? 1 : x == y ? 0 : unordered;
}
int __eqtf2(long double a, long double b) { return compare(a, b, 1); }
int __netf2(long double a, long double b) { return compare(a, b, 1); }
int __lttf2(long double a, long double b) { return compare(a, b, 1); }
int __letf2(long double a, long double b) { return compare(a, b, 1); }
int __gttf2(long double a, long double b) { return compare(a, b, -1); }
int __getf2(long double a, long double b) { return compare(a, b, -1); }
int __unordtf2(long double a, long double b) { return compare(a, b, 2) == 2; }

#define FROM(name, type) \
  long double name(type x) { return quad_of_double((double)x); }
FROM(__extenddftf2, double)
FROM(__extendsftf2, float)
FROM(__floatsitf, int)
FROM(__floatunsitf, unsigned)
FROM(__floatditf, long long)
FROM(__floatunditf, unsigned long long)

#define TO(name, type) \
  type name(long double x) { return (type)double_of_quad(x); }
TO(__trunctfdf2, double)
TO(__trunctfsf2, float)
TO(__fixtfsi, int)
TO(__fixunstfsi, unsigned)
TO(__fixtfdi, long long)
TO(__fixunstfdi, unsigned long long)
