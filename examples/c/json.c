/* Reads JSON from standard input and prints its tokens, one a line, with their nesting. Ends with 1
   and the place when the text is no JSON (RFC 8259). Numbers stay text: there are no floats here. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostDepth = 200, kMostText = 4096 };

static int next_char, line = 1, column;
static char text[kMostText];
static int text_length;

static void advance(void) {
  if (next_char == '\n') {
    ++line;
    column = 0;
  }
  next_char = getchar();
  ++column;
}

static _Noreturn void fail(const char* what) {
  printf("%d:%d: %s\n", line, column, what);
  exit(1);
}

static void skip_space(void) {
  while (next_char == ' ' || next_char == '\t' || next_char == '\n' || next_char == '\r') advance();
}

static void keep(int c) {
  if (text_length + 1 == kMostText) fail("token too long");
  text[text_length++] = (char)c;
  text[text_length] = '\0';
}

static void take(void) {
  keep(next_char);
  advance();
}

static void expect_digits(void) {
  if (!isdigit(next_char)) fail("expected a digit");
  while (isdigit(next_char)) take();
}

static void read_number(void) {
  if (next_char == '-') take();
  if (next_char == '0') {
    take();
  } else {
    expect_digits();
  }
  if (next_char == '.') {
    take();
    expect_digits();
  }
  if (next_char != 'e' && next_char != 'E') return;
  take();
  if (next_char == '+' || next_char == '-') take();
  expect_digits();
}

static unsigned read_hex4(void) {
  unsigned value = 0;
  for (int i = 0; i < 4; ++i, advance()) {
    if (!isxdigit(next_char)) fail("expected four hex digits");
    const int digit = isdigit(next_char) ? next_char - '0' : tolower(next_char) - 'a' + 10;
    value = value << 4 | (unsigned)digit;
  }
  return value;
}

static void keep_utf8(unsigned code) {
  if (code < 0x80) return keep((int)code);
  if (code < 0x800) {
    keep((int)(0xC0 | code >> 6));
  } else if (code < 0x10000) {
    keep((int)(0xE0 | code >> 12));
    keep((int)(0x80 | (code >> 6 & 0x3F)));
  } else {
    keep((int)(0xF0 | code >> 18));
    keep((int)(0x80 | (code >> 12 & 0x3F)));
    keep((int)(0x80 | (code >> 6 & 0x3F)));
  }
  keep((int)(0x80 | (code & 0x3F)));
}

static void read_escape(void) {
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  advance();
  if (next_char == 'u') {
    advance();
    unsigned code = read_hex4();
    if (code >> 10 == 0x36) { /* the first of a surrogate pair */
      if (next_char != '\\') fail("expected the second half of a surrogate pair");
      advance();
      if (next_char != 'u') fail("expected the second half of a surrogate pair");
      advance();
      const unsigned low = read_hex4();
      if (low >> 10 != 0x37) fail("expected the second half of a surrogate pair");
      code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
    }
    return keep_utf8(code);
  }
  const char* found = next_char > 0 ? strchr(letters, next_char) : NULL;
  if (found == NULL) fail("unknown escape");
  keep(meanings[found - letters]);
  advance();
}

static void read_string(void) {
  advance();
  while (next_char != '"') {
    if (next_char == EOF || next_char < ' ') fail("unterminated string");
    if (next_char == '\\') {
      read_escape();
    } else {
      take();
    }
  }
  advance();
}

static void read_word(const char* word) {
  for (; *word != '\0'; ++word) {
    if (next_char != *word) fail("unknown word");
    take();
  }
}

static void print_token(int depth, const char* kind) {
  printf("%*s%s", 2 * depth, "", kind);
  if (text_length > 0) printf(" %s (%d bytes)", text, text_length);
  putchar('\n');
}

static void read_value(int depth);

static void read_members(int depth, int closing) {
  advance();
  skip_space();
  for (int first = 1; next_char != closing; first = 0) {
    if (!first) {
      if (next_char != ',') fail("expected a comma or the end");
      advance();
      skip_space();
    }
    if (closing == '}') {
      if (next_char != '"') fail("expected a name");
      text_length = 0;
      read_string();
      print_token(depth + 1, "name");
      skip_space();
      if (next_char != ':') fail("expected a colon");
      advance();
    }
    read_value(depth + 1);
    skip_space();
  }
  advance();
}

static void read_value(int depth) {
  if (depth > kMostDepth) fail("nested too deeply");
  skip_space();
  text_length = 0;
  switch (next_char) {
    case '{':
      print_token(depth, "object");
      return read_members(depth, '}');
    case '[':
      print_token(depth, "array");
      return read_members(depth, ']');
    case '"':
      read_string();
      return print_token(depth, "string");
    case 't':
      read_word("true");
      return print_token(depth, "boolean");
    case 'f':
      read_word("false");
      return print_token(depth, "boolean");
    case 'n':
      read_word("null");
      return print_token(depth, "null");
    default:
      if (next_char != '-' && !isdigit(next_char)) fail("expected a value");
      read_number();
      return print_token(depth, "number");
  }
}

int main(void) {
  advance();
  read_value(0);
  skip_space();
  if (next_char != EOF) fail("text behind the value");
  return 0;
}
