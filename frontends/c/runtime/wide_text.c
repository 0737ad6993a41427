/* wchar.h and wctype.h: texts of wide characters, and UTF-8. */
#include "library.h"

size_t wcslen(const wchar_t* text) {
  size_t count = 0;
  while (text[count] != 0) ++count;
  return count;
}
size_t wcsnlen(const wchar_t* text, size_t count) {
  size_t i = 0;
  while (i < count && text[i] != 0) ++i;
  return i;
}
wchar_t* wmemcpy(wchar_t* restrict to, const wchar_t* restrict from, size_t count) {
  return memcpy(to, from, count * sizeof *to);
}
wchar_t* wmemmove(wchar_t* to, const wchar_t* from, size_t count) {
  return memmove(to, from, count * sizeof *to);
}
wchar_t* wmemset(wchar_t* to, wchar_t c, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] = c;
  return to;
}
int wmemcmp(const wchar_t* a, const wchar_t* b, size_t count) {
  for (; count > 0; --count, ++a, ++b) {
    if (*a != *b) return *a < *b ? -1 : 1;
  }
  return 0;
}
wchar_t* wcscpy(wchar_t* restrict to, const wchar_t* restrict from) {
  return wmemcpy(to, from, wcslen(from) + 1);
}
wchar_t* wcsncpy(wchar_t* restrict to, const wchar_t* restrict from, size_t count) {
  const size_t have = wcsnlen(from, count);
  wmemcpy(to, from, have);
  wmemset(to + have, 0, count - have);
  return to;
}
wchar_t* wcsncat(wchar_t* restrict to, const wchar_t* restrict from, size_t count) {
  wchar_t* end = to + wcslen(to);
  const size_t have = wcsnlen(from, count);
  wmemcpy(end, from, have);
  end[have] = 0;
  return to;
}
wchar_t* wcscat(wchar_t* restrict to, const wchar_t* restrict from) {
  wcscpy(to + wcslen(to), from);
  return to;
}
int wcsncmp(const wchar_t* a, const wchar_t* b, size_t count) {
  for (; count > 0; --count, ++a, ++b) {
    if (*a != *b) return *a < *b ? -1 : 1;
    if (*a == 0) return 0;
  }
  return 0;
}
int wcscmp(const wchar_t* a, const wchar_t* b) { return wcsncmp(a, b, SIZE_MAX); }
wchar_t* wcschr(const wchar_t* text, wchar_t c) {
  for (;; ++text) {
    if (*text == c) return (wchar_t*)text;
    if (*text == 0) return NULL;
  }
}
wchar_t* wcsrchr(const wchar_t* text, wchar_t c) {
  for (const wchar_t* at = text + wcslen(text);; --at) {
    if (*at == c) return (wchar_t*)at;
    if (at == text) return NULL;
  }
}
wchar_t* wcsstr(const wchar_t* text, const wchar_t* part) {
  const size_t size = wcslen(part);
  for (;; ++text) {
    if (wcsncmp(text, part, size) == 0) return (wchar_t*)text;
    if (*text == 0) return NULL;
  }
}

long wcstol(const wchar_t* restrict text, wchar_t** restrict end, int base) {
  char bytes[80];
  size_t count = 0, spaces = 0;
  while (iswspace((wint_t)text[spaces])) ++spaces;
  for (; count + 1 < sizeof bytes && text[spaces + count] > 0 && text[spaces + count] < 0x80;
       ++count) {
    bytes[count] = (char)text[spaces + count];
  }
  bytes[count] = '\0';
  char* stop;
  const long value = strtol(bytes, &stop, base);
  if (end != NULL) *end = (wchar_t*)text + (stop == bytes ? 0 : spaces + (size_t)(stop - bytes));
  return value;
}

/* The length of a character's UTF-8 that begins with this byte; 0: none does. */
static int length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* Of `count` bytes: the length of the character that is in `*to` then; 0 for the end of the text, -1
   for what is none, -2 where bytes are missing. */
static int decode(wchar_t* to, const char* text, size_t count) {
  if (count == 0) return -2;
  const unsigned char first = (unsigned char)*text;
  const int length = length_of(first);
  if (length == 0) return -1;
  uint32_t c = length == 1 ? first : first & (0x7Fu >> length);
  for (int i = 1; i < length; ++i) {
    if ((size_t)i == count) return -2;
    const unsigned char next = (unsigned char)text[i];
    if ((next & 0xC0) != 0x80) return -1;
    c = c << 6 | (next & 0x3F);
  }
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < least[length] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return -1;
  *to = (wchar_t)c;
  return c == 0 ? 0 : length;
}

