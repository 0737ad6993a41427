/* How printf and scanf read a conversion, each in its own part of the runtime. */
#pragma once
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"

static int digit_value(int c) {
  if (isdigit(c)) return c - '0';
  return isalpha(c) ? tolower(c) - 'a' + 10 : 99;
}

static const char no_floats[] =
    "a conversion of a float in a program that has no floats";

/* `function` as in "printf: ". */
static _Noreturn void refuse(const char* function, const char* what) {
  fputs(function, stderr);
  fputs(what, stderr);
  fputs("\n", stderr);
  abort();
}

static _Noreturn void refuse_letter(const char* function, char letter) {
  char what[] = "unknown conversion '?'";
  *strchr(what, '?') = letter;
  refuse(function, letter != '\0' ? what : "the format ends within a conversion");
}

static const char* parse_length(struct conversion* form, const char* at) {
  form->bytes = sizeof(int);
  for (;; ++at) {
    switch (*at) {
      case 'h': form->bytes = form->bytes == sizeof(short) ? 1 : sizeof(short); break;
      case 'l': form->is_long = 1, form->bytes = at[1] == 'l' || at[-1] == 'l' ? 8 : sizeof(long); break;
      case 'L': form->bytes = sizeof(long double); break;
      case 'j': form->bytes = 8; break;
      case 'z':
      case 't': form->bytes = sizeof(size_t); break;
      default: return at;
    }
  }
}

static int parse_count(const char** at, va_list* arguments) {
  if (**at == '*') {
    ++*at;
    return va_arg(*arguments, int);
  }
  int count = 0;
  for (; **at >= '0' && **at <= '9'; ++*at) count = count * 10 + (**at - '0');
  return count;
}

/* `to` is an object of the conversion's size. */
static void store(const struct conversion* form, void* to, int64_t value) {
  switch (form->bytes) {
    case 1: *(signed char*)to = (signed char)value; break;
    case 2: *(short*)to = (short)value; break;
    case 8: *(long long*)to = value; break;
    default: *(int*)to = (int)value; break;
  }
}

#define FORWARD(call)            \
  va_list arguments;             \
  va_start(arguments, text);     \
  const int count = call;        \
  va_end(arguments);             \
  return count
