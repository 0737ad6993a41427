/* The kinds of C that a compiler makes hard for a small machine: each function is one program of
   the matrix. Arguments come from volatile memory, so that no compiler knows the results. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PROGRAM __attribute__((noinline)) static
static volatile int input[] = {-5, 27, 48, 18, 3, 10, 7, 1000, 5, 9};

PROGRAM int add(int a, int b) { return a + b; }

PROGRAM int collatz(int n) {
  int steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

PROGRAM int gcd(int a, int b) {
  while (b != 0) {
    const int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

PROGRAM int primes_below(int limit) {
  int count = 0;
  for (int n = 2; n < limit; ++n) {
    int is_prime = 1;
    for (int d = 2; d * d <= n; ++d) is_prime &= n % d != 0;
    count += is_prime;
  }
  return count;
}

PROGRAM int early_return(int n) {
  for (int i = 0; i < 100; ++i) {
    if (i * i > n) return i;
  }
  return -1;
}

PROGRAM unsigned unsigned_division(unsigned a, unsigned b) { return a / b * 100 + a % b; }

PROGRAM uint32_t fnv_words(uint32_t count) {
  uint32_t hash = 2166136261u;
  for (uint32_t i = 0; i < count; ++i) hash = (hash ^ (i * 2654435761u)) * 16777619u;
  return hash;
}

PROGRAM int absolute(int a) { return a < 0 ? -a : a; }
PROGRAM int is_less(int a, int b) { return (a - b) < 0; }

PROGRAM int write_once(int n) {
  static int squares[32];
  for (int i = 0; i < 32; ++i) squares[i] = i * i;
  return squares[n & 31];
}

PROGRAM int negative_dividend(int a, int b) { return (a - 10) / b; }
PROGRAM int negative_remainder(int a) { return (a - 100) % 7; }

PROGRAM int least_difference(int a, int b) {
  const int x = a - b, y = b - a;
  return x < y ? x : y;
}

PROGRAM int bubble_sort(int count) {
  static int values[64];
  unsigned x = 42;
  for (int i = 0; i < count; ++i) values[i] = (int)((x = x * 1664525u + 1013904223u) >> 20) - 2000;
  for (int last = count - 1; last > 0; --last) {
    for (int i = 0; i < last; ++i) {
      if (values[i] <= values[i + 1]) continue;
      const int kept = values[i];
      values[i] = values[i + 1];
      values[i + 1] = kept;
    }
  }
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i] * (i + 1);
  return sum;
}

PROGRAM int sum_to(int n) {
  int sum = 0;
  for (int i = 1; i <= n; ++i) sum += i;
  return sum;
}

PROGRAM int squares_around_zero(int n) {
  int sum = 0;
  for (int i = -n; i <= n; ++i) sum += i * i;
  return sum;
}

PROGRAM int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
PROGRAM int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

PROGRAM int twice(int x) { return 2 * x; }
PROGRAM int calls(int x) { return twice(x) + twice(twice(x)); }

PROGRAM int local_array(int n) {
  int values[16];
  for (int i = 0; i < 16; ++i) values[i] = i * n;
  int sum = 0;
  for (int i = 15; i >= 0; i -= 3) sum = sum * 3 + values[(i * 7) & 15];
  return sum;
}

static volatile int counter;
PROGRAM int count_up(int n) {
  for (int i = 0; i < n; ++i) counter += i;
  return counter;
}

PROGRAM int byte_buffer(int n) {
  unsigned char bytes[40];
  for (int i = 0; i < 40; ++i) bytes[i] = (unsigned char)(i * n);
  signed char least = 127;
  for (int i = 0; i < 40; ++i) {
    if ((signed char)bytes[i] < least) least = (signed char)bytes[i];
  }
  return least;
}

static const int table[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
PROGRAM int constant_table(int i) { return table[i & 15]; }

PROGRAM unsigned string_literal(unsigned i) {
  const char* text = "attention is all you need";
  unsigned sum = (unsigned)strlen(text);
  for (; *text != '\0'; ++text) sum = sum * 31 + (unsigned)*text * i;
  return sum;
}

PROGRAM int lookup_switch(int n) {
  switch (n) {
    case 0: return 7;
    case 1: return 11;
    case 2: return 13;
    case 3: return 17;
    case 4: return 19;
    case 5: return 25;
    case 6: return 29;
    default: return -1;
  }
}

PROGRAM int sparse_switch(int n) {
  int result = 0;
  switch (n) {
    case -5: result += 1; /* falls through */
    case 1000: result += 10; break;
    case 100000: result += 100; break;
    default: result = 5;
  }
  return result;
}

