// scanf and its relatives, against those of the native library.
#include <gtest/gtest.h>

#include <string>

#include "tests/frontends/c/c_runner.h"

namespace txvm::tests {
namespace {

TEST(CScan, NumbersAsEverywhere) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
static void number(const char* text, const char* format) {
  char with_end[40];
  long long value = -77;
  int end = -1;
  snprintf(with_end, sizeof with_end, "%s%%n", format);
  const int found = sscanf(text, with_end, &value, &end);
  printf("[%s] %s: %d %lld %d\n", text, format, found, value, end);
}
int main(void) {
  static const char* const texts[] = {
      "0", "-1", "+42x", " \t\n7", "", " ", "x", "-", "+-3", "0x1F", "0X1fg", "0x", "0xg", "-0x10",
      "017", "089", "08", "ff", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
      "-9223372036854775809", "18446744073709551615", "18446744073709551616", "-18446744073709551616",
      "-18446744073709551615", "99999999999999999999999", "ffffffffffffffff", "10000000000000000",
      "1234567", "-12345", "00012", "1152921504606846976", "1152921504606846977777"};
  static const char* const formats[] = {
      "%lld", "%lli", "%llu", "%llx", "%llX", "%llo", "%3lld", "%1lli", "%2lli", "%3llx", "%2llx",
      "%20lld", " %lld", "x%lld", "%jd", "%%%lld"};
  for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    for (unsigned k = 0; k < sizeof formats / sizeof formats[0]; ++k) number(texts[i], formats[k]);
  }
  return 0;
}
)");
}

TEST(CScan, ObjectsOfEverySize) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
int main(void) {
  struct { signed char a; short b; int c; unsigned char d; unsigned short e; unsigned f; } all = {0};
  printf("%d ", sscanf("300 70000 5000000000 300 70000 5000000000", "%hhd%hd%d%hhu%hu%u", &all.a,
                       &all.b, &all.c, &all.d, &all.e, &all.f));
  printf("%d %d %d %d %d %u\n", all.a, all.b, all.c, all.d, all.e, all.f);
  signed char first;
  short second;
  int third = 9;
  long long fourth;
  printf("%d ", sscanf("ab 12 cd", "%*s%hhn%*d%hn%*c%n%*s%lln", &first, &second, &third, &fourth));
  printf("%d %d %d %lld\n", first, second, third, fourth);
  int8_t byte;
  uint64_t wide;
  uintptr_t address;
  printf("%d ", sscanf("-7 ffffffffff 12", "%" SCNd8 "%" SCNx64 "%" SCNuPTR, &byte, &wide, &address));
  printf("%d %" PRIx64 " %d\n", byte, wide, (int)address);
  long number;
  size_t size;
  void* pointer;
  printf("%d ", sscanf("-5 6 0x1234 z", "%ld%zu%p", &number, &size, &pointer));
  printf("%ld %zu %x\n", number, size, (unsigned)(uintptr_t)pointer);
  return 0;
}
)");
}

TEST(CScan, TextAsEverywhere) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
#include <string.h>
static void text(const char* from, const char* format) {
  char with_end[40], to[20];
  int end = -1;
  memset(to, '.', sizeof to);
  to[sizeof to - 1] = '\0';
  snprintf(with_end, sizeof with_end, "%s%%n", format);
  const int found = sscanf(from, with_end, to, &end);
  printf("[%s] %s: %d [%s] %d\n", from, format, found, to, end);
}
int main(void) {
  static const char* const formats[] = {
      "%s", "%4s", "%c", "%3c", "%[a-z]", "%[^a-z]", "%5[^ ]", "%[]a]", "%[^]a]", "%[a-]", "%[-a]",
      "%[^\n]", "%[0-9a-f-]", " %c", "%% %s", "a%s", "%2[z-a]", "%[+--]"};
  static const char* const texts[] = {
      "", " ", "abc", "  two words", "a-b]c", "]a", "12ab-cd\nline", "%x", "% y", "\xe4\xf6", "z", "-",
      "a", "a b", "  %  q", "+,-."};
  for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    for (unsigned k = 0; k < sizeof formats / sizeof formats[0]; ++k) text(texts[i], formats[k]);
  }
  int number = 0;
  char name[8];
  printf("%d ", sscanf("key = 12", "%7[^= ] = %d", name, &number));
  printf("%s %d\n", name, number);
  printf("%d %d\n", sscanf("5", "%*d%d", &number), sscanf("5 x", "%*d%d", &number));
  printf("%d %d\n", sscanf("", "abc"), sscanf("ab", "abc%d", &number));
  printf("%d %d %d\n", sscanf("", ""), sscanf("", " "), sscanf("", "%n", &number));
  return 0;
}
)");
}

TEST(CScan, StreamsKeepWhatDoesNotFit) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
int main(void) {
  int n, sum = 0, code;
  char word[10], rest[50];
  printf("%d\n", scanf("%d items:", &n));
  for (int value; n > 0; --n) sum += scanf("%d,", &value) == 1 ? value : 0;
  printf("%d\n", sum);
  printf("%d %s|", scanf("%9s", word) == 1, word);
  printf("%c|", getchar());
  printf("%d|", scanf("%d", &n));
  printf("%c|\n", getchar());
  printf("%d ", scanf(" %49[^\n]", rest));
  printf("%s|%d ", rest, fscanf(stdin, "%x", &n));
  printf("%d\n", n);
  printf("%d ", scanf("-%d", &n));
  printf("%c|\n", getchar());
  while ((code = scanf("%d", &n)) == 1) printf("<%d>", n);
  printf("%d %d\n", code, feof(stdin) != 0);
  return 0;
}
)",
                    "3 items: 1, 2,3\nsomethinglong z -q the rest of line\n-ff -x 10 20 30\n");
}

TEST(CScan, FloatsAreRead) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
static void item(const char* text) {
  float f = -1;
  double d = -1;
  long double l = -1;
  int end = -1;
  const int a = sscanf(text, "%f%n", &f, &end);
  printf("%s: %d %.9g %d", text, a, f, end);
  const int b = sscanf(text, " %4lf", &d);
  printf(" %d %.17g", b, d);
  const int c = sscanf(text, "%Lg", &l);
  printf(" %d %.10Lg\n", c, l);
}
int main(void) {
  static const char* const texts[] = {"1.5", "-2e3x", ".5.", "1e", "1e+", "0x1.8p1", "0x", "inf",
                                      "INFINITYx", "nan", "n", "", " 7", "+", "-.", "1e300",
                                      "123456789012345678901234567890"};
  for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; ++i) item(texts[i]);
  double x, y;
  while (scanf("%lf,%lf", &x, &y) == 2) printf("%g %g\n", x, y);
  return 0;
}
)",
                    "1,2\n3.5,-4e2 5,x");
}

}  // namespace
}  // namespace txvm::tests
