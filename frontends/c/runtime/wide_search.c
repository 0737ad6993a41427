/* wchar.h: parts of texts, and their order, which is that of the characters. */
#include "library.h"

static int is_among(wchar_t c, const wchar_t* set) { return c != 0 && wcschr(set, c) != NULL; }

size_t wcsspn(const wchar_t* text, const wchar_t* accept) {
  size_t count = 0;
  while (is_among(text[count], accept)) ++count;
  return count;
}
size_t wcscspn(const wchar_t* text, const wchar_t* stop) {
  size_t count = 0;
  while (text[count] != 0 && !is_among(text[count], stop)) ++count;
  return count;
}
wchar_t* wcspbrk(const wchar_t* text, const wchar_t* stop) {
  text += wcscspn(text, stop);
  return *text == 0 ? NULL : (wchar_t*)text;
}
wchar_t* wcstok(wchar_t* restrict text, const wchar_t* restrict separators,
                wchar_t** restrict state) {
  if (text == NULL) text = *state;
  text += wcsspn(text, separators);
  if (*text == 0) {
    *state = text;
    return NULL;
  }
  wchar_t* end = text + wcscspn(text, separators);
  *state = *end == 0 ? end : end + 1;
  *end = 0;
  return text;
}
wchar_t* wmemchr(const wchar_t* text, wchar_t c, size_t count) {
  for (; count > 0; --count, ++text) {
    if (*text == c) return (wchar_t*)text;
  }
  return NULL;
}
int wcscoll(const wchar_t* a, const wchar_t* b) { return wcscmp(a, b); }
size_t wcsxfrm(wchar_t* restrict to, const wchar_t* restrict from, size_t count) {
  const size_t size = wcslen(from);
  if (size < count) wcscpy(to, from);
  return size;
}
