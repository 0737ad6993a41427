#pragma once
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 0x7FFFFFFF
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
_Noreturn void abort(void);
_Noreturn void exit(int code);
_Noreturn void _Exit(int code);
int atexit(void (*function)(void));
_Noreturn void quick_exit(int code);
int at_quick_exit(void (*function)(void));
void* malloc(size_t size);
void* calloc(size_t count, size_t size);
void* realloc(void* block, size_t size);
void* aligned_alloc(size_t alignment, size_t size);
void free(void* block);
int abs(int value);
long labs(long value);
long long llabs(long long value);
div_t div(int a, int b);
ldiv_t ldiv(long a, long b);
lldiv_t lldiv(long long a, long long b);
int atoi(const char* text);
long atol(const char* text);
long long atoll(const char* text);
long strtol(const char* restrict text, char** restrict end, int base);
unsigned long strtoul(const char* restrict text, char** restrict end, int base);
long long strtoll(const char* restrict text, char** restrict end, int base);
unsigned long long strtoull(const char* restrict text, char** restrict end, int base);
void qsort(void* base, size_t count, size_t size, int (*compare)(const void*, const void*));
void* bsearch(const void* key, const void* base, size_t count, size_t size,
              int (*compare)(const void*, const void*));
/* The sequence of glibc; the seed is 1 at first. */
int rand(void);
void srand(unsigned seed);
/* NAME of the environment txvm was given with --env. */
char* getenv(const char* name);
int rand_r(unsigned* seed);
long random(void);
void srandom(unsigned seed);
double atof(const char* text);
double strtod(const char* restrict text, char** restrict end);
float strtof(const char* restrict text, char** restrict end);
#ifndef TXVM_RUNTIME
static inline long double strtold(const char* restrict text, char** restrict end) {
  return strtod(text, end);
}
#endif
/* Of UTF-8, whatever the locale. */
#define MB_CUR_MAX 4
#define MB_LEN_MAX 4
int mblen(const char* text, size_t count);
int mbtowc(wchar_t* restrict to, const char* restrict text, size_t count);
int wctomb(char* to, wchar_t c);
size_t mbstowcs(wchar_t* restrict to, const char* restrict text, size_t count);
size_t wcstombs(char* restrict to, const wchar_t* restrict text, size_t count);
/* No host runs commands: gives -1, or 0 for NULL. */
int system(const char* command);
