/* scanf; float_number.c has the value of a float. */
#include "library.h"

#include "conversion.h"
#include "quad.h"

/* Where characters come from: a stream or a string. */
struct source {
  FILE* file;
  const char* at; /* without a file */
  int count;      /* characters taken */
};

enum match { kMatched, kMismatch, kAtEnd /* of the input, where a character is wanted */ };

static int take(struct source* source) {
  int c = EOF;
  if (source->file != NULL) {
    c = fgetc(source->file);
  } else if (*source->at != '\0') {
    c = (unsigned char)*source->at++;
  }
  source->count += c != EOF;
  return c;
}

static void put_back(struct source* source, int c) {
  if (c == EOF) return;
  --source->count;
  if (source->file != NULL) {
    ungetc(c, source->file);
  } else {
    --source->at;
  }
}

static void skip_space(struct source* source) {
  int c;
  do c = take(source);
  while (isspace(c));
  put_back(source, c);
}

static enum match scan_plain(struct source* source, char wanted) {
  const int c = take(source);
  if (c == (unsigned char)wanted) return kMatched;
  put_back(source, c);
  return c == EOF ? kAtEnd : kMismatch;
}

/* The next character of an item with room for `*width` more, or EOF. */
static int take_within(struct source* source, int* width) {
  return (*width)-- > 0 ? take(source) : EOF;
}

/* What a signed number's text stands for. */
static uint64_t signed_value(uint64_t magnitude, int is_minus) {
  const uint64_t most = (uint64_t)INT64_MAX + (uint64_t)is_minus;
  if (magnitude > most) magnitude = most;
  return is_minus ? 0 - magnitude : magnitude;
}

/* [+-] [0x] digits, as far as the width goes. `to` may be NULL, here and below. */
static enum match scan_number(struct source* source, const struct conversion* form, void* to) {
  uint64_t base = 10;
  if (form->letter == 'i') base = 0; /* told by the prefix */
  if (form->letter == 'o') base = 8;
  if (form->letter == 'x' || form->letter == 'X' || form->letter == 'p') base = 16;
  int width = form->width, has_digits = 0;
  int c = take_within(source, &width);
  if (c == EOF) return kAtEnd;
  const int is_minus = c == '-';
  if (c == '-' || c == '+') c = take_within(source, &width);
  if (c == '0') {
    has_digits = 1;
    c = take_within(source, &width);
    if ((base == 0 || base == 16) && (c == 'x' || c == 'X')) {
      base = 16;
      c = take_within(source, &width);
    } else if (base == 0) {
      base = 8;
    }
  }
  if (base == 0) base = 10;
  uint64_t value = 0; /* the magnitude, at most UINT64_MAX */
  int is_greater = 0;
  for (uint64_t digit; (digit = (uint64_t)digit_value(c)) < base; c = take_within(source, &width)) {
    has_digits = 1;
    /* The division takes long: it is left out where 16 times the value has room. */
    is_greater |= value >> 60 != 0 && value > (UINT64_MAX - digit) / base;
    value = is_greater ? UINT64_MAX : value * base + digit;
  }
  put_back(source, c);
  if (!has_digits) return kMismatch;
  if (form->letter == 'd' || form->letter == 'i') {
    value = signed_value(value, is_minus);
  } else if (is_minus && !is_greater) {
    value = 0 - value;
  }
  if (to != NULL) store(form, to, (int64_t)value);
  return kMatched;
}

/* The longest text that a number can begin with, as far as the width goes. */
struct float_text {
  struct source* source;
  int width, count;
  int c; /* the next character, not yet in the text */
  char text[1200];
};

static void keep(struct float_text* number) {
  if (number->count < (int)sizeof number->text - 1) number->text[number->count++] = (char)number->c;
  number->c = take_within(number->source, &number->width);
}

static int keep_if(struct float_text* number, char wanted) {
  const int is_wanted = (number->c | 0x20) == wanted;
  if (is_wanted) keep(number);
  return is_wanted;
}

