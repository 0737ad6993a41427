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
/* A fixed sequence for a seed, the same everywhere; the seed is 1 at first. */
int rand(void);
void srand(unsigned seed);
/* NAME of the environment txvm was given with --env. */
char* getenv(const char* name);
