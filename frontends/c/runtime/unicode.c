/* uchar.h: characters of 16 and 32 bits. */
#include "library.h"

#include <uchar.h>

/* The second half of a pair waits in the state: `missing` is kHalf then. */
enum { kHalf = 0x10 };

size_t mbrtoc32(char32_t* restrict to, const char* restrict text, size_t count,
                mbstate_t* restrict state) {
  static mbstate_t own;
  return mbrtowc((wchar_t*)to, text, count, state == NULL ? &own : state);
}
size_t c32rtomb(char* restrict to, char32_t c, mbstate_t* restrict state) {
  return wcrtomb(to, (wchar_t)c, state);
}
size_t mbrtoc16(char16_t* restrict to, const char* restrict text, size_t count,
                mbstate_t* restrict state) {
  static mbstate_t own;
  if (state == NULL) state = &own;
  if (text != NULL && state->missing == kHalf) {
    if (to != NULL) *to = (char16_t)state->value;
    *state = (mbstate_t){0, 0};
    return (size_t)-3;
  }
  wchar_t c = 0;
  const size_t length = mbrtowc(&c, text, count, state);
  if (text == NULL || length > SIZE_MAX - 3) return length;
  if (c >= 0x10000) {
    *state = (mbstate_t){0xDC00 | ((unsigned)c & 0x3FF), kHalf};
    c = 0xD7C0 + (c >> 10);
  }
  if (to != NULL) *to = (char16_t)c;
  return length;
}
size_t c16rtomb(char* restrict to, char16_t c, mbstate_t* restrict state) {
  static mbstate_t own;
  if (state == NULL) state = &own;
  if (to == NULL) {
    *state = (mbstate_t){0, 0};
    return 1;
  }
  if (state->missing == kHalf && (c & 0xFC00) == 0xDC00) {
    const unsigned first = state->value;
    *state = (mbstate_t){0, 0};
    return wcrtomb(to, (wchar_t)(((first - 0xD7C0) << 10) + (c & 0x3FF)), NULL);
  }
  if (state->missing == 0 && (c & 0xFC00) == 0xD800) {
    *state = (mbstate_t){c, kHalf};
    return 0;
  }
  *state = (mbstate_t){0, 0};
  return wcrtomb(to, (wchar_t)c, NULL);
}
