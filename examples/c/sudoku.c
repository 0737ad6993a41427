/* Solves a sudoku from standard input: 81 cells, 1 to 9, or 0 or . for an empty one; other
   characters are ignored. Depth-first, always at the cell with the fewest candidates. */
#include <stdio.h>

static unsigned row_used[9], column_used[9], box_used[9]; /* bit d: digit d + 1 is there */
static int cells[81];
static int guesses;

static int box_of(int cell) { return cell / 27 * 3 + cell % 9 / 3; }

static unsigned candidates(int cell) {
  return ~(row_used[cell / 9] | column_used[cell % 9] | box_used[box_of(cell)]) & 0x1FF;
}

static void toggle(int cell, unsigned bit) {
  row_used[cell / 9] ^= bit;
  column_used[cell % 9] ^= bit;
  box_used[box_of(cell)] ^= bit;
}

static int solve(void) {
  int best = -1, fewest = 10;
  for (int cell = 0; cell < 81; ++cell) {
    if (cells[cell] != 0) continue;
    const int count = __builtin_popcount(candidates(cell));
    if (count >= fewest) continue;
    fewest = count;
    best = cell;
  }
  if (best < 0) return 1;
  for (int digit = 0; digit < 9; ++digit) {
    const unsigned bit = 1u << digit;
    if ((candidates(best) & bit) == 0) continue;
    ++guesses;
    cells[best] = digit + 1;
    toggle(best, bit);
    if (solve()) return 1;
    toggle(best, bit);
    cells[best] = 0;
  }
  return 0;
}

int main(void) {
  int count = 0;
  for (int c; count < 81 && (c = getchar()) != EOF;) {
    if (c == '.') c = '0';
    if (c < '0' || c > '9') continue;
    cells[count++] = c - '0';
  }
  if (count < 81) {
    fprintf(stderr, "sudoku: %d cells, expected 81\n", count);
    return 2;
  }
  for (int cell = 0; cell < 81; ++cell) {
    if (cells[cell] == 0) continue;
    const unsigned bit = 1u << (cells[cell] - 1);
    if ((candidates(cell) & bit) == 0) {
      fprintf(stderr, "sudoku: two %d meet at row %d, column %d\n", cells[cell], cell / 9 + 1,
              cell % 9 + 1);
      return 1;
    }
    toggle(cell, bit);
  }
  if (!solve()) {
    puts("no solution");
    return 1;
  }
  for (int cell = 0; cell < 81; ++cell) printf("%d%c", cells[cell], cell % 9 == 8 ? '\n' : ' ');
  printf("%d guesses\n", guesses);
  return 0;
}