static int encode(char* to, wchar_t wide) {
  uint32_t c = (uint32_t)wide;
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) {
    errno = EILSEQ;
    return -1;
  }
  if (c < 0x80) {
    *to = (char)c;
    return 1;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  for (int i = more; i > 0; --i, c >>= 6) to[i] = (char)(0x80 | (c & 0x3F));
  to[0] = (char)((0xFF80 >> more & 0xFF) | c);
  return more + 1;
}

int mbtowc(wchar_t* restrict to, const char* restrict text, size_t count) {
  wchar_t c;
  if (text == NULL) return 0;
  const int length = decode(&c, text, count);
  if (length < 0) {
    errno = EILSEQ;
    return -1;
  }
  if (to != NULL) *to = c;
  return length;
}
int mblen(const char* text, size_t count) { return mbtowc(NULL, text, count); }
int wctomb(char* to, wchar_t c) { return to == NULL ? 0 : encode(to, c); }

/* A character in parts is kept in the state: `value` its bytes, `missing` how many there are. */
size_t mbrtowc(wchar_t* restrict to, const char* restrict text, size_t count,
               mbstate_t* restrict state) {
  static mbstate_t own;
  if (state == NULL) state = &own;
  if (text == NULL) {
    *state = (mbstate_t){0, 0};
    return 0;
  }
  char bytes[4];
  const unsigned before = state->missing;
  unsigned have = before;
  for (unsigned i = 0; i < before; ++i) bytes[i] = (char)(state->value >> 8 * i);
  for (size_t i = 0; have < 4 && i < count; ++i) bytes[have++] = text[i];
  wchar_t c = 0;
  const int length = decode(&c, bytes, have);
  if (length == -1) {
    errno = EILSEQ;
    return (size_t)-1;
  }
  if (length == -2) {
    for (unsigned i = before; i < have; ++i) state->value |= (unsigned char)bytes[i] << 8 * i;
    state->missing = have;
    return (size_t)-2;
  }
  *state = (mbstate_t){0, 0};
  if (to != NULL) *to = c;
  return length == 0 ? 0 : (size_t)length - before;
}
size_t mbrlen(const char* restrict text, size_t count, mbstate_t* restrict state) {
  static mbstate_t own;
  return mbrtowc(NULL, text, count, state == NULL ? &own : state);
}
size_t wcrtomb(char* restrict to, wchar_t c, mbstate_t* restrict state) {
  (void)state;
  return to == NULL ? 1 : (size_t)encode(to, c);
}
int mbsinit(const mbstate_t* state) { return state == NULL || state->missing == 0; }

/* `to` may be NULL: counts. */
static size_t widen(wchar_t* to, const char** text, size_t count) {
  const char* at = *text;
  size_t done = 0;
  for (; to == NULL || done < count; ++done) {
    wchar_t c;
    const int length = decode(&c, at, 4);
    if (length < 0) {
      errno = EILSEQ;
      return (size_t)-1;
    }
    if (to != NULL) to[done] = length == 0 ? 0 : c;
    if (length == 0) {
      if (to != NULL) *text = NULL;
      return done;
    }
    at += length;
  }
  if (to != NULL) *text = at;
  return done;
}
size_t mbstowcs(wchar_t* to, const char* text, size_t count) {
  return widen(to, &text, count);
}
size_t mbsrtowcs(wchar_t* restrict to, const char** restrict text, size_t count,
                 mbstate_t* restrict state) {
  (void)state;
  return widen(to, text, count);
}
size_t wcstombs(char* restrict to, const wchar_t* restrict text, size_t count) {
  size_t done = 0;
  for (;; ++text) {
    char bytes[4];
    const int length = encode(bytes, *text);
    if (length < 0) return (size_t)-1;
    if (to != NULL && done + (size_t)length > count) return done;
    for (int i = 0; to != NULL && i < length; ++i) to[done + (size_t)i] = bytes[i];
    if (*text == 0) return done;
    done += (size_t)length;
  }
}
size_t wcsrtombs(char* restrict to, const wchar_t** restrict text, size_t count,
                 mbstate_t* restrict state) {
  (void)state;
  if (to == NULL) return wcstombs(NULL, *text, 0);
  size_t done = 0;
  for (;; ++*text) {
    char bytes[4];
    const int length = encode(bytes, **text);
    if (length < 0) return (size_t)-1;
    if (done + (size_t)length > count) return done;
    for (int i = 0; i < length; ++i) to[done + (size_t)i] = bytes[i];
    if (**text == 0) {
      *text = NULL;
      return done;
    }
    done += (size_t)length;
  }
}
wint_t btowc(int c) { return c >= 0 && c < 0x80 ? (wint_t)c : WEOF; }
int wctob(wint_t c) { return c < 0x80 ? (int)c : EOF; }