PROGRAM int minus_one(int x) { return x - 1; }
static int (*const operations[])(int) = {twice, minus_one, absolute, calls};
PROGRAM int function_pointers(int n) {
  for (int i = 0; i < 9; ++i) n = operations[(n + i) & 3](n) & 0xFFFF;
  return n;
}

struct point {
  int x, y;
  long long weight;
};
PROGRAM struct point moved(struct point p, int dx) {
  p.x += dx;
  p.weight = p.weight * p.x - p.y;
  return p;
}
PROGRAM long long structures(int n) {
  struct point p = {n, 2 * n, 1000000007LL * n};
  for (int i = 0; i < 5; ++i) p = moved(p, i);
  return p.weight + p.x;
}

PROGRAM uint64_t wide_arithmetic(uint64_t a, int64_t b) {
  uint64_t x = a * 6364136223846793005u + (uint64_t)b;
  x ^= x >> 33;
  x += (uint64_t)(b / 7) - (x % 1000003) + (x << (a & 63)) + (x >> (b & 63));
  x = (x << 13 | x >> 51) + (uint64_t)(b >> 5) + (a < x) + ((int64_t)a < b);
  return x / (a | 1) + (uint64_t)(b % (int64_t)((a | 3) >> 1)) + (uint64_t)__builtin_popcountll(x) +
         (uint64_t)__builtin_clzll(x | 1) + (uint64_t)__builtin_ctzll(x | 1u << 20);
}

int main(void) {
  const volatile int* in = input;
  printf("add %d\n", add(in[0], in[1]));
  printf("collatz %d\n", collatz(in[1]));
  printf("gcd %d\n", gcd(in[2], in[3]));
  printf("primes %d\n", primes_below(in[7]));
  printf("early return %d\n", early_return(in[7]));
  printf("unsigned division %u\n", unsigned_division((unsigned)in[0], (unsigned)in[6]));
  printf("fnv %u\n", fnv_words((uint32_t)in[7]));
  printf("abs %d\n", absolute(in[0]));
  printf("less %d %d\n", is_less(in[0], in[1]), is_less(in[1], in[0]));
  printf("write once %d\n", write_once(in[5]));
  printf("negative dividend %d\n", negative_dividend(in[0] + 6, in[4]));
  printf("negative remainder %d\n", negative_remainder(in[5]));
  printf("least difference %d\n", least_difference(in[5], in[6]));
  printf("bubble sort %d\n", bubble_sort(60 + in[4]));
  printf("sum %d\n", sum_to(in[7]));
  printf("squares %d\n", squares_around_zero(in[1]));
  printf("factorial %d fibonacci %d calls %d\n", factorial(in[5]), fibonacci(15), calls(in[9]));
  printf("local array %d\n", local_array(in[6]));
  printf("counter %d\n", count_up(in[5]));
  printf("counter %d\n", count_up(in[5]));
  printf("bytes %d\n", byte_buffer(in[6]));
  printf("table %d string %u\n", constant_table(in[6]), string_literal((unsigned)in[4]));
  for (int i = -1; i < 8; ++i) printf("switch %d\n", lookup_switch(i + in[4] - 3));
  printf("sparse %d %d %d\n", sparse_switch(in[0]), sparse_switch(in[7]), sparse_switch(in[1]));
  printf("pointers %d\n", function_pointers(in[1]));
  printf("structures %lld\n", structures(in[3]));
  uint64_t wide = 1;
  for (int i = 0; i < 40; ++i) wide = wide_arithmetic(wide, (int64_t)(wide * (uint64_t)in[i % 10]));
  printf("wide %llu %lld %llx\n", (unsigned long long)wide, (long long)wide,
         (unsigned long long)wide);
  return input[4];
}
