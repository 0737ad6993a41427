/* The Mandelbrot set as letters: mandelbrot COLUMNS ROWS. A darker letter took longer to escape. */
#include <stdio.h>
#include <stdlib.h>

enum { kMostTurns = 50 };

static int turns(double x, double y) {
  double a = 0, b = 0;
  int n = 0;
  while (n < kMostTurns && a * a + b * b <= 4) {
    const double next = a * a - b * b + x;
    b = 2 * a * b + y;
    a = next;
    ++n;
  }
  return n;
}

int main(int count, char** words) {
  static const char kShades[] = " .:-=+*#%@";
  const int columns = count > 1 ? atoi(words[1]) : 60, rows = count > 2 ? atoi(words[2]) : 24;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const double x = -2.2 + 3.2 * column / columns, y = -1.2 + 2.4 * (row + 0.5) / rows;
      putchar(kShades[turns(x, y) * 9 / kMostTurns]);
    }
    putchar('\n');
  }
  return 0;
}
