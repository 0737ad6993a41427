/* Numbers from text, sorting, searching, rand. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int abs(int value) { return value < 0 ? -value : value; }
long labs(long value) { return value < 0 ? -value : value; }
long long llabs(long long value) { return value < 0 ? -value : value; }
div_t div(int a, int b) { return (div_t){a / b, a % b}; }
ldiv_t ldiv(long a, long b) { return (ldiv_t){a / b, a % b}; }
lldiv_t lldiv(long long a, long long b) { return (lldiv_t){a / b, a % b}; }
intmax_t imaxabs(intmax_t value) { return value < 0 ? -value : value; }
imaxdiv_t imaxdiv(intmax_t a, intmax_t b) { return (imaxdiv_t){a / b, a % b}; }

static int digit_value(int c) {
  if (isdigit(c)) return c - '0';
  return isalpha(c) ? tolower(c) - 'a' + 10 : 99;
}

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

static void swap_bytes(unsigned char* a, unsigned char* b, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const unsigned char kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
}

typedef int compare_function(const void*, const void*);

static void sift_down(unsigned char* base, size_t at, size_t count, size_t size,
                      compare_function* compare) {
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && compare(base + child * size, base + (child + 1) * size) < 0) ++child;
    if (compare(base + at * size, base + child * size) >= 0) return;
    swap_bytes(base + at * size, base + child * size, size);
  }
}

/* Heap sort: no recursion, no extra memory, n log n whatever the input. */
void qsort(void* base, size_t count, size_t size, compare_function* compare) {
  unsigned char* bytes = base;
  for (size_t i = count / 2; i-- > 0;) sift_down(bytes, i, count, size, compare);
  for (size_t last = count; last-- > 1;) {
    swap_bytes(bytes, bytes + last * size, size);
    sift_down(bytes, 0, last, size, compare);
  }
}

void* bsearch(const void* key, const void* base, size_t count, size_t size,
              compare_function* compare) {
  const unsigned char* first = base;
  while (count > 0) {
    const unsigned char* middle = first + count / 2 * size;
    const int order = compare(key, middle);
    if (order == 0) return (void*)middle;
    if (order > 0) {
      first = middle + size;
      count -= count / 2 + 1;
    } else {
      count /= 2;
    }
  }
  return NULL;
}

static uint32_t random_state = 1;

void srand(unsigned seed) { random_state = seed; }

/* A linear congruential step, then a mix of its high bits into the low ones. */
int rand(void) {
  random_state = random_state * 1664525u + 1013904223u;
  uint32_t mixed = random_state;
  mixed = (mixed ^ (mixed >> 16)) * 0x45D9F3Bu;
  return (int)((mixed ^ (mixed >> 16)) & RAND_MAX);
}
