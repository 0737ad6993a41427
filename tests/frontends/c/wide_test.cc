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

TEST(CWide, PartsNumbersAndUtf16EqualTheNativeLibrary) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>
#include <wctype.h>
static void leave(void) { puts("quick"); fflush(stdout); }
int main(void) {
  setlocale(LC_ALL, "C.UTF-8");
  wchar_t text[] = L"  one,two;;three ", *state, *end;
  for (wchar_t* w = wcstok(text, L" ,;", &state); w != NULL; w = wcstok(NULL, L" ,;", &state)) {
    printf("%d %d %d\n", (int)wcslen(w), (int)wcsspn(w, L"one"), (int)wcscspn(w, L"w"));
  }
  printf("%d %d\n", wcspbrk(L"abc", L"cx")[0], wmemchr(L"abc", L'z', 3) == NULL);
  printf("%.17g %d\n", wcstod(L" 12.5e3x", &end), *end);
  printf("%lld %d\n", wcstoll(L"-0x1Fg", &end, 0), *end);
  printf("%llu %d %d\n", wcstoull(L"18446744073709551615", &end, 10), *end, iswblank(L'\t') != 0);
  const char* bytes = "a\xC3\xA4\xF0\x9F\x98\x80";
  mbstate_t in = {0}, out = {0};
  char16_t c;
  for (size_t left = strlen(bytes); left > 0 || !mbsinit(&in);) {
    const size_t n = mbrtoc16(&c, bytes, left, &in);
    char back[8];
    const size_t m = c16rtomb(back, c, &out);
    printf("%d %04x %d\n", (int)n, c, (int)m);
    if (n <= left) bytes += n, left -= n;
  }
  char line[] = "x,,y", *rest = line;
  for (char* part; (part = strsep(&rest, ",")) != NULL;) printf("[%s]", part);
  const wchar_t* wide = L"gr\u00fc\u00df";
  char narrow[9];
  printf(" %d", (int)wcsrtombs(narrow, &wide, 5, &out));
  printf(" %d\n", (int)(wide - wide) + (wide != NULL));
  fflush(stdout);
  at_quick_exit(leave);
  quick_exit(3);
})");
}

}  // namespace
}  // namespace txvm::tests
