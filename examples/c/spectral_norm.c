/* The largest singular value of the matrix 1 / ((i + j)(i + j + 1) / 2 + i + 1), N rows and columns
   of it: spectral_norm N. By ten steps of the power method. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 500 };

static double entry(int i, int j) { return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1); }

static void multiply(int n, const double* v, double* out, int transposed) {
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += (transposed ? entry(j, i) : entry(i, j)) * v[j];
    out[i] = sum;
  }
}

int main(int count, char** words) {
  static double u[kMost], v[kMost], between[kMost];
  int n = count > 1 ? atoi(words[1]) : 10;
  if (n < 1 || n > kMost) n = 10;
  for (int i = 0; i < n; ++i) u[i] = 1;
  for (int i = 0; i < 10; ++i) {
    multiply(n, u, between, 0);
    multiply(n, between, v, 1);
    multiply(n, v, between, 0);
    multiply(n, between, u, 1);
  }
  double uv = 0, vv = 0;
  for (int i = 0; i < n; ++i) {
    uv += u[i] * v[i];
    vv += v[i] * v[i];
  }
  const double norm = __builtin_sqrt(uv / vv);
  unsigned long long bits;
  memcpy(&bits, &norm, sizeof bits);
  const long long scaled = (long long)(norm * 1e9 + 0.5);
  printf("%lld.%09lld  %016llx\n", scaled / 1000000000, scaled % 1000000000, bits);
  return 0;
}
