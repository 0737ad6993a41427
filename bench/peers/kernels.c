/* Three integer programs as C compilers make WebAssembly of them. No library: clang alone makes the
 * module. Each is run(which, reps): 0 queens, 1 SHA-256, 2 Levenshtein. */
typedef unsigned int u32;
typedef unsigned char u8;

static u32 Place(u32 n, u32 columns, u32 left, u32 right) {
  const u32 all = (1u << n) - 1;
  u32 count = 0, free = all & ~(columns | left | right);
  if (columns == all) return 1;
  while (free != 0) {
    const u32 bit = free & -free;
    free ^= bit;
    count += Place(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return count;
}

static u32 Rotated(u32 x, u32 n) { return x >> n | x << (32 - n); }

static const u32 kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static u32 hash[8];
static u8 block[64];

static void Digest(void) {
  u32 w[64], s[8];
  for (u32 i = 0; i < 16; ++i) {
    w[i] = (u32)block[4 * i] << 24 | (u32)block[4 * i + 1] << 16 | (u32)block[4 * i + 2] << 8 |
           block[4 * i + 3];
  }
  for (u32 i = 16; i < 64; ++i) {
    const u32 a = Rotated(w[i - 15], 7) ^ Rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
    const u32 b = Rotated(w[i - 2], 17) ^ Rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  for (u32 i = 0; i < 8; ++i) s[i] = hash[i];
  for (u32 i = 0; i < 64; ++i) {
    const u32 e = Rotated(s[4], 6) ^ Rotated(s[4], 11) ^ Rotated(s[4], 25);
    const u32 a = Rotated(s[0], 2) ^ Rotated(s[0], 13) ^ Rotated(s[0], 22);
    const u32 t = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + kRound[i] + w[i];
    const u32 m = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (u32 k = 7; k > 0; --k) s[k] = s[k - 1];
    s[4] += t;
    s[0] = t + m;
  }
  for (u32 i = 0; i < 8; ++i) hash[i] += s[i];
}

static u8 from[200], to[200];
static u32 row[201];

static u32 Distance(void) {
  for (u32 j = 0; j <= 200; ++j) row[j] = j;
  for (u32 i = 1; i <= 200; ++i) {
    u32 corner = row[0];
    row[0] = i;
    for (u32 j = 1; j <= 200; ++j) {
      const u32 changed = corner + (from[i - 1] != to[j - 1]);
      corner = row[j];
      u32 best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      if (changed < best) best = changed;
      row[j] = best;
    }
  }
  return row[200];
}

__attribute__((export_name("run"))) u32 run(u32 which, u32 reps) {
  u32 sum = 0;
  for (u32 rep = 0; rep < reps; ++rep) {
    if (which == 0) sum += Place(8 + rep % 2, 0, 0, 0);
    if (which == 1) {
      for (u32 i = 0; i < 64; ++i) block[i] = (u8)(i * 7 + rep);
      Digest();
      sum += hash[0];
    }
    if (which == 2) {
      for (u32 i = 0; i < 200; ++i) {
        from[i] = (u8)((i * 31 + rep) % 23);
        to[i] = (u8)((i * 17 + 5 * rep) % 23);
      }
      sum += Distance();
    }
  }
  return sum;
}
