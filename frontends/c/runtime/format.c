/* printf; float_text.c has the conversions of floats. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <txvm.h>

#include "conversion.h"
#include "quad.h"

static void emit(struct sink* sink, const char* text, size_t count) {
  if (sink->file != NULL) {
    fwrite(text, 1, count, sink->file);
  } else {
    for (size_t i = 0; i < count; ++i) {
      const size_t at = (size_t)sink->count + i;
      if (at + 1 < sink->size) sink->to[at] = text[i];
    }
  }
  sink->count += (int)count;
}

static void pad(struct sink* sink, char c, int count) {
  for (; count > 0; --count) emit(sink, &c, 1);
}

void __txvm_emit(struct sink* sink, const char* text, size_t count) { emit(sink, text, count); }
void __txvm_pad(struct sink* sink, char c, int count) { pad(sink, c, count); }

/* Text of `sign` and `digits`, with `zeros` between them, in the conversion's width. */
static void emit_field(struct sink* sink, const struct conversion* form, const char* sign,
                       int zeros, const char* digits, int count) {
  const int sign_count = (int)strlen(sign);
  if (form->zero && !form->left && form->precision < 0 && form->letter != 's' &&
      form->letter != 'c') {
    const int missing = form->width - sign_count - count;
    if (missing > zeros) zeros = missing;
  }
  const int spaces = form->width - sign_count - zeros - count;
  if (!form->left) pad(sink, ' ', spaces);
  emit(sink, sign, (size_t)sign_count);
  pad(sink, '0', zeros);
  emit(sink, digits, (size_t)count);
  if (form->left) pad(sink, ' ', spaces);
}

static void emit_number(struct sink* sink, const struct conversion* form, uint64_t value,
                        const char* sign) {
  const unsigned base = form->letter == 'o'                                               ? 8
                        : form->letter == 'x' || form->letter == 'X' || form->letter == 'p' ? 16
                                                                                          : 10;
  const char* letters = form->letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  char digits[24];
  int count = 0;
  uint64_t rest = value;
  for (; rest >> 32 != 0; rest /= base) digits[sizeof digits - ++count] = letters[rest % base];
  for (uint32_t low = (uint32_t)rest; low != 0; low /= base) {
    digits[sizeof digits - ++count] = letters[low % base];
  }
  int zeros = (form->precision < 0 ? 1 : form->precision) - count;
  if (form->alternative && base == 8 && zeros < 1 && (count == 0 || value != 0)) zeros = 1;
  emit_field(sink, form, sign, zeros > 0 ? zeros : 0, digits + sizeof digits - count, count);
}

static void emit_signed(struct sink* sink, const struct conversion* form, int64_t value) {
  const char* sign = value < 0 ? "-" : form->plus ? "+" : form->space ? " " : "";
  emit_number(sink, form, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, sign);
}

static void emit_unsigned(struct sink* sink, const struct conversion* form, uint64_t value) {
  const char* sign = "";
  if (form->letter == 'p') sign = "0x";
  if (form->alternative && value != 0 && form->letter == 'x') sign = "0x";
  if (form->alternative && value != 0 && form->letter == 'X') sign = "0X";
  emit_number(sink, form, value, sign);
}

static void emit_text(struct sink* sink, const struct conversion* form, const char* text) {
  if (text == NULL) text = "(null)";
  int count = 0;
  while ((form->precision < 0 || count < form->precision) && text[count] != '\0') ++count;
  emit_field(sink, form, "", 0, text, count);
}

