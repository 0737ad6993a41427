/* What the parts of printf and scanf share. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Where formatted text goes: a stream, or the first `size` bytes of a string. */
struct sink {
  FILE* file;
  char* to;
  size_t size;
  int count; /* characters so far, fitting or not */
};

/* One conversion: %[flags][width][.precision][length]letter */
struct conversion {
  int left, plus, space, zero, alternative;
  int width, precision; /* precision -1: none */
  int bytes;            /* of the argument */
  int is_long;          /* there is an 'l' */
  char letter;
};

/* Write `count` characters, or one of them `count` times (none where it is not positive). */
void __txvm_emit(struct sink* sink, const char* text, size_t count);
void __txvm_pad(struct sink* sink, char c, int count);

/* %a %e %f %g and their capitals. In a part of its own, which only programs with floats get: for
   others it is NULL. */
__attribute__((weak)) void __txvm_emit_float(struct sink* sink, const struct conversion* form,
                                             double value);

/* The number at `text` as the bits of a double, or of a float where `bytes` is 4; `*end` follows it
   where there is one, else it is `text`. Sets errno as strtod. NULL as above. */
__attribute__((weak)) uint64_t __txvm_parse_float(const char* text, char** end, int bytes);
