#include <string.h>

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

typedef uint32_t __attribute__((may_alias, aligned(1))) word;

void* memcpy(void* restrict to, const void* restrict from, size_t count) {
  unsigned char* t = to;
  const unsigned char* f = from;
  for (; count >= sizeof(word); count -= sizeof(word)) {
    *(word*)t = *(const word*)f;
    t += sizeof(word);
    f += sizeof(word);
  }
  while (count-- > 0) *t++ = *f++;
  return to;
}

void* memmove(void* to, const void* from, size_t count) {
  unsigned char* t = to;
  const unsigned char* f = from;
  if (t <= f || t >= f + count) {
    while (count-- > 0) *t++ = *f++;
    return to;
  }
  while (count-- > 0) t[count] = f[count];
  return to;
}

void* memset(void* to, int c, size_t count) {
  unsigned char* t = to;
  const word four = (unsigned char)c * 0x01010101u;
  for (; count >= sizeof(word); count -= sizeof(word)) {
    *(word*)t = four;
    t += sizeof(word);
  }
  while (count-- > 0) *t++ = (unsigned char)c;
  return to;
}

int memcmp(const void* a, const void* b, size_t count) {
  const unsigned char* x = a;
  const unsigned char* y = b;
  for (; count > 0; --count, ++x, ++y) {
    if (*x != *y) return *x - *y;
  }
  return 0;
}

void* memchr(const void* bytes, int c, size_t count) {
  const unsigned char* at = bytes;
  for (; count > 0; --count, ++at) {
    if (*at == (unsigned char)c) return (void*)at;
  }
  return NULL;
}

size_t strlen(const char* text) {
  const char* end = text;
  while (*end != '\0') ++end;
  return (size_t)(end - text);
}

int strncmp(const char* a, const char* b, size_t count) {
  for (; count > 0; --count, ++a, ++b) {
    if (*a != *b || *a == '\0') return (unsigned char)*a - (unsigned char)*b;
  }
  return 0;
}

int strcmp(const char* a, const char* b) { return strncmp(a, b, SIZE_MAX); }

char* strcpy(char* restrict to, const char* restrict from) {
  memcpy(to, from, strlen(from) + 1);
  return to;
}

/* Clang makes calls of it, of sprintf with "%s" for one. */
char* stpcpy(char* restrict to, const char* restrict from) {
  const size_t length = strlen(from);
  memcpy(to, from, length + 1);
  return to + length;
}

char* strncpy(char* restrict to, const char* restrict from, size_t count) {
  size_t i = 0;
  for (; i < count && from[i] != '\0'; ++i) to[i] = from[i];
  for (; i < count; ++i) to[i] = '\0';
  return to;
}

char* strcat(char* restrict to, const char* restrict from) {
  strcpy(to + strlen(to), from);
  return to;
}

char* strncat(char* restrict to, const char* restrict from, size_t count) {
  char* end = to + strlen(to);
  while (count-- > 0 && *from != '\0') *end++ = *from++;
  *end = '\0';
  return to;
}

char* strchr(const char* text, int c) {
  for (;; ++text) {
    if (*text == (char)c) return (char*)text;
    if (*text == '\0') return NULL;
  }
}

char* strrchr(const char* text, int c) {
  const char* found = NULL;
  for (;; ++text) {
    if (*text == (char)c) found = text;
    if (*text == '\0') return (char*)found;
  }
}

size_t strspn(const char* text, const char* accept) {
  size_t count = 0;
  while (text[count] != '\0' && strchr(accept, text[count]) != NULL) ++count;
  return count;
}

size_t strcspn(const char* text, const char* stop) {
  size_t count = 0;
  while (text[count] != '\0' && strchr(stop, text[count]) == NULL) ++count;
  return count;
}

char* strpbrk(const char* text, const char* stop) {
  text += strcspn(text, stop);
  return *text == '\0' ? NULL : (char*)text;
}

char* strstr(const char* text, const char* part) {
  const size_t length = strlen(part);
  for (;; ++text) {
    if (strncmp(text, part, length) == 0) return (char*)text;
    if (*text == '\0') return NULL;
  }
}

char* strtok_r(char* restrict text, const char* restrict separators, char** restrict state) {
  if (text == NULL) text = *state;
  text += strspn(text, separators);
  if (*text == '\0') {
    *state = text;
    return NULL;
  }
  char* end = text + strcspn(text, separators);
  *state = *end == '\0' ? end : end + 1;
  *end = '\0';
  return text;
}

char* strsep(char** restrict text, const char* restrict separators) {
  char* const first = *text;
  if (first == NULL) return NULL;
  char* end = first + strcspn(first, separators);
  *text = *end == '\0' ? NULL : end + 1;
  *end = '\0';
  return first;
}

char* strtok(char* restrict text, const char* restrict separators) {
  static char* state;
  return strtok_r(text, separators, &state);
}

char* strdup(const char* text) {
  const size_t size = strlen(text) + 1;
  char* copy = malloc(size);
  return copy == NULL ? NULL : memcpy(copy, text, size);
}

size_t strnlen(const char* text, size_t count) {
  size_t length = 0;
  while (length < count && text[length] != '\0') ++length;
  return length;
}

char* strndup(const char* text, size_t count) {
  const size_t length = strnlen(text, count);
  char* copy = malloc(length + 1);
  if (copy == NULL) return NULL;
  copy[length] = '\0';
  return memcpy(copy, text, length);
}

void* memmem(const void* bytes, size_t count, const void* part, size_t part_count) {
  const unsigned char* at = bytes;
  for (; count >= part_count; --count, ++at) {
    if (memcmp(at, part, part_count) == 0) return (void*)at;
  }
  return NULL;
}

/* The "C" locale's order is that of the bytes. */
int strcoll(const char* a, const char* b) { return strcmp(a, b); }
size_t strxfrm(char* restrict to, const char* restrict from, size_t count) {
  const size_t length = strlen(from);
  if (length < count) memcpy(to, from, length + 1);
  return length;
}

int strncasecmp(const char* a, const char* b, size_t count) {
  for (; count > 0; --count, ++a, ++b) {
    const int x = tolower((unsigned char)*a), y = tolower((unsigned char)*b);
    if (x != y || x == '\0') return x - y;
  }
  return 0;
}

int strcasecmp(const char* a, const char* b) { return strncasecmp(a, b, SIZE_MAX); }

int isdigit(int c) { return (unsigned)c - '0' < 10; }
int islower(int c) { return (unsigned)c - 'a' < 26; }
int isupper(int c) { return (unsigned)c - 'A' < 26; }
int isalpha(int c) { return islower(c) || isupper(c); }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isblank(int c) { return c == ' ' || c == '\t'; }
int isspace(int c) { return c == ' ' || (unsigned)c - '\t' < 5; }
int iscntrl(int c) { return (unsigned)c < ' ' || c == 0x7F; }
int isprint(int c) { return (unsigned)c - ' ' < 0x5F; }
int isgraph(int c) { return isprint(c) && c != ' '; }
int ispunct(int c) { return isgraph(c) && !isalnum(c); }
int isxdigit(int c) { return isdigit(c) || ((unsigned)c | 0x20) - 'a' < 6; }
int tolower(int c) { return isupper(c) ? c + ('a' - 'A') : c; }
int toupper(int c) { return islower(c) ? c - ('a' - 'A') : c; }