/* UTF-8 of a character; returns the length. */
static int encode_character(char* to, uint32_t c) {
  if (c < 0x80) {
    to[0] = (char)c;
    return 1;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  for (int i = more; i > 0; --i, c >>= 6) to[i] = (char)(0x80 | (c & 0x3F));
  to[0] = (char)((0xFF80 >> more & 0xFF) | c);
  return more + 1;
}

/* Characters as long as they fit whole into the precision. */
static void emit_wide_text(struct sink* sink, const struct conversion* form, const wchar_t* text) {
  if (text == NULL) {
    emit_text(sink, form, NULL);
    return;
  }
  char bytes[4];
  int count = 0, end = 0;
  for (; text[end] != 0; ++end) {
    const int more = encode_character(bytes, (uint32_t)text[end]);
    if (form->precision >= 0 && count + more > form->precision) break;
    count += more;
  }
  if (!form->left) pad(sink, ' ', form->width - count);
  for (int i = 0; i < end; ++i) {
    emit(sink, bytes, (size_t)encode_character(bytes, (uint32_t)text[i]));
  }
  if (form->left) pad(sink, ' ', form->width - count);
}

static const char* parse_flags(struct conversion* form, const char* at) {
  for (;; ++at) {
    switch (*at) {
      case '-': form->left = 1; break;
      case '+': form->plus = 1; break;
      case ' ': form->space = 1; break;
      case '0': form->zero = 1; break;
      case '#': form->alternative = 1; break;
      case '\'': break; /* the "C" locale has no mark between thousands */
      default: return at;
    }
  }
}

static int64_t signed_argument(const struct conversion* form, va_list* arguments) {
  if (form->bytes == 8) return va_arg(*arguments, int64_t);
  const int value = va_arg(*arguments, int);
  if (form->bytes == 1) return (signed char)value;
  return form->bytes == sizeof(short) ? (short)value : value;
}

static uint64_t unsigned_argument(const struct conversion* form, va_list* arguments) {
  if (form->bytes == 8) return va_arg(*arguments, uint64_t);
  const unsigned value = va_arg(*arguments, unsigned);
  if (form->bytes == 1) return (unsigned char)value;
  return form->bytes == sizeof(short) ? (unsigned short)value : value;
}

static void convert(struct sink* sink, struct conversion* form, va_list* arguments) {
  char c;
  switch (form->letter) {
    case 'd':
    case 'i':
      emit_signed(sink, form, signed_argument(form, arguments));
      break;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      emit_unsigned(sink, form, unsigned_argument(form, arguments));
      break;
    case 'p':
      emit_unsigned(sink, form, (uintptr_t)va_arg(*arguments, void*));
      break;
    case 'c':
      if (form->is_long) {
        char text[4];
        const int count = encode_character(text, va_arg(*arguments, uint32_t));
        emit_field(sink, form, "", 0, text, count);
        break;
      }
      c = (char)va_arg(*arguments, int);
      emit_field(sink, form, "", 0, &c, 1);
      break;
    case 's':
      if (form->is_long) {
        emit_wide_text(sink, form, va_arg(*arguments, const wchar_t*));
        break;
      }
      emit_text(sink, form, va_arg(*arguments, const char*));
      break;
    case 'n':
      store(form, va_arg(*arguments, void*), sink->count);
      break;
    case '%':
      emit(sink, "%", 1);
      break;
    case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
      if (__txvm_emit_float == NULL) refuse("printf: ", no_floats);
      __txvm_emit_float(sink, form, form->bytes == sizeof(long double)
                                        ? double_of_quad(va_arg(*arguments, long double))
                                        : va_arg(*arguments, double));
      break;
    default:
      refuse_letter("printf: ", form->letter);
  }
}

static int format(struct sink* sink, const char* at, va_list* arguments) {
  while (*at != '\0') {
    const size_t plain = strcspn(at, "%");
    if (plain > 0) emit(sink, at, plain);
    at += plain;
    if (*at == '\0') break;
    struct conversion form = {.precision = -1};
    at = parse_flags(&form, at + 1);
    form.width = parse_count(&at, arguments);
    if (form.width < 0) {
      form.left = 1;
      form.width = -form.width;
    }
    if (*at == '.') {
      ++at;
      form.precision = parse_count(&at, arguments);
    }
    at = parse_length(&form, at);
    form.letter = *at;
    if (*at != '\0') ++at;
    convert(sink, &form, arguments);
  }
  return sink->count;
}

int vfprintf(FILE* restrict file, const char* restrict text, va_list arguments) {
  struct sink sink = {.file = file};
  va_list copy;
  va_copy(copy, arguments);
  const int count = format(&sink, text, &copy);
  va_end(copy);
  return ferror(file) ? EOF : count;
}

int vsnprintf(char* restrict to, size_t size, const char* restrict text, va_list arguments) {
  struct sink sink = {.to = to, .size = size};
  va_list copy;
  va_copy(copy, arguments);
  const int count = format(&sink, text, &copy);
  va_end(copy);
  if (size > 0) to[(size_t)count < size ? (size_t)count : size - 1] = '\0';
  return count;
}

int vsprintf(char* restrict to, const char* restrict text, va_list arguments) {
  return vsnprintf(to, SIZE_MAX, text, arguments);
}

int vprintf(const char* restrict text, va_list arguments) {
  return vfprintf(stdout, text, arguments);
}

int printf(const char* restrict text, ...) { FORWARD(vfprintf(stdout, text, arguments)); }
int fprintf(FILE* restrict file, const char* restrict text, ...) {
  FORWARD(vfprintf(file, text, arguments));
}
int sprintf(char* restrict to, const char* restrict text, ...) {
  FORWARD(vsnprintf(to, SIZE_MAX, text, arguments));
}
int snprintf(char* restrict to, size_t size, const char* restrict text, ...) {
  FORWARD(vsnprintf(to, size, text, arguments));
}

void print_i32(int value) { printf("%d\n", value); }
void print_u32(unsigned value) { printf("%u\n", value); }
void print_i64(long long value) { printf("%lld\n", value); }
void print_u64(unsigned long long value) { printf("%llu\n", value); }
