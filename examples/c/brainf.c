/* Runs a Brainf*** program given as the argument, with standard input and output. Cells are bytes;
   reading at the end of input gives 0. Brackets are matched once, before the run. */
#include <stdio.h>
#include <string.h>

enum { kCells = 30000, kMostCode = 20000 };

static unsigned char tape[kCells];
static int partner[kMostCode]; /* of each bracket */

static int match_brackets(const char* code, int length) {
  static int open[kMostCode];
  int depth = 0;
  for (int i = 0; i < length; ++i) {
    if (code[i] == '[') open[depth++] = i;
    if (code[i] != ']') continue;
    if (depth == 0) return i;
    partner[i] = open[--depth];
    partner[partner[i]] = i;
  }
  return depth == 0 ? -1 : open[depth - 1];
}

int main(int count, char** words) {
  if (count != 2) {
    fputs("usage: brainf PROGRAM\n", stderr);
    return 2;
  }
  const char* code = words[1];
  const int length = (int)strlen(code);
  if (length > kMostCode) {
    fprintf(stderr, "brainf: %d characters; the limit is %d\n", length, kMostCode);
    return 2;
  }
  const int odd = match_brackets(code, length);
  if (odd >= 0) {
    fprintf(stderr, "brainf: the bracket at %d has no partner\n", odd);
    return 2;
  }
  int at = 0;
  for (int i = 0; i < length; ++i) {
    switch (code[i]) {
      case '>': at = (at + 1) % kCells; break;
      case '<': at = (at + kCells - 1) % kCells; break;
      case '+': ++tape[at]; break;
      case '-': --tape[at]; break;
      case '.': putchar(tape[at]); break;
      case ',': {
        const int c = getchar();
        tape[at] = (unsigned char)(c == EOF ? 0 : c);
        break;
      }
      case '[':
        if (tape[at] == 0) i = partner[i];
        break;
      case ']':
        if (tape[at] != 0) i = partner[i];
        break;
      default: break;
    }
  }
  return 0;
}