static int keep_digits(struct float_text* number, int base) {
  const int before = number->count;
  while (number->c != EOF && digit_value(number->c) < base) keep(number);
  return number->count > before;
}

/* Whether what was kept is a number. */
static int keep_number(struct float_text* number) {
  if (number->c == '-' || number->c == '+') keep(number);
  if (keep_if(number, 'i')) {
    if (!keep_if(number, 'n') || !keep_if(number, 'f')) return 0;
    if (!keep_if(number, 'i')) return 1;
    return keep_if(number, 'n') && keep_if(number, 'i') && keep_if(number, 't') &&
           keep_if(number, 'y');
  }
  if (keep_if(number, 'n')) return keep_if(number, 'a') && keep_if(number, 'n');
  int base = 10, has_digits = 0;
  if (number->c == '0') {
    keep(number);
    has_digits = !keep_if(number, 'x');
    if (!has_digits) base = 16;
  }
  has_digits |= keep_digits(number, base);
  if (number->c == '.') {
    keep(number);
    has_digits |= keep_digits(number, base);
  }
  if (!has_digits || !keep_if(number, base == 16 ? 'p' : 'e')) return has_digits;
  if (number->c == '-' || number->c == '+') keep(number);
  keep_digits(number, 10); /* none will do, as for glibc */
  return 1;
}

static enum match scan_float(struct source* source, const struct conversion* form, void* to) {
  struct float_text number = {.source = source, .width = form->width};
  number.c = take_within(source, &number.width);
  if (number.c == EOF) return kAtEnd;
  const int is_number = keep_number(&number);
  put_back(source, number.c);
  if (!is_number) return kMismatch;
  if (to == NULL) return kMatched;
  if (__txvm_parse_float == NULL) refuse("scanf: ", no_floats);
  number.text[number.count] = '\0';
  const int is_quad = form->bytes == sizeof(long double);
  const int bytes = is_quad || form->is_long ? 8 : 4;
  const union {
    uint64_t bits;
    double value;
  } both = {__txvm_parse_float(number.text, NULL, bytes)};
  if (is_quad) {
    *(long double*)to = quad_of_double(both.value);
  } else {
    memcpy(to, &both, (size_t)bytes);
  }
  return kMatched;
}

/* The characters of %[...], a bit each. */
struct set {
  uint32_t bits[(UCHAR_MAX + 1) / 32];
};

static int has(const struct set* set, int c) { return set->bits[c / 32] >> c % 32 & 1; }

/* Reads the set after "%["; returns what follows its "]". */
static const char* parse_set(struct set* set, const char* at) {
  const int is_other = *at == '^';
  if (is_other) ++at;
  memset(set, is_other ? UCHAR_MAX : 0, sizeof *set);
  for (const char* first = at; *at != '\0' && (*at != ']' || at == first); ++at) {
    int c = (unsigned char)*at, last = c;
    if (at[1] == '-' && at[2] != ']' && (unsigned char)at[2] >= c) {
      at += 2;
      last = (unsigned char)*at;
    }
    for (; c <= last; ++c) {
      if (has(set, c) == is_other) set->bits[c / 32] ^= 1u << c % 32;
    }
  }
  return *at == ']' ? at + 1 : at;
}

/* Where the characters of %c, %s or %[ go: bytes, or with 'l' what they are in UTF-8. */
struct text_writer {
  char* bytes;
  wchar_t* wide; /* one of the two; neither: nowhere */
  int written;   /* characters */
  int more;      /* bytes that the last one lacks */
};

static void write_byte(struct text_writer* to, int c) {
  enum { kContinued = 0x80, kTwo = 0xC0, kThree = 0xE0, kFour = 0xF0, kPart = 0x3F, kPartBits = 6 };
  if (to->bytes != NULL) to->bytes[to->written] = (char)c;
  if (to->wide == NULL) {
    ++to->written;
  } else if (to->more > 0) {
    to->wide[to->written] = to->wide[to->written] << kPartBits | (c & kPart);
    if (--to->more == 0) ++to->written;
  } else if (c < kTwo) {
    to->wide[to->written++] = c;
  } else {
    to->more = c < kThree ? 1 : c < kFour ? 2 : 3;
    to->wide[to->written] = c & (kPart >> to->more);
  }
}

