/* SHA-256 (FIPS 180-4) of standard input. The constants are computed, not listed: the first 32 bits
   of the fractions of square and cube roots of primes, by integer bisection. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t round_constants[64];
static uint32_t state[8];

/* The bits of a 128-bit product that lie above 2^64, saturated: enough to compare with. */
static int product_exceeds(uint64_t a, uint64_t b, uint64_t high_limit) {
  const uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  const uint64_t other = (uint32_t)middle + a0 * b1;
  return a1 * b1 + (middle >> 32) + (other >> 32) >= high_limit;
}

/* floor(sqrt(prime) * 2^32): the largest r with r * r < prime * 2^64. */
static uint64_t square_root(uint32_t prime) {
  uint64_t r = 0;
  for (int bit = 36; bit >= 0; --bit) {
    const uint64_t next = r | (uint64_t)1 << bit;
    if (!product_exceeds(next, next, prime)) r = next;
  }
  return r;
}

/* floor(cbrt(prime) * 2^32): the largest r with r^3 < prime * 2^96, by products of 32-bit digits. */
static uint64_t cube_root(uint32_t prime) {
  uint64_t r = 0;
  for (int bit = 35; bit >= 0; --bit) {
    const uint64_t next = r | (uint64_t)1 << bit;
    uint32_t digits[5] = {1};
    for (int factor = 0; factor < 3; ++factor) {
      uint32_t product[5] = {0};
      uint64_t carry = 0;
      for (int i = 0; i < 5; ++i) {
        carry += (uint64_t)digits[i] * (uint32_t)next;
        const uint64_t high = i > 0 ? (uint64_t)digits[i - 1] * (next >> 32) : 0;
        carry += high & 0xFFFFFFFF;
        product[i] = (uint32_t)carry;
        carry = (carry >> 32) + (high >> 32);
      }
      memcpy(digits, product, sizeof digits);
    }
    if (digits[4] == 0 && digits[3] < prime) r = next;
  }
  return r;
}

static void make_constants(void) {
  int count = 0;
  for (uint32_t n = 2; count < 64; ++n) {
    int is_prime = 1;
    for (uint32_t d = 2; d * d <= n; ++d) is_prime &= n % d != 0;
    if (!is_prime) continue;
    if (count < 8) state[count] = (uint32_t)square_root(n);
    round_constants[count++] = (uint32_t)cube_root(n);
  }
}

static uint32_t rotate(uint32_t x, int count) { return x >> count | x << (32 - count); }

static void absorb(const unsigned char* block) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i) {
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
           (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  }
  for (int i = 16; i < 64; ++i) {
    const uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
    const uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  uint32_t v[8];
  memcpy(v, state, sizeof v);
  for (int i = 0; i < 64; ++i) {
    const uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
    const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    const uint32_t t1 = v[7] + s1 + choice + round_constants[i] + w[i];
    const uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
    const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    memmove(v + 1, v, 7 * sizeof v[0]);
    v[4] += t1;
    v[0] = t1 + s0 + majority;
  }
  for (int i = 0; i < 8; ++i) state[i] += v[i];
}

int main(void) {
  make_constants();
  unsigned char block[64];
  uint64_t length = 0;
  size_t used = 0;
  for (int c; (c = getchar()) != EOF; ++length) {
    block[used++] = (unsigned char)c;
    if (used < 64) continue;
    absorb(block);
    used = 0;
  }
  block[used++] = 0x80;
  if (used > 56) {
    memset(block + used, 0, 64 - used);
    absorb(block);
    used = 0;
  }
  memset(block + used, 0, 64 - used);
  for (int i = 0; i < 8; ++i) block[63 - i] = (unsigned char)(length * 8 >> (8 * i));
  absorb(block);
  for (int i = 0; i < 8; ++i) printf("%08x", (unsigned)state[i]);
  putchar('\n');
  return 0;
}
