/* Wide characters are Unicode's, their texts UTF-8. */
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
typedef unsigned wint_t;
typedef struct { unsigned value, missing; } mbstate_t;
#define WEOF 0xFFFFFFFFu
size_t wcslen(const wchar_t* text);
size_t wcsnlen(const wchar_t* text, size_t count);
wchar_t* wcscpy(wchar_t* restrict to, const wchar_t* restrict from);
wchar_t* wcsncpy(wchar_t* restrict to, const wchar_t* restrict from, size_t count);
wchar_t* wcscat(wchar_t* restrict to, const wchar_t* restrict from);
wchar_t* wcsncat(wchar_t* restrict to, const wchar_t* restrict from, size_t count);
int wcscmp(const wchar_t* a, const wchar_t* b);
int wcsncmp(const wchar_t* a, const wchar_t* b, size_t count);
wchar_t* wcschr(const wchar_t* text, wchar_t c);
wchar_t* wcsrchr(const wchar_t* text, wchar_t c);
wchar_t* wcsstr(const wchar_t* text, const wchar_t* part);
size_t wcsspn(const wchar_t* text, const wchar_t* accept);
size_t wcscspn(const wchar_t* text, const wchar_t* stop);
wchar_t* wcspbrk(const wchar_t* text, const wchar_t* stop);
wchar_t* wcstok(wchar_t* restrict text, const wchar_t* restrict separators,
                wchar_t** restrict state);
int wcscoll(const wchar_t* a, const wchar_t* b);
size_t wcsxfrm(wchar_t* restrict to, const wchar_t* restrict from, size_t count);
wchar_t* wmemchr(const wchar_t* text, wchar_t c, size_t count);
wchar_t* wmemcpy(wchar_t* restrict to, const wchar_t* restrict from, size_t count);
wchar_t* wmemmove(wchar_t* to, const wchar_t* from, size_t count);
wchar_t* wmemset(wchar_t* to, wchar_t c, size_t count);
int wmemcmp(const wchar_t* a, const wchar_t* b, size_t count);
long wcstol(const wchar_t* restrict text, wchar_t** restrict end, int base);
long long wcstoll(const wchar_t* restrict text, wchar_t** restrict end, int base);
unsigned long wcstoul(const wchar_t* restrict text, wchar_t** restrict end, int base);
unsigned long long wcstoull(const wchar_t* restrict text, wchar_t** restrict end, int base);
double wcstod(const wchar_t* restrict text, wchar_t** restrict end);
float wcstof(const wchar_t* restrict text, wchar_t** restrict end);
#ifndef TXVM_RUNTIME
static inline long double wcstold(const wchar_t* restrict text, wchar_t** restrict end) {
  return wcstod(text, end);
}
#endif
size_t mbrlen(const char* restrict text, size_t count, mbstate_t* restrict state);
size_t mbrtowc(wchar_t* restrict to, const char* restrict text, size_t count,
               mbstate_t* restrict state);
size_t wcrtomb(char* restrict to, wchar_t c, mbstate_t* restrict state);
size_t mbsrtowcs(wchar_t* restrict to, const char** restrict text, size_t count,
                 mbstate_t* restrict state);
size_t wcsrtombs(char* restrict to, const wchar_t** restrict text, size_t count,
                 mbstate_t* restrict state);
int mbsinit(const mbstate_t* state);
wint_t btowc(int c);
int wctob(wint_t c);
wint_t fputwc(wchar_t c, FILE* file);
wint_t putwc(wchar_t c, FILE* file);
wint_t putwchar(wchar_t c);
int fputws(const wchar_t* restrict text, FILE* restrict file);
wint_t fgetwc(FILE* file);
wint_t getwc(FILE* file);
wint_t getwchar(void);
wchar_t* fgetws(wchar_t* restrict line, int size, FILE* restrict file);
/* The format's text becomes UTF-8; %s takes char, %ls wchar_t. */
int vwprintf(const wchar_t* restrict format, va_list arguments);
int vswprintf(wchar_t* restrict to, size_t size, const wchar_t* restrict format, va_list arguments);
int wprintf(const wchar_t* restrict format, ...);
int fwprintf(FILE* restrict file, const wchar_t* restrict format, ...);
int vfwprintf(FILE* restrict file, const wchar_t* restrict format, va_list arguments);
int swprintf(wchar_t* restrict to, size_t size, const wchar_t* restrict format, ...);
int wscanf(const wchar_t* restrict format, ...);
int fwscanf(FILE* restrict file, const wchar_t* restrict format, ...);
int swscanf(const wchar_t* restrict from, const wchar_t* restrict format, ...);
int vwscanf(const wchar_t* restrict format, va_list arguments);
int vfwscanf(FILE* restrict file, const wchar_t* restrict format, va_list arguments);
int vswscanf(const wchar_t* restrict from, const wchar_t* restrict format, va_list arguments);
