/* Numbers from text, rand. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conversion.h"

int abs(int value) { return value < 0 ? -value : value; }
long labs(long value) { return value < 0 ? -value : value; }
long long llabs(long long value) { return value < 0 ? -value : value; }
div_t div(int a, int b) { return (div_t){a / b, a % b}; }
ldiv_t ldiv(long a, long b) { return (ldiv_t){a / b, a % b}; }
lldiv_t lldiv(long long a, long long b) { return (lldiv_t){a / b, a % b}; }
intmax_t imaxabs(intmax_t value) { return value < 0 ? -value : value; }
imaxdiv_t imaxdiv(intmax_t a, intmax_t b) { return (imaxdiv_t){a / b, a % b}; }

struct number {
  uint64_t value; /* the magnitude, at most what was asked for */
  int is_minus, is_greater;
};

/* The number at `text`; its magnitude is cut at `most`, with ERANGE. */
static struct number parse_number(const char* text, char** end, int base, uint64_t most) {
  const char* at = text;
  while (isspace((unsigned char)*at)) ++at;
  struct number number = {0, *at == '-', 0};
  if (*at == '-' || *at == '+') ++at;
  const int has_prefix =
      at[0] == '0' && (at[1] | 0x20) == 'x' && digit_value((unsigned char)at[2]) < 16;
  if ((base == 0 || base == 16) && has_prefix) {
    at += 2;
    base = 16;
  }
  if (base == 0) base = *at == '0' ? 8 : 10;
  const char* first = at;
  for (int digit; (digit = digit_value((unsigned char)*at)) < base; ++at) {
    const uint64_t b = (uint64_t)base, d = (uint64_t)digit;
    if (number.value > (most - d) / b) {
      number.value = most;
      number.is_greater = 1;
      errno = ERANGE;
    } else {
      number.value = number.value * b + d;
    }
  }
  if (end != NULL) *end = (char*)(at == first ? text : at);
  return number;
}

static uint64_t parse_signed(const char* text, char** end, int base, uint64_t greatest) {
  const struct number number = parse_number(text, end, base, greatest + 1);
  if (number.is_minus) return 0 - number.value;
  if (number.value <= greatest) return number.value;
  errno = ERANGE;
  return greatest;
}

static uint64_t parse_unsigned(const char* text, char** end, int base, uint64_t greatest) {
  const struct number number = parse_number(text, end, base, greatest);
  if (number.is_greater) return greatest; /* whatever its sign */
  return number.is_minus ? 0 - number.value : number.value;
}

/* Whether there are numbers of a base; if not, none is read. */
static int has_base(const char* text, char** end, int base) {
  if (base == 0 || (base >= 2 && base <= 36)) return 1;
  errno = EINVAL;
  if (end != NULL) *end = (char*)text;
  return 0;
}

static long parse_long(const char* text, char** end, int base) {
  return (long)parse_signed(text, end, base, LONG_MAX);
}
static long long parse_long_long(const char* text, char** end, int base) {
  return (long long)parse_signed(text, end, base, LLONG_MAX);
}

long strtol(const char* restrict text, char** restrict end, int base) {
  return has_base(text, end, base) ? parse_long(text, end, base) : 0;
}
long long strtoll(const char* restrict text, char** restrict end, int base) {
  return has_base(text, end, base) ? parse_long_long(text, end, base) : 0;
}
unsigned long strtoul(const char* restrict text, char** restrict end, int base) {
  return has_base(text, end, base) ? (unsigned long)parse_unsigned(text, end, base, ULONG_MAX) : 0;
}
unsigned long long strtoull(const char* restrict text, char** restrict end, int base) {
  return has_base(text, end, base) ? parse_unsigned(text, end, base, ULLONG_MAX) : 0;
}
intmax_t strtoimax(const char* restrict text, char** restrict end, int base) {
  return strtoll(text, end, base);
}
uintmax_t strtoumax(const char* restrict text, char** restrict end, int base) {
  return strtoull(text, end, base);
}
int atoi(const char* text) { return (int)parse_long(text, NULL, 10); }
long atol(const char* text) { return parse_long(text, NULL, 10); }
long long atoll(const char* text) { return parse_long_long(text, NULL, 10); }

/* glibc's additive feedback: each number is the sum of those 3 and 31 before it, in a ring. */
enum { kRing = 31, kLag = 3, kDropped = 310 };
static uint32_t ring[kRing];
static int ring_at = -1; /* -1: srand was not called */

static uint32_t next_random(void) {
  const int at = ring_at;
  ring[at] += ring[at < kLag ? at + kRing - kLag : at - kLag];
  ring_at = at + 1 < kRing ? at + 1 : 0;
  return ring[at];
}

/* The first numbers are a minimal standard generator's: 16807 times the last, modulo 2^31 - 1. */
void srand(unsigned seed) {
  int32_t word = seed == 0 ? 1 : (int32_t)seed;
  for (int i = 0; i < kRing; ++i) {
    ring[i] = (uint32_t)word;
    word = 16807 * (word % 127773) - 2836 * (word / 127773);
    if (word < 0) word += INT32_MAX;
  }
  ring_at = kLag;
  for (int i = 0; i < kDropped; ++i) next_random();
}

int rand(void) {
  if (ring_at < 0) srand(1);
  return (int)(next_random() >> 1);
}

int rand_r(unsigned* seed) {
  unsigned value = 0;
  for (int i = 0; i < 3; ++i) {
    *seed = *seed * 1103515245u + 12345u;
    const unsigned part = *seed >> 16 & (i == 0 ? 0x7FF : 0x3FF);
    value = i == 0 ? part : value << 10 ^ part;
  }
  return (int)value;
}

long random(void) { return rand(); }
void srandom(unsigned seed) { srand(seed); }
