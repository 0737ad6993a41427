/* Sorts points into groups around K centres: kmeans POINTS K. The points are drawn around corners
   of a square; single precision. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostPoints = 5000, kMostCentres = 16, kMostRounds = 50 };

static float xs[kMostPoints], ys[kMostPoints];
static int group[kMostPoints];

static unsigned state = 7;
static float random_number(void) { /* from 0 to 1 */
  state = state * 1664525u + 1013904223u;
  return (float)(state >> 8) / 16777216.0f;
}

static unsigned bits_of(float value) {
  unsigned bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

int main(int count, char** words) {
  int points = count > 1 ? atoi(words[1]) : 200, centres = count > 2 ? atoi(words[2]) : 4;
  float cx[kMostCentres], cy[kMostCentres];
  if (points < 1 || points > kMostPoints) points = 200;
  if (centres < 1 || centres > kMostCentres || centres > points) centres = 4;
  for (int i = 0; i < points; ++i) {
    xs[i] = (float)(i % 2) + random_number() * random_number() - 0.25f;
    ys[i] = (float)(i / 2 % 2) + random_number() * random_number() - 0.25f;
    group[i] = -1;
  }
  for (int k = 0; k < centres; ++k) {
    cx[k] = xs[k * 7 % points];
    cy[k] = ys[k * 7 % points];
  }
  int round = 0, moved = 1;
  for (; moved != 0 && round < kMostRounds; ++round) {
    moved = 0;
    for (int i = 0; i < points; ++i) {
      int best = 0;
      float least = 1e30f;
      for (int k = 0; k < centres; ++k) {
        const float dx = xs[i] - cx[k], dy = ys[i] - cy[k], square = dx * dx + dy * dy;
        if (square >= least) continue;
        least = square;
        best = k;
      }
      moved += group[i] != best;
      group[i] = best;
    }
    for (int k = 0; k < centres; ++k) {
      float sx = 0, sy = 0;
      int n = 0;
      for (int i = 0; i < points; ++i) {
        if (group[i] != k) continue;
        sx += xs[i];
        sy += ys[i];
        ++n;
      }
      if (n == 0) continue;
      cx[k] = sx / (float)n;
      cy[k] = sy / (float)n;
    }
  }
  printf("%d rounds\n", round);
  for (int k = 0; k < centres; ++k) {
    int n = 0;
    for (int i = 0; i < points; ++i) n += group[i] == k;
    printf("%4d points around (%d, %d)/1000  %08x %08x\n", n, (int)(cx[k] * 1000),
           (int)(cy[k] * 1000), bits_of(cx[k]), bits_of(cy[k]));
  }
  return 0;
}
