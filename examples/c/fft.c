/* A fast Fourier transform: fft SIZE takes a power of two, transforms a sum of two waves, prints the
   loudest frequencies and how well the way back ends where it began. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 4096 };
#define PI 3.141592653589793

struct complex {
  double re, im;
};

/* Sine of x in [-pi, pi]: halves the angle to a quarter, sums the series, doubles back. */
static struct complex turn(double x) {
  const double y = x / 8, square = y * y;
  double sine = y, cosine = 1, term = y, even = 1;
  for (int k = 1; k <= 8; ++k) {
    even *= -square / ((2 * k - 1) * (2 * k));
    cosine += even;
    term *= -square / ((2 * k) * (2 * k + 1));
    sine += term;
  }
  for (int i = 0; i < 3; ++i) {
    const double twice = 2 * sine * cosine;
    cosine = 1 - 2 * sine * sine;
    sine = twice;
  }
  return (struct complex){cosine, sine};
}

static void transform(struct complex* a, int n, int sign) {
  for (int i = 1, j = 0; i < n; ++i) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      const struct complex swap = a[i];
      a[i] = a[j];
      a[j] = swap;
    }
  }
  for (int length = 2; length <= n; length *= 2) {
    const struct complex step = turn(sign * 2 * PI / length);
    for (int i = 0; i < n; i += length) {
      struct complex w = {1, 0};
      for (int j = 0; j < length / 2; ++j) {
        struct complex *p = &a[i + j], *q = &a[i + j + length / 2];
        const struct complex t = {q->re * w.re - q->im * w.im, q->re * w.im + q->im * w.re};
        *q = (struct complex){p->re - t.re, p->im - t.im};
        *p = (struct complex){p->re + t.re, p->im + t.im};
        w = (struct complex){w.re * step.re - w.im * step.im, w.re * step.im + w.im * step.re};
      }
    }
  }
}

int main(int count, char** words) {
  static struct complex a[kMost], original[kMost];
  int n = count > 1 ? atoi(words[1]) : 128;
  if (n < 8 || n > kMost || (n & (n - 1)) != 0) n = 128;
  for (int i = 0; i < n; ++i) {
    const double at = 2 * PI * (i * 3 % n) / n, fast = 2 * PI * (i * (n / 8 + 1) % n) / n;
    a[i] = (struct complex){turn(at > PI ? at - 2 * PI : at).im +
                                turn(fast > PI ? fast - 2 * PI : fast).re / 4,
                            0};
    original[i] = a[i];
  }
  transform(a, n, -1);
  for (int i = 0; i < n; ++i) {
    const double power = (a[i].re * a[i].re + a[i].im * a[i].im) / ((double)n * n);
    if (power < 1e-6) continue;
    unsigned long long bits;
    memcpy(&bits, &power, sizeof bits);
    printf("%4d  %lld/1000000  %016llx\n", i, (long long)(power * 1e6 + 0.5), bits);
  }
  transform(a, n, 1);
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    const double error = __builtin_fabs(a[i].re / n - original[i].re);
    if (error > worst) worst = error;
  }
  printf("the way back is off by %lld e-18\n", (long long)(worst * 1e18));
  return 0;
}