/* Characters up to the width that belong to %c, %s or %[. */
static enum match scan_text(struct source* source, const struct conversion* form,
                            const struct set* set, void* at) {
  struct text_writer to = {form->is_long ? NULL : at, form->is_long ? at : NULL, 0, 0};
  int count = 0, c = EOF;
  while ((to.written < form->width || to.more > 0) && (c = take(source)) != EOF) {
    if ((form->letter == 's' && isspace(c)) || (form->letter == '[' && !has(set, c))) {
      put_back(source, c);
      break;
    }
    write_byte(&to, c);
    ++count;
  }
  if (count == 0) return c == EOF ? kAtEnd : kMismatch;
  if (at != NULL && form->letter != 'c') write_byte(&to, '\0');
  return kMatched;
}

static enum match scan_item(struct source* source, const struct conversion* form,
                            const struct set* set, void* to) {
  switch (form->letter) {
    case 'd': case 'i': case 'u': case 'o': case 'x': case 'X': case 'p':
      skip_space(source);
      return scan_number(source, form, to);
    case 's':
      skip_space(source);
      return scan_text(source, form, set, to);
    case 'c': case '[':
      return scan_text(source, form, set, to);
    case 'n':
      if (to != NULL) store(form, to, source->count);
      return kMatched;
    case '%':
      skip_space(source);
      return scan_plain(source, '%');
    case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
      skip_space(source);
      return scan_float(source, form, to);
    default:
      refuse_letter("scanf: ", form->letter);
  }
}

/* One conversion: %[*][width][length]letter, "%" in front of `*at` taken. Adds to `assigned`. */
static enum match scan_conversion(struct source* source, const char** at, va_list* arguments,
                                  int* assigned) {
  struct conversion form = {0};
  struct set set;
  const int is_dropped = **at == '*';
  if (is_dropped) ++*at;
  form.width = parse_count(at, arguments);
  *at = parse_length(&form, *at);
  form.letter = **at;
  if (form.letter != '\0') ++*at;
  if (form.letter == '[') *at = parse_set(&set, *at);
  if (form.letter == 'p') form.bytes = sizeof(void*);
  if (form.width == 0) form.width = form.letter == 'c' ? 1 : INT_MAX;
  void* to = is_dropped || form.letter == '%' ? NULL : va_arg(*arguments, void*);
  const enum match match = scan_item(source, &form, &set, to);
  *assigned += match == kMatched && to != NULL && form.letter != 'n';
  return match;
}

static int scan(struct source* source, const char* at, va_list arguments) {
  int assigned = 0;
  enum match match = kMatched;
  va_list rest;
  va_copy(rest, arguments);
  while (*at != '\0' && match == kMatched) {
    const char c = *at++;
    if (isspace((unsigned char)c)) {
      skip_space(source);
    } else if (c != '%') {
      match = scan_plain(source, c);
    } else {
      match = scan_conversion(source, &at, &rest, &assigned);
    }
  }
  va_end(rest);
  return match == kAtEnd && assigned == 0 ? EOF : assigned;
}

int vfscanf(FILE* restrict file, const char* restrict text, va_list arguments) {
  return scan(&(struct source){.file = file}, text, arguments);
}

int vsscanf(const char* restrict from, const char* restrict text, va_list arguments) {
  return scan(&(struct source){.at = from}, text, arguments);
}

int vscanf(const char* restrict text, va_list arguments) { return vfscanf(stdin, text, arguments); }

int scanf(const char* restrict text, ...) { FORWARD(vfscanf(stdin, text, arguments)); }
int fscanf(FILE* restrict file, const char* restrict text, ...) {
  FORWARD(vfscanf(file, text, arguments));
}
int sscanf(const char* restrict from, const char* restrict text, ...) {
  FORWARD(vsscanf(from, text, arguments));
}
