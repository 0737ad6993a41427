/* wscanf and its relatives: the format and a text to read become UTF-8, which scan.c reads. */
#include "library.h"

/* A wide text as UTF-8, to be freed; NULL where there is no room. */
static char* narrow(const wchar_t* text) {
  const size_t most = (wcslen(text) + 1) * MB_LEN_MAX;
  char* const bytes = malloc(most);
  if (bytes == NULL) return NULL;
  if (wcstombs(bytes, text, most) != (size_t)-1) return bytes;
  free(bytes);
  return NULL;
}

int vfwscanf(FILE* restrict file, const wchar_t* restrict text, va_list arguments) {
  char* const format = narrow(text);
  const int count = format == NULL ? EOF : vfscanf(file, format, arguments);
  free(format);
  return count;
}

int vswscanf(const wchar_t* restrict from, const wchar_t* restrict text, va_list arguments) {
  char* const bytes = narrow(from);
  char* const format = narrow(text);
  const int count = bytes == NULL || format == NULL ? EOF : vsscanf(bytes, format, arguments);
  free(format);
  free(bytes);
  return count;
}

int vwscanf(const wchar_t* restrict text, va_list arguments) {
  return vfwscanf(stdin, text, arguments);
}

#define FORWARD(call)        \
  va_list arguments;         \
  va_start(arguments, text); \
  const int count = call;    \
  va_end(arguments);         \
  return count

int wscanf(const wchar_t* restrict text, ...) { FORWARD(vfwscanf(stdin, text, arguments)); }
int fwscanf(FILE* restrict file, const wchar_t* restrict text, ...) {
  FORWARD(vfwscanf(file, text, arguments));
}
int swscanf(const wchar_t* restrict from, const wchar_t* restrict text, ...) {
  FORWARD(vswscanf(from, text, arguments));
}
