/* wchar.h: numbers in texts of wide characters, read as texts of bytes. */
#include "library.h"

/* The text after `*spaces` spaces, as far as it is ASCII, from malloc. */
static char* ascii(const wchar_t* text, size_t* spaces) {
  size_t count = 0;
  *spaces = 0;
  while (iswspace((wint_t)text[*spaces])) ++*spaces;
  text += *spaces;
  while (text[count] > 0 && text[count] < 0x80) ++count;
  char* bytes = malloc(count + 1);
  for (size_t i = 0; bytes != NULL && i < count; ++i) bytes[i] = (char)text[i];
  if (bytes != NULL) bytes[count] = '\0';
  return bytes;
}

#define READ(type, call)                                                                      \
  size_t spaces;                                                                              \
  char* const bytes = ascii(text, &spaces);                                                   \
  char* stop = bytes;                                                                         \
  const type value = bytes == NULL ? 0 : call;                                                \
  if (end != NULL) *end = (wchar_t*)text + (stop == bytes ? 0 : spaces + (size_t)(stop - bytes)); \
  free(bytes);                                                                                \
  return value

long long wcstoll(const wchar_t* restrict text, wchar_t** restrict end, int base) {
  READ(long long, strtoll(bytes, &stop, base));
}
unsigned long long wcstoull(const wchar_t* restrict text, wchar_t** restrict end, int base) {
  READ(unsigned long long, strtoull(bytes, &stop, base));
}
unsigned long wcstoul(const wchar_t* restrict text, wchar_t** restrict end, int base) {
  READ(unsigned long, strtoul(bytes, &stop, base));
}
double wcstod(const wchar_t* restrict text, wchar_t** restrict end) {
  READ(double, strtod(bytes, &stop));
}
float wcstof(const wchar_t* restrict text, wchar_t** restrict end) {
  READ(float, strtof(bytes, &stop));
}
