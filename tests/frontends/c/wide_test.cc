// Integers of 128 bits in C, against gcc's.
#include <gtest/gtest.h>

#include <string>

#include "tests/frontends/c/c_runner.h"

namespace txvm::tests {
namespace {

/// The same source with gcc, and with the runtime at two levels.
void ExpectEqualWide(const std::string& source) { ExpectEqualOutput(source, "", {0, 2}); }

TEST(CWide, SumsOverACounterAreFormulas) {
  SKIP_WITHOUT_C();
  ExpectEqualWide(R"(#include <stdio.h>
int main(void) {
  volatile unsigned long long limit = 1000;
  unsigned long long sum = 0, squares = 0;
  for (unsigned long long i = 0; i < limit; ++i) sum += i;
  for (unsigned long long i = 0; i < limit; ++i) squares += i * i;
  printf("%llu %llu\n", sum, squares);
  return 0;
}
)");
}

TEST(CWide, ProductsTellWhetherTheyOverflow) {
  SKIP_WITHOUT_C();
  ExpectEqualWide(R"(#include <stdio.h>
static volatile long long values[] = {0, 1, -1, 3037000500, -3037000500, 1LL << 62, 4294967296,
                                      0x7FFFFFFFFFFFFFFF, -0x7FFFFFFFFFFFFFFF - 1};
int main(void) {
  for (int i = 0; i < 9; ++i) {
    for (int k = 0; k < 9; ++k) {
      long long a = values[i], b = values[k], c;
      unsigned long long d;
      __int128 e = (__int128)a << 60, f;
      printf("%d ", __builtin_mul_overflow(a, b, &c));
      printf("%d ", __builtin_mul_overflow((unsigned long long)a, (unsigned long long)b, &d));
      printf("%d ", __builtin_mul_overflow(e, b, &f));
      printf("%llx %llx %llx %llx\n", c, d, (long long)f, (long long)(f >> 64));
    }
  }
  return 0;
}
)");
}

TEST(CWide, EveryOperationOf128Bits) {
  SKIP_WITHOUT_C();
  ExpectEqualWide(R"(#include <stdio.h>
typedef unsigned __int128 wide;
static unsigned long long state = 88172645463325252u;
static unsigned long long next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}
static wide number(void) {
  const wide value = (wide)next() << 64 | next();
  switch (next() % 5) {
    case 0: return value >> 64;
    case 1: return value >> 96;
    case 2: return value | (wide)~0ull << 64;
    case 3: return (wide)1 << 127;
    default: return value;
  }
}
static void show(wide value) {
  printf("%llx %llx,", (unsigned long long)(value >> 64), (unsigned long long)value);
}
int main(void) {
  for (int i = 0; i < 128; ++i) {
    volatile wide a = number(), b = number() | 1;
    const __int128 c = (__int128)a, d = (__int128)b;
    volatile int count = i;
    show(a * b), show(a + b), show(a - b), show(a / b), show(a % b);
    show(a << count), show(a >> count), show((wide)(c >> count));
    if (d != -1) show((wide)(c / d)), show((wide)(c % d));
    printf("%d %d\n", a < b, c < d);
  }
  return 0;
}
)");
}

TEST(CWide, DivisionByZeroTraps) {
  SKIP_WITHOUT_C();
  const Outcome outcome = RunOnBoth(Compile(R"(#include <stdio.h>
int main(int count, char** words) {
  volatile unsigned __int128 a = (unsigned __int128)7 << 100, zero = 0;
  return (int)(a / zero);
}
)",
                                            {}));
  EXPECT_TRUE(outcome.end.starts_with("trapped integer divide by zero")) << outcome.end;
}

}  // namespace
}  // namespace txvm::tests