wint_t fputwc(wchar_t c, FILE* file) {
  char bytes[4];
  const int length = encode(bytes, c);
  if (length < 0) return WEOF;
  return fwrite(bytes, 1, (size_t)length, file) == (size_t)length ? (wint_t)c : WEOF;
}
wint_t putwc(wchar_t c, FILE* file) { return fputwc(c, file); }
wint_t putwchar(wchar_t c) { return fputwc(c, stdout); }
int fputws(const wchar_t* restrict text, FILE* restrict file) {
  for (; *text != 0; ++text) {
    if (fputwc(*text, file) == WEOF) return EOF;
  }
  return 0;
}
wint_t fgetwc(FILE* file) {
  char bytes[4];
  wchar_t wide;
  int c = fgetc(file);
  if (c == EOF) return WEOF;
  bytes[0] = (char)c;
  const int length = length_of((unsigned char)c);
  for (int i = 1; i < length; ++i) {
    c = fgetc(file);
    if (c == EOF) break;
    bytes[i] = (char)c;
  }
  if (length == 1) return (wint_t)bytes[0];
  if (length != 0 && c != EOF && decode(&wide, bytes, (size_t)length) > 0) return (wint_t)wide;
  errno = EILSEQ;
  return WEOF;
}
wint_t getwc(FILE* file) { return fgetwc(file); }
wint_t getwchar(void) { return fgetwc(stdin); }
wchar_t* fgetws(wchar_t* restrict line, int size, FILE* restrict file) {
  int count = 0;
  while (count + 1 < size) {
    const wint_t c = fgetwc(file);
    if (c == WEOF) break;
    line[count++] = (wchar_t)c;
    if (c == '\n') break;
  }
  if (count == 0) return NULL;
  line[count] = 0;
  return line;
}

/* The format in UTF-8, from malloc; NULL where that fails. */
static char* narrow(const wchar_t* format) {
  const size_t size = wcstombs(NULL, format, 0);
  char* text = size == (size_t)-1 ? NULL : malloc(size + 1);
  if (text != NULL) wcstombs(text, format, size + 1);
  return text;
}

int vfwprintf(FILE* restrict file, const wchar_t* restrict format, va_list arguments) {
  char* text = narrow(format);
  if (text == NULL) return -1;
  const int count = vfprintf(file, text, arguments);
  free(text);
  return count;
}
int fwprintf(FILE* restrict file, const wchar_t* restrict format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int count = vfwprintf(file, format, arguments);
  va_end(arguments);
  return count;
}
int wprintf(const wchar_t* restrict format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int count = vfwprintf(stdout, format, arguments);
  va_end(arguments);
  return count;
}
int vwprintf(const wchar_t* restrict format, va_list arguments) {
  return vfwprintf(stdout, format, arguments);
}
int vswprintf(wchar_t* restrict to, size_t size, const wchar_t* restrict format, va_list arguments) {
  char* text = narrow(format);
  if (text == NULL) return -1;
  va_list again;
  va_copy(again, arguments);
  const int bytes = vsnprintf(NULL, 0, text, arguments);
  char* whole = malloc((size_t)bytes + 1);
  if (whole != NULL) vsnprintf(whole, (size_t)bytes + 1, text, again);
  va_end(again);
  free(text);
  if (whole == NULL) return -1;
  const size_t count = mbstowcs(to, whole, size);
  free(whole);
  if (count < size) return (int)count;
  if (size > 0) to[size - 1] = 0;
  return -1;
}
int swprintf(wchar_t* restrict to, size_t size, const wchar_t* restrict format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int count = vswprintf(to, size, format, arguments);
  va_end(arguments);
  return count;
}

static int is_ascii(wint_t c) { return c < 0x80; }
int iswalnum(wint_t c) { return is_ascii(c) && isalnum((int)c); }
int iswalpha(wint_t c) { return is_ascii(c) && isalpha((int)c); }
int iswblank(wint_t c) { return c == ' ' || c == '\t'; }
int iswcntrl(wint_t c) { return is_ascii(c) && iscntrl((int)c); }
int iswdigit(wint_t c) { return is_ascii(c) && isdigit((int)c); }
int iswgraph(wint_t c) { return is_ascii(c) && isgraph((int)c); }
int iswlower(wint_t c) { return is_ascii(c) && islower((int)c); }
int iswprint(wint_t c) { return is_ascii(c) && isprint((int)c); }
int iswpunct(wint_t c) { return is_ascii(c) && ispunct((int)c); }
int iswspace(wint_t c) { return is_ascii(c) && isspace((int)c); }
int iswupper(wint_t c) { return is_ascii(c) && isupper((int)c); }
int iswxdigit(wint_t c) { return is_ascii(c) && isxdigit((int)c); }
wint_t towlower(wint_t c) { return is_ascii(c) ? (wint_t)tolower((int)c) : c; }
wint_t towupper(wint_t c) { return is_ascii(c) ? (wint_t)toupper((int)c) : c; }
